/* What a cluster lacks for TrainJobs to run in it. Pure, over a snapshot that was read before: one
 * table of checks, each a function over what is there. */
#ifndef TY_ADVISE_DOCTOR_H
#define TY_ADVISE_DOCTOR_H

#include "advise/check.h"
#include "advise/cluster_reader.h"
#include "net/gnutls.h"

struct ty_doctor_in {
    struct ty_cluster_snapshot *snapshot;
    const struct ty_gnutls *gnutls; /* NULL: certificates are not looked into */
    const char *ns;                 /* where the operator should be */
    const char *server;             /* for people */
    int64_t now_s;
};

/* What to read: first with step 0, then, when that was read, with step 1. Gives how many; lives
 * with the arena. */
size_t ty_doctor_queries(struct ty_arena *a, const struct ty_doctor_in *in, int step,
                         struct ty_cluster_query **ret);
/* An API server that does not answer ends it with one line. */
void ty_doctor_check(const struct ty_doctor_in *in, struct ty_check_results *ret);

/* The checks; each in check_NAME.c. */
typedef void ty_doctor_fn(const struct ty_doctor_in *in, struct ty_check_results *ret);
ty_doctor_fn ty_check_server, ty_check_crds, ty_check_jobset, ty_check_webhooks, ty_check_operator,
    ty_check_runtimes;

/* ---- what they share ---- */

extern const struct ty_kind ty_kind_server; /* not a kind: what /version answers */

#define TY_TRAINER        "kubeflow-trainer-controller-manager" /* Deployment and Service */
#define TY_TRAINER_SECRET "kubeflow-trainer-webhook-cert"
#define TY_TRAINER_LEASE  "trainer.kubeflow.org"
#define TY_JOBSET_LABEL   "app.kubernetes.io/part-of=jobset"
#define TY_TRAINER_LABEL  "app.kubernetes.io/part-of=kubeflow,app.kubernetes.io/component=manager"

/* The two configurations: kind and name. */
struct ty_doctor_webhook {
    const struct ty_kind *kind;
    const char *name;
};
extern const struct ty_doctor_webhook ty_doctor_webhooks[2];
/* The Service that webhooks are sent to; false: none, or by URL. Both live with the arena. */
bool ty_doctor_webhook_service(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                               struct ty_str *ret_ns, struct ty_str *ret_name);

/* The operator's Deployment, by its name or its labels: there, or why it is not; NULL: none. */
const struct ty_cluster_object *ty_check_operator_find(const struct ty_doctor_in *in,
                                                       struct ty_arena *a);
/* Of a Deployment: the image of its first container. */
struct ty_str ty_check_operator_image(const struct ty_json *deployment);
bool ty_check_operator_is_upstream(struct ty_str image); /* Kubeflow Trainer's own manager */

/* "v1.31.2" and the like: major * 1000 + minor; -1: not a version. */
int64_t ty_check_server_version(struct ty_str text);
/* The first property of `ours` (an openAPIV3Schema) that `theirs` has not: its path; NULL none. */
const char *ty_check_crds_missing(struct ty_arena *a, const struct ty_json *ours,
                                  const struct ty_json *theirs);
/* Of a CRD: the schema of this version, if it is served; else NULL. */
const struct ty_json *ty_check_crds_schema(const struct ty_json *crd, const char *version);

#endif
