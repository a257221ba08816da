#include "cli/history/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/no_links.h"
#include "proc/tree_remove.h"
#include "store/history/history_db.h"

#define PASSWD_BYTES (64u << 10)

/* The home directory of the user database. There is no fallback to /tmp: another user could own
 * it. */
static const char *home_of_user(struct ty_arena *a)
{
    struct passwd one, *found = NULL;
    char *room = ty_arena_raw(a, PASSWD_BYTES, 1);

    if (getpwuid_r(geteuid(), &one, room, PASSWD_BYTES, &found) != 0 || !found)
        return NULL;
    return found->pw_dir;
}

/* The directory from the environment, and the path that is appended to it. NULL: not set. */
static const char *base_of(struct ty_arena *a, const char **ret_below)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    *ret_below = "trainyard";
    if (state && state[0] == '/') /* the XDG specification says to ignore relative paths */
        return state;
    *ret_below = ".local/state/trainyard";
    if (!home || home[0] != '/')
        home = home_of_user(a);
    return home && home[0] == '/' ? home : NULL;
}

static int no_home(struct ty_err *err)
{
    return ty_fail(err, -ENOENT,
                   "there is no folder for the state of runs: HOME is not set and user %u has no "
                   "home; set XDG_STATE_HOME to a folder of yours",
                   (unsigned)geteuid());
}

char *ty_state_dir_root(struct ty_arena *a, struct ty_err *err)
{
    const char *below, *base = base_of(a, &below);

    if (base)
        return ty_arena_printf(a, "%s/%s", base, below);
    no_home(err);
    return NULL;
}

char *ty_state_dir_history(struct ty_arena *a, struct ty_err *err)
{
    const char *root = ty_state_dir_root(a, err);

    return root ? ty_arena_printf(a, "%s/%s", root, TY_HISTORY_DB_FILE) : NULL;
}

char *ty_state_dir_runs(struct ty_arena *a, struct ty_err *err)
{
    const char *root = ty_state_dir_root(a, err);

    return root ? ty_arena_printf(a, "%s/runs", root) : NULL;
}

/* ---- making it ---- */

int ty_state_dir_create_path(const char *path, struct ty_err *err)
{
    char *copy = strdup(path);
    int r = 0;

    for (char *p = copy + 1; copy && r == 0; p++) {
        bool end = !*p;
        if (!end && *p != '/')
            continue;
        *p = 0;
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            r = ty_fail(err, -errno, "%s: %s", copy, strerrordesc_np(errno));
        if (end)
            break;
        *p = '/';
    }
    free(copy);
    return r;
}

static int refuse_dir(const char *base, const char *below, const char *why, struct ty_err *err)
{
    return ty_fail(err, -EPERM, "%s/%s %s: mend that, or set XDG_STATE_HOME to another folder",
                   base, below, why);
}

static bool is_trusted(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Checks a directory above ours. Its owner can replace everything below it at any time; so can the
 * owner of a symbolic link. */
static int check_way(int at, const char *base, const char *name, struct ty_err *err)
{
    struct stat own, target;

    if (fstatat(at, name, &own, AT_SYMLINK_NOFOLLOW) < 0 || fstatat(at, name, &target, 0) < 0)
        return ty_fail(err, -errno, "%s/%s: %s", base, name, strerrordesc_np(errno));
    if (!is_trusted(&own) || !is_trusted(&target))
        return refuse_dir(base, name, "belongs to another user", err);
    if ((target.st_mode & S_IWOTH) && !(target.st_mode & S_ISVTX))
        return refuse_dir(base, name, "can be written to by everybody", err);
    return 0;
}

/* Checks our own directory. It contains the pods' environments, so access for others is removed. */
static int check_own(int at, const char *base, const char *name, bool close_it, struct ty_err *err)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *why = NULL;
    struct stat st;

    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return refuse_dir(base, name, "is a link or a file, not a folder", err);
    int r = fd < 0 ? -1 : fstat(fd, &st);
    if (r == 0 && st.st_uid != geteuid())
        why = "belongs to another user";
    else if (r == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)))
        why = "can be written to by others (chmod 700 it, if nobody has)";
    else if (r == 0 && close_it && (st.st_mode & 077))
        r = fchmod(fd, 0700);
    if (r < 0)
        r = ty_fail(err, -errno, "%s/%s: %s", base, name, strerrordesc_np(errno));
    else if (why)
        r = refuse_dir(base, name, why, err);
    if (fd >= 0)
        close(fd);
    return r;
}

/* Checks each directory before anything is created in it. */
static int walk_path(int at, const char *base, const char *below, bool make, struct ty_err *err)
{
    struct stat st;
    char name[64];
    int r = 0;

    /* A directory of another user is accepted if the environment names it, such as a home in a
     * container. But root may have inherited another user's HOME unintentionally (sudo). */
    if (geteuid() == 0 && strchr(below, '/') && fstat(at, &st) == 0 && st.st_uid != 0)
        return ty_fail(err, -EPERM, "HOME, %s, belongs to another user: set XDG_STATE_HOME", base);
    for (size_t n = 0; r == 0; n++) {
        n += strcspn(below + n, "/");
        snprintf(name, sizeof(name), "%.*s", (int)n, below);
        if (make && mkdirat(at, name, 0700) < 0 && errno != EEXIST)
            return ty_fail(err, -errno, "%s/%s: %s", base, name, strerrordesc_np(errno));
        if (!below[n])
            return check_own(at, base, name, make, err);
        r = check_way(at, base, name, err);
    }
    return r;
}

static int open_walk(struct ty_arena *a, bool make, struct ty_err *err)
{
    const char *below, *base = base_of(a, &below);
    int r = base && make ? ty_state_dir_create_path(base, err) : 0;

    if (r < 0 || !base)
        return r < 0 ? r : no_home(err);
    int at = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return ty_fail(err, -errno, "%s: %s", base, strerrordesc_np(errno));
    r = walk_path(at, base, below, make, err);
    close(at);
    return r;
}

int ty_state_dir_create(struct ty_arena *a, struct ty_err *err)
{
    return open_walk(a, true, err);
}

int ty_state_dir_check(struct ty_arena *a, struct ty_err *err)
{
    return open_walk(a, false, err);
}

/* How many of the path's last names are in the state directory (proc/no_links.h); 0: it is not
 * below runs/, or has a "..". */
static unsigned depth_of(struct ty_arena *a, struct ty_str path)
{
    const char *folder = ty_state_dir_runs(a, NULL);
    char *runs = ty_arena_printf(a, "%s/", folder ? folder : "");
    struct ty_str part, rest = { 0 };
    unsigned depth = TY_DEPTH_DIR;

    if (!folder || !ty_str_starts(path, ty_str(runs)))
        return 0;
    rest = (struct ty_str){ path.p + strlen(runs), path.n - strlen(runs) };
    if (rest.n == 0)
        return 0;
    for (; rest.p; depth++) {
        rest = ty_str_cut(rest, '/', &part);
        if (part.n == 0 || ty_str_is(part, ".") || ty_str_is(part, ".."))
            return 0;
    }
    return depth;
}

int ty_state_dir_remove(struct ty_arena *a, const char *path, struct ty_err *err)
{
    unsigned depth = depth_of(a, ty_str(path));

    if (depth == 0)
        return 0;
    ty_tree_remove(path, depth);
    int r = ty_no_links_unlink(path, depth, AT_REMOVEDIR);
    if (r == -ENOTDIR) /* a file or a link in its place */
        r = ty_no_links_unlink(path, depth, 0);
    return r < 0 && r != -ENOENT ? ty_fail(err, r, "%s: %s", path, strerrordesc_np(-r)) : 0;
}
