/* The table behind /metrics. */
#ifndef TY_SERVE_SERVERS_METRICS_TABLE_H
#define TY_SERVE_SERVERS_METRICS_TABLE_H

#include "serve/metrics.h"

enum ty_servers_metric { /* in the order of /metrics */
                         TY_SERVERS_METRIC_RECONCILES,
                         TY_SERVERS_METRIC_ERRORS,
                         TY_SERVERS_METRIC_TIME,
                         TY_SERVERS_METRIC_ACTIVE,
                         TY_SERVERS_METRIC_MAX_CONCURRENT,
                         TY_SERVERS_METRIC_DEPTH,
                         TY_SERVERS_METRIC_ADDS,
                         TY_SERVERS_METRIC_RETRIES,
                         TY_SERVERS_METRIC_WAITED,
                         TY_SERVERS_METRIC_WORKED,
                         TY_SERVERS_METRIC_UNFINISHED,
                         TY_SERVERS_METRIC_LONGEST,
                         TY_SERVERS_METRIC_REQUESTS,
                         TY_SERVERS_METRIC_LEADER,
                         TY_SERVERS_METRIC_REVIEWS,
                         TY_SERVERS_METRIC_REVIEWING,
                         TY_SERVERS_METRIC_REVIEW_TIME,
                         TY_SERVERS_METRIC_SECONDS,
                         TY_SERVERS_METRIC_AVAILABLE,
                         TY_SERVERS_METRIC_WRITES,
                         TY_SERVERS_METRIC_EVENTS,
                         TY_SERVERS_METRIC_JOBS,
                         TY_SERVERS_METRIC_CACHE_OBJECTS,
                         TY_SERVERS_METRIC_CACHE_BYTES,
                         TY_SERVERS_METRIC_SUMMARIES,
                         TY_SERVERS_METRIC_LOG_REQUESTS,
                         TY_SERVERS_METRIC_PODS,
                         TY_SERVERS_METRIC_POD_BYTES,
                         TY_SERVERS_METRIC_BUDGET,
                         TY_SERVERS_METRIC_BUDGET_USED,
                         TY_SERVERS_METRIC_BUDGET_PEAK,
                         TY_SERVERS_METRIC_BUDGET_REFUSED,
                         TY_SERVERS_METRIC_CONNECTIONS,
                         TY_SERVERS_METRIC_CONNECTIONS_CLOSED,
                         TY_SERVERS_METRIC_CERT_UNTIL,
                         TY_SERVERS_METRIC_BUILD,
                         TY_SERVERS_METRIC_END,
};

extern const struct ty_metric_desc ty_servers_metrics_table[];

#endif
