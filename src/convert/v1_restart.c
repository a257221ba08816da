/* Restart policies: V1 restarts single pods, a JobSet restarts the pods of a Job or all pods. */
#include "convert/v1.h"

enum ty_v1_restart ty_v1_restart_of(struct ty_v1_conversion *c, const struct ty_json *v,
                                    const struct ty_field_path *at)
{
    static const char *const words[] = { "Never", "OnFailure", "Always", "ExitCode" };
    struct ty_str s = ty_json_as_str(v);
    for (size_t i = 0; i < 4; i++)
        if (ty_str_is(s, words[i])) {
            if (i == TY_RESTART_ALWAYS)
                ty_v1_warn(c, v, at, "becomes OnFailure: pods of a Job cannot have Always");
            return (enum ty_v1_restart)i;
        }
    if (s.n || !ty_json_is(v, TY_JSON_STRING))
        ty_v1_error(c, v, at, "must be Never, OnFailure, Always or ExitCode");
    return c->kind->restart;
}

static void set_text(struct ty_v1_conversion *c, struct ty_json *o, const char *key,
                     const char *text)
{
    ty_json_set(c->arena, o, key, ty_json_cstr(c->arena, text));
}

static void max_restarts(struct ty_v1_conversion *c, int64_t n)
{
    struct ty_json *policy = ty_json_ensure_object(c->arena, ty_v1_jobset(c), "failurePolicy");
    const struct ty_field_path *elastic = TY_KEY(TY_KEY(NULL, "spec"), "elasticPolicy");
    int64_t was = n;
    ty_json_int_at(policy, "maxRestarts", &was); /* of PaddleJob's elasticPolicy */
    if (was != n)
        ty_v1_warn(c, ty_json_at(c->spec, "elasticPolicy.maxRestarts"),
                   TY_KEY(elastic, "maxRestarts"),
                   "not carried over: restartPolicy and backoffLimit say %lld", (long long)n);
    ty_json_set(c->arena, policy, "maxRestarts", ty_json_int(c->arena, n));
}

/* Exit codes 1 to 127 are permanent; 128 to 255 and lost nodes are retried. */
static void exit_codes(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    struct ty_arena *a = c->arena;
    struct ty_json *policy = ty_json_ensure_object(a, ty_v1_job(c, set), "podFailurePolicy");
    struct ty_json *rules = ty_json_ensure_array(a, policy, "rules");
    struct ty_json *fail = ty_json_object(a), *ignore = ty_json_object(a);
    set_text(c, fail, "action", "FailJob");
    struct ty_json *on = ty_json_ensure_object(a, fail, "onExitCodes");
    set_text(c, on, "containerName", "node");
    set_text(c, on, "operator", "In");
    for (int i = 1; i <= 127; i++)
        ty_json_push(a, ty_json_ensure_array(a, on, "values"), ty_json_int(a, i));
    set_text(c, ignore, "action", "Ignore");
    struct ty_json *condition = ty_json_object(a);
    set_text(c, condition, "type", "DisruptionTarget");
    set_text(c, condition, "status", "True");
    ty_json_push(a, ty_json_ensure_array(a, ignore, "onPodConditions"), condition);
    ty_json_push(a, rules, fail);
    ty_json_push(a, rules, ignore);
}

static void fail_set(struct ty_v1_conversion *c)
{
    struct ty_arena *a = c->arena;
    struct ty_json *policy = ty_json_ensure_object(a, ty_v1_jobset(c), "failurePolicy");
    struct ty_json *rule = ty_json_object(a);
    set_text(c, rule, "name", "for-ever");
    set_text(c, rule, "action", "FailJobSet");
    ty_json_push(a, ty_json_ensure_array(a, rule, "onJobFailureReasons"),
                 ty_json_cstr(a, "PodFailurePolicy"));
    ty_json_push(a, ty_json_ensure_array(a, policy, "rules"), rule);
}

/* The JobSet does all restarts. */
static void no_retries(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *policy)
{
    ty_json_set(c->arena, ty_v1_job(c, set), "backoffLimit", ty_json_int(c->arena, 0));
    set_text(c, ty_v1_pod(c, set), "restartPolicy", policy);
}

static void restart_set(struct ty_v1_conversion *c, struct ty_v1_set *set, bool limited)
{
    bool again = set->restart == TY_RESTART_ON_FAILURE || set->restart == TY_RESTART_ALWAYS;
    if (set->restart == TY_RESTART_NEVER || (again && c->opts.gang_restart)) {
        no_retries(c, set, "Never");
    } else if (set->restart == TY_RESTART_EXIT_CODE) {
        no_retries(c, set, "Never");
        exit_codes(c, set);
    } else if (limited) {
        no_retries(c, set, "OnFailure");
    } else if (c->own) {
        set_text(c, set->pod, "restartPolicy", "OnFailure");
    }
}

/* V1 counts the failures of all pods; a JobSet counts restarts of the whole set. */
static bool restart_limit(struct ty_v1_conversion *c, bool never, int64_t *ret_sets)
{
    const struct ty_field_path *at =
        TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "runPolicy"), "backoffLimit");
    const struct ty_json *v = ty_v1_get(ty_json_get(c->spec, "runPolicy"), "backoffLimit");
    int64_t n = 0, pods = ty_v1_pods(c);
    if (!v || !ty_v1_int(c, v, at, 0, INT32_MAX, &n))
        return false;
    *ret_sets = pods > 0 ? (n + pods - 1) / pods : n;
    if (never)
        ty_v1_warn(c, v, at, "not carried over: with restartPolicy Never nothing is restarted");
    else
        ty_v1_warn(c, v, at,
                   "%lld failures of single pods become %lld restarts of all %lld pods "
                   "(failurePolicy.maxRestarts)",
                   (long long)n, (long long)*ret_sets, (long long)pods);
    return true;
}

/* The MPI Operator creates a Job for the launcher: backoffLimit and its default are that Job's, and
 * the nodes stay while the launcher is retried. */
static void launcher_job(struct ty_v1_conversion *c)
{
    const struct ty_field_path *at =
        TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "runPolicy"), "backoffLimit");
    const struct ty_json *v = ty_v1_get(ty_json_get(c->spec, "runPolicy"), "backoffLimit");
    int64_t n = 0;
    for (size_t i = 0; i < c->n_sets; i++) {
        struct ty_v1_set *s = &c->sets[i];
        bool again = s->restart == TY_RESTART_ON_FAILURE || s->restart == TY_RESTART_ALWAYS;
        set_text(c, ty_v1_pod(c, s), "restartPolicy", again ? "OnFailure" : "Never");
        if (s->trainer && v && ty_v1_int(c, v, at, 0, INT32_MAX, &n))
            ty_json_set(c->arena, ty_v1_job(c, s), "backoffLimit", ty_json_int(c->arena, n));
        else if (!s->trainer && !again)
            ty_json_set(c->arena, ty_v1_job(c, s), "backoffLimit", ty_json_int(c->arena, 0));
    }
    max_restarts(c, 0);
}

void ty_v1_convert_restarts(struct ty_v1_conversion *c)
{
    const struct ty_field_path *at = TY_KEY(TY_KEY(NULL, "spec"), "runPolicy");
    int64_t sets = 0;
    if (c->kind == &ty_v1_mpi2 && !c->opts.gang_restart) {
        launcher_job(c);
        return;
    }
    bool never = true, codes = false, again = false;
    for (size_t i = 0; i < c->n_sets; i++) {
        never &= c->sets[i].restart == TY_RESTART_NEVER;
        codes |= c->sets[i].restart == TY_RESTART_EXIT_CODE;
        again |=
            c->sets[i].restart == TY_RESTART_ON_FAILURE || c->sets[i].restart == TY_RESTART_ALWAYS;
    }
    bool limited = restart_limit(c, never, &sets);
    if (!limited && ((again && c->opts.gang_restart) || codes)) {
        sets = INT32_MAX; /* V1 has no limit by default */
        ty_v1_warn(c, NULL, TY_KEY(at, "backoffLimit"),
                   "absent: as in V1 restarts have no limit (failurePolicy.maxRestarts)");
    }
    if (never)
        max_restarts(c, 0);
    else if (limited || codes || c->opts.gang_restart)
        max_restarts(c, sets);
    if (codes)
        fail_set(c);
    for (size_t i = 0; i < c->n_sets; i++)
        restart_set(c, &c->sets[i], limited);
}
