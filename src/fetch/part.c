/* Unfinished files. The order of operations makes them crash-safe: the part is truncated before its
 * tag changes, and the tag is written before the first new byte. */
#include "fetch/part.h"
#include "fetch/digest.h"
#include "fetch/download_dir_inner.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TAG ((size_t)16 << 10)

static void file_name(char *to, size_t n, const struct ty_part *p, const char *end)
{
    snprintf(to, n, "%s.%s", p->id, end);
}

static void name_part(struct ty_part *p, const char *name)
{
    struct ty_digest d;
    char hex[TY_DIGEST_HEX];
    ty_digest_init(&d, TY_DIGEST_SHA256, 0);
    ty_digest_add(&d, ty_str(name));
    ty_digest_hex(&d, hex);
    memcpy(p->id, hex, sizeof(p->id) - 1);
    p->id[sizeof(p->id) - 1] = '\0';
}

/* The content that the bytes belong to. Anything unexpected means: unknown. */
static void read_tag(struct ty_download_dir *s, struct ty_arena *a, const char *name,
                     struct ty_part *p)
{
    char file[48], *text = ty_arena_alloc(a, MAX_TAG, 1);
    file_name(file, sizeof(file), p, "tag");
    int fd = openat(s->own, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : read(fd, text, MAX_TAG);
    ty_download_dir_close_fd(&fd);
    if (n <= 0)
        return;
    const struct ty_json *v = ty_json_parse(a, (struct ty_str){ text, (size_t)n }, NULL, NULL);
    int64_t size;
    if (!ty_str_is(ty_json_str_at(v, "name"), name) || !ty_json_int_at(v, "size", &size))
        return;
    struct ty_str tag = ty_json_str_at(v, "tag");
    p->tag = ty_arena_cstr(a, tag);
    p->size = size;
}

int ty_part_open(struct ty_download_dir *s, struct ty_arena *a, const char *name,
                 struct ty_part *ret, struct ty_err *err)
{
    struct ty_part p = { .fd = -1, .size = -1, .tag = "" };
    struct stat st;
    char file[48];
    name_part(&p, name);
    file_name(file, sizeof(file), &p, "part");
    /* A hard link (earlier releases made some) is the user's own file: never write into it. */
    if (fstatat(s->own, file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        (!S_ISREG(st.st_mode) || st.st_nlink > 1) && unlinkat(s->own, file, 0) < 0)
        return ty_download_dir_fail(s, -errno, name, err);
    p.fd = openat(s->own, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (p.fd < 0 || fstat(p.fd, &st) < 0) {
        int code = -errno;
        ty_download_dir_close_fd(&p.fd);
        return ty_download_dir_fail(s, code, name, err);
    }
    p.have = st.st_size;
    read_tag(s, a, name, &p);
    *ret = p;
    return 0;
}

void ty_part_close(struct ty_part *p)
{
    ty_download_dir_close_fd(&p->fd);
}

static int write_all(int fd, struct ty_str bytes, int64_t at)
{
    while (bytes.n) {
        ssize_t n = pwrite(fd, bytes.p, bytes.n, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        bytes = (struct ty_str){ bytes.p + n, bytes.n - (size_t)n };
        at += n;
    }
    return 0;
}

static int write_tag(struct ty_download_dir *s, const struct ty_part *p, const char *name,
                     struct ty_err *err)
{
    char file[48], fresh[48];
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_json *v = ty_json_object(a);
    ty_json_set(a, v, "name", ty_json_cstr(a, name));
    ty_json_set(a, v, "tag", ty_json_cstr(a, p->tag));
    ty_json_set(a, v, "size", ty_json_int(a, p->size));
    file_name(file, sizeof(file), p, "tag");
    file_name(fresh, sizeof(fresh), p, "new.tag");
    int fd = openat(s->own, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    int r = fd < 0 ? -errno : write_all(fd, ty_json_text(a, v), 0);
    ty_download_dir_close_fd(&fd);
    if (r == 0 && renameat(s->own, fresh, s->own, file) < 0)
        r = -errno;
    return r < 0 ? ty_download_dir_fail(s, r, name, err) : 0;
}

int ty_part_restart(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                    int64_t size, struct ty_err *err)
{
    if (ftruncate(p->fd, 0) < 0)
        return ty_download_dir_fail(s, -errno, name, err);
    p->have = 0;
    p->tag = tag;
    p->size = size;
    return write_tag(s, p, name, err);
}

int ty_part_write(struct ty_download_dir *s, struct ty_part *p, const char *name,
                  struct ty_str bytes, struct ty_err *err)
{
    int r = write_all(p->fd, bytes, p->have);
    if (r < 0)
        return ty_download_dir_fail(s, r, name, err);
    p->have += (int64_t)bytes.n;
    return 0;
}

/* No fsync: if a power failure damages a file, its size and time no longer match the journal, or
 * its checksum is wrong, and it is fetched again. */
int ty_part_finish(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                   struct ty_err *err)
{
    ty_auto_buf parent = { 0 };
    char file[48];
    file_name(file, sizeof(file), p, "part");
    ty_part_close(p);
    int r = ty_download_dir_make_parents(s->dir, name, &parent);
    if (r == 0 && renameat(s->own, file, s->dir, name) < 0)
        r = -errno;
    if (r < 0)
        return ty_download_dir_fail(s, r, name, err);
    file_name(file, sizeof(file), p, "tag");
    unlinkat(s->own, file, 0);
    return ty_download_dir_mark_done(s, name, tag, err);
}
