/* Suspends, resumes and deletes a running TrainJob. */
#include <errno.h>

#include "engine/engine_inner.h"
#include "proc/zygote.h"

struct job_search {
    const char *name;
    const struct ty_stored *found;
};

static void match_name(void *ctx, const struct ty_stored *obj)
{
    struct job_search *s = ctx;

    if (strcmp(obj->name, s->name) == 0)
        s->found = obj;
}

static const struct ty_stored *find_trainjob(struct ty_engine *e, const char *job,
                                             struct ty_err *err)
{
    struct job_search s = { .name = job };

    ty_local_each(e->store, &ty_kind_trainjob, match_name, &s);
    if (!s.found)
        ty_fail(err, -ENOENT, "trainjobs.trainer.kubeflow.org \"%s\" not found", job);
    return s.found;
}

int ty_engine_suspend(struct ty_engine *e, const char *job, bool suspend, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    const struct ty_stored *obj = find_trainjob(e, job, err);

    if (!obj)
        return -ENOENT;
    struct ty_json *next = ty_local_read(a, obj);
    if (ty_trainjob_finished(ty_json_get(next, "status")))
        return ty_fail(err, -EINVAL, "trainjob \"%s\" has ended", job);
    if (obj->deleting)
        return ty_fail(err, -EINVAL, "trainjob \"%s\" is being deleted", job);
    ty_json_set(a, ty_json_ensure_object(a, next, "spec"), "suspend", ty_json_bool(a, suspend));
    return ty_local_update(e->store, a, next, err);
}

int ty_engine_delete(struct ty_engine *e, const char *job, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    const struct ty_stored *obj = find_trainjob(e, job, err);

    if (!obj)
        return -ENOENT;
    char *ns = ty_arena_strdup(a, obj->ns);
    ty_zygote_continue(e->o.zygote);
    return ty_local_delete(e->store, a, &ty_kind_trainjob, ty_str(ns), ty_str(job), err);
}
