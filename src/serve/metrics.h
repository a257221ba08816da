/* Metrics in Prometheus' text format 0.0.4. A table describes them: name (by Prometheus'
 * conventions: base units, _total, _seconds, _bytes), help, label names. */
#ifndef TY_SERVE_METRICS_H
#define TY_SERVE_METRICS_H

#include "base/buf.h"
#include "base/histogram.h"
#include "net/http_server.h"

enum ty_metric_type { TY_METRIC_COUNTER, TY_METRIC_GAUGE, TY_METRIC_HISTOGRAM };

#define TY_METRIC_LABELS 4
#define TY_METRIC_SERIES 10000 /* in one registry; others are dropped */

struct ty_metric_desc {
    const char *name, *help;
    enum ty_metric_type type;
    const char *labels[TY_METRIC_LABELS]; /* ends with NULL unless it is full */
    const double *buckets;                /* HISTOGRAM: as the bounds of a ty_histogram */
};

struct ty_metrics;

/* table: ends with name NULL; outlives the registry. Metrics without labels are printed from the
 * start. */
struct ty_metrics *ty_metrics_new(const struct ty_metric_desc *table); /* gives */
void ty_metrics_free(struct ty_metrics *m);                            /* NULL is fine */

/* `row` is a row of the table; `labels` has a value for each of its labels (NULL if it has none).
 * Negative additions to a counter are ignored. */
void ty_metrics_add(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels, double by);
void ty_metrics_set(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels,
                    double to); /* gauges, and counters that another part maintains */
void ty_metrics_observe(struct ty_metrics *m, const struct ty_metric_desc *row,
                        const char *const *labels, double value); /* histograms */
/* Sets a histogram that another part maintains, with the bounds of the row. */
void ty_metrics_set_histogram(struct ty_metrics *m, const struct ty_metric_desc *row,
                              const char *const *labels, const struct ty_histogram *histogram);

/* In the order of the table, series sorted by labels: deterministic. */
void ty_metrics_print(const struct ty_metrics *m, struct ty_buf *out);
/* process_*: cpu, memory, open files, start; of this process. */
void ty_metrics_process(struct ty_buf *out);

/* GET /metrics with both. True: the path matched, and the request is answered. */
bool ty_metrics_handle(const struct ty_metrics *m, struct ty_http_request *q);

#endif
