/* Finds what a cluster lacks to run TrainJobs. Pure, over a snapshot that was read before: a table
 * of checks. */
#ifndef TY_ADVISE_DOCTOR_H
#define TY_ADVISE_DOCTOR_H

#include "advise/check.h"
#include "advise/check_failure_summary.h"
#include "advise/check_operator.h"
#include "advise/cluster_reader.h"

struct ty_doctor_in {
    struct ty_cluster_snapshot *snapshot;
    const char *ns;     /* where the operator should be */
    const char *server; /* for people */
    int64_t now_s;
};

/* The objects to read: first with step 0, then, when those were read, with step 1. Returns how
 * many; the list lives with the arena. */
size_t ty_doctor_queries(struct ty_arena *a, const struct ty_doctor_in *in, int step,
                         struct ty_cluster_query **ret);
/* Without an answer of the API server the result is one line. */
void ty_doctor_check(const struct ty_doctor_in *in, struct ty_check_results *ret);

/* The checks; each in check_NAME.c. */
typedef void ty_doctor_fn(const struct ty_doctor_in *in, struct ty_check_results *ret);
ty_doctor_fn ty_check_server, ty_check_crds, ty_check_jobset, ty_check_webhooks, ty_check_operator,
    ty_check_failure_summary, ty_check_runtimes;

/* ---- shared by the checks ---- */

extern const struct ty_kind ty_kind_server; /* not a kind: the answer of /version */

#define TY_TRAINER         "kubeflow-trainer-controller-manager" /* Deployment and Service */
#define TY_TRAINER_SECRET  "kubeflow-trainer-webhook-cert"
#define TY_TRAINER_CONFIG  "kubeflow-trainer-config"
#define TY_TRAINER_SUMMARY "kubeflow-trainer-failure-summary" /* ClusterRole and its binding */
#define TY_TRAINER_LEASE   "trainer.kubeflow.org"
#define TY_JOBSET_LABEL    "app.kubernetes.io/part-of=jobset"
#define TY_TRAINER_LABEL   "app.kubernetes.io/part-of=kubeflow,app.kubernetes.io/component=manager"

/* The two configurations: kind and name. */
struct ty_doctor_webhook {
    const struct ty_kind *kind;
    const char *name;
};
extern const struct ty_doctor_webhook ty_doctor_webhooks[2];
/* The Service of the webhooks; false: none, or a URL. Both live with the arena. */
bool ty_doctor_webhook_service(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                               struct ty_str *ret_ns, struct ty_str *ret_name);

#endif
