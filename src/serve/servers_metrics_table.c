/* The metrics: first those of v2.3.0, with the names and labels that dashboards and alerts use,
 * then ours. */
#include "serve/servers_metrics_table.h"

#include "controller/trainjob_controller.h"

static const double review_bounds[] = { 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                        0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                        1,      2.5,     5,      10,    0 };

#define COUNTER(name, help, ...)                                                                   \
    {                                                                                              \
        name, help, TY_METRIC_COUNTER, { __VA_ARGS__ }, NULL                                       \
    }
#define GAUGE(name, help, ...)                                                                     \
    {                                                                                              \
        name, help, TY_METRIC_GAUGE, { __VA_ARGS__ }, NULL                                         \
    }
#define HISTOGRAM(name, help, bounds, ...)                                                         \
    {                                                                                              \
        name, help, TY_METRIC_HISTOGRAM, { __VA_ARGS__ }, bounds                                   \
    }

const struct ty_metric_desc ty_servers_metrics_table[] = {
    [TY_SERVERS_METRIC_RECONCILES] =
        COUNTER("controller_runtime_reconcile_total", "Reconciliations by controller and result.",
                "controller", "result"),
    [TY_SERVERS_METRIC_ERRORS] =
        COUNTER("controller_runtime_reconcile_errors_total",
                "Reconciliations that failed and are retried, by controller.", "controller"),
    [TY_SERVERS_METRIC_TIME] = HISTOGRAM("controller_runtime_reconcile_time_seconds",
                                         "Time of a reconciliation and its writes, by controller.",
                                         ty_trainjob_controller_buckets, "controller"),
    [TY_SERVERS_METRIC_ACTIVE] =
        GAUGE("controller_runtime_active_workers",
              "Objects that are being written now, by controller.", "controller"),
    [TY_SERVERS_METRIC_MAX_CONCURRENT] =
        GAUGE("controller_runtime_max_concurrent_reconciles",
              "How many may be written at once, all controllers together.", "controller"),
    [TY_SERVERS_METRIC_DEPTH] =
        GAUGE("workqueue_depth", "Objects that wait to be reconciled.", "controller", "name"),
    [TY_SERVERS_METRIC_ADDS] =
        COUNTER("workqueue_adds_total", "Objects that were queued.", "controller", "name"),
    [TY_SERVERS_METRIC_RETRIES] =
        COUNTER("workqueue_retries_total", "Objects that were queued again after a failure.",
                "controller", "name"),
    [TY_SERVERS_METRIC_WAITED] =
        HISTOGRAM("workqueue_queue_duration_seconds",
                  "Time from being queued to the start of the reconciliation.", ty_queue_bounds,
                  "controller", "name"),
    [TY_SERVERS_METRIC_WORKED] =
        HISTOGRAM("workqueue_work_duration_seconds",
                  "Time from the start of the reconciliation to the end of its writes.",
                  ty_queue_bounds, "controller", "name"),
    [TY_SERVERS_METRIC_UNFINISHED] =
        GAUGE("workqueue_unfinished_work_seconds",
              "Time that what is being written has taken so far, in all.", "controller", "name"),
    [TY_SERVERS_METRIC_LONGEST] =
        GAUGE("workqueue_longest_running_processor_seconds",
              "The same of the one that has taken longest.", "controller", "name"),
    [TY_SERVERS_METRIC_REQUESTS] = COUNTER(
        "rest_client_requests_total",
        "Requests to the API server, by status code, method and host.", "code", "host", "method"),
    [TY_SERVERS_METRIC_LEADER] =
        GAUGE("leader_election_master_status", "1: this process leads.", "name"),
    [TY_SERVERS_METRIC_REVIEWS] = COUNTER("controller_runtime_webhook_requests_total",
                                          "Admission reviews, by code.", "webhook", "code"),
    [TY_SERVERS_METRIC_REVIEWING] =
        GAUGE("controller_runtime_webhook_requests_in_flight",
              "Admission reviews that are being judged now.", "webhook"),
    [TY_SERVERS_METRIC_REVIEW_TIME] =
        HISTOGRAM("controller_runtime_webhook_latency_seconds", "Time to judge a review.",
                  review_bounds, "webhook"),
    [TY_SERVERS_METRIC_SECONDS] =
        COUNTER("trainyard_reconcile_seconds_total",
                "CPU seconds spent reconciling, by controller.", "controller"),
    [TY_SERVERS_METRIC_AVAILABLE] =
        GAUGE("trainyard_api_server_available",
              "1: the API server answers and takes our credentials.", NULL),
    [TY_SERVERS_METRIC_WRITES] =
        COUNTER("trainyard_writes_total", "Writes to the API server, by kind of write.", "verb"),
    [TY_SERVERS_METRIC_EVENTS] =
        COUNTER("trainyard_events_total", "Events, by what became of them.", "result"),
    [TY_SERVERS_METRIC_JOBS] = GAUGE("trainyard_trainjobs", "TrainJobs by state.", "state"),
    [TY_SERVERS_METRIC_CACHE_OBJECTS] =
        GAUGE("trainyard_cache_objects", "Objects in the cache, by kind.", "kind"),
    [TY_SERVERS_METRIC_CACHE_BYTES] =
        GAUGE("trainyard_cache_bytes", "Memory that the cache takes.", NULL),
    [TY_SERVERS_METRIC_SUMMARIES] =
        COUNTER("trainyard_failure_summaries_total", "Failure summaries made.", NULL),
    [TY_SERVERS_METRIC_LOG_REQUESTS] =
        COUNTER("trainyard_failure_log_requests_total",
                "Container logs that were asked for, for failure summaries.", NULL),
    [TY_SERVERS_METRIC_PODS] =
        GAUGE("trainyard_failure_pods", "Pods that are watched for failures.", NULL),
    [TY_SERVERS_METRIC_POD_BYTES] =
        GAUGE("trainyard_failure_pod_bytes", "Memory that these pods take.", NULL),
    [TY_SERVERS_METRIC_BUDGET] =
        GAUGE("trainyard_memory_budget_bytes",
              "Memory that input may make this process take; 0: any.", NULL),
    [TY_SERVERS_METRIC_BUDGET_USED] =
        GAUGE("trainyard_memory_budget_used_bytes", "Memory of the budget that is in use.", NULL),
    [TY_SERVERS_METRIC_BUDGET_PEAK] =
        GAUGE("trainyard_memory_budget_peak_bytes", "The most that ever was in use.", NULL),
    [TY_SERVERS_METRIC_BUDGET_REFUSED] =
        COUNTER("trainyard_memory_budget_refused_total",
                "What was refused because it did not fit the budget.", NULL),
    [TY_SERVERS_METRIC_CONNECTIONS] =
        GAUGE("trainyard_http_connections", "Open connections of clients, by server.", "server"),
    [TY_SERVERS_METRIC_CONNECTIONS_CLOSED] = COUNTER(
        "trainyard_http_connections_closed_total",
        "Connections that were closed on a client, by server and reason.", "server", "reason"),
    [TY_SERVERS_METRIC_CERT_UNTIL] = GAUGE("trainyard_certificate_expiry_timestamp_seconds",
                                           "When the certificate that is served ends.", NULL),
    [TY_SERVERS_METRIC_BUILD] = GAUGE("trainyard_build_info", "Always 1.", "version"),
    [TY_SERVERS_METRIC_END] = { 0 },
};
