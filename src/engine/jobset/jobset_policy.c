/* Applies the failure policy when a Job fails, and the success policy when enough have succeeded.
 */
#include "engine/jobset/jobset_policy.h"

#include "engine/changes.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_regex.h"
#include "engine/jobset/jobset_status.h"
#include "trainer/trainjob_reconcile.h" /* conditions, times */

/* Why a Job failed: its Failed condition. */
struct job_failure {
    struct ty_jobset_child *child;
    int64_t at_s;
    struct ty_str reason, message;
};

static struct job_failure failure_of(struct ty_jobset_child *c)
{
    const struct ty_json *cond = ty_condition_find(ty_json_get(c->job, "status"), "Failed");
    struct job_failure f = { .child = c,
                             .reason = ty_json_str_at(cond, "reason"),
                             .message = ty_json_str_at(cond, "message") };

    (void)ty_time_parse(ty_json_str_at(cond, "lastTransitionTime"), &f.at_s);
    return f;
}

/* An empty list means any. */
static bool list_allows(const struct ty_json *list, struct ty_str s)
{
    if (ty_json_len(list) == 0)
        return true;
    ty_each_item (it, list)
        if (ty_str_eq(ty_json_as_str(*it), s))
            return true;
    return false;
}

static bool message_fits(const struct ty_jobset_ctx *js, const struct ty_json *patterns,
                         struct ty_str text)
{
    if (ty_json_len(patterns) == 0)
        return true;
    ty_each_item (it, patterns)
        if (ty_jobset_regex_found(js->arena, ty_json_as_str(*it), text))
            return true;
    return false;
}

static bool rule_fits(const struct ty_jobset_ctx *js, const struct ty_json *rule,
                      const struct job_failure *f)
{
    return list_allows(ty_json_get(rule, "onJobFailureReasons"), f->reason) &&
           message_fits(js, ty_json_get(rule, "onJobFailureMessagePatterns"), f->message) &&
           f->child->rjob &&
           list_allows(ty_json_get(rule, "targetReplicatedJobs"), f->child->rjob->name);
}

/* The oldest failure that the rule (NULL: none) fits; in a tie the first of the list. False: none.
 */
static bool first_failure(const struct ty_jobset_ctx *js, const struct ty_json *rule,
                          struct job_failure *ret_f)
{
    bool found = false;

    ty_jobset_each_child (c, js) {
        if (c->bucket != TY_JOBSET_FAILED)
            continue;
        struct job_failure f = failure_of(c);
        if ((found && f.at_s >= ret_f->at_s) || (rule && !rule_fits(js, rule, &f)))
            continue;
        *ret_f = f;
        found = true;
    }
    return found;
}

static const char *with_job(const struct ty_jobset_ctx *js, const char *text,
                            const struct job_failure *f)
{
    return ty_arena_printf(js->arena, "%s (first failed job: %.*s)", text, TY_ARG(f->child->name));
}

static void restart_all(struct ty_jobset_ctx *js, const struct ty_json *rule, bool counts,
                        const char *message)
{
    struct ty_str name = ty_json_str_at(rule, "name");
    const char *reason = rule ? ty_arena_printf(js->arena, "FailurePolicy_%.*s", TY_ARG(name))
                              : "DefaultFailurePolicy";

    js->restarts++;
    js->toward_max += counts;
    js->dirty = true;
    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "RestartingJobSet",
                                                                 .on = true,
                                                                 .event = "Warning",
                                                                 .reason = reason,
                                                                 .message = message });
}

/* Actions that restart all Jobs, counted toward maxRestarts or not. Those that restart one Job are
 * refused on submission. */
static const struct action {
    const char *name;
    bool counts;
} actions[] = {
    { "RestartJobSet", true },
    { "RestartJobSetAndIgnoreMaxRestarts", false },
};

/* No rule: what restarts by default. NULL: the rule fails the JobSet. */
static const struct action *action_of(const struct ty_json *rule)
{
    struct ty_str name = ty_json_str_at(rule, "action");

    if (!rule)
        return &actions[0];
    for (size_t i = 0; i < TY_COUNT(actions); i++)
        if (ty_str_is(name, actions[i].name))
            return &actions[i];
    return NULL;
}

static void apply_restart(struct ty_jobset_ctx *js, const struct action *action,
                          const struct ty_json *rule, const struct job_failure *f)
{
    const char *reason = ty_arena_printf(js->arena, "%sFailurePolicyAction", action->name);
    const char *what =
        ty_arena_printf(js->arena, "applying %s failure policy action", action->name);
    const char *message = with_job(js, what, f);

    if (action->counts && js->toward_max >= js->max_restarts) {
        ty_jobset_failed(js, "ReachedMaxRestarts", with_job(js, TY_JOBSET_MAX_RESTARTS, f));
        return;
    }
    restart_all(js, rule, action->counts, message);
    ty_changes_event(&js->status_events, "Warning", reason, "%s", message);
}

void ty_jobset_apply_failure_policy(struct ty_jobset_ctx *js)
{
    const struct ty_json *rules = ty_json_get(js->failure_policy, "rules"), *matched = NULL;
    struct job_failure f = { 0 };

    ty_each_item (it, rules) {
        if (!first_failure(js, *it, &f))
            continue;
        matched = *it;
        break;
    }
    if (!matched && !first_failure(js, NULL, &f))
        return; /* nothing has failed: not called then */
    const struct action *action = action_of(matched);
    if (!js->failure_policy)
        ty_jobset_failed(js, "FailedJobs",
                         with_job(js, "jobset failed due to one or more job failures", &f));
    else if (action)
        apply_restart(js, action, matched, &f);
    else
        ty_jobset_failed(js, "FailJobSetFailurePolicyAction",
                         with_job(js, "applying FailJobSet failure policy action", &f));
}

bool ty_jobset_apply_success_policy(struct ty_jobset_ctx *js)
{
    const struct ty_json *targets = ty_json_at(js->spec, "successPolicy.targetReplicatedJobs");
    int64_t wanted = 0, done = 0;

    ty_jobset_each_rjob(r, js)
    {
        if (!list_allows(targets, r->name))
            continue;
        wanted += r->replicas;
        done += r->succeeded;
    }
    if (ty_str_is(ty_json_str_at(js->spec, "successPolicy.operator"), "Any"))
        wanted = 1;
    if (done < wanted)
        return false;
    ty_jobset_completed(js);
    return true;
}
