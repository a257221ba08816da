/* Creates a pod's directory: emptyDir volumes, files from ConfigMaps and Secrets, termination
 * messages; and the bind mounts that place them in the pod. */
#include "engine/pod/pod_files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/engine_inner.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pods.h"
#include "proc/shim.h"

#define MESSAGE_MAX 4096

static int make_dir(const char *path, mode_t mode, struct ty_err *err)
{
    if (mkdir(path, mode) == 0)
        return chmod(path, mode) == 0 ? 0 : ty_fail(err, -errno, "%s: cannot set its mode", path);
    return errno == EEXIST ? 0 : ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
}

/* The folders above a file. */
static int make_parents(char *path, const char *below, struct ty_err *err)
{
    for (char *p = path + strlen(below) + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        int r = make_dir(path, 0755, err);
        *p = '/';
        if (r < 0)
            return r;
    }
    return 0;
}

static int write_file(const char *dir, const struct ty_file *f, struct ty_err *err)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", dir, f->path);
    if (make_parents(path, dir, err) < 0)
        return err->code;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    size_t done = 0;
    while (done < f->data.n) {
        ssize_t n = write(fd, f->data.p + done, f->data.n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    int code = done < f->data.n ? -errno : fchmod(fd, f->mode) < 0 ? -errno : 0;
    close(fd);
    return code < 0 ? ty_fail(err, code, "%s: %s", path, strerrordesc_np(-code)) : 0;
}

static char *volume_dir(struct ty_arena *a, const struct ty_pod_runtime *p,
                        const struct ty_volume *v)
{
    if (v->kind == TY_MOUNT_HOST)
        return ty_arena_strdup(a, v->host_path);
    if (v->kind == TY_MOUNT_CLAIM)
        return ty_arena_printf(a, "%s/%s", p->e->o.claims_dir, v->claim);
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
        return make_dir(v->host_path, 0755, err);
    if (strcmp(v->host_type, "FileOrCreate") == 0) {
        int fd = open(v->host_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0)
            return ty_fail(err, -errno, "%s: %s", v->host_path, strerrordesc_np(errno));
        close(fd);
        return 0;
    }
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        if (strcmp(v->host_type, rows[i].type) == 0 &&
            (stat(v->host_path, &st) < 0 || (st.st_mode & S_IFMT) != rows[i].mode))
            return ty_fail(err, -EINVAL, "hostPath type check failed: %s is not %s", v->host_path,
                           rows[i].what);
    return 0;
}

static int make_volume(struct ty_arena *a, struct ty_pod_runtime *p, const struct ty_volume *v,
                       struct ty_err *err)
{
    char *dir = volume_dir(a, p, v);
    int r = 0;

    switch (v->kind) {
    case TY_MOUNT_HOST:
        return check_host_type(v, err);
    case TY_MOUNT_MEMORY:
        return 0; /* a tmpfs of the pod's own */
    case TY_MOUNT_CLAIM:
        return make_dir(dir, 0777, err);
    case TY_MOUNT_FILES:
        r = make_dir(dir, v->secret ? 0700 : 0755, err);
        for (const struct ty_file *f = v->files; f && r == 0; f = f->next)
            r = write_file(dir, f, err);
        return r;
    case TY_MOUNT_SCRATCH:
    default:
        return make_dir(dir, 0777, err);
    }
}

/* hostAliases: the JobSet's names, and the pod's own after them. */
static int own_hosts(struct ty_arena *a, const struct ty_pod_runtime *p, const char **hosts,
                     struct ty_err *err)
{
    const char *path = ty_arena_printf(a, "%s/hosts", p->dir);
    FILE *from = fopen(*hosts, "re"), *to = fopen(path, "we");
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
    struct ty_bind_mount *binds = ty_new_n(a, struct ty_bind_mount, 2);
    char path[4096];
    int r = make_dir(p->dir, 0755, err);

    snprintf(path, sizeof(path), "%s/volumes", p->dir);
    if (r == 0)
        r = make_dir(path, 0755, err);
    snprintf(path, sizeof(path), "%s/tmp", p->dir);
    if (r == 0)
        r = make_dir(path, 0777, err);
    for (const struct ty_volume *v = p->plan.volumes; v && r == 0; v = v->next)
        r = make_volume(a, p, v, err);
    if (r == 0 && p->plan.host_aliases[0])
        r = own_hosts(a, p, &hosts, err);
    if (r < 0)
        return NULL;
    binds[0] = (struct ty_bind_mount){ .from = hosts, .to = "/etc/hosts", .read_only = true };
    return binds;
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
    struct ty_bind_mount *binds = ty_new_n(a, struct ty_bind_mount, n + 2), *b = binds;
    for (const struct ty_mount *m = plan->mounts; m; m = m->next, b++) {
        char *from = volume_dir(a, p, m->volume);
        if (m->sub_path && m->sub_path[0]) {
            char path[4096];
            snprintf(path, sizeof(path), "%s/%s/", from, m->sub_path);
            if (make_parents(path, from, err) < 0)
                return NULL;
            from = ty_arena_printf(a, "%s/%s", from, m->sub_path);
        }
        *b = (struct ty_bind_mount){ .from = from,
                                     .to = m->path,
                                     .read_only = m->read_only,
                                     .tmpfs = m->volume->kind == TY_MOUNT_MEMORY };
    }
    char *file = message_file(p, c, a);
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        ty_fail(err, -errno, "%s: %s", file, strerrordesc_np(errno));
        return NULL;
    }
    fchmod(fd, 0666);
    close(fd);
    *b = (struct ty_bind_mount){ .from = file, .to = plan->message_path };
    return binds;
}

char *ty_pod_files_termination_message(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c)
{
    int fd = open(message_file(p, c, a), O_RDONLY | O_CLOEXEC);
    char *text = NULL;

    if (fd < 0)
        return NULL;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > 0) {
        off_t from = size > MESSAGE_MAX ? size - MESSAGE_MAX : 0;
        text = ty_arena_alloc(a, MESSAGE_MAX + 1, 1);
        ssize_t n = pread(fd, text, MESSAGE_MAX, from);
        text[n > 0 ? n : 0] = 0;
    }
    close(fd);
    return text && text[0] ? text : NULL;
}

static int remove_one(const char *path, const struct stat *st TY_UNUSED, int kind TY_UNUSED,
                      struct FTW *ftw TY_UNUSED)
{
    remove(path); /* an entry that cannot be removed does not stop the removal of the others */
    return 0;
}

void ty_pod_files_remove(struct ty_pod_runtime *p)
{
    if (p->dir && !p->e->o.keep)
        /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
        nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
