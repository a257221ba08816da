#include "fetch/transfer_progress.h"

#define SAMPLE_NS 500000000 /* shorter samples only measure bursts */
#define BAR_MOST  40u
#define BAR_LEAST 10u

void ty_transfer_progress_sample(struct ty_transfer_progress *m, const struct ty_fetch_progress *p)
{
    int64_t spent = p->spent_ns - m->at_ns;
    if (spent < SAMPLE_NS)
        return;
    double now = (double)(p->bytes_got - m->at_bytes) / ((double)spent / 1e9);
    m->speed = m->speed > 0 ? 0.7 * m->speed + 0.3 * now : now;
    m->at_ns = p->spent_ns;
    m->at_bytes = p->bytes_got;
}

void ty_transfer_progress_bytes(struct ty_buf *b, double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    size_t u = 0;
    for (; bytes >= 999.5 && u + 1 < TY_COUNT(units); u++)
        bytes /= 1000;
    ty_buf_printf(b, u && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
}

static int percent_done(const struct ty_fetch_progress *p)
{
    if (p->bytes < 0)
        return -1;
    bool all = p->files_done == p->files;
    int v = p->bytes ? (int)(100.0 * (double)p->bytes_done / (double)p->bytes) : all ? 100 : 0;
    v = v < 0 ? 0 : v;
    return all ? 100 : v > 99 ? 99 : v; /* 100 only when complete */
}

static void put_left(struct ty_buf *b, const struct ty_transfer_progress *m,
                     const struct ty_fetch_progress *p)
{
    if (p->bytes < 0 || m->speed < 1 || p->bytes <= p->bytes_done)
        return;
    double s = (double)(p->bytes - p->bytes_done) / m->speed;
    if (s >= 360000) /* beyond a hundred hours the estimate is useless */
        return;
    long left = (long)s + 1;
    if (left >= 3600)
        ty_buf_printf(b, ", %ld:%02ld:%02ld left", left / 3600, left / 60 % 60, left % 60);
    else
        ty_buf_printf(b, ", %ld:%02ld left", left / 60, left % 60);
}

static void put_rest(struct ty_buf *b, const struct ty_transfer_progress *m,
                     const struct ty_fetch_progress *p)
{
    ty_transfer_progress_bytes(b, (double)p->bytes_done);
    if (p->bytes >= 0) {
        ty_buf_cstr(b, " of ");
        ty_transfer_progress_bytes(b, (double)p->bytes);
    }
    if (m->speed >= 1) {
        ty_buf_cstr(b, ", ");
        ty_transfer_progress_bytes(b, m->speed);
        ty_buf_cstr(b, "/s");
    }
    put_left(b, m, p);
    if (p->files > 1)
        ty_buf_printf(b, ", %zu of %zu files", p->files_done, p->files);
}

void ty_transfer_progress_line(struct ty_buf *b, const struct ty_transfer_progress *m,
                               const struct ty_fetch_progress *p)
{
    int v = percent_done(p);
    if (v >= 0)
        ty_buf_printf(b, "%d%%: ", v);
    put_rest(b, m, p);
}

void ty_transfer_progress_bar(struct ty_buf *b, const struct ty_transfer_progress *m,
                              const struct ty_fetch_progress *p, size_t width)
{
    ty_auto_buf rest = { 0 };
    int v = percent_done(p);
    put_rest(&rest, m, p);
    size_t around = strlen("[] 100% "),
           room = width > rest.n + around ? width - rest.n - around : 0;
    room = room > BAR_MOST ? BAR_MOST : room;
    if (v >= 0 && room >= BAR_LEAST) {
        size_t full = room * (size_t)v / 100;
        ty_buf_chr(b, '[');
        for (size_t i = 0; i < room; i++)
            ty_buf_chr(b, i < full ? '#' : '.');
        ty_buf_cstr(b, "] ");
    }
    size_t start = b->n;
    if (v >= 0)
        ty_buf_printf(b, "%3d%% ", v);
    ty_buf_add(b, ty_buf_str(&rest));
    if (b->n - start > width)
        b->n = start + width;
}
