/* Computes members and size of the gang for the gang plugins. */
#include "trainer/gang.h"

#include "api/quantity.h"

/* The jobs that trainers wait for. Each job is visited at most once for each mark. */
struct waits {
    const struct ty_plan *plan;
    bool *over;  /* finishes before a trainer starts */
    bool *ready; /* a trainer waits only until it is ready */
};

/* Marks what a trainer waits for, transitively; everything before a Complete dependency is over. */
static void mark_awaited(struct waits *w, const struct ty_podset *set, bool over)
{
    const struct ty_json *deps = ty_json_get(set->rjob, "dependsOn");

    ty_each_item (d, deps) {
        struct ty_podset *next = ty_plan_find_podset(w->plan, ty_json_str_at(*d, "name"));
        bool done = over || ty_str_is(ty_json_str_at(*d, "status"), "Complete");
        bool *seen = NULL;

        if (!next)
            continue;
        seen = (done ? w->over : w->ready) + (next - w->plan->sets);
        if (*seen)
            continue;
        *seen = true;
        mark_awaited(w, next, done);
    }
}

/* Waits for a job that is not over: a member, or one that waits for a member itself. */
static bool is_late(const struct waits *w, const struct ty_podset *set)
{
    const struct ty_json *deps = ty_json_get(set->rjob, "dependsOn");

    ty_each_item (d, deps) {
        struct ty_podset *next = ty_plan_find_podset(w->plan, ty_json_str_at(*d, "name"));
        if (next && next != set && !w->over[next - w->plan->sets])
            return true;
    }
    return false;
}

void ty_gang_mark(struct ty_plan *plan)
{
    struct waits w = { .plan = plan,
                       .over = ty_new_n(plan->arena, bool, plan->n_sets + 1),
                       .ready = ty_new_n(plan->arena, bool, plan->n_sets + 1) };

    ty_each_set (s, plan)
        if (s->role == TY_ROLE_TRAINER)
            mark_awaited(&w, s, false);
    ty_each_set (s, plan)
        s->gang = !w.over[s - plan->sets] && !is_late(&w, s);
}

/* Saturates. */
static int64_t count_members(const struct ty_plan *plan)
{
    int64_t n = 0;

    ty_each_set (s, plan)
        if (s->gang && __builtin_add_overflow(n, ty_plan_podset_pods(s), &n))
            return INT64_MAX;
    return n;
}

static struct ty_json *sum_requests(const struct ty_plan *plan)
{
    struct ty_json *sum = ty_json_object(plan->arena);

    ty_each_set (s, plan)
        if (s->gang)
            ty_quantity_resources_add(plan->arena, sum, ty_plan_podset_requests(plan, s),
                                      ty_plan_podset_pods(s));
    return sum;
}

void ty_gang_join(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_json *map,
                  const char *key)
{
    struct ty_json *name = ty_json_str(plan->arena, job->name);

    name->origin = plan->origin;
    ty_json_set(plan->arena, map, key, name);
}

struct ty_json *ty_gang_podgroup(struct ty_plan *plan, const struct ty_trainjob *job,
                                 const struct ty_kind *kind)
{
    const char *name = ty_arena_cstr(plan->arena, job->name);

    if (ty_plan_live_object(plan, kind, job->ns, name) && !job->suspended)
        return NULL; /* a running job is frozen */
    struct ty_json *obj = ty_plan_child(plan, job, kind, name);
    struct ty_json *spec = ty_json_ensure_object(plan->arena, obj, "spec");
    ty_json_set(plan->arena, spec, "minMember", ty_json_int(plan->arena, count_members(plan)));
    ty_json_set(plan->arena, spec, "minResources", sum_requests(plan));
    ty_json_set_origin(spec, plan->origin);
    return obj;
}
