/* Decides how the desired JobSet is written over the existing one. The jobs of a JobSet are
 * immutable, so the difference between the two renderings decides:
 *
 *   none, or only fields that may change  --> apply as wanted
 *   no pod of it has ever run             --> apply as wanted; if refused, delete and re-create it
 *   pods have run, or run now             --> frozen: apply only what may change
 *   it is being deleted                   --> wait
 *
 * The cached digest is not enough to compare the renderings, so the live JobSet is fetched, unless
 * the digests show that only spec.suspend differs. */
#include <errno.h>

#include "base/time.h"
#include "controller/applied_digest.h"
#include "controller/jobset_freeze.h"
#include "controller/owner_conflict.h"
#include "controller/reconcile_inner.h"

#define KEPT_SHOWN 3
#define GONE_SOON_S                                                                                \
    30 /* a JobSet and its Jobs are deleted within seconds unless a finalizer holds them */

/* Only spec.suspend differs. */
static bool only_suspend_differs(const struct ty_reconcile_pass *p, const struct ty_cached *o,
                                 const struct ty_json *wanted)
{
    const struct ty_json *live = ty_json_at(ty_cache_parse(p->a, o), "spec.suspend");
    struct ty_json *obj = ty_json_shallow_copy(p->a, wanted);
    const struct ty_json *spec = ty_json_get(obj, "spec");

    if (!spec)
        return false;
    struct ty_json *other = ty_json_shallow_copy(p->a, spec);
    if (live)
        ty_json_set(p->a, other, "suspend", ty_json_copy(p->a, live, 0));
    else
        ty_json_del(other, TY_LIT("suspend"));
    ty_json_set(p->a, obj, "spec", other);
    return o->owned_digest == ty_applied_digest_desired(p->a, ty_kind_jobset.schema, obj);
}

/* The JobSet is being deleted. If that takes long, an event names the finalizers that hold it. */
static void wait_for_deletion(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                              const struct ty_json *live)
{
    const struct ty_json *holders = ty_json_at(live, "metadata.finalizers");
    int64_t since = 0;

    p->unapplied = true;
    p->wait_s = GONE_SOON_S;
    if (!ty_time_parse(ty_json_str_at(live, "metadata.deletionTimestamp"), &since) ||
        p->in->now_s - since < GONE_SOON_S)
        return;
    ty_fail(&w->err, -EBUSY,
            "JobSet \"%.*s\" is still being deleted, held by finalizers %.*s; it is re-created "
            "when it is gone",
            TY_ARG(p->in->name), TY_ARG(holders ? ty_json_text(p->a, holders) : TY_LIT("[]")));
    ty_reconcile_add_failure_event(p->a, w);
}

static void add_kept_event(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                           const struct ty_field_changes *kept)
{
    ty_auto_buf b = { 0 };
    size_t n = 0;

    for (const struct ty_field_change *c = kept->first; c && n < KEPT_SHOWN; c = c->next, n++)
        ty_buf_printf(&b, "%s%s", n ? ", " : "", c->path);
    if (kept->n > n)
        ty_buf_printf(&b, " and %zu more", kept->n - n);
    ty_reconcile_add_event(
        p->a, w, "Normal", TY_REASON_RENDERING_KEPT,
        ty_arena_printf(p->a,
                        "JobSet \"%.*s\" keeps the rendering that it was created with: "
                        "not changed are %.*s",
                        TY_ARG(p->in->name), (int)b.n, b.p));
}

static void plan_existing(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                          const struct ty_cached *o, const struct ty_desired_object *want,
                          struct ty_jobset_plan *ret)
{
    const struct ty_schema *s = ty_kind_jobset.schema;
    struct ty_field_changes kept;

    if (ty_json_at(ret->live, "metadata.deletionTimestamp")) {
        ret->how = TY_JOBSET_NONE;
        wait_for_deletion(p, w, ret->live);
        return;
    }
    ty_jobset_freeze_conflicts(p->a, want->obj, ret->live, &kept);
    if (!kept.n && !p->in->freeze)
        return;
    ret->how = ty_jobset_freeze_never_ran(ret->live) ? TY_JOBSET_REPLACE : TY_JOBSET_FROZEN;
    if (ret->how == TY_JOBSET_REPLACE)
        return;
    ret->body =
        ty_applied_digest_normalize(p->a, s, ty_jobset_freeze(p->a, want->obj, ret->live, true));
    if (kept.n && o->owned_digest != ty_applied_digest_desired(p->a, s, ret->body))
        add_kept_event(p, w, &kept);
}

void ty_reconcile_plan_jobset(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                              const struct ty_desired_object *want, struct ty_jobset_plan *ret)
{
    const struct ty_cached *o = ty_cache_get(p->in->cache, &ty_kind_jobset, p->in->ns, p->in->name);
    struct ty_err err = { 0 };

    *ret = (struct ty_jobset_plan){ .how = TY_JOBSET_AS_WANTED };
    if (!o || ty_owner_conflict(p->a, o, p->job, &err) < 0)
        return;
    const struct ty_json *obj = ty_applied_digest_normalize(p->a, want->kind->schema, want->obj);
    uint64_t number = ty_applied_digest_desired(p->a, want->kind->schema, obj);
    if (o->owned_digest == number ||
        (o->applied_digest == number && o->applied_version == o->id.version) ||
        (!p->in->freeze && only_suspend_differs(p, o, obj)))
        return;
    ret->live = ty_reconcile_fetched(p, &ty_kind_jobset, p->in->name, o->partial);
    if (ret->live)
        plan_existing(p, w, o, want, ret);
    else
        ret->how = TY_JOBSET_NONE;
}

const struct ty_json *ty_reconcile_jobset_pin_uid(struct ty_arena *a, const struct ty_json *body,
                                                  const struct ty_json *live)
{
    struct ty_json *obj = ty_json_shallow_copy(a, body);
    struct ty_json *meta = ty_json_shallow_copy(a, ty_json_get(body, "metadata"));

    ty_json_set(a, meta, "uid", ty_json_str(a, ty_json_str_at(live, "metadata.uid")));
    ty_json_set(a, obj, "metadata", meta);
    return obj;
}

void ty_reconcile_suspend_jobset(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                                 const struct ty_json *job)
{
    const struct ty_cached *o = ty_cache_get(p->in->cache, &ty_kind_jobset, p->in->ns, p->in->name);
    struct ty_err err = { 0 };

    p->unapplied = true;
    if (!o || !ty_json_true_at(job, "spec.suspend") ||
        ty_owner_conflict(p->a, o, p->job, &err) < 0 ||
        ty_json_true_at(ty_cache_parse(p->a, o), "spec.suspend"))
        return;
    const struct ty_json *live = ty_reconcile_fetched(p, &ty_kind_jobset, p->in->name, o->partial);
    if (!live || ty_json_at(live, "metadata.deletionTimestamp"))
        return;
    const struct ty_json *body = ty_applied_digest_normalize(
        p->a, ty_kind_jobset.schema, ty_jobset_freeze_suspend(p->a, live, true));
    p->unapplied = false;
    ty_reconcile_add_apply(p, w, &ty_kind_jobset, ty_reconcile_jobset_pin_uid(p->a, body, live),
                           ty_applied_digest_desired(p->a, ty_kind_jobset.schema, body));
}
