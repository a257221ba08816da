/* The context of a preflight check, private to the files of preflight. */
#ifndef TY_ENGINE_PREFLIGHT_PREFLIGHT_INNER_H
#define TY_ENGINE_PREFLIGHT_PREFLIGHT_INNER_H

#include "engine/pod/pod_plan_inner.h"
#include "engine/preflight/preflight.h"

struct ty_preflight {
    struct ty_preflight_findings *out;
    struct ty_pod_ctx pod;          /* of the template that is checked */
    const struct ty_json *policies; /* spec.volumeClaimPolicies of the JobSet, or NULL */
    struct ty_str jobset;
};

/* ---- preflight.c ---- */
void ty_preflight_error(struct ty_preflight *x, const struct ty_field_path *at, const char *fmt,
                        ...) TY_PRINTF(3, 4);
void ty_preflight_warn(struct ty_preflight *x, const struct ty_field_path *at, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Is there a warning of these words already? What is said of every container is said once. */
bool ty_preflight_has_warning(const struct ty_preflight *x, const char *text);
/* A value in a message: a string bare, all else as JSON. */
struct ty_str ty_preflight_value(struct ty_preflight *x, const struct ty_json *v);
/* One pod template at `at`; not the devices it wants, which depend on the others. */
void ty_preflight_check_template(struct ty_preflight *x, const struct ty_json *pod_template,
                                 const struct ty_field_path *at);

/* ---- preflight_container.c ---- */
void ty_preflight_check_container(struct ty_preflight *x, const struct ty_json *c, bool init,
                                  const struct ty_field_path *at);
/* ---- preflight_security.c: securityContext of a pod or (c not NULL) of a container ---- */
void ty_preflight_check_security(struct ty_preflight *x, const struct ty_json *context,
                                 bool container, const struct ty_field_path *at);
/* ---- preflight_volumes.c ---- */
void ty_preflight_check_volumes(struct ty_preflight *x, const struct ty_field_path *spec_at);
void ty_preflight_check_mounts(struct ty_preflight *x, const struct ty_json *c,
                               const struct ty_field_path *at);
/* Claims that volumeClaimPolicies make: size and class of a plain directory. */
void ty_preflight_check_policies(struct ty_preflight *x, const struct ty_field_path *at);
/* ---- preflight_resources.c ---- */
void ty_preflight_check_limits(struct ty_preflight *x, const struct ty_json *resources,
                               const struct ty_field_path *at);
/* Adds what `pods` such pods want of the machine's devices to `sum`. */
void ty_preflight_add_devices(struct ty_preflight *x, const struct ty_json *pod_spec, int64_t pods,
                              struct ty_json *sum);
/* An error for each device of which `sum` wants more than there is. */
void ty_preflight_check_devices(struct ty_preflight *x, const struct ty_json *sum,
                                const struct ty_field_path *at);

#endif
