/* Whose is it? By its controller, else by who has written to it. */
#include "control/foreign.h"

#include <errno.h>

static const struct ty_json *controller(const struct ty_json *obj)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");

    ty_each_item (it, owners)
        if (ty_json_true_at(*it, "controller"))
            return *it;
    return NULL;
}

static int refuse(const struct ty_known *child, const char *whose, struct ty_err *err)
{
    return ty_fail(err, -EEXIST,
                   "%s \"%s\" exists and is not this TrainJob's: %s. Delete it, or give the "
                   "TrainJob another name",
                   child->kind->kind, child->name, whose);
}

int ty_foreign(struct ty_arena *a, const struct ty_known *child, const struct ty_known *job,
               struct ty_err *err)
{
    if (child->job_uid && strcmp(child->job_uid, job->uid) == 0)
        return 0;
    if (child->job && strcmp(child->job, job->name) == 0)
        return ty_fail(err, -EEXIST,
                       "%s \"%s\" is still there from an earlier TrainJob of that name; waiting "
                       "for it to be deleted",
                       child->kind->kind, child->name);
    const struct ty_json *who = controller(ty_world_read(a, child));
    if (who)
        return refuse(child,
                      ty_arena_printf(a, "%.*s \"%.*s\" controls it",
                                      TY_ARG(ty_json_str_at(who, "kind")),
                                      TY_ARG(ty_json_str_at(who, "name"))),
                      err);
    return child->applied_s ? 0 : refuse(child, "somebody else has made it", err);
}
