/* Evaluates one TrainJob or runtime: would it be admitted, and what would we write? */
#include <errno.h>

#include "advise/adopt_inner.h"
#include "controller/applied_digest.h"
#include "controller/applied_digest_diff.h"
#include "controller/jobset_freeze.h"
#include "engine/jobset/jobset.h"
#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"

#define MANAGER    "trainer" /* the field manager of both operators */
#define CONTROLLER "trainer.kubeflow.org/trainjob-controller"
#define VALUE_MAX  60 /* bytes of a value that are shown */

/* ---- admission ---- */

static const char *shorten(struct ty_arena *a, const char *value)
{
    struct ty_str head = ty_str_head(ty_str(value), VALUE_MAX);

    return value && value[head.n] ? ty_arena_printf(a, "%.*s…", TY_ARG(head)) : value;
}

static void add_error(struct ty_adopt_evaluation *j, const struct ty_field_err *e, bool serious)
{
    ty_auto_buf b = { 0 };
    struct ty_field_err brief = *e;
    size_t skip = strlen(e->path) + 2; /* "path: " */

    brief.value = shorten(j->a, e->value);
    ty_errs_print(&b, &brief);
    if (e->hint)
        ty_buf_printf(&b, " (%s)", e->hint);
    struct ty_str text = b.n > skip ? (struct ty_str){ b.p + skip, b.n - skip } : ty_buf_str(&b);
    if (serious)
        ty_adopt_add_reason(j, e->path, "%.*s", TY_ARG(text));
    else
        ty_adopt_add_note(j, e->path, "%.*s", TY_ARG(text));
}

/* As an update without changes, which Kueue, a user or our own finalizer would send. */
/* False: refused, with reasons. serious false: only notes. */
static bool admit(struct ty_adopt_evaluation *j, const struct ty_json *obj, bool serious)
{
    struct ty_view view = ty_adopt_view(j);
    struct ty_admission_request in = { .pipeline = j->in->pipeline,
                                       .settings = j->in->settings,
                                       .view = &view,
                                       .op = TY_ADMISSION_UPDATE,
                                       .obj = ty_json_copy(j->a, obj, 0),
                                       .old = obj,
                                       .now_s = j->in->now_s,
                                       .all = true };
    struct ty_admission_response v = { 0 };

    ty_admission_handle(j->a, &in, &v);
    for (const struct ty_field_err *e = v.errs.first; e; e = e->next)
        add_error(j, e, serious);
    if (v.code >= 400 && !v.errs.first)
        ty_adopt_add_reason(j, NULL, "%s", v.message ? v.message : "refused");
    for (size_t i = 0; i < v.warnings.n; i++)
        ty_adopt_add_note(j, NULL, "%s", v.warnings.v[i]);
    return v.code < 400;
}

void ty_adopt_evaluate_runtime(struct ty_adopt_evaluation *j, const struct ty_cluster_object *o)
{
    const struct ty_json *obj = ty_cluster_snapshot_parse(j->a, o);

    ty_adopt_set_result(j, TY_ADOPT_SAME, "valid");
    if (!admit(j, obj, true))
        ty_adopt_set_result(j, TY_ADOPT_REFUSED, "not valid for this operator");
}

/* ---- writes ---- */

static const char *value_text(struct ty_adopt_evaluation *j, const struct ty_json *v)
{
    return shorten(j->a, ty_json_text(j->a, v).p);
}

static void add_change(struct ty_adopt_evaluation *j, const struct ty_field_change *c, bool note)
{
    void (*tell)(struct ty_adopt_evaluation *, const char *, const char *, ...) =
        note ? ty_adopt_add_note : ty_adopt_add_reason;

    if (!c->was)
        tell(j, c->path, "would be added: %s", value_text(j, c->now));
    else if (!c->now)
        tell(j, c->path, "would be taken away: %s", value_text(j, c->was));
    else
        tell(j, c->path, "%s would become %s", value_text(j, c->was), value_text(j, c->now));
}

/* Whether there are changes. The JobSet's suspension follows the TrainJob: a note at most. */
static bool diff_jobset(struct ty_adopt_evaluation *j, const struct ty_desired_object *want,
                        const struct ty_json *live, bool note)
{
    struct ty_json *filled = ty_json_copy(j->a, want->obj, 0);
    struct ty_field_changes changes;
    bool any = false;

    ty_jobset_default(j->a, filled);
    struct ty_applied_digest_diff_in in = { .schema = want->kind->schema,
                                            .wanted = ty_applied_digest_normalize(
                                                j->a, want->kind->schema, want->obj),
                                            .filled = filled,
                                            .live = live,
                                            .manager = MANAGER };
    ty_applied_digest_diff(j->a, &in, &changes);
    for (const struct ty_field_change *c = changes.first; c; c = c->next) {
        bool suspend = strcmp(c->path, "spec.suspend") == 0;
        if (!(suspend && note))
            add_change(j, c, note || suspend);
        any = any || !suspend;
    }
    return any;
}

/* Whether the JobSet would keep its rendering because today's differs in immutable fields: notes
 * which. */
static bool keeps_rendering(struct ty_adopt_evaluation *j, const struct ty_desired_object *want,
                            const struct ty_json *live)
{
    struct ty_field_changes kept;

    ty_jobset_freeze_conflicts(j->a, want->obj, live, &kept);
    for (const struct ty_field_change *c = kept.first; c; c = c->next)
        ty_adopt_add_reason(j, c->path, "stays %s; rendered today: %s",
                            c->was ? value_text(j, c->was) : "unset",
                            c->now ? value_text(j, c->now) : "unset");
    if (!kept.n)
        return false;
    if (ty_jobset_freeze_never_ran(live))
        ty_adopt_set_result(
            j, TY_ADOPT_REPLACED,
            "rendered otherwise, and has never had pods: its JobSet is re-created when "
            "the TrainJob is next changed or resumed");
    else
        ty_adopt_set_result(j, TY_ADOPT_KEPT, "rendered otherwise: its JobSet stays as it is");
    return true;
}

static void evaluate_want(struct ty_adopt_evaluation *j, const struct ty_desired_object *want,
                          struct ty_str ns)
{
    struct ty_str name = ty_json_str_at(want->obj, "metadata.name");
    int r = ty_adopt_lookup(j, want->kind, ns, name);
    const struct ty_cluster_object *kind =
        ty_cluster_snapshot_list_error(j->in->snapshot, want->kind);
    const struct ty_json *live =
        ty_cluster_snapshot_get(j->a, j->in->snapshot, want->kind, ns, name);
    struct ty_err err = { 0 };

    if (live && ty_adopt_owner_conflict(j, want->kind, live, &err) < 0) {
        ty_adopt_add_reason(j, NULL, "%s", err.text);
        ty_adopt_set_result(j, TY_ADOPT_FAILS, "its children cannot be made");
    } else if (r == 0 && want->kind == &ty_kind_jobset) {
        if (!keeps_rendering(j, want, live) && diff_jobset(j, want, live, false))
            ty_adopt_set_result(j, TY_ADOPT_DIFFERS, "its JobSet would be changed");
    } else if (r == -ENOENT && kind && kind->r == -ENOENT) {
        ty_adopt_add_reason(j, NULL, "%s %.*s cannot be made: the cluster does not know the kind",
                            want->kind->kind, TY_ARG(name));
        ty_adopt_set_result(j, TY_ADOPT_FAILS, "its children cannot be made");
    } else if (r == -ENOENT) {
        ty_adopt_add_note(j, NULL, "%s %.*s would be made", want->kind->kind, TY_ARG(name));
        ty_adopt_set_result(j, TY_ADOPT_NEW, "children would be made that are not there yet");
    } else if (r < 0) {
        ty_adopt_add_note(j, NULL, "whether there is a %s %.*s could not be seen", want->kind->kind,
                          TY_ARG(name));
    }
}

/* Conditions that would change: serious if a finished job would become unfinished. A job that
 * finishes just now would change with either operator. */
static void evaluate_status(struct ty_adopt_evaluation *j, const struct ty_json *was,
                            const struct ty_json *now)
{
    static const char *const types[] = { "Complete", "Failed", "Suspended" };
    bool turned = ty_trainjob_finished(was) && !ty_trainjob_finished(now);

    for (size_t i = 0; i < TY_COUNT(types); i++) {
        struct ty_str old = ty_json_str_at(ty_condition_find(was, types[i]), "status");
        struct ty_str new = ty_json_str_at(ty_condition_find(now, types[i]), "status");
        const char *path = ty_arena_printf(j->a, "status.conditions[%s]", types[i]);
        if (ty_str_eq(old, new))
            continue;
        if (turned && i < 2)
            ty_adopt_add_reason(j, path, "%.*s would become %.*s",
                                TY_ARG(old.n ? old : TY_LIT("unset")),
                                TY_ARG(new.n ? new : TY_LIT("unset")));
        else
            ty_adopt_add_note(j, path, "%.*s would become %.*s",
                              TY_ARG(old.n ? old : TY_LIT("unset")),
                              TY_ARG(new.n ? new : TY_LIT("unset")));
    }
    if (turned)
        ty_adopt_set_result(j, TY_ADOPT_DIFFERS, "its status would be changed");
}

static void run_pass(struct ty_adopt_evaluation *j, const struct ty_view *view,
                     const struct ty_json *job, struct ty_trainjob_reconcile *ret)
{
    struct ty_trainjob_reconcile_in in = { .pipeline = j->in->pipeline,
                                           .settings = j->in->settings,
                                           .view = view,
                                           .job = job,
                                           .now_s = j->in->now_s,
                                           .entropy = j->in->entropy };

    ty_trainjob_reconcile(j->a, &in, ret);
}

/* A running job is written when it is suspended: what would change then. */
static void evaluate_suspended(struct ty_adopt_evaluation *j, const struct ty_view *view,
                               const struct ty_json *job, const struct ty_json *live)
{
    struct ty_json *copy = ty_json_copy(j->a, job, 0);
    struct ty_trainjob_reconcile pass;

    ty_json_set(j->a, ty_json_ensure_object(j->a, copy, "spec"), "suspend",
                ty_json_bool(j->a, true));
    run_pass(j, view, copy, &pass);
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        if (w->kind == &ty_kind_jobset && !keeps_rendering(j, w, live) &&
            diff_jobset(j, w, live, true))
            ty_adopt_add_note(j, NULL, "the above would be changed when it is next suspended");
}

static void evaluate_pass(struct ty_adopt_evaluation *j, const struct ty_json *job,
                          struct ty_str ns)
{
    struct ty_view view = ty_adopt_view(j);
    struct ty_trainjob_reconcile pass;
    const struct ty_json *live =
        ty_plan_view_get(&view, &ty_kind_jobset, ns, ty_json_str_at(job, "metadata.name"));

    run_pass(j, &view, job, &pass);
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        evaluate_want(j, w, ns);
    if (pass.status)
        evaluate_status(j, ty_json_get(job, "status"), pass.status);
    if (pass.delete_kind)
        ty_adopt_add_note(j, NULL, "its %s would be deleted: its time is over",
                          pass.delete_kind->kind);
    if (pass.err.code < 0) {
        ty_adopt_add_reason(j, NULL, "%s", pass.err.text);
        ty_adopt_set_result(j, TY_ADOPT_FAILS, "it cannot be rendered");
    } else if (live && !ty_json_true_at(job, "spec.suspend") &&
               !ty_json_true_at(live, "spec.suspend")) {
        evaluate_suspended(j, &view, job, live);
        ty_adopt_set_result(j, TY_ADOPT_RUNNING, "would not be touched while it runs");
    }
}

/* ---- one object ---- */

void ty_adopt_evaluate_trainjob(struct ty_adopt_evaluation *j, const struct ty_cluster_object *o)
{
    const struct ty_json *job = ty_cluster_snapshot_parse(j->a, o);
    struct ty_str by = ty_json_str_at(job, "spec.managedBy");
    bool over = ty_trainjob_finished(ty_json_get(job, "status"));

    if (by.n && !ty_str_is(by, CONTROLLER)) {
        ty_adopt_add_note(j, "spec.managedBy", "%.*s", TY_ARG(by));
        ty_adopt_set_result(j, TY_ADOPT_OTHERS, "would not be touched: somebody else manages it");
        return;
    }
    if (ty_json_at(job, "metadata.deletionTimestamp")) {
        ty_adopt_set_result(j, TY_ADOPT_OTHERS, "would not be touched: it is being deleted");
        return;
    }
    j->job = job;
    if (!admit(j, job, !over) && !over)
        ty_adopt_set_result(j, TY_ADOPT_REFUSED, "an update of it would be refused");
    evaluate_pass(j, job, o->ns);
    if (j->blind) {
        ty_adopt_add_reason(j, NULL, "%s %.*s cannot be read: %s", j->blind->kind->kind,
                            TY_ARG(j->blind->name), j->blind->why);
        ty_adopt_set_result(j, TY_ADOPT_UNKNOWN, "could not be judged");
    }
    ty_adopt_set_result(j, over ? TY_ADOPT_FINISHED : TY_ADOPT_SAME,
                        over ? "finished: would not be touched"
                             : "its JobSet is as we would make it");
}
