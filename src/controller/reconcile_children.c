/* Turns the desired children into the applies that are needed. */
#include "controller/applied_digest.h"
#include "controller/events.h"
#include "controller/owner_conflict.h"
#include "controller/reconcile_inner.h"
#include "trainer/child.h"

#define MEMO_CEILING ((size_t)1 << 20)
#define MEMO_LONGEST TY_CACHE_WHOLE /* of the two texts; longer ones are not memoized */

static struct ty_str snapshot_data(const struct ty_reconcile_pass *p, const struct ty_json *data)
{
    struct ty_reconcile_memo *m = p->in->memo;
    struct ty_str yaml = ty_json_str_at(data, "runtime");

    if (!m)
        return ty_reconcile_snapshot_data(p->a, data);
    if (!m->arena)
        m->arena = ty_arena_new_small(MEMO_CEILING, 4096);
    if (!m->yaml.p || !ty_str_eq(yaml, m->yaml) || !ty_str_eq(p->uid, m->uid) ||
        !ty_str_eq(p->version, m->version)) {
        struct ty_str json = ty_reconcile_snapshot_data(p->a, data);
        if (yaml.n > MEMO_LONGEST || json.n > MEMO_LONGEST)
            return json;
        ty_arena_reset(m->arena);
        m->yaml = ty_arena_str(m->arena, yaml);
        m->json = ty_arena_str(m->arena, json);
        m->uid = ty_arena_str(m->arena, p->uid);
        m->version = ty_arena_str(m->arena, p->version);
    }
    return m->json;
}

struct ty_write_step *ty_reconcile_add_step(struct ty_arena *a, struct ty_reconcile_result *w,
                                            enum ty_write_op op, const struct ty_kind *kind,
                                            struct ty_str name)
{
    struct ty_write_step *s = ty_new(a, struct ty_write_step), **end = &w->steps;

    *s = (struct ty_write_step){ .op = op, .kind = kind, .name = name };
    while (*end)
        end = &(*end)->next;
    *end = s;
    return s;
}

void ty_reconcile_add_event(struct ty_arena *a, struct ty_reconcile_result *w, const char *type,
                            const char *reason, const char *message)
{
    struct ty_trainjob_event *e = ty_new(a, struct ty_trainjob_event);

    *e = (struct ty_trainjob_event){
        .type = type, .reason = reason, .message = message, .next = w->events
    };
    w->events = e;
}

void ty_reconcile_add_failure_event(struct ty_arena *a, struct ty_reconcile_result *w)
{
    ty_reconcile_add_event(a, w, "Warning", TY_REASON_CREATION_FAILED,
                           ty_events_failed_note(a, ty_str(w->err.text)).p);
}

struct ty_write_step *ty_reconcile_add_apply(struct ty_reconcile_pass *p,
                                             struct ty_reconcile_result *w,
                                             const struct ty_kind *kind, const struct ty_json *obj,
                                             uint64_t number)
{
    struct ty_write_step *s =
        ty_reconcile_add_step(p->a, w, TY_WRITE_APPLY, kind, ty_json_str_at(obj, "metadata.name"));

    s->body = ty_json_text(p->a, obj);
    s->desired_digest = number;
    return s;
}

/* False: an object of this name belongs to another owner. */
static bool add_apply(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                      const struct ty_desired_object *want, const struct ty_jobset_plan *plan)
{
    struct ty_str name = ty_json_str_at(want->obj, "metadata.name");
    const struct ty_cached *o = ty_cache_get(p->in->cache, want->kind, p->in->ns, name);
    const struct ty_json *obj = ty_applied_digest_normalize(p->a, want->kind->schema, want->obj);
    uint64_t number = ty_applied_digest_desired(p->a, want->kind->schema, obj);

    if (o && (o->owned_digest == number ||
              (o->applied_digest == number && o->applied_version == o->id.version)))
        return true;
    if (o && ty_owner_conflict(p->a, o, p->job, &w->err) < 0)
        return false;
    if (o && plan->how == TY_JOBSET_FROZEN) {
        if (want->kind == &ty_kind_jobset &&
            o->owned_digest != ty_applied_digest_desired(p->a, want->kind->schema, plan->body))
            ty_reconcile_add_apply(p, w, want->kind,
                                   ty_reconcile_jobset_pin_uid(p->a, plan->body, plan->live),
                                   number);
        return true; /* children that were created for the existing pods stay, too */
    }
    struct ty_write_step *s = ty_reconcile_add_apply(p, w, want->kind, obj, number);
    if (want->kind == &ty_kind_jobset && plan->how == TY_JOBSET_REPLACE) {
        s->uid = ty_json_str_at(plan->live, "metadata.uid");
        s->version = ty_json_str_at(plan->live, "metadata.resourceVersion");
    }
    if (want->kind == &ty_kind_configmap &&
        ty_str_is(name, ty_child_name(p->a, TY_CHILD_SNAPSHOT, p->in->name)))
        s->data = snapshot_data(p, ty_json_get(want->obj, "data"));
    return true;
}

/* The desired JobSet, if it is suspended and the observed one is not; else NULL. */
static const struct ty_desired_object *jobset_to_suspend(const struct ty_reconcile_pass *p,
                                                         const struct ty_desired_object *want)
{
    const struct ty_cached *o = ty_cache_get(p->in->cache, &ty_kind_jobset, p->in->ns, p->in->name);

    if (!o || ty_json_true_at(ty_cache_parse(p->a, o), "spec.suspend"))
        return NULL;
    while (want && want->kind != &ty_kind_jobset)
        want = want->next;
    return want && ty_json_true_at(want->obj, "spec.suspend") ? want : NULL;
}

void ty_reconcile_add_children(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                               const struct ty_desired_object *want)
{
    struct ty_jobset_plan plan = { .how = TY_JOBSET_AS_WANTED };

    for (const struct ty_desired_object *it = want; it; it = it->next)
        if (it->kind == &ty_kind_jobset)
            ty_reconcile_plan_jobset(p, w, it, &plan);
    if (plan.how == TY_JOBSET_NONE)
        return;
    /* A JobSet is suspended first: that needs none of the other children, so their errors must not
     * delay it. */
    const struct ty_desired_object *stop = jobset_to_suspend(p, want);
    if (stop && !add_apply(p, w, stop, &plan))
        want = stop;
    while (want && (want == stop || add_apply(p, w, want, &plan)))
        want = want->next;
    if (!want)
        return;
    p->unapplied = true;
    ty_reconcile_add_failure_event(p->a, w);
}
