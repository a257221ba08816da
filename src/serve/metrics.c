/* The registry: series by row and label values. */
#include "serve/metrics.h"

#include "base/map.h"
#include "base/xalloc.h"
#include "serve/metrics_number.h"
#include "serve/respond.h"

struct series {
    const struct ty_metric_desc *row;
    char *labels; /* printed: a="x",b="y" */
    double value;
    struct ty_histogram *histogram; /* HISTOGRAM */
};

struct ty_metrics {
    const struct ty_metric_desc *table;
    struct ty_map all; /* "row{labels" -> struct series */
};

static void put_escaped(struct ty_buf *out, const char *text, bool quoted)
{
    for (; *text; text++) {
        if (*text == '\n')
            ty_buf_cstr(out, "\\n");
        else if (*text == '\\' || (quoted && *text == '"'))
            ty_buf_printf(out, "\\%c", *text);
        else
            ty_buf_chr(out, *text);
    }
}

static void put_labels(struct ty_buf *out, const struct ty_metric_desc *row,
                       const char *const *values)
{
    for (size_t i = 0; i < TY_METRIC_LABELS && row->labels[i]; i++) {
        ty_buf_printf(out, "%s%s=\"", i ? "," : "", row->labels[i]);
        put_escaped(out, values[i], true);
        ty_buf_chr(out, '"');
    }
}

static void series_free(struct series *s)
{
    free(s->labels);
    free(s->histogram);
    free(s);
}

static struct series *series_new(const struct ty_metric_desc *row, struct ty_str labels)
{
    struct series *s = ty_xalloc(calloc(1, sizeof(*s)));
    s->row = row;
    s->labels = ty_xalloc_cstr(labels);
    if (row->type == TY_METRIC_HISTOGRAM)
        s->histogram = ty_xalloc(calloc(1, sizeof(*s->histogram)));
    if (s->histogram)
        s->histogram->bounds = row->buckets;
    return s;
}

/* NULL: the limit of series is reached. */
static struct series *series_of(struct ty_metrics *m, const struct ty_metric_desc *row,
                                const char *const *values)
{
    ty_auto_buf key = { 0 };

    ty_buf_printf(&key, "%td{", row - m->table);
    size_t head = key.n;
    put_labels(&key, row, values);
    struct series *s = ty_map_get(&m->all, ty_buf_str(&key));
    if (s || m->all.n >= TY_METRIC_SERIES)
        return s;
    s = series_new(row, (struct ty_str){ key.p + head, key.n - head });
    ty_map_put(&m->all, ty_buf_str(&key), s);
    return s;
}

struct ty_metrics *ty_metrics_new(const struct ty_metric_desc *table)
{
    struct ty_metrics *m = ty_xalloc(calloc(1, sizeof(*m)));
    m->table = table;
    for (const struct ty_metric_desc *row = table; row->name; row++)
        if (!row->labels[0])
            series_of(m, row, NULL);
    return m;
}

void ty_metrics_free(struct ty_metrics *m)
{
    const struct ty_map_slot *slot = NULL;
    size_t at = 0;

    if (!m)
        return;
    while ((slot = ty_map_next(&m->all, &at)))
        series_free(slot->value);
    ty_map_done(&m->all);
    free(m);
}

void ty_metrics_add(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels, double by)
{
    struct series *s = series_of(m, row, labels);

    if (s && (row->type != TY_METRIC_COUNTER || by > 0))
        s->value += by;
}

void ty_metrics_set(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels, double to)
{
    struct series *s = series_of(m, row, labels);

    if (s && (row->type != TY_METRIC_COUNTER || to > s->value))
        s->value = to;
}

void ty_metrics_observe(struct ty_metrics *m, const struct ty_metric_desc *row,
                        const char *const *labels, double value)
{
    struct series *s = series_of(m, row, labels);

    if (s)
        ty_histogram_observe(s->histogram, value);
}

void ty_metrics_set_histogram(struct ty_metrics *m, const struct ty_metric_desc *row,
                              const char *const *labels, const struct ty_histogram *histogram)
{
    struct series *s = series_of(m, row, labels);

    if (s)
        *s->histogram = *histogram;
}

/* ---- print ---- */

static void put_line(struct ty_buf *out, const struct series *s, const char *suffix, const char *le,
                     double value)
{
    ty_buf_printf(out, "%s%s", s->row->name, suffix);
    if (s->labels[0] || le)
        ty_buf_printf(out, "{%s%s%s%s%s}", s->labels, s->labels[0] && le ? "," : "",
                      le ? "le=\"" : "", le ? le : "", le ? "\"" : "");
    ty_buf_chr(out, ' ');
    ty_metrics_number(out, value);
    ty_buf_chr(out, '\n');
}

static void put_histogram(struct ty_buf *out, const struct series *s)
{
    const struct ty_histogram *v = s->histogram;
    size_t n = ty_histogram_bound_count(v->bounds);
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        ty_auto_buf le = { 0 };
        ty_metrics_number(&le, v->bounds[i]);
        ty_buf_chr(&le, '\0');
        sum += v->counts[i];
        put_line(out, s, "_bucket", le.p, (double)sum);
    }
    put_line(out, s, "_bucket", "+Inf", (double)v->n);
    put_line(out, s, "_sum", NULL, v->sum);
    put_line(out, s, "_count", NULL, (double)v->n);
}

static int by_labels(const void *x, const void *y)
{
    const struct series *const *a = x, *const *b = y;

    if ((*a)->row != (*b)->row)
        return (*a)->row < (*b)->row ? -1 : 1;
    return strcmp((*a)->labels, (*b)->labels);
}

static void put_head(struct ty_buf *out, const struct ty_metric_desc *row)
{
    static const char *const types[] = { "counter", "gauge", "histogram" };

    ty_buf_printf(out, "# HELP %s ", row->name);
    put_escaped(out, row->help, false);
    ty_buf_printf(out, "\n# TYPE %s %s\n", row->name, types[row->type]);
}

void ty_metrics_print(const struct ty_metrics *m, struct ty_buf *out)
{
    const struct ty_map_slot *slot = NULL;
    struct series **list = ty_xalloc(calloc(m->all.n + 1, sizeof(struct series *)));
    size_t at = 0, n = 0;

    while ((slot = ty_map_next(&m->all, &at)))
        list[n++] = slot->value;
    qsort(list, n, sizeof(struct series *), by_labels);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || list[i]->row != list[i - 1]->row)
            put_head(out, list[i]->row);
        if (list[i]->row->type == TY_METRIC_HISTOGRAM)
            put_histogram(out, list[i]);
        else
            put_line(out, list[i], "", NULL, list[i]->value);
    }
    free(list);
}

bool ty_metrics_handle(const struct ty_metrics *m, struct ty_http_request *q)
{
    ty_auto_buf out = { 0 };

    if (!ty_str_is(q->path, "/metrics"))
        return false;
    if (strcmp(q->method, "GET") != 0 && strcmp(q->method, "HEAD") != 0) {
        ty_http_request_add_header(q, "Allow", "GET, HEAD");
        ty_respond_text(q, 405, TY_LIT("Method Not Allowed\n"));
        return true;
    }
    ty_metrics_print(m, &out);
    ty_metrics_process(&out);
    ty_http_request_respond(q, 200, "text/plain; version=0.0.4; charset=utf-8", ty_buf_str(&out));
    return true;
}
