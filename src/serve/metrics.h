/* Numbers for Prometheus, in its text format 0.0.4. What is counted is rows of one table: a name
 * (by Prometheus' conventions: base units, _total, _seconds, _bytes), a sentence, label names. */
#ifndef TY_SERVE_METRICS_H
#define TY_SERVE_METRICS_H

#include "base/buf.h"
#include "base/histogram.h"
#include "net/http_server.h"

enum ty_metric_type { TY_METRIC_COUNTER, TY_METRIC_GAUGE, TY_METRIC_HISTOGRAM };

#define TY_METRIC_LABELS 4
#define TY_METRIC_SERIES 10000 /* of one registry: what would be more is not kept */

struct ty_metric_desc {
    const char *name, *help;
    enum ty_metric_type type;
    const char *labels[TY_METRIC_LABELS]; /* ends with NULL unless it is full */
    const double *buckets;                /* HISTOGRAM: as the bounds of a ty_histogram */
};

struct ty_metrics;

/* table: ends with name NULL; must live as long. Metrics without labels are shown from the start.
 */
struct ty_metrics *ty_metrics_new(const struct ty_metric_desc *table); /* gives */
void ty_metrics_free(struct ty_metrics *m);                            /* NULL is fine */

/* `row` is a row of the table; `labels` has as many values as it has labels (NULL if it has none).
 * A counter only rises: what is negative is left out. */
void ty_metrics_add(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels, double by);
void ty_metrics_set(struct ty_metrics *m, const struct ty_metric_desc *row,
                    const char *const *labels,
                    double to); /* gauges, and counters that somebody else keeps */
void ty_metrics_observe(struct ty_metrics *m, const struct ty_metric_desc *row,
                        const char *const *labels, double value); /* histograms */
/* A histogram that somebody else keeps, with the bounds of the row. */
void ty_metrics_set_histogram(struct ty_metrics *m, const struct ty_metric_desc *row,
                              const char *const *labels, const struct ty_histogram *spread);

/* In the order of the table, series sorted by their labels: the same state gives the same bytes. */
void ty_metrics_print(const struct ty_metrics *m, struct ty_buf *out);
/* process_*: cpu, memory, open files, start; of this process. */
void ty_metrics_process(struct ty_buf *out);

/* GET /metrics with both. True: it was for this path, and the request is answered. */
bool ty_metrics_handle(const struct ty_metrics *m, struct ty_http_request *q);

#endif
