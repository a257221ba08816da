/* Where a run keeps what outlives it: $XDG_STATE_HOME/trainyard/runs/RUN, and the claims of all
 * runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/history/state_dir.h"
#include "cli/run/run.h"
#include "cli/run/run_gc.h"

/* A run begins with a lock, sockets, hosts files, pods' folders and some pages of history. With
 * less than this, one of them fails for want of room, and the job with it. */
#define ROOM_BYTES ((size_t)256 << 10)
#define ROOM_FILES 64u

static int make_all(struct ty_run_ctx *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", r->root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", r->root);
    int ret = ty_state_dir_create_path(ty_arena_printf(a, "%s/logs", r->dir), err);
    if (ret == 0)
        ret = ty_state_dir_create_path(ty_arena_printf(a, "%s/pods", r->dir), err);
    return ret == 0 ? ty_state_dir_create_path(r->claims, err) : ret;
}

/* Written for a moment: what is free on a disk does not tell what a quota leaves. */
static int check_room(const struct ty_run_ctx *r, struct ty_err *err)
{
    static const char piece[4096];
    struct statvfs fs;
    char *path = ty_arena_printf(r->cli->arena, "%s/room-XXXXXX", r->dir);
    int fd = mkostemp(path, O_CLOEXEC), why = fd < 0 ? errno : 0;

    for (size_t n = 0; !why && n < ROOM_BYTES; n += sizeof(piece)) {
        ssize_t put = write(fd, piece, sizeof(piece));
        if (put != (ssize_t)sizeof(piece))
            why = put < 0 ? errno : ENOSPC;
    }
    if (!why && fstatvfs(fd, &fs) == 0 && fs.f_files && fs.f_favail < ROOM_FILES)
        why = ENOSPC;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return why ? ty_fail(err, -why, "%s: %s", r->root, strerrordesc_np(why)) : 0;
}

/* Whole or not at all: what has not all it needs to begin is taken back. */
static int make_state(struct ty_run_ctx *r, const char *name, struct ty_err *err)
{
    int ret = ty_state_dir_create(r->cli->arena, err);

    if (ret == 0)
        ret = make_all(r, name, err);
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
    if (make_state(r, name, err) == 0) {
        r->past = ty_state_dir_history(a, err);
        ty_run_gc(a, ty_state_dir_runs(a, err));
        return 0;
    }
    r->root = ty_arena_printf(a, "%s/trainyard-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(r->root))
        return err->code;
    ty_cli_msg(r->cli, TY_MSG_WARNING, "this run has no history, its files are in %s: %s", r->root,
               err->text);
    return make_all(r, name, err);
}
