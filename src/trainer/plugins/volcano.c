/* podGroupPolicy.volcano: creates a PodGroup of Volcano and sets the annotation by which pods join
 * it. */
#include "trainer/gang.h"
#include "trainer/plugin.h"

#define QUEUE "scheduling.volcano.sh/queue-name"

static bool volcano_applies(const struct ty_plan *plan)
{
    return ty_json_get(plan->gang, "volcano") != NULL;
}

static bool is_system(struct ty_str class) /* classes that exist in every cluster */
{
    return ty_str_is(class, "system-cluster-critical") || ty_str_is(class, "system-node-critical");
}

/* v2.3.0 does not check this (B17). */
static void check_priority(const struct ty_plan *plan, struct ty_str name, bool unseen,
                           struct ty_errs *errs)
{
    const struct ty_field_path *at =
        TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "templateSpec"), "priorityClassName");
    char *class = ty_arena_cstr(plan->arena, name);

    if (ty_plan_live_object(plan, &ty_kind_priorityclass, (struct ty_str){ 0 }, class))
        return;
    ty_errs_add(
        errs, at, TY_INVALID, ty_arena_printf(plan->arena, "\"%s\"", class),
        "PriorityClass \"%s\" doesn't exist: PriorityClass.scheduling.k8s.io \"%s\" not found",
        class, class)
        ->warn_only = unseen;
}

static void volcano_validate(const struct ty_plan *plan, const struct ty_trainjob *job TY_UNUSED,
                             const struct ty_trainjob *old TY_UNUSED, struct ty_errs *errs,
                             struct ty_warnings *warnings TY_UNUSED)
{
    const struct ty_json *queue = ty_json_find(plan->annotations, TY_LIT(QUEUE));
    const struct ty_field_path *at = TY_KEY(TY_KEY(NULL, "spec"), "annotations");
    bool unseen = false;

    if (queue && ty_json_as_str(queue).n == 0)
        ty_errs_add(errs, TY_MAPKEY(at, TY_LIT(QUEUE)), TY_INVALID, "\"\"",
                    "Volcano queue name must not be empty");
    ty_each_set (s, plan) {
        struct ty_str class = ty_json_str_at(s->pod, "priorityClassName");
        if (is_system(class))
            unseen = true;
        else if (class.n)
            check_priority(plan, class, unseen, errs);
    }
}

static int volcano_enforce(struct ty_plan *plan, const struct ty_trainjob *job,
                           struct ty_err *err TY_UNUSED)
{
    ty_gang_join(plan, job, plan->pod_annotations, TY_GANG_ANNOTATION);
    return 0;
}

static int volcano_build(struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_err *err TY_UNUSED)
{
    struct ty_json *group = ty_gang_podgroup(plan, job, &ty_kind_podgroup_volcano);
    struct ty_json *spec = ty_json_get(group, "spec");
    struct ty_json *queue = ty_json_find(plan->annotations, TY_LIT(QUEUE));
    struct ty_json *topology = ty_json_at(plan->gang, "volcano.networkTopology");

    if (!group)
        return 0;
    if (queue)
        ty_json_set(plan->arena, spec, "queue", queue);
    ty_each_set (s, plan) { /* the last job's class wins, as in v2.3.0 */
        struct ty_json *class = ty_json_get(s->pod, "priorityClassName");
        if (class)
            ty_json_set(plan->arena, spec, "priorityClassName", class);
    }
    if (topology)
        ty_json_set(plan->arena, spec, "networkTopology",
                    ty_json_copy(plan->arena, topology, plan->origin));
    return 0;
}

const struct ty_plugin ty_plugin_volcano = {
    .name = "Volcano",
    .about = "podGroupPolicy.volcano: a PodGroup for Volcano",
    .applies = volcano_applies,
    .validate = volcano_validate,
    .enforce_gang = volcano_enforce,
    .build = volcano_build,
    .watches = true,
};
