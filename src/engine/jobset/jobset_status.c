/* Writes the conditions and counters of a JobSet, and the events that go with them. */
#include "engine/jobset/jobset_status.h"

#include "engine/changes.h"
#include "engine/jobset/jobset_read.h"
#include "trainer/trainjob_reconcile.h" /* conditions, times */

#include <stdlib.h>

bool ty_jobset_finished(const struct ty_jobset_ctx *js)
{
    const struct ty_json *completed = ty_condition_find(js->status, "Completed");
    const struct ty_json *failed = ty_condition_find(js->status, "Failed");

    return ty_str_is(ty_json_str_at(completed, "status"), "True") ||
           ty_str_is(ty_json_str_at(failed, "status"), "True");
}

/* The two startup conditions are never True together. */
static bool excludes(const char *type, struct ty_str other)
{
    static const char progress[] = "StartupPolicyInProgress", done[] = "StartupPolicyCompleted";

    return (strcmp(type, progress) == 0 && ty_str_is(other, done)) ||
           (strcmp(type, done) == 0 && ty_str_is(other, progress));
}

static void fill_condition(struct ty_jobset_ctx *js, struct ty_json *c,
                           const struct ty_jobset_condition_value *says)
{
    struct ty_arena *a = js->arena;

    ty_json_set(a, c, "type", ty_json_cstr(a, says->type));
    ty_json_set(a, c, "status", ty_json_cstr(a, says->on ? "True" : "False"));
    ty_json_set(a, c, "reason", ty_json_cstr(a, says->reason));
    ty_json_set(a, c, "message", ty_json_cstr(a, says->message));
}

/* True if something changed. A condition first appears when it is True. */
static bool update_condition(struct ty_jobset_ctx *js, const struct ty_jobset_condition_value *says)
{
    struct ty_json *list = ty_json_ensure_array(js->arena, js->status, "conditions");
    struct ty_json *now = ty_json_str(js->arena, ty_time_text(js->arena, js->in->now_s));
    const char *state = says->on ? "True" : "False";
    bool found = false, changed = false;

    ty_each_item (it, list) {
        struct ty_str type = ty_json_str_at(*it, "type"), was = ty_json_str_at(*it, "status");
        if (ty_str_is(type, says->type)) {
            found = true;
            if (!ty_str_is(was, state))
                ty_json_set(js->arena, *it, "lastTransitionTime", now);
            else if (ty_str_is(ty_json_str_at(*it, "reason"), says->reason) &&
                     ty_str_is(ty_json_str_at(*it, "message"), says->message))
                continue;
            fill_condition(js, *it, says);
            changed = true;
        } else if (says->on && excludes(says->type, type) && ty_str_is(was, "True")) {
            ty_json_set(js->arena, *it, "status", ty_json_cstr(js->arena, "False"));
            changed = true;
        }
    }
    if (!found && says->on) {
        struct ty_json *c = ty_json_object(js->arena);
        fill_condition(js, c, says);
        ty_json_set(js->arena, c, "lastTransitionTime", now);
        ty_json_push(js->arena, list, c);
        changed = true;
    }
    return changed;
}

void ty_jobset_condition(struct ty_jobset_ctx *js, const struct ty_jobset_condition_value *says)
{
    if (!update_condition(js, says))
        return;
    js->dirty = true;
    ty_changes_event(&js->status_events, says->event, says->reason, "%s", says->message);
}

void ty_jobset_not_restarting(struct ty_jobset_ctx *js, const char *reason, const char *message)
{
    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "RestartingJobSet",
                                                                 .event = "Normal",
                                                                 .reason = reason,
                                                                 .message = message });
}

static void set_terminal_state(struct ty_jobset_ctx *js, const char *state)
{
    ty_json_set(js->arena, js->status, "terminalState", ty_json_cstr(js->arena, state));
}

void ty_jobset_completed(struct ty_jobset_ctx *js)
{
    static const char message[] = "jobset completed successfully";

    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "Completed",
                                                                 .on = true,
                                                                 .event = "Normal",
                                                                 .reason = "AllJobsCompleted",
                                                                 .message = message });
    ty_jobset_not_restarting(js, "JobSetCompleted", message);
    set_terminal_state(js, "Completed");
}

void ty_jobset_failed(struct ty_jobset_ctx *js, const char *reason, const char *message)
{
    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "Failed",
                                                                 .on = true,
                                                                 .event = "Warning",
                                                                 .reason = reason,
                                                                 .message = message });
    ty_jobset_not_restarting(js, "JobSetFailed", "jobset failed");
    set_terminal_state(js, "Failed");
}

void ty_jobset_abort(struct ty_jobset_ctx *js, const char *reason, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *message = ty_arena_vprintf(js->arena, fmt, ap);
    va_end(ap);
    ty_changes_event(js->out, "Warning", reason, "%s", message);
    ty_changes_requeue_after(js->out, 1000);
    js->aborted = true;
}

static bool same_counters(const struct ty_jobset_rjob *r, const struct ty_json *was)
{
    return was && ty_jobset_int_at(was, "ready", -1) == r->ready &&
           ty_jobset_int_at(was, "succeeded", -1) == r->succeeded &&
           ty_jobset_int_at(was, "failed", -1) == r->failed &&
           ty_jobset_int_at(was, "active", -1) == r->active &&
           ty_jobset_int_at(was, "suspended", -1) == r->suspended;
}

void ty_jobset_compare_counters(struct ty_jobset_ctx *js)
{
    const struct ty_json *stored = ty_json_get(js->status, "replicatedJobsStatus");

    if (ty_json_len(stored) != js->n_rjobs)
        js->dirty = true;
    ty_jobset_each_rjob(r,
                        js) if (!same_counters(r, ty_json_find_item(stored, "name", r->name, NULL)))
        js->dirty = true;
}

static int name_descending(const void *a, const void *b)
{
    const struct ty_jobset_rjob *const *x = a, *const *y = b;

    return ty_str_cmp((*y)->name, (*x)->name);
}

/* Sorted by name, last first: what upstream's comparison leaves behind is what clients see. */
static struct ty_json *rjob_counters(struct ty_jobset_ctx *js)
{
    const struct ty_jobset_rjob **order =
        ty_new_n(js->arena, const struct ty_jobset_rjob *, js->n_rjobs);
    struct ty_json *list = ty_json_array(js->arena);

    for (size_t i = 0; i < js->n_rjobs; i++)
        order[i] = &js->rjobs[i];
    if (js->n_rjobs > 0)
        qsort(order, js->n_rjobs, sizeof(*order), name_descending);
    for (size_t i = 0; i < js->n_rjobs; i++) {
        const struct ty_jobset_rjob *r = order[i];
        struct ty_json *e = ty_json_object(js->arena);
        ty_json_set(js->arena, e, "name", ty_json_str(js->arena, r->name));
        ty_json_set(js->arena, e, "ready", ty_json_int(js->arena, r->ready));
        ty_json_set(js->arena, e, "succeeded", ty_json_int(js->arena, r->succeeded));
        ty_json_set(js->arena, e, "failed", ty_json_int(js->arena, r->failed));
        ty_json_set(js->arena, e, "active", ty_json_int(js->arena, r->active));
        ty_json_set(js->arena, e, "suspended", ty_json_int(js->arena, r->suspended));
        ty_json_push(js->arena, list, e);
    }
    return list;
}

void ty_jobset_write_status(struct ty_jobset_ctx *js)
{
    struct ty_arena *a = js->arena;
    struct ty_json *obj;

    if (!js->dirty || js->aborted)
        return;
    ty_json_set(a, js->status, "restarts", ty_json_int(a, js->restarts));
    ty_json_set(a, js->status, "restartsCountTowardsMax", ty_json_int(a, js->toward_max));
    ty_json_set(a, js->status, "replicatedJobsStatus", rjob_counters(js));
    obj = ty_json_object(a);
    ty_each_member (m, js->in->jobset)
        ty_json_put(a, obj, m->key, m->value);
    ty_json_set(a, obj, "status", ty_schema_normalize(a, &ty_schema_JobSetStatus, js->status));
    ty_changes_add(js->out, TY_CHANGE_STATUS, &ty_kind_jobset, obj);
    js->out->events = js->status_events.events;
    js->out->last_event = js->status_events.last_event;
}
