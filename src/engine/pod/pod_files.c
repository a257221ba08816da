/* Creates a pod's directory: emptyDir volumes, files from ConfigMaps and Secrets, termination
 * messages; and the bind mounts that place them in the pod. */
#include "engine/pod/pod_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "engine/engine_inner.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pods.h"
#include "engine/pod/volume_files.h"
#include "proc/regular_file.h"
#include "proc/shim.h"
#include "proc/sub_path.h"

#define MESSAGE_MAX 4096

/* The mode is exact whatever the umask is. A chmod afterwards could meet what another user has put
 * in its place. */
static int make_dir(const char *path, enum ty_state_depth depth, mode_t mode, struct ty_err *err)
{
    mode_t mask = umask(0);
    int code = ty_no_links_mkdir(path, depth, mode);

    umask(mask);
    return code < 0 ? ty_no_links_fail(err, path, code) : 0;
}

/* The user names it, links and all. */
static int make_host_dir(const char *path, struct ty_err *err)
{
    mode_t mask = umask(0);
    int code = mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;

    umask(mask);
    return code < 0 ? ty_fail(err, code, "%s: %s", path, strerrordesc_np(-code)) : 0;
}

/* Never through a link: what it points to may belong to others. */
static int make_file(const char *path, struct ty_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    struct stat st;

    if (fd >= 0)
        close(fd);
    else if (errno != EEXIST)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    else if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return ty_fail(err, -EINVAL, "hostPath type check failed: %s is not a file", path);
    return 0;
}

static const char *pods_dir(struct ty_arena *a, const struct ty_pod_runtime *p)
{
    return ty_arena_printf(a, "%s/pods", p->e->o.dir);
}

static char *volume_dir(struct ty_arena *a, const struct ty_pod_runtime *p,
                        const struct ty_volume *v)
{
    if (v->kind == TY_MOUNT_HOST)
        return ty_arena_strdup(a, v->host_path);
    if (v->kind == TY_MOUNT_CLAIM)
        return ty_arena_printf(a, "%s/%s", p->e->o.claims_dir, v->claim);
    if (v->kind == TY_MOUNT_FILES)
        return ty_volume_files_dir(a, pods_dir(a, p), v);
    return ty_arena_printf(a, "%s/volumes/%s", p->dir, v->name);
}

static int check_host_type(const struct ty_volume *v, struct ty_err *err)
{
    static const struct {
        const char *type, *what;
        mode_t mode;
    } rows[] = {
        { "Directory", "a directory", S_IFDIR },
        { "File", "a file", S_IFREG },
        { "Socket", "a socket file", S_IFSOCK },
        { "CharDevice", "a character device", S_IFCHR },
        { "BlockDevice", "a block device", S_IFBLK },
    };
    struct stat st;

    if (!v->host_type || !v->host_type[0])
        return 0;
    if (strcmp(v->host_type, "DirectoryOrCreate") == 0)
        return make_host_dir(v->host_path, err);
    if (strcmp(v->host_type, "FileOrCreate") == 0)
        return make_file(v->host_path, err);
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        if (strcmp(v->host_type, rows[i].type) == 0 &&
            (stat(v->host_path, &st) < 0 || (st.st_mode & S_IFMT) != rows[i].mode))
            return ty_fail(err, -EINVAL, "hostPath type check failed: %s is not %s", v->host_path,
                           rows[i].what);
    return 0;
}

/* emptyDir volumes are in `volumes`, which other pods do not need. */
static int make_scratch(const struct ty_pod_runtime *p, const char *dir, struct ty_err *err)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/volumes", p->dir);
    int r = make_dir(path, TY_DEPTH_LOG, 0755, err);
    return r < 0 ? r : make_dir(dir, TY_DEPTH_VOLUME, 0777, err);
}

/* `trainyard delete` refuses a claim that a run holds: while the pod uses it, and until its
 * TrainJob has ended, which may have no pod while it is suspended or restarts. */
static int make_claim(struct ty_pod_runtime *p, const char *claim, const char *dir,
                      struct ty_err *err)
{
    struct ty_engine *e = p->e;
    const struct ty_stored *job =
        ty_local_find(e->store, &ty_kind_trainjob, ty_str(p->ns), ty_str(p->job));
    struct ty_unfinished_job *u = job ? ty_map_get(&e->unfinished, ty_str(job->uid)) : NULL;
    int r = make_dir(dir, TY_DEPTH_ENTRY, 0777, err);

    if (r < 0) {
        ty_wrap(err, "claim %s", claim);
        return r;
    }
    r = ty_mount_points_hold(&e->mount_points, &p->mount_points, dir, dir, true);
    if (r == 0 && u)
        r = ty_mount_points_hold(&e->mount_points, &u->claims, dir, dir, true);
    if (r == -EAGAIN)
        return ty_fail(err, r,
                       "claim %s: another program has an exclusive lock on %s: end it first", claim,
                       dir);
    return r < 0 ? ty_fail(err, r, "claim %s: %s: %s", claim, dir, strerrordesc_np(-r)) : 0;
}

static int make_volume(struct ty_arena *a, struct ty_pod_runtime *p, struct ty_volume *v,
                       struct ty_err *err)
{
    switch (v->kind) {
    case TY_MOUNT_HOST:
        return check_host_type(v, err);
    case TY_MOUNT_MEMORY:
        return 0; /* a tmpfs of the pod's own */
    case TY_MOUNT_CLAIM:
        return make_claim(p, v->claim, volume_dir(a, p, v), err);
    case TY_MOUNT_FILES:
        return ty_volume_files_create(a, pods_dir(a, p), v, err);
    case TY_MOUNT_SCRATCH:
    default:
        return make_scratch(p, volume_dir(a, p, v), err);
    }
}

/* hostAliases: the JobSet's names, and the pod's own after them. */
static int own_hosts(struct ty_arena *a, const struct ty_pod_runtime *p, const char **hosts,
                     struct ty_err *err)
{
    const char *path = ty_arena_printf(a, "%s/hosts", p->dir);
    FILE *from = ty_regular_file_fopen(*hosts, TY_DEPTH_RUN, "r"),
         *to = ty_regular_file_fopen(path, TY_DEPTH_LOG, "w");
    char piece[4096];
    size_t n = 0;

    while (from && to && (n = fread(piece, 1, sizeof(piece), from)) > 0)
        fwrite(piece, 1, n, to);
    for (const char **line = p->plan.host_aliases; to && *line; line++)
        fprintf(to, "%s\n", *line);
    bool bad = !from || !to || ferror(from) || ferror(to);
    if (from)
        fclose(from);
    if (to && fclose(to) != 0)
        bad = true;
    *hosts = path;
    return bad ? ty_fail(err, -EIO, "%s cannot be written", path) : 0;
}

struct ty_bind_mount *ty_pod_files_create(struct ty_arena *a, struct ty_pod_runtime *p,
                                          const char *hosts, struct ty_err *err)
{
    struct ty_bind_mount *binds = ty_new_n(a, struct ty_bind_mount, 4);
    char path[4096];
    int r = make_dir(p->dir, TY_DEPTH_POD, 0755, err);

    snprintf(path, sizeof(path), "%s/tmp", p->dir);
    if (r == 0)
        r = make_dir(path, TY_DEPTH_LOG, 0777, err);
    for (struct ty_volume *v = p->plan.volumes; v && r == 0; v = v->next)
        r = make_volume(a, p, v, err);
    if (r == 0 && p->plan.host_aliases[0])
        r = own_hosts(a, p, &hosts, err);
    if (r < 0)
        return NULL;
    binds[0] = (struct ty_bind_mount){ .from = hosts, .to = "/etc/hosts", .read_only = true };
    binds[1] = (struct ty_bind_mount){ .from = ty_arena_strdup(a, path), .to = TY_POD_TMP };
    if (p->e->net.resolver)
        binds[2] = (struct ty_bind_mount){ .from = p->e->net.resolver,
                                           .to = "/etc/resolv.conf",
                                           .read_only = true };
    return binds;
}

static const char *source_of(struct ty_arena *a, const struct ty_bind_mount *b)
{
    return b->sub && b->sub[0] ? ty_arena_printf(a, "%s/%s", b->from, b->sub) : b->from;
}

/* The mount point of binds[i]: in the volume that is mounted above it, or on the host. Scratch
 * volumes and those that may only be read are left to the shim. */
static void hold_mount_point(struct ty_arena *a, struct ty_pod_runtime *p,
                             const struct ty_container_plan *plan,
                             const struct ty_bind_mount *binds, size_t i)
{
    const struct ty_bind_mount *b = &binds[i];
    const char *root = NULL, *path = b->to, *rest;
    const struct ty_mount *m = plan->mounts;
    struct stat st;

    for (size_t k = 0; k < i; k++, m = m->next) {
        rest = ty_path_below(b->to, binds[k].to);
        if (!rest)
            continue;
        bool stays = m->volume->kind == TY_MOUNT_HOST || m->volume->kind == TY_MOUNT_CLAIM;
        root = stays && !binds[k].read_only ? binds[k].from : ""; /* a subPath may be a link */
        path = ty_arena_printf(a, "%s%s", source_of(a, &binds[k]), rest);
    }
    if (root && !root[0])
        return;
    bool dir = b->tmpfs || (stat(source_of(a, b), &st) == 0 && S_ISDIR(st.st_mode));
    /* Where it cannot be held, the shim makes it, or uses what is there. */
    (void)ty_mount_points_hold(&p->e->mount_points, &p->mount_points, root, path, dir);
}

static char *message_file(const struct ty_pod_runtime *p, size_t c, struct ty_arena *a)
{
    return ty_arena_printf(a, "%s/message-%s", p->dir, p->plan.containers[c].name);
}

/* Mounts of one container, and its empty termination-message file. */
struct ty_bind_mount *ty_pod_files_binds(struct ty_arena *a, struct ty_pod_runtime *p, size_t c,
                                         struct ty_err *err)
{
    const struct ty_container_plan *plan = &p->plan.containers[c];
    size_t n = 0;

    for (const struct ty_mount *m = plan->mounts; m; m = m->next)
        n++;
    if (n > TY_POD_FILES_MOUNTS_MAX) { /* added after the preflight check */
        ty_fail(err, -E2BIG, "container %s has %zu volumeMounts; at most %d are possible",
                plan->name, n, TY_POD_FILES_MOUNTS_MAX);
        return NULL;
    }
    struct ty_bind_mount *binds = ty_new_n(a, struct ty_bind_mount, n + 2), *b = binds;
    for (const struct ty_mount *m = plan->mounts; m; m = m->next, b++) {
        char *from = volume_dir(a, p, m->volume);
        int r = m->sub_path ? ty_sub_path_create(from, m->sub_path) : 0;
        if (r < 0) {
            ty_fail(err, r, "%s: subPath %s: %s", from, m->sub_path, strerrordesc_np(-r));
            return NULL;
        }
        *b = (struct ty_bind_mount){ .from = from,
                                     .sub = m->sub_path,
                                     .to = m->path,
                                     .read_only = m->read_only || m->volume->kind == TY_MOUNT_FILES,
                                     .tmpfs = m->volume->kind == TY_MOUNT_MEMORY };
    }
    char *file = message_file(p, c, a);
    /* Of an earlier run of the container, which may have put a pipe there. */
    ty_no_links_unlink(file, TY_DEPTH_LOG, 0);
    int fd = ty_no_links_open_last(file, TY_DEPTH_LOG, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) {
        ty_fail(err, fd, "%s: %s", file, strerrordesc_np(-fd));
        return NULL;
    }
    fchmod(fd, 0666);
    close(fd);
    *b = (struct ty_bind_mount){ .from = file, .to = plan->message_path };
    for (size_t i = 0; p->e->o.host.mounts && i <= n; i++)
        hold_mount_point(a, p, plan, binds, i);
    return binds;
}

char *ty_pod_files_termination_message(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c)
{
    /* A pipe or a link that the container put there must not stop us, or lead us elsewhere. */
    int fd = ty_regular_file_open(message_file(p, c, a), TY_DEPTH_LOG, O_RDONLY, 0);
    char *text = NULL;
    struct stat st;

    if (fd < 0)
        return NULL;
    off_t size = fstat(fd, &st) == 0 ? st.st_size : 0;
    if (size > 0) {
        off_t from = size > MESSAGE_MAX ? size - MESSAGE_MAX : 0;
        text = ty_arena_alloc(a, MESSAGE_MAX + 1, 1);
        ssize_t n = pread(fd, text, MESSAGE_MAX, from);
        text[n > 0 ? n : 0] = 0;
    }
    close(fd);
    return text && text[0] ? text : NULL;
}

void ty_pod_files_remove(struct ty_pod_runtime *p)
{
    if (p->dir && !p->e->o.keep)
        ty_tree_remover_add(&p->e->remover, p->dir, TY_DEPTH_POD);
}
