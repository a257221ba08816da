/* The journal of complete files: one JSON object on each line, appended when a file is renamed to
 * its final name. A line is valid only while the file has the recorded size and modification time.
 */
#include "fetch/download_dir.h"
#include "fetch/download_dir_inner.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_JOURNAL ((int64_t)1 << 30)

static int64_t mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int by_name(const void *a, const void *b)
{
    const struct ty_download_dir_entry *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->turn > y->turn) - (x->turn < y->turn);
}

/* An incomplete line, left by a killed run, is ignored. */
static bool read_line(struct ty_arena *a, struct ty_str line, struct ty_download_dir_entry *ret)
{
    const struct ty_json *v = ty_json_parse(a, line, NULL, NULL);
    struct ty_str name = ty_json_str_at(v, "name"), tag = ty_json_str_at(v, "tag");
    if (!name.n || !ty_json_int_at(v, "size", &ret->size) ||
        !ty_json_int_at(v, "mtime", &ret->mtime_ns))
        return false;
    ret->name = ty_arena_cstr(a, name);
    ret->tag = ty_arena_cstr(a, tag);
    return true;
}

static int read_bytes(int fd, char *to, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = pread(fd, to + at, n - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        at += (size_t)got;
    }
    return 0;
}

static void read_entries(struct ty_download_dir *s, struct ty_str rest)
{
    size_t lines = 1;
    for (size_t i = 0; i < rest.n; i++)
        lines += rest.p[i] == '\n';
    s->done = ty_new_n(s->arena, struct ty_download_dir_entry, lines);
    for (size_t turn = 0; rest.p; turn++) {
        struct ty_str line;
        rest = ty_str_cut(rest, '\n', &line);
        struct ty_download_dir_entry e = { .turn = turn };
        if (line.n && read_line(s->arena, line, &e))
            s->done[s->n_done++] = e;
    }
    qsort(s->done, s->n_done, sizeof(*s->done), by_name);
}

int ty_download_dir_journal_read(struct ty_download_dir *s, struct ty_err *err)
{
    struct stat st;
    if (fstat(s->journal, &st) < 0)
        return ty_download_dir_fail(s, -errno, "done.jsonl", err);
    if (st.st_size == 0 || st.st_size > MAX_JOURNAL)
        return 0; /* too long to be written by this program: files are recognized by checksum only
                   */
    char *text = ty_arena_raw(s->arena, (size_t)st.st_size, 1);
    int r = read_bytes(s->journal, text, (size_t)st.st_size);
    if (r < 0)
        return ty_download_dir_fail(s, r, "done.jsonl", err);
    if (text[st.st_size - 1] != '\n' &&
        write(s->journal, "\n", 1) != 1) /* terminates an incomplete line */
        return ty_download_dir_fail(s, -errno, "done.jsonl", err);
    read_entries(s, (struct ty_str){ text, (size_t)st.st_size });
    return 0;
}

/* The last entry for the name. */
static const struct ty_download_dir_entry *entry_of(const struct ty_download_dir *s,
                                                    const char *name)
{
    size_t low = 0, high = s->n_done; /* the first that is greater */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(s->done[mid].name, name) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low && strcmp(s->done[low - 1].name, name) == 0 ? &s->done[low - 1] : NULL;
}

const char *ty_download_dir_tag(const struct ty_download_dir *s, const char *name,
                                int64_t *ret_size)
{
    struct stat st;
    const struct ty_download_dir_entry *e = entry_of(s, name);
    if (!e || fstatat(s->dir, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    if (st.st_size != e->size || mtime_ns(&st) != e->mtime_ns)
        return NULL;
    if (ret_size)
        *ret_size = e->size;
    return e->tag;
}

int ty_download_dir_mark_done(struct ty_download_dir *s, const char *name, const char *tag,
                              struct ty_err *err)
{
    struct stat st;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    ty_auto_buf line = { 0 };
    if (fstatat(s->dir, name, &st, 0) < 0)
        return ty_download_dir_fail(s, -errno, name, err);
    struct ty_json *v = ty_json_object(a);
    ty_json_set(a, v, "name", ty_json_cstr(a, name));
    ty_json_set(a, v, "tag", ty_json_cstr(a, tag));
    ty_json_set(a, v, "size", ty_json_int(a, st.st_size));
    ty_json_set(a, v, "mtime", ty_json_int(a, mtime_ns(&st)));
    ty_json_print(&line, v);
    ty_buf_chr(&line, '\n');
    ssize_t n = write(s->journal, line.p, line.n);
    if (n != (ssize_t)line.n)
        return ty_download_dir_fail(s, n < 0 ? -errno : -ENOSPC, name, err);
    return 0;
}
