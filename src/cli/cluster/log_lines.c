#include "cli/cluster/log_lines.h"

#include "base/time.h"

static int compare_times(struct ty_log_lines_time a, struct ty_log_lines_time b)
{
    if (a.s != b.s)
        return a.s < b.s ? -1 : 1;
    return (a.ns > b.ns) - (a.ns < b.ns);
}

/* "2026-11-17T18:40:01.042123456Z", also with an offset and with fewer digits. */
static bool parse_stamp(struct ty_str text, struct ty_log_lines_time *ret)
{
    int64_t ns = 0, unit = 100000000;

    if (text.n < 20 || text.n >= TY_LOG_LINES_STAMP || !ty_time_parse(text, &ret->s))
        return false;
    for (size_t i = 20; text.p[19] == '.' && i < text.n && unit; i++, unit /= 10) {
        if (text.p[i] < '0' || text.p[i] > '9')
            break;
        ns += (text.p[i] - '0') * unit;
    }
    ret->ns = ns;
    return true;
}

/* Whether the line was passed on before the connection broke. */
static bool is_repeated(struct ty_log_lines *l)
{
    int order = l->n_last ? compare_times(l->at, l->last) : 1;

    if (!l->repeats)
        return false;
    l->n_same += order == 0;
    l->repeats = order < 0 || (order == 0 && l->n_same <= l->n_last);
    return l->repeats;
}

/* The stamp of the line, and what is to be done with it. *line: its text after that. */
static void begin_line(struct ty_log_lines *l, struct ty_str *line)
{
    struct ty_str stamp, rest = ty_str_cut(*line, ' ', &stamp);

    l->inside = true;
    l->taken = l->skip = 0;
    l->stamped = parse_stamp(stamp, &l->at);
    l->stamp[0] = 0;
    l->drop = false;
    if (!l->stamped) /* of the kubelet: the log cannot be read */
        return;
    memcpy(l->stamp, stamp.p, stamp.n);
    l->stamp[stamp.n] = 0;
    *line = rest.p ? rest : (struct ty_str){ "", 0 };
    l->drop = is_repeated(l);
    if (!l->drop && l->cut && compare_times(l->at, l->cut_at) == 0)
        l->skip = l->taken = l->cut;
    if (!l->drop)
        l->cut = 0;
}

static void count_line(struct ty_log_lines *l)
{
    if (l->drop || !l->stamped)
        return;
    l->n_last = l->n_last && compare_times(l->at, l->last) == 0 ? l->n_last + 1 : 1;
    l->last = l->at;
    memcpy(l->last_stamp, l->stamp, sizeof(l->stamp));
}

/* All or a piece of a line; whole: its end. */
static void take_line(struct ty_log_lines *l, struct ty_str text, bool whole)
{
    if (!l->inside)
        begin_line(l, &text);
    size_t known = l->skip < text.n ? l->skip : text.n;
    l->skip -= known;
    text = (struct ty_str){ text.p + known, text.n - known };
    if (!l->drop && (text.n || (whole && !l->taken))) {
        l->fn(l->ctx, ty_str(l->stamp), text);
        l->taken += text.n;
    }
    if (!whole)
        return;
    count_line(l);
    l->inside = false;
}

void ty_log_lines_add(struct ty_log_lines *l, struct ty_str chunk)
{
    while (chunk.n) {
        const char *end = memchr(chunk.p, '\n', chunk.n);
        size_t n = end ? (size_t)(end - chunk.p) : chunk.n;
        size_t room = TY_LOG_LINES_MAX + TY_LOG_LINES_STAMP - l->part.n;
        bool whole = end && n <= room;
        n = n < room ? n : room;
        if (l->part.n || !whole)
            ty_buf_put(&l->part, chunk.p, n);
        if (whole || l->part.n >= TY_LOG_LINES_MAX + TY_LOG_LINES_STAMP) {
            take_line(l, l->part.n ? ty_buf_str(&l->part) : (struct ty_str){ chunk.p, n }, whole);
            l->part.n = 0;
        }
        n += whole;
        chunk = (struct ty_str){ chunk.p + n, chunk.n - n };
    }
}

struct ty_str ty_log_lines_resume(struct ty_log_lines *l)
{
    if (l->inside && !l->drop && l->taken && l->stamped) {
        l->cut_at = l->at;
        l->cut = l->taken;
    }
    l->part.n = 0;
    l->inside = false;
    l->repeats = true;
    l->n_same = 0;
    return ty_str(l->last_stamp);
}

void ty_log_lines_end(struct ty_log_lines *l)
{
    if (l->part.n)
        take_line(l, ty_buf_str(&l->part), true);
    ty_buf_done(&l->part);
    *l = (struct ty_log_lines){ .fn = l->fn, .ctx = l->ctx };
}

void ty_log_lines_done(struct ty_log_lines *l)
{
    ty_buf_done(&l->part);
}
