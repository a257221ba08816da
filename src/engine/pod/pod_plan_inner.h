/* The context of a pod plan while it is built, for the files that build it. */
#ifndef TY_ENGINE_POD_POD_PLAN_INNER_H
#define TY_ENGINE_POD_POD_PLAN_INNER_H

#include "engine/pod/pod_plan.h"

/* Everything a plan is made from. */
struct ty_pod_ctx {
    struct ty_arena *a;       /* what stays */
    size_t before;            /* bytes in it before the plan */
    struct ty_arena *scratch; /* what is needed while the plan is made */
    const struct ty_json *pod, *spec;
    struct ty_str ns;
    const char *hostname;
    const struct ty_host *host;
    const struct ty_view *view;
    const struct ty_pod_net *net;
};

/* False once a pod's plan takes more memory than any process could be given: loops over what the
 * user wrote end, and ty_pod_plan_make says so. */
bool ty_pod_plan_has_room(const struct ty_pod_ctx *x);

/* A token like this one is issued here. */
static inline bool ty_pod_token_issued(const struct ty_host *host, const struct ty_json *source)
{
    return host->token &&
           (!host->audience || ty_str_is(ty_json_str_at(source, "audience"), host->audience));
}

#endif
