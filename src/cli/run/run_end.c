/* How a run ends: its exit status, and everything it held. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "store/local/local.h"
#include "trainer/trainjob_reconcile.h"

struct failed_jobs {
    struct ty_run_ctx *r;
    size_t n;
};

static void count_failed(void *ctx, const struct ty_stored *obj)
{
    struct failed_jobs *f = ctx;
    struct ty_json *job = ty_local_read(f->r->cli->arena, obj);
    const struct ty_json *c = ty_condition_find(ty_json_get(job, "status"), "Complete");

    f->n += !c || !ty_str_is(ty_json_str_at(c, "status"), "True");
}

/* 0: all complete; 130, as shells have it for Ctrl-C, also after SIGTERM; 124 as timeout(1) has it.
 */
int ty_run_exit_code(struct ty_run_ctx *r)
{
    struct failed_jobs f = { r, 0 };

    ty_local_each(ty_engine_store(r->engine), &ty_kind_trainjob, count_failed, &f);
    if (r->timed_out)
        return 124;
    if (r->interrupts)
        return 130;
    return f.n + r->history.deleted ? TY_EXIT_BAD : TY_EXIT_OK;
}

void ty_run_close_view(struct ty_run_ctx *r, bool keep)
{
    struct ty_run_outcome o = {
        .engine = r->engine, .stopped = ty_engine_stopped(r->engine), .dir = r->dir, .kept = keep
    };

    o.now_ms = ty_cli_wall_ms();
    ty_run_view_close(&r->view, &o);
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

void ty_run_end(struct ty_run_ctx *r)
{
    ty_run_view_close(&r->view, NULL); /* if it is still open */
    ty_run_status_end(&r->status);
    ty_engine_free(r->engine);
    if (r->dir)
        rmdir(ty_arena_printf(r->cli->arena, "%s/pods", r->dir)); /* stays if something is in it */
    uv_walk(&r->loop, close_handle, NULL);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    uv_loop_close(&r->loop);
    ty_zygote_stop(r->zygote);
    free(r->program);
    free(r->workdir);
}
