/* Draws the table: a line for the job, a line for each node that is alive.
 *
 *   ddp  running 0:12  2 nodes  ████████░░░░░░░░░░░░  40%  0:18 left  loss 0.0934
 *     node-0-0  running  0:11  ████░░░░░░  40%  loss 0.0934  step 20/50 loss 0.0934 40%
 *     node-0-1  running  0:11
 *
 * If there are more nodes than rows, those are shown that need attention: not running, restarted,
 * behind the others. */
#include "cli/run/run_table.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "cli/run/run_summary.h"
#include "cli/run/run_view.h"

enum { NAME_MAX_WIDTH = 28, METRICS_WIDTH = 28, LEAST_LINE = 12 };
enum { BAR = 10, JOB_BAR = 20, PERCENT = 6 }; /* PERCENT: two spaces and " 45%" */

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"

/* A line that is being written; text beyond the last column is omitted. */
struct pen {
    struct ty_run_table_frame *f;
    const struct ty_run_table_opts *d;
    int left;
    int percent; /* columns that are reserved for the percentage */
};

static struct pen begin_line(struct ty_run_table_frame *f, const struct ty_run_table_opts *d)
{
    return (struct pen){ .f = f, .d = d, .left = d->cols - 1 };
}

static void end_line(struct pen *p)
{
    size_t from = p->f->n ? p->f->end[p->f->n - 1] : 0;

    for (; p->f->text.n > from && p->f->text.p[p->f->text.n - 1] == ' '; p->left++)
        p->f->text.n--; /* an empty last column */
    p->f->width[p->f->n] = p->d->cols - 1 - p->left;
    p->f->end[p->f->n++] = p->f->text.n;
}

static void put_text(struct pen *p, const char *hue, struct ty_str text)
{
    struct ty_str fits = ty_text_cut(text, p->left);
    bool colour = hue && p->d->colour && fits.n;

    if (colour)
        ty_buf_cstr(&p->f->text, hue);
    ty_buf_add(&p->f->text, fits);
    if (colour)
        ty_buf_cstr(&p->f->text, "\033[0m");
    p->left -= ty_text_width(fits);
}

static void put_gap(struct pen *p, int n)
{
    n = n < p->left ? n : p->left;
    for (int i = 0; i < n; i++)
        ty_buf_chr(&p->f->text, ' ');
    p->left -= n > 0 ? n : 0;
}

/* Aligns text to the left in a column of `width`; negative: to the right. */
static void put_cell(struct pen *p, const char *hue, struct ty_str text, int width)
{
    struct ty_str fits = ty_text_cut(text, abs(width));
    int rest = abs(width) - ty_text_width(fits);

    if (width < 0)
        put_gap(p, rest);
    put_text(p, hue, fits);
    if (width > 0)
        put_gap(p, rest);
}

static void put_bar(struct pen *p, double part, int width)
{
    int full = part <= 0 ? 0 : part >= 1 ? width : (int)(part * width + 0.5);
    ty_auto_buf done = { 0 }, open = { 0 };

    for (int i = 0; i < width; i++)
        ty_buf_cstr(i < full ? &done : &open, !p->d->utf8 ? i < full ? "#" : "-"
                                              : i < full  ? "█"
                                                          : "░");
    put_text(p, GREEN, ty_buf_str(&done));
    put_text(p, DIM, ty_buf_str(&open));
}

/* At the beginning of a line: a narrow line keeps the percentage, and loses other text. */
static void reserve_percent(struct pen *p)
{
    p->percent = p->left < PERCENT ? p->left : PERCENT;
    p->left -= p->percent;
}

/* In the columns that were reserved, with a bar if there is room; part < 0: an empty column. */
static void put_progress(struct pen *p, double part, int bar)
{
    char text[16];
    int n = snprintf(text, sizeof(text), "%3d%%", (int)(part * 100));

    p->left += p->percent;
    if (p->left < bar + PERCENT)
        bar = 0;
    put_gap(p, part < 0 ? PERCENT + bar : 2);
    if (part < 0)
        return;
    put_bar(p, part, bar);
    put_text(p, NULL, (struct ty_str){ text, (size_t)n });
}

/* ---- the job's line ---- */

static const char *job_state(const struct ty_run_job *j)
{
    bool stopping = false, running = false;

    if (j->result)
        return j->result;
    for (const struct ty_run_node *n = j->nodes; n; n = n->next) {
        running |= n->phase == TY_RUNNING;
        stopping |= ty_run_node_alive(n) && n->stopping;
    }
    return stopping ? "stopping" : running ? "running" : "starting";
}

static void draw_job(struct ty_run_table_frame *f, const struct ty_run_table_opts *d,
                     const struct ty_run_job *j)
{
    struct pen p = begin_line(f, d);
    ty_auto_buf text = { 0 };
    double part = ty_progress_fraction(&j->progress);

    if (part >= 0)
        reserve_percent(&p);
    put_text(&p, BOLD, ty_str(j->name));
    put_gap(&p, 2);
    put_text(&p, CYAN, ty_str(job_state(j)));
    ty_buf_chr(&text, ' ');
    ty_run_summary_clock(&text, ((j->ended_ms ? j->ended_ms : d->now_ms) - j->began_ms) / 1000);
    ty_buf_cstr(&text, "  ");
    if (j->n_alive < j->n_nodes)
        ty_buf_printf(&text, "%zu of ", j->n_alive);
    ty_buf_printf(&text, "%zu node%s", j->n_nodes, j->n_nodes == 1 ? "" : "s");
    put_text(&p, NULL, ty_buf_str(&text));
    if (j->restarts) {
        ty_auto_buf again = { 0 };
        ty_buf_printf(&again, "  restart %lld", (long long)j->restarts);
        put_text(&p, YELLOW, ty_buf_str(&again));
    }
    if (part >= 0)
        put_progress(&p, part, JOB_BAR);
    ty_auto_buf rest = { 0 };
    if (j->progress.eta_s >= 0 && part < 1) {
        ty_buf_cstr(&rest, "  ");
        ty_run_summary_clock(&rest, j->progress.eta_s - (d->now_ms - j->progress_ms) / 1000);
        ty_buf_cstr(&rest, " left");
    }
    if (ty_text_width(ty_buf_str(&rest)) > p.left)
        rest.n = 0; /* half a time would be a wrong time */
    if (j->progress.n_metrics) {
        ty_buf_cstr(&rest, "  ");
        ty_run_summary_metrics(&rest, &j->progress);
    }
    put_text(&p, NULL, ty_buf_str(&rest));
    end_line(&p);
}

/* ---- nodes ---- */

struct table_layout {
    int name, metrics; /* widths */
    bool bar;
};

/* True if its container failed and waits for its restart. */
static bool waits_again(const struct ty_run_node *n)
{
    return n->phase == TY_RUNNING && n->exit_code > 0 && !n->ready;
}

static const char *node_state(const struct ty_run_node *n, const char **ret_hue)
{
    *ret_hue = n->stopping || n->phase == TY_PENDING ? YELLOW : waits_again(n) ? RED : GREEN;
    if (n->stopping)
        return "stopping";
    if (waits_again(n))
        return "failed";
    return n->phase == TY_PENDING ? "starting" : "running";
}

static void draw_node(struct ty_run_table_frame *f, const struct ty_run_table_opts *d,
                      const struct ty_run_node *n, const struct table_layout *l)
{
    struct pen p = begin_line(f, d);
    const char *hue = NULL, *state = node_state(n, &hue);
    double part = ty_progress_fraction(ty_run_node_progress(n));
    ty_auto_buf clock = { 0 }, metrics = { 0 };

    if (l->bar)
        reserve_percent(&p);
    put_gap(&p, 2);
    put_cell(&p, NULL, ty_str(n->label), l->name);
    put_gap(&p, 2);
    put_cell(&p, hue, ty_str(state), 8);
    if (n->began_ms)
        ty_run_summary_clock(&clock, (d->now_ms - n->began_ms) / 1000);
    put_cell(&p, NULL, ty_buf_str(&clock), -7);
    if (l->bar)
        put_progress(&p, part, BAR);
    ty_run_summary_metrics(&metrics, ty_run_node_progress(n));
    if (l->metrics && p.left > l->metrics + LEAST_LINE) {
        put_gap(&p, 2);
        put_cell(&p, NULL, ty_buf_str(&metrics), l->metrics);
    }
    bool again = waits_again(n) && n->error;
    if ((again || n->last) && p.left > LEAST_LINE) {
        put_gap(&p, 2);
        put_text(&p, again ? RED : DIM, ty_str(again ? n->error : n->last));
    }
    end_line(&p);
}

/* ---- which nodes ---- */

struct node_pick {
    const struct ty_run_node *node;
    size_t order;
    int calm;    /* rank: lower needs more attention */
    double part; /* fraction of the work that is done */
};

static int by_attention(const void *a, const void *b)
{
    const struct node_pick *x = a, *y = b;

    if (x->calm != y->calm)
        return x->calm - y->calm;
    if (x->part < y->part || x->part > y->part)
        return x->part < y->part ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_order(const void *a, const void *b)
{
    const struct node_pick *x = a, *y = b;

    return x->order < y->order ? -1 : x->order > y->order;
}

static size_t gather_nodes(const struct ty_run_job *j, struct node_pick *to)
{
    size_t n = 0, order = 0;

    for (const struct ty_run_node *it = j->nodes; it; it = it->next, order++) {
        double part = ty_progress_fraction(ty_run_node_progress(it));
        if (ty_run_node_alive(it))
            to[n++] = (struct node_pick){ .node = it,
                                          .order = order,
                                          .calm = it->phase == TY_PENDING ? 0
                                                  : waits_again(it)       ? 1
                                                  : it->stopping          ? 2
                                                  : it->restarts          ? 3
                                                                          : 4,
                                          .part = part < 0 ? 2 : part };
    }
    return n;
}

static struct table_layout layout_of(const struct node_pick *v, size_t n)
{
    struct table_layout l = { .name = 0 };

    for (size_t i = 0; i < n; i++) {
        int w = ty_text_width(ty_str(v[i].node->label));
        l.name = w > l.name ? w : l.name;
        l.bar |= ty_progress_fraction(ty_run_node_progress(v[i].node)) >= 0;
        ty_auto_buf b = { 0 };
        ty_run_summary_metrics(&b, ty_run_node_progress(v[i].node));
        w = ty_text_width(ty_buf_str(&b));
        l.metrics = w > l.metrics ? w : l.metrics;
    }
    l.name = l.name > NAME_MAX_WIDTH ? NAME_MAX_WIDTH : l.name;
    l.metrics = l.metrics > METRICS_WIDTH ? METRICS_WIDTH : l.metrics;
    return l;
}

static void draw_rest(struct ty_run_table_frame *f, const struct ty_run_table_opts *d,
                      const struct node_pick *v, size_t n)
{
    struct pen p = begin_line(f, d);
    ty_auto_buf text = { 0 };
    size_t running = 0;

    for (size_t i = 0; i < n; i++)
        running += v[i].node->phase == TY_RUNNING && !v[i].node->stopping;
    ty_buf_printf(&text, "  %s and ", d->utf8 ? "…" : "...");
    if (running)
        ty_buf_printf(&text, "%zu more running", running);
    if (running < n)
        ty_buf_printf(&text, "%s%zu more starting or stopping", running ? ", " : "", n - running);
    put_text(&p, DIM, ty_buf_str(&text));
    end_line(&p);
}

/* At most `room` lines. */
static void draw_nodes(struct ty_run_table_frame *f, const struct ty_run_table_opts *d,
                       const struct ty_run_job *j, size_t room)
{
    struct node_pick *v = ty_xalloc(calloc(j->n_nodes + 1, sizeof(*v)));
    size_t n = gather_nodes(j, v), shown = n <= room ? n : room - 1;

    if (room > 0) {
        if (shown < n) {
            qsort(v, n, sizeof(*v), by_attention);
            qsort(v, shown, sizeof(*v), by_order);
        }
        struct table_layout l = layout_of(v, shown);
        for (size_t i = 0; i < shown; i++)
            draw_node(f, d, v[i].node, &l);
        if (shown < n)
            draw_rest(f, d, v + shown, n - shown);
    }
    free(v);
}

static size_t room_for(const struct ty_run_table_opts *d)
{
    size_t room = d->rows > 1 ? (size_t)d->rows - 1 : 1;

    return room > TY_RUN_TABLE_LINES ? TY_RUN_TABLE_LINES : room;
}

void ty_run_table_draw(const struct ty_run_model *m, const struct ty_run_table_opts *d,
                       struct ty_run_table_frame *ret)
{
    size_t room = room_for(d), jobs = 0;

    ret->text.n = ret->n = 0;
    for (const struct ty_run_job *j = m->jobs; j; j = j->next)
        jobs += !j->result;
    for (const struct ty_run_job *j = m->jobs; j && ret->n < room; j = j->next) {
        if (j->result)
            continue;
        draw_job(ret, d, j);
        size_t share = (room - ret->n) / jobs; /* divide the remaining rows */
        draw_nodes(ret, d, j, jobs > 1 && share > 0 ? share - (share == room - ret->n) : share);
        jobs--;
    }
}

static void draw_line(struct ty_run_table_frame *f, const struct ty_run_table_opts *d,
                      struct ty_str text)
{
    struct pen p = begin_line(f, d);

    put_text(&p, NULL, text);
    end_line(&p);
}

void ty_run_table_draw_text(struct ty_str text, const struct ty_run_table_opts *d,
                            struct ty_run_table_frame *ret)
{
    size_t lines = 0, room = room_for(d);
    struct ty_str line;
    char more[64];

    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    size_t shown = lines > room ? room - 1 : lines;
    ret->text.n = ret->n = 0;
    for (size_t i = 0; i < shown; i++) {
        text = ty_str_cut(text, '\n', &line);
        draw_line(ret, d, line);
    }
    snprintf(more, sizeof(more), "%s and %zu more", d->utf8 ? "…" : "...", lines - shown);
    if (shown < lines)
        draw_line(ret, d, ty_str(more));
}

void ty_run_table_frame_done(struct ty_run_table_frame *f)
{
    ty_buf_done(&f->text);
    f->n = 0;
}

struct ty_str ty_run_table_frame_line(const struct ty_run_table_frame *f, size_t i)
{
    size_t from = i ? f->end[i - 1] : 0;

    return (struct ty_str){ f->text.p ? f->text.p + from : "", f->end[i] - from };
}
