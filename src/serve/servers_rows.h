/* The table behind /metrics. */
#ifndef TY_SERVE_SERVERS_ROWS_H
#define TY_SERVE_SERVERS_ROWS_H

#include "serve/metrics.h"

enum ty_servers_row { /* as they are shown */
                      TY_ROW_RECONCILES,
                      TY_ROW_ERRORS,
                      TY_ROW_TIME,
                      TY_ROW_ACTIVE,
                      TY_ROW_MOST,
                      TY_ROW_DEPTH,
                      TY_ROW_ADDS,
                      TY_ROW_RETRIES,
                      TY_ROW_WAITED,
                      TY_ROW_WORKED,
                      TY_ROW_UNFINISHED,
                      TY_ROW_LONGEST,
                      TY_ROW_REQUESTS,
                      TY_ROW_LEADER,
                      TY_ROW_REVIEWS,
                      TY_ROW_REVIEWING,
                      TY_ROW_REVIEW_TIME,
                      TY_ROW_SECONDS,
                      TY_ROW_AVAILABLE,
                      TY_ROW_WRITES,
                      TY_ROW_EVENTS,
                      TY_ROW_JOBS,
                      TY_ROW_CACHE_OBJECTS,
                      TY_ROW_CACHE_BYTES,
                      TY_ROW_BUDGET,
                      TY_ROW_BUDGET_USED,
                      TY_ROW_BUDGET_PEAK,
                      TY_ROW_BUDGET_REFUSED,
                      TY_ROW_CONNECTIONS,
                      TY_ROW_CONNECTIONS_CLOSED,
                      TY_ROW_CERT_UNTIL,
                      TY_ROW_BUILD,
                      TY_ROW_END,
};

extern const struct ty_metric ty_servers_rows[];

#endif
