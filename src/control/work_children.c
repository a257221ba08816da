/* From the children that a pass wants to the applies that are needed. */
#include "control/events.h"
#include "control/foreign.h"
#include "control/owned.h"
#include "control/work_inner.h"
#include "trainer/children.h"

#define MEMO_CEILING ((size_t)1 << 20)
#define MEMO_LONGEST TY_WORLD_WHOLE /* of the two texts: others are made anew each time */

static struct ty_str data_of(const struct ty_work_pass *l, const struct ty_json *data)
{
    struct ty_work_memo *m = l->in->memo;
    struct ty_str yaml = ty_json_str_at(data, "runtime");

    if (!m)
        return ty_work_data(l->a, data);
    if (!m->arena)
        m->arena = ty_arena_new_small(MEMO_CEILING, 4096);
    if (!m->yaml.p || !ty_str_eq(yaml, m->yaml) || !ty_str_eq(l->uid, m->uid) ||
        !ty_str_eq(l->version, m->version)) {
        struct ty_str json = ty_work_data(l->a, data);
        if (yaml.n > MEMO_LONGEST || json.n > MEMO_LONGEST)
            return json;
        ty_arena_reset(m->arena);
        m->yaml = ty_work_copy(m->arena, yaml);
        m->json = ty_work_copy(m->arena, json);
        m->uid = ty_work_copy(m->arena, l->uid);
        m->version = ty_work_copy(m->arena, l->version);
    }
    return m->json;
}

struct ty_step *ty_work_add(struct ty_arena *a, struct ty_work *w, enum ty_step_op op,
                            const struct ty_kind *kind, struct ty_str name)
{
    struct ty_step *s = ty_new(a, struct ty_step), **end = &w->steps;

    *s = (struct ty_step){ .op = op, .kind = kind, .name = name };
    while (*end)
        end = &(*end)->next;
    *end = s;
    return s;
}

void ty_work_event(struct ty_arena *a, struct ty_work *w, const char *type, const char *reason,
                   const char *message)
{
    struct ty_pass_event *e = ty_new(a, struct ty_pass_event);

    *e = (struct ty_pass_event){
        .type = type, .reason = reason, .message = message, .next = w->events
    };
    w->events = e;
}

void ty_work_tell_failure(struct ty_arena *a, struct ty_work *w)
{
    ty_work_event(a, w, "Warning", TY_REASON_CREATION_FAILED,
                  ty_events_failed_note(a, ty_str(w->err.text)).p);
}

struct ty_step *ty_work_apply(struct ty_work_pass *l, struct ty_work *w, const struct ty_kind *kind,
                              const struct ty_json *obj, uint64_t number)
{
    struct ty_step *s =
        ty_work_add(l->a, w, TY_STEP_APPLY, kind, ty_json_str_at(obj, "metadata.name"));

    s->body = ty_json_text(l->a, obj);
    s->want = number;
    return s;
}

/* False: there is one that is not ours. */
static bool add_apply(struct ty_work_pass *l, struct ty_work *w, const struct ty_want *want,
                      const struct ty_jobset_plan *plan)
{
    struct ty_str name = ty_json_str_at(want->obj, "metadata.name");
    const struct ty_known *o = ty_world_find(l->in->world, want->kind, l->in->ns, name);
    const struct ty_json *obj = ty_owned_terse(l->a, want->kind->schema, want->obj);
    uint64_t number = ty_owned_wanted(l->a, want->kind->schema, obj);

    if (o && (o->owned == number || (o->want == number && o->at == o->version)))
        return true;
    if (o && ty_foreign(l->a, o, l->job, &w->err) < 0)
        return false;
    if (o && plan->how == TY_JOBSET_FROZEN) {
        if (want->kind == &ty_kind_jobset &&
            o->owned != ty_owned_wanted(l->a, want->kind->schema, plan->body))
            ty_work_apply(l, w, want->kind, ty_work_of_uid(l->a, plan->body, plan->live), number);
        return true; /* what was made for the pods that it has stays with them */
    }
    struct ty_step *s = ty_work_apply(l, w, want->kind, obj, number);
    if (want->kind == &ty_kind_jobset && plan->how == TY_JOBSET_REPLACE) {
        s->uid = ty_json_str_at(plan->live, "metadata.uid");
        s->version = ty_json_str_at(plan->live, "metadata.resourceVersion");
    }
    if (want->kind == &ty_kind_configmap &&
        ty_str_is(name, ty_child_name(l->a, TY_CHILD_SNAPSHOT, l->in->name)))
        s->data = data_of(l, ty_json_get(want->obj, "data"));
    return true;
}

/* The JobSet, if it is there, runs, and is wanted suspended; else NULL. */
static const struct ty_want *to_be_stopped(const struct ty_work_pass *l, const struct ty_want *want)
{
    const struct ty_known *o = ty_world_find(l->in->world, &ty_kind_jobset, l->in->ns, l->in->name);

    if (!o || ty_json_true_at(ty_world_read(l->a, o), "spec.suspend"))
        return NULL;
    while (want && want->kind != &ty_kind_jobset)
        want = want->next;
    return want && ty_json_true_at(want->obj, "spec.suspend") ? want : NULL;
}

void ty_work_add_children(struct ty_work_pass *l, struct ty_work *w, const struct ty_want *want)
{
    struct ty_jobset_plan plan = { .how = TY_JOBSET_AS_WANTED };

    for (const struct ty_want *it = want; it; it = it->next)
        if (it->kind == &ty_kind_jobset)
            ty_work_plan_jobset(l, w, it, &plan);
    if (plan.how == TY_JOBSET_NONE)
        return;
    /* A JobSet that is only stopped needs none of the others: nothing of theirs holds it up. */
    const struct ty_want *stop = to_be_stopped(l, want);
    if (stop && !add_apply(l, w, stop, &plan))
        want = stop;
    while (want && (want == stop || add_apply(l, w, want, &plan)))
        want = want->next;
    if (!want)
        return;
    l->unapplied = true;
    ty_work_tell_failure(l->a, w);
}
