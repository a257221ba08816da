/* Begin and end of a run: its directories, its exit status, and the release of all it holds. */
#include "cli/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/history/state_dir.h"
#include "cli/run/run_gc.h"
#include "engine/pod/gpu_lock.h"
#include "proc/no_links.h"
#include "proc/regular_file.h"
#include "proc/tree_remove.h"
#include "store/local/local.h"
#include "trainer/trainjob_reconcile.h"

/* A run begins with a lock, sockets, hosts files, pod directories and some pages of history. With
 * less than this, one of them fails with ENOSPC, and the job with it. */
#define ROOM_BYTES ((off_t)256 << 10)
#define ROOM_FILES 64u

/* ---- directories ---- */

/* Nothing is created behind a link, which a job may have put there. */
static int create_dir(const char *path, enum ty_state_depth depth, struct ty_err *err)
{
    int ret = ty_no_links_mkdir(path, depth, 0700);

    return ret < 0 ? ty_no_links_fail(err, path, ret) : 0;
}

static int create_dirs(struct ty_run_ctx *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", r->root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", r->root);
    int ret = create_dir(ty_arena_printf(a, "%s/runs", r->root), TY_DEPTH_DIR, err);
    if (ret == 0)
        ret = create_dir(r->claims, TY_DEPTH_DIR, err);
    if (ret == 0)
        ret = create_dir(r->dir, TY_DEPTH_ENTRY, err);
    if (ret == 0)
        ret = create_dir(ty_arena_printf(a, "%s/logs", r->dir), TY_DEPTH_RUN, err);
    return ret == 0 ? create_dir(ty_arena_printf(a, "%s/pods", r->dir), TY_DEPTH_RUN, err) : ret;
}

/* Asks for the room in a file that stays: statvfs() does not show what a quota leaves. */
static int check_room(const struct ty_run_ctx *r, struct ty_err *err)
{
    struct statvfs fs;
    const char *path = ty_arena_printf(r->cli->arena, "%s/lock", r->dir);
    int fd = ty_regular_file_open(path, TY_DEPTH_RUN, O_WRONLY | O_CREAT, 0600);
    int why = fd < 0 ? -fd : 0;

    if (!why)
        why = posix_fallocate(fd, 0, ROOM_BYTES); /* writes where that is not supported */
    if (!why && ftruncate(fd, 0) < 0)
        why = errno;
    if (!why && fstatvfs(fd, &fs) == 0 && fs.f_files && fs.f_favail < ROOM_FILES)
        why = ENOSPC;
    if (fd >= 0)
        close(fd);
    return why ? ty_fail(err, -why, "%s: %s", r->root, strerrordesc_np(why)) : 0;
}

/* Creates everything or nothing: on failure the run's directory is removed again. */
static int create_in_state_dir(struct ty_run_ctx *r, const char *name, struct ty_err *err)
{
    int ret = ty_state_dir_create(r->cli->arena, err);

    if (ret == 0)
        ret = create_dirs(r, name, err);
    if (ret == 0)
        ret = check_room(r, err);
    if (ret < 0 && r->dir)
        ty_state_dir_remove(r->cli->arena, r->dir, NULL);
    return ret;
}

int ty_run_folders(struct ty_run_ctx *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *tmp = getenv("TMPDIR");

    r->root = ty_state_dir_root(a, err);
    if (!r->root)
        return err->code;
    if (create_in_state_dir(r, name, err) == 0) {
        r->past = ty_state_dir_history(a, err);
        ty_run_gc(a, ty_state_dir_runs(a, err));
        return 0;
    }
    if (r->needs_history) {
        r->dir = NULL; /* removed again */
        ty_wrap(err, "--detach: the history is needed to find the job again");
        return err->code;
    }
    r->root = ty_arena_printf(a, "%s/trainyard-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(r->root))
        return err->code;
    ty_cli_msg(r->cli, TY_MSG_WARNING, "this run has no history, its files are in %s: %s", r->root,
               err->text);
    return create_dirs(r, name, err);
}

static bool usable_locks(const char *dir, struct ty_err *err)
{
    int fd = ty_gpu_lock_open_dir(dir, err);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

const char *ty_run_gpu_locks(struct ty_run_ctx *r)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *set = getenv("TRAINYARD_LOCKS"), *shared = set && *set ? set : TY_GPU_LOCK_DIR;
    const char *own = ty_arena_printf(r->cli->arena, "%s/locks", r->root);
    struct ty_err err = { 0 };

    if (!r->host.gpus || !r->host.gpus[0])
        return NULL;
    if (usable_locks(shared, &err))
        return shared;
    bool usable = usable_locks(own, &(struct ty_err){ 0 });
    ty_cli_msg(r->cli, TY_MSG_WARNING, "GPUs are locked for %s: %s",
               usable ? "your own runs only" : "nobody", err.text);
    return usable ? own : NULL;
}

void ty_run_report_host(struct ty_run_ctx *r)
{
    struct ty_zygote_caps can = ty_zygote_caps(r->zygote);

    if (!can.mounts)
        ty_run_view_note(
            &r->view, TY_MSG_NOTE,
            "no private mounts here (%s): volumes cannot be mounted, host names of the "
            "job are replaced by addresses, and there is no status API",
            can.why);
    else if (!can.pid_ns)
        ty_run_view_note(&r->view, TY_MSG_NOTE,
                         "no pid namespaces here (%s): pods see the processes of this machine",
                         can.why);
}

/* ---- the end ---- */

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

/* 0: all complete; 130, as in shells after Ctrl-C, also after SIGTERM; 124 as timeout(1). */
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

/* After the engine, whose sockets are in there. */
static void remove_refused(struct ty_run_ctx *r)
{
    if (r->past)
        ty_state_dir_remove(r->cli->arena, r->dir, NULL);
    else
        ty_tree_remove(r->root, 1); /* a temporary directory of this run */
}

void ty_run_end(struct ty_run_ctx *r)
{
    ty_run_view_close(&r->view, NULL); /* if it is still open */
    ty_run_output_close(&r->output);
    ty_run_status_end(&r->status);
    ty_engine_free(r->engine);
    if (r->dir)
        /* Stays if something is in it. */
        ty_no_links_unlink(ty_arena_printf(r->cli->arena, "%s/pods", r->dir), TY_DEPTH_RUN,
                           AT_REMOVEDIR);
    uv_walk(&r->loop, close_handle, NULL);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    uv_loop_close(&r->loop);
    ty_zygote_stop(r->zygote);
    if (r->refused && r->dir)
        remove_refused(r);
    free(r->program);
    free(r->workdir);
}
