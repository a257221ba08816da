/* podGroupPolicy.coscheduling: creates a PodGroup of scheduler-plugins and sets the label by which
 * pods join it. */
#include "trainer/gang.h"
#include "trainer/plugin.h"

static bool cosched_applies(const struct ty_plan *plan)
{
    return ty_json_get(plan->gang, "coscheduling") != NULL;
}

static int cosched_enforce(struct ty_plan *plan, const struct ty_trainjob *job,
                           struct ty_err *err TY_UNUSED)
{
    ty_gang_join(plan, job, plan->pod_labels, TY_GANG_LABEL);
    return 0;
}

static int cosched_build(struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_err *err TY_UNUSED)
{
    struct ty_json *group = ty_gang_podgroup(plan, job, &ty_kind_podgroup_cosched);
    struct ty_json *timeout = ty_json_at(plan->gang, "coscheduling.scheduleTimeoutSeconds");

    if (group && timeout)
        ty_json_set(plan->arena, ty_json_get(group, "spec"), "scheduleTimeoutSeconds",
                    ty_json_copy(plan->arena, timeout, plan->origin));
    return 0;
}

const struct ty_plugin ty_plugin_coscheduling = {
    .name = "CoScheduling",
    .about = "podGroupPolicy.coscheduling: a PodGroup for scheduler-plugins",
    .applies = cosched_applies,
    .enforce_gang = cosched_enforce,
    .build = cosched_build,
    .watches = true,
};
