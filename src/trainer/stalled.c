/* Uses the checks of admission; pods that the JobSet counts override their result. */
#include "trainer/stalled.h"

#include "trainer/validate.h"

#define BAD_NODES     "InvalidNumNodes"
#define BAD_RESOURCES "InvalidResources"

struct finding {
    const char *reason; /* NULL: no finding */
    const char *message;
};

static struct finding finding_of(struct ty_arena *a, const char *reason, const struct ty_errs *errs)
{
    const struct ty_field_err *e = errs->first;

    if (!e)
        return (struct finding){ 0 };
    return (struct finding){ reason, ty_arena_printf(a, "%s: %s", e->path, e->detail) };
}

static struct finding find_stall(struct ty_arena *a, const struct ty_plan *plan,
                                 const struct ty_trainjob *job)
{
    struct ty_errs errs = { .arena = a };

    ty_validate_counts(plan, job, &errs);
    if (errs.n)
        return finding_of(a, BAD_NODES, &errs);
    ty_validate_requests(plan, job, &errs);
    return finding_of(a, BAD_RESOURCES, &errs);
}

/* Pods that exist override the finding: something between the JobSet and its pods (a webhook) may
 * have fixed them. Only pods of the job that the message names count, because others, such as
 * initializers, can exist. */
static bool has_pods(const struct ty_trainjob_reconcile_in *in, const struct ty_trainjob *job,
                     const char *message)
{
    const struct ty_json *live = ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name);
    const struct ty_json *list = ty_json_at(live, "status.replicatedJobsStatus");
    struct ty_str named;
    struct ty_str rest = ty_str_cut(ty_str(message), '"', &named);

    ty_str_cut(rest, '"', &named);
    ty_each_item (s, list) {
        int64_t active = 0;
        if (ty_str_eq(ty_str_head(ty_json_str_at(*s, "name"), TY_VALIDATE_NAME_MAX), named) &&
            ty_json_int_at(*s, "active", &active) && active > 0)
            return true;
    }
    return false;
}

/* The finding of an earlier pass; none if another controller set the condition. */
static struct finding said_before(struct ty_arena *a, const struct ty_json *status)
{
    const struct ty_json *c = ty_condition_find(status, TY_CONDITION_STALLED);
    struct ty_str reason = ty_json_str_at(c, "reason"), message = ty_json_str_at(c, "message");

    if (!ty_str_is(reason, BAD_NODES) && !ty_str_is(reason, BAD_RESOURCES))
        return (struct finding){ 0 };
    return (struct finding){ ty_str_is(reason, BAD_NODES) ? BAD_NODES : BAD_RESOURCES,
                             ty_arena_cstr(a, message) };
}

static void remove_condition(struct ty_json *status)
{
    struct ty_json *list = ty_json_get(status, "conditions");
    size_t at = 0;

    if (ty_json_find_item(list, "type", TY_LIT(TY_CONDITION_STALLED), &at))
        ty_json_remove(list, at);
}

/* Adds the event when the JobSet is about to be created: its pods will be the runtime's own. */
static void report_ignored(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                           const struct ty_trainjob *job, struct ty_trainjob_reconcile *pass)
{
    struct ty_errs errs = { .arena = a };

    if (ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name))
        return;
    ty_validate_trainer(&pass->plan, job, &errs);
    if (!errs.first)
        return;
    struct ty_trainjob_event *e = ty_new(a, struct ty_trainjob_event);
    *e = (struct ty_trainjob_event){
        .type = "Warning",
        .reason = TY_REASON_TRAINER_IGNORED,
        .message = finding_of(a, TY_REASON_TRAINER_IGNORED, &errs).message,
        .next = pass->events,
    };
    pass->events = e;
}

void ty_stalled_update(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                       const struct ty_trainjob *job, struct ty_json *status,
                       struct ty_trainjob_reconcile *pass)
{
    struct finding before = said_before(a, status);
    bool planned = pass->plan.arena != NULL;
    struct finding now = planned ? find_stall(a, &pass->plan, job) : before;

    if (planned)
        report_ignored(a, in, job, pass);
    if (now.reason && !job->suspended && !has_pods(in, job, now.message))
        ty_condition_set(a, status, TY_CONDITION_STALLED, "True", ty_str(now.reason),
                         ty_str(now.message), ty_time_text(a, in->now_s));
    else if (before.reason)
        remove_condition(status);
}
