#include "cli/history/log_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "proc/regular_file.h"

#define CHUNK      65536
#define LINE_BYTES 65536 /* longest incomplete line that is buffered */

static bool is_clean(struct ty_str s)
{
    char clean[NAME_MAX + 1];

    return s.n < sizeof(clean) && ty_text_clean(s, clean, sizeof(clean)) == s.n &&
           memcmp(clean, s.p, s.n) == 0;
}

bool ty_log_files_parse_name(struct ty_arena *a, const char *name, struct ty_log_file *ret)
{
    struct ty_str s = ty_str(name), part;
    int64_t n[2] = { 0, 0 };

    if (!ty_str_ends(s, TY_LIT(".log")) || !is_clean(s))
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
    DIR *d = ty_no_links_opendir(folder, TY_DEPTH_POD);
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

/* "2026-11-17T18:40:01.042Z ", or "" if it is not known. */
static void stamp_of(const struct ty_log_cursor *place, off_t at, char ret[32])
{
    int64_t ms = place->stamps ? ty_log_times_at(&place->times, at) : 0;

    ret[0] = 0;
    if (!ms)
        return;
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    if (!gmtime_r(&s, &tm))
        return;
    size_t n = strftime(ret, 32, "%FT%T", &tm);
    snprintf(ret + n, 32 - n, ".%03dZ ", (int)(ms % 1000));
}

#define COLOR_RESET "\033[0m"

static void put_cleaned(FILE *out, struct ty_log_cursor *place, const char *p, size_t n)
{
    char *clean = ty_xalloc(malloc(n + 1));

    fwrite(clean, 1, ty_text_clean_color((struct ty_str){ p, n }, clean, &place->colored), out);
    free(clean);
}

/* Colors do not reach beyond the lines of their node. */
static void reset_color(FILE *out, struct ty_log_cursor *place)
{
    if (place->colored)
        fputs(COLOR_RESET, out);
    place->colored = false;
}

/* end: 0 none. A carriage return begins the line again, so its prefix is printed again, too. */
static void put_line(FILE *out, const char *prefix, struct ty_log_cursor *place, struct ty_str text,
                     char end)
{
    if (prefix)
        fputs(prefix, out);
    if (prefix)
        fputs(place->part_stamp, out);
    if (place->clean)
        put_cleaned(out, place, text.p, text.n);
    else
        fwrite(text.p, 1, text.n, out);
    if (prefix)
        reset_color(out, place);
    if (end)
        fputc(end, out);
}

static const char *line_end(const struct ty_log_cursor *place, const char *p, size_t n)
{
    const char *end = memchr(p, '\n', n);
    const char *again = place->clean ? memchr(p, '\r', end ? (size_t)(end - p) : n) : NULL;

    return again ? again : end;
}

static void write_text(FILE *out, const char *prefix, struct ty_log_cursor *place, const char *p,
                       size_t n)
{
    const char *first = p;

    if (!prefix && !place->clean) {
        fwrite(p, 1, n, out);
        return;
    }
    while (n) {
        const char *end = line_end(place, p, n);
        size_t used = end ? (size_t)(end - p) : n;
        if (!place->part.n)
            stamp_of(place, place->at + (p - first), place->part_stamp);
        if (!end || place->part.n) {
            ty_buf_put(&place->part, p, used);
            if (end || place->part.n > LINE_BYTES) {
                put_line(out, prefix, place, ty_buf_str(&place->part), end ? *end : '\n');
                place->part.n = 0;
            }
        } else {
            put_line(out, prefix, place, (struct ty_str){ p, used }, *end);
        }
        used += end != NULL;
        p += used;
        n -= used;
    }
}

/* Reads from place->at; false: nothing new. */
static bool copy_new(FILE *out, const char *path, enum ty_log_part part, const char *prefix,
                     struct ty_log_cursor *place)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_LOG, O_RDONLY, 0);
    char *chunk = fd >= 0 ? malloc(CHUNK) : NULL;
    bool any = false;
    ssize_t n = 0;

    place->irregular |= fd == -EBADF ? part : 0;
    if (place->stamps)
        ty_log_times_read(path, &place->times);
    while (chunk && (n = pread(fd, chunk, CHUNK, place->at)) > 0) {
        write_text(out, prefix, place, chunk, (size_t)n);
        place->at += n;
        any = true;
    }
    free(chunk);
    ty_log_times_done(&place->times);
    if (fd >= 0)
        close(fd);
    return any;
}

static ino_t ino_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) < 0 ? 0 : st.st_ino;
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
            any = copy_new(out, older, TY_LOG_FIRST_PART, prefix, place);
        place->at = 0; /* the log was rotated */
    }
    place->ino = now;
    return (now && copy_new(out, path, TY_LOG_REST, prefix, place)) || any;
}

const char *ty_log_files_irregular(struct ty_arena *a, const char *path,
                                   struct ty_log_cursor *place)
{
    unsigned news = place->irregular & ~place->reported;
    unsigned part = news & TY_LOG_FIRST_PART ? TY_LOG_FIRST_PART : news;

    place->reported |= part;
    return part ? ty_arena_printf(a, "%s%s is not a regular file and is not shown", path,
                                  part == TY_LOG_FIRST_PART ? ".1" : "")
                : NULL;
}

void ty_log_files_flush(FILE *out, const char *prefix, struct ty_log_cursor *place)
{
    if (place->part.n)
        put_line(out, prefix, place, ty_buf_str(&place->part), prefix ? '\n' : 0);
    reset_color(out, place);
    ty_buf_done(&place->part);
}

/* ---- the last lines ---- */

/* Offset of the last `lines` lines of a file; *ret_found: how many there are. */
static off_t tail_of(const char *path, int64_t lines, int64_t *ret_found)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_LOG, O_RDONLY, 0);
    char *chunk = malloc(CHUNK);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0, at = end;
    int64_t found = 0;

    while (chunk && at > 0 && found <= lines) {
        off_t from = at > CHUNK ? at - CHUNK : 0;
        ssize_t n = pread(fd, chunk, (size_t)(at - from), from);
        if (n != at - from) { /* the file was truncated: print what is there now */
            at = 0;
            break;
        }
        for (; n > 0 && found <= lines; n--) {
            bool newline = chunk[n - 1] == '\n';
            if (at == end && !newline)
                found++; /* an incomplete last line */
            found += newline;
            if (found > lines)
                break;
            at--;
        }
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

/* ---- since a time ---- */

/* The beginning of the line that the offset is in. */
static off_t line_start(const char *path, off_t at)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_LOG, O_RDONLY, 0);
    char chunk[4096];

    while (fd >= 0 && at > 0) {
        size_t want = at < (off_t)sizeof(chunk) ? (size_t)at : sizeof(chunk);
        ssize_t n = pread(fd, chunk, want, at - (off_t)want);
        const char *end = n == (ssize_t)want ? memrchr(chunk, '\n', want) : NULL;
        if (end) {
            at -= (off_t)want - (end + 1 - chunk);
            break;
        }
        at = n == (ssize_t)want ? at - (off_t)want : 0;
    }
    if (fd >= 0)
        close(fd);
    return at;
}

static int64_t since_in(const char *path, int64_t ms)
{
    struct ty_log_times_list times;

    ty_log_times_read(path, &times);
    int64_t at = ty_log_times_since(&times, ms);
    ty_log_times_done(&times);
    return at < 0 ? -1 : line_start(path, at);
}

void ty_log_files_since(const char *path, int64_t ms, struct ty_log_cursor *place)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char *older = ty_arena_printf(a, "%s.1", path);
    ino_t now = ino_of(path), was = place->ino;
    int64_t before = since_in(older, ms), at = before;
    struct stat st;

    if (before < 0)
        at = since_in(path, ms);
    if (before < 0 && at < 0)
        at = stat(path, &st) == 0 ? st.st_size : 0;
    place->ino = before < 0 ? now : ino_of(older);
    if (was == now && (place->ino != now || place->at > at)) /* the lines of --tail are later */
        place->ino = was;
    else
        place->at = at;
}
