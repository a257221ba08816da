/* Computes addresses of pods one at a time from the counts. */
#include "trainer/plan.h"

struct ty_str ty_plan_subdomain(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    struct ty_str given = ty_json_str_at(plan->spec, "network.subdomain");
    return given.n ? given : job->name;
}

char *ty_plan_endpoint(const struct ty_plan *plan, const struct ty_trainjob *job,
                       const struct ty_podset *set, int64_t replica, int64_t pod)
{
    struct ty_str domain = ty_plan_subdomain(plan, job);

    return ty_arena_printf(plan->arena, "%.*s-%.*s-%lld-%lld.%.*s", TY_ARG(job->name),
                           TY_ARG(set->name), (long long)replica, (long long)pod, TY_ARG(domain));
}

bool ty_plan_endpoints_next(struct ty_plan_endpoints *it, struct ty_buf *out)
{
    struct ty_str domain = ty_plan_subdomain(it->plan, it->job);

    if (it->pod >= it->set->count) {
        it->pod = 0;
        it->replica++;
    }
    if (it->replica >= it->set->replicas || it->set->count <= 0)
        return false;
    ty_buf_printf(out, "%.*s-%.*s-%lld-%lld.%.*s", TY_ARG(it->job->name), TY_ARG(it->set->name),
                  (long long)it->replica, (long long)it->pod, TY_ARG(domain));
    it->pod++;
    return !out->full;
}
