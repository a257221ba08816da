#include "cli/history/log_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK      65536
#define LINE_BYTES 65536 /* longest incomplete line that is buffered */

bool ty_log_files_parse_name(struct ty_arena *a, const char *name, struct ty_log_file *ret)
{
    struct ty_str s = ty_str(name), part;
    int64_t n[2] = { 0, 0 };

    if (!ty_str_ends(s, TY_LIT(".log")))
        return false;
    s.n -= 4;
    for (int i = 1; i >= 0; i--) {
        size_t dot = s.n;
        while (dot > 0 && s.p[dot - 1] != '.')
            dot--;
        if (dot < 2)
            return false;
        part = (struct ty_str){ s.p + dot, s.n - dot };
        if (!ty_str_parse_i64(part, &n[i]) || n[i] < 0)
            return false;
        s.n = dot - 1;
    }
    ret->container = ty_arena_cstr(a, s);
    ret->attempt = n[0];
    ret->restart = n[1];
    return true;
}

static int by_age(const void *x, const void *y)
{
    const struct ty_log_file *a = x, *b = y;
    int d = strcmp(a->container, b->container);

    if (d)
        return d;
    if (a->attempt != b->attempt)
        return a->attempt < b->attempt ? -1 : 1;
    return (a->restart > b->restart) - (a->restart < b->restart);
}

size_t ty_log_files_list(struct ty_arena *a, const char *dir, const char *pod,
                         struct ty_log_file **ret)
{
    char *folder = ty_arena_printf(a, "%s/logs/%s", dir, pod);
    DIR *d = opendir(folder);
    struct ty_log_file *v = NULL;
    size_t n = 0, cap = 0;
    struct dirent *e = NULL;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (d && !ty_arena_full(a) && (e = readdir(d))) {
        struct ty_log_file f = { 0 };
        if (!ty_log_files_parse_name(a, e->d_name, &f))
            continue;
        f.path = ty_arena_printf(a, "%s/%s", folder, e->d_name);
        ty_room(a, v, n, cap);
        v[n++] = f;
    }
    if (d)
        closedir(d);
    if (n)
        qsort(v, n, sizeof(*v), by_age);
    *ret = v;
    return n;
}

/* ---- printing ---- */

static void put_line(FILE *out, const char *prefix, const char *p, size_t n)
{
    fputs(prefix, out);
    fwrite(p, 1, n, out);
    fputc('\n', out);
}

static void write_text(FILE *out, const char *prefix, struct ty_log_cursor *place, const char *p,
                       size_t n)
{
    if (!prefix) {
        fwrite(p, 1, n, out);
        return;
    }
    while (n) {
        const char *end = memchr(p, '\n', n);
        size_t used = end ? (size_t)(end - p) : n;
        if (!end || place->part.n) {
            ty_buf_put(&place->part, p, used);
            if (end || place->part.n > LINE_BYTES) {
                put_line(out, prefix, place->part.p, place->part.n);
                place->part.n = 0;
            }
        } else {
            put_line(out, prefix, p, used);
        }
        used += end != NULL;
        p += used;
        n -= used;
    }
}

/* Reads from place->at; false: nothing new. */
static bool copy_new(FILE *out, const char *path, const char *prefix, struct ty_log_cursor *place)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *chunk = fd >= 0 ? malloc(CHUNK) : NULL;
    bool any = false;
    ssize_t n = 0;

    while (chunk && (n = pread(fd, chunk, CHUNK, place->at)) > 0) {
        write_text(out, prefix, place, chunk, (size_t)n);
        place->at += n;
        any = true;
    }
    free(chunk);
    if (fd >= 0)
        close(fd);
    return any;
}

static ino_t ino_of(const char *path)
{
    struct stat st;
    return stat(path, &st) < 0 ? 0 : st.st_ino;
}

bool ty_log_files_print(FILE *out, const char *path, const char *prefix,
                        struct ty_log_cursor *place)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char *older = ty_arena_printf(a, "%s.1", path);
    ino_t now = ino_of(path), was = ino_of(older);
    bool any = false;

    if (!place->ino && was) /* the first part, then the rest */
        place->ino = was;
    if (place->ino && place->ino != now) {
        if (place->ino == was)
            any = copy_new(out, older, prefix, place);
        place->at = 0; /* the log was rotated */
    }
    place->ino = now;
    return (now && copy_new(out, path, prefix, place)) || any;
}

void ty_log_files_flush(FILE *out, const char *prefix, struct ty_log_cursor *place)
{
    if (prefix && place->part.n)
        put_line(out, prefix, place->part.p, place->part.n);
    ty_buf_done(&place->part);
}

/* ---- the last lines ---- */

/* Offset of the last `lines` lines of a file; *ret_found: how many there are. */
static off_t tail_of(const char *path, int64_t lines, int64_t *ret_found)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *chunk = malloc(CHUNK);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0, at = end;
    int64_t found = 0;

    while (chunk && at > 0 && found <= lines) {
        off_t from = at > CHUNK ? at - CHUNK : 0;
        ssize_t n = pread(fd, chunk, (size_t)(at - from), from);
        for (; n > 0 && found <= lines; n--) {
            bool newline = chunk[n - 1] == '\n';
            if (at == end && !newline)
                found++; /* an incomplete last line */
            found += newline;
            if (found > lines)
                break;
            at--;
        }
        if (n < 0)
            break;
    }
    free(chunk);
    if (fd >= 0)
        close(fd);
    *ret_found = at > 0 ? lines : found;
    return at;
}

void ty_log_files_tail(const char *path, int64_t lines, struct ty_log_cursor *place)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char *older = ty_arena_printf(a, "%s.1", path);
    int64_t found = 0, rest = 0;
    off_t at = tail_of(path, lines, &found);

    place->ino = ino_of(path);
    place->at = at;
    if (found >= lines || !ino_of(older))
        return;
    place->ino = ino_of(older);
    place->at = tail_of(older, lines - found, &rest);
}
