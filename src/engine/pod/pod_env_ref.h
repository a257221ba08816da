/* Values that a pod takes from elsewhere: fieldRef, resourceFieldRef, ConfigMaps and Secrets. */
#ifndef TY_ENGINE_POD_POD_ENV_REF_H
#define TY_ENGINE_POD_POD_ENV_REF_H

#include "engine/pod/pod_plan_inner.h"

/* A fieldRef's value. -EINVAL with a sentence for a path that is not supported. `whole`: also
 * metadata.labels and metadata.annotations, as downwardAPI files have them. */
int ty_pod_env_field_ref(struct ty_pod_ctx *x, struct ty_str path, bool whole, struct ty_str *ret,
                         struct ty_err *err);
/* A resourceFieldRef's value; `container`: of which, when the reference names none. */
int ty_pod_env_resource_ref(struct ty_pod_ctx *x, const struct ty_json *ref,
                            const struct ty_json *container, struct ty_str *ret,
                            struct ty_err *err);
/* An object of the pod's namespace, or NULL. */
const struct ty_json *ty_pod_object(const struct ty_pod_ctx *x, const struct ty_kind *kind,
                                    struct ty_str name);
/* One key of a ConfigMap (data; with `binary` also binaryData) or Secret. False: it is not there.
 */
bool ty_pod_key(struct ty_arena *a, const struct ty_kind *kind, const struct ty_json *obj,
                struct ty_str key, bool binary, struct ty_str *ret);
/* A container or init container by name, or NULL. */
const struct ty_json *ty_pod_container(const struct ty_json *spec, struct ty_str name);

#endif
