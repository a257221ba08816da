/* Finds the owner: the controller reference, else the field managers. */
#include "controller/owner_conflict.h"

#include <errno.h>

static const struct ty_json *find_owner_ref(const struct ty_json *obj)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");

    ty_each_item (it, owners)
        if (ty_json_true_at(*it, "controller"))
            return *it;
    return ty_json_item(owners, 0);
}

/* The controller, an owner, or at least the manager that created it. */
static const char *describe_owner(struct ty_arena *a, const struct ty_cached *child,
                                  const struct ty_json *owner)
{
    struct ty_str kind = ty_json_str_at(owner, "kind"), name = ty_json_str_at(owner, "name");

    if (name.n)
        return ty_arena_printf(a, "%.*s \"%.*s\" %s it", TY_ARG(kind), TY_ARG(name),
                               ty_json_true_at(owner, "controller") ? "controls" : "owns");
    if (child->creator)
        return ty_arena_printf(a, "field manager \"%s\" made it", child->creator);
    return "somebody else made it";
}

static int fail_conflict(const struct ty_cached *child, const char *whose, struct ty_err *err)
{
    const struct ty_kind *k = child->id.kind;

    return ty_fail(err, -EEXIST,
                   "%s \"%s/%s\" exists and is not this TrainJob's: %s. Give the TrainJob another "
                   "name, or delete the %s: kubectl -n %s delete %s%s%s %s",
                   k->kind, child->id.ns, child->id.name, whose, k->kind, child->id.ns, k->plural,
                   k->group[0] ? "." : "", k->group, child->id.name);
}

int ty_owner_conflict(struct ty_arena *a, const struct ty_cached *child,
                      const struct ty_cached *job, struct ty_err *err)
{
    if (child->job_uid && strcmp(child->job_uid, job->id.uid) == 0)
        return 0;
    if (child->job && strcmp(child->job, job->id.name) == 0)
        return ty_fail(err, -EEXIST,
                       "%s \"%s/%s\" is still there from an earlier TrainJob of that name; waiting "
                       "for it to be deleted",
                       child->id.kind->kind, child->id.ns, child->id.name);
    const struct ty_json *who = find_owner_ref(ty_cache_parse(a, child));
    if (!ty_json_true_at(who, "controller") && child->applied_s)
        return 0; /* ours, orphaned */
    return fail_conflict(child, describe_owner(a, child, who), err);
}
