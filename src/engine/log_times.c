#include "engine/log_times.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/xalloc.h"
#include "proc/regular_file.h"

#define EVERY_MS 100

/* O_NONBLOCK: a job can put a pipe there, which must not stop the engine. */
static FILE *open_times(const char *path, const char *mode)
{
    char name[4096];
    int n = snprintf(name, sizeof(name), "%s.times", path);

    if (n <= 0 || (size_t)n >= sizeof(name))
        return NULL;
    return ty_regular_file_fopen(name, TY_DEPTH_LOG, mode);
}

static void halve(struct ty_log_times *t, const char *path)
{
    struct ty_log_times_list all;
    FILE *f = NULL;

    ty_log_times_read(path, &all);
    f = all.n ? open_times(path, "w") : NULL;
    t->n = 0;
    for (size_t i = 0; f && i < all.n; i += 2, t->n++)
        fprintf(f, "%lld %lld\n", (long long)all.v[i].offset, (long long)all.v[i].ms);
    if (f)
        fclose(f);
    ty_log_times_done(&all);
    t->every_ms *= 2;
}

void ty_log_times_note(struct ty_log_times *t, const char *path, int64_t offset, int64_t now_ms)
{
    if (!ty_log_times_due(t, now_ms))
        return;
    if (!t->every_ms)
        t->every_ms = EVERY_MS;
    if (t->n >= TY_LOG_TIMES_MAX)
        halve(t, path);
    FILE *f = open_times(path, "a");
    if (!f)
        return;
    fprintf(f, "%lld %lld\n", (long long)offset, (long long)now_ms);
    fclose(f);
    t->last_ms = now_ms;
    t->n++;
}

void ty_log_times_rotate(struct ty_log_times *t, const char *path, const char *to)
{
    char from[4096], name[4096];

    snprintf(from, sizeof(from), "%s.times", path);
    snprintf(name, sizeof(name), "%s.times", to);
    const char *slash = strrchr(name, '/');
    if (ty_no_links_rename(from, TY_DEPTH_LOG, slash ? slash + 1 : name) < 0)
        ty_no_links_unlink(name, TY_DEPTH_LOG,
                           0); /* of an older file; there are none for this one */
    *t = (struct ty_log_times){ 0 };
}

/* ---- reading ---- */

static bool parse_entry(char *line, struct ty_log_times_entry *ret)
{
    struct ty_str offset, ms = ty_str_cut(ty_str_trim(ty_str(line)), ' ', &offset);

    return ms.p && ty_str_parse_i64(offset, &ret->offset) && ty_str_parse_i64(ms, &ret->ms);
}

void ty_log_times_read(const char *path, struct ty_log_times_list *ret)
{
    FILE *f = open_times(path, "r");
    char line[128];
    size_t cap = 0;

    *ret = (struct ty_log_times_list){ 0 };
    while (f && ret->n < (size_t)2 * TY_LOG_TIMES_MAX && fgets(line, sizeof(line), f)) {
        struct ty_log_times_entry one;
        if (!parse_entry(line, &one))
            continue;
        ty_xroom(ret->v, ret->n, cap);
        ret->v[ret->n++] = one;
    }
    if (f)
        fclose(f);
}

void ty_log_times_done(struct ty_log_times_list *l)
{
    free(l->v);
    *l = (struct ty_log_times_list){ 0 };
}

int64_t ty_log_times_at(const struct ty_log_times_list *l, int64_t offset)
{
    size_t low = 0, high = l->n;

    while (low < high) { /* the first entry after the offset */
        size_t middle = low + (high - low) / 2;
        if (l->v[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? l->v[low - 1].ms : 0;
}

int64_t ty_log_times_since(const struct ty_log_times_list *l, int64_t ms)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].ms >= ms)
            return l->v[i].offset;
    return -1;
}
