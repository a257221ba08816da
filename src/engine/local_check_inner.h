/* Shared by the files of local_check; nobody else includes this. */
#ifndef TY_ENGINE_LOCAL_CHECK_INNER_H
#define TY_ENGINE_LOCAL_CHECK_INNER_H

#include "engine/pod_plan_inner.h"

struct ty_check {
    struct ty_unfits *out;
    struct ty_pod_ctx pod;          /* of the template that is looked at */
    const struct ty_json *policies; /* spec.volumeClaimPolicies of the JobSet, or NULL */
    struct ty_str jobset;
};

/* ---- local_check.c ---- */
void ty_check_error(struct ty_check *x, const struct ty_path *at, const char *fmt, ...)
    TY_PRINTF(3, 4);
void ty_check_warn(struct ty_check *x, const struct ty_path *at, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Is there a warning of these words already? What is said of every container is said once. */
bool ty_check_said(const struct ty_check *x, const char *text);
/* A value in a message: a string bare, all else as JSON. */
struct ty_str ty_check_value(struct ty_check *x, const struct ty_json *v);
/* One pod template at `at`; not the devices it wants, which depend on the others. */
void ty_check_template(struct ty_check *x, const struct ty_json *pod_template,
                       const struct ty_path *at);

/* ---- local_check_container.c ---- */
void ty_check_container(struct ty_check *x, const struct ty_json *c, bool init,
                        const struct ty_path *at);
/* ---- local_check_security.c: securityContext of a pod or (c not NULL) of a container ---- */
void ty_check_security(struct ty_check *x, const struct ty_json *context, bool container,
                       const struct ty_path *at);
/* ---- local_check_volumes.c ---- */
void ty_check_volumes(struct ty_check *x, const struct ty_path *spec_at);
void ty_check_mounts(struct ty_check *x, const struct ty_json *c, const struct ty_path *at);
/* Claims that volumeClaimPolicies make: size and class of a plain directory. */
void ty_check_policies(struct ty_check *x, const struct ty_path *at);
/* ---- local_check_resources.c ---- */
void ty_check_limits(struct ty_check *x, const struct ty_json *resources, const struct ty_path *at);
/* Adds what `pods` such pods want of the machine's devices to `sum`. */
void ty_check_add_wants(struct ty_check *x, const struct ty_json *pod_spec, int64_t pods,
                        struct ty_json *sum);
/* An error for each device of which `sum` wants more than there is. */
void ty_check_wants(struct ty_check *x, const struct ty_json *sum, const struct ty_path *at);

#endif
