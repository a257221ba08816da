#include "cli/run/run_shrink.h"

#include "engine/shrink.h"
#include "trainer/runtime_resolve.h"

static bool is_runtime(const struct ty_json *obj)
{
    const struct ty_kind *kind = ty_kind_of(obj);

    return kind == &ty_kind_trainingruntime || kind == &ty_kind_clustertrainingruntime;
}

/* The session's view has the runtime as it was written. */
static const struct ty_json *shrink_job(struct ty_run_ctx *r, const struct ty_json *obj)
{
    struct ty_arena *a = r->cli->arena;
    struct ty_shrink_size before, after;
    struct ty_trainjob job;

    ty_trainjob_parse(&job, obj);
    const struct ty_json *runtime = ty_runtime_live(&job, &r->session.view);
    if (!ty_shrink_measure(a, obj, runtime, &before))
        return obj; /* submitting it says why it cannot be planned */
    const struct ty_json *small = ty_shrink_trainjob(a, obj, &before, &r->host);
    if (!ty_shrink_measure(a, small, ty_shrink_runtime(a, runtime, &r->host), &after))
        return obj;
    ty_cli_msg(r->cli, TY_MSG_NOTE, "--shrink: trainjob/%.*s: %s", TY_ARG(job.name),
               ty_shrink_text(a, &before, &after));
    return small;
}

static void hide_gpus(struct ty_run_ctx *r)
{
    static const char *const hidden[] = { "CUDA_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=",
                                          "ACCELERATE_USE_CPU=true" };
    static const char *const none[] = { NULL };
    size_t n = 0, more = TY_COUNT(hidden);

    while (r->env && r->env[n])
        n++;
    const char **env = ty_new_n(r->cli->arena, const char *, n + more + 1);
    for (size_t i = 0; i < more; i++)
        env[i] = hidden[i];
    if (n)
        memcpy(env + more, r->env, n * sizeof(*env)); /* --env comes later, so it wins */
    r->env = env;
    r->host.gpus = none;
}

void ty_run_shrink(struct ty_run_ctx *r, const struct ty_json **objs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ty_kind_of(objs[i]) == &ty_kind_trainjob)
            objs[i] = shrink_job(r, objs[i]);
        else if (is_runtime(objs[i]))
            objs[i] = ty_shrink_runtime(r->cli->arena, objs[i], &r->host);
    hide_gpus(r);
}
