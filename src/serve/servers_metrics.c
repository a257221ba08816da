/* What /metrics says: the names that dashboards of v2.3.0 know, and ours. Counters are kept by the
 * parts; they are brought here when somebody asks. */
#include "serve/servers_inner.h"

#include "trainer/pass.h"

#define JOB_CONTROLLER "trainjob_controller"

enum {
    RECONCILES,
    ERRORS,
    SECONDS,
    DEPTH,
    ADDS,
    RETRIES,
    WORKERS,
    REQUESTS,
    AVAILABLE,
    LEADER,
    HOOK_REQUESTS,
    HOOK_SECONDS,
    WRITES,
    EVENTS,
    JOBS,
    CACHE_OBJECTS,
    CACHE_BYTES,
    CERT_UNTIL,
    BUILD,
};

static const struct ty_metric table[] = {
    [RECONCILES] = { "controller_runtime_reconcile_total",
                     "Looks at objects, by controller.",
                     TY_COUNTER,
                     { "controller", "result" },
                     { 0 } },
    [ERRORS] = { "controller_runtime_reconcile_errors_total",
                 "Looks that failed and are repeated, by controller.",
                 TY_COUNTER,
                 { "controller" },
                 { 0 } },
    [SECONDS] = { "trainyard_reconcile_seconds_total",
                  "Processor time spent on looks, by controller.",
                  TY_COUNTER,
                  { "controller" },
                  { 0 } },
    [DEPTH] = { "workqueue_depth",
                "Objects that wait to be looked at.",
                TY_GAUGE,
                { "name" },
                { 0 } },
    [ADDS] = { "workqueue_adds_total", "Objects that were queued.", TY_COUNTER, { "name" }, { 0 } },
    [RETRIES] = { "workqueue_retries_total",
                  "Objects that were queued again after a failure.",
                  TY_COUNTER,
                  { "name" },
                  { 0 } },
    [WORKERS] = { "controller_runtime_active_workers",
                  "TrainJobs that are being written now.",
                  TY_GAUGE,
                  { "controller" },
                  { 0 } },
    [REQUESTS] = { "rest_client_requests_total",
                   "Requests to the API server, by status code, method and host.",
                   TY_COUNTER,
                   { "code", "host", "method" },
                   { 0 } },
    [AVAILABLE] = { "trainyard_api_server_available",
                    "1: the API server answers and takes our credentials.",
                    TY_GAUGE,
                    { NULL },
                    { 0 } },
    [LEADER] = { "leader_election_master_status",
                 "1: this process leads.",
                 TY_GAUGE,
                 { "name" },
                 { 0 } },
    [HOOK_REQUESTS] = { "controller_runtime_webhook_requests_total",
                        "Admission reviews, by code.",
                        TY_COUNTER,
                        { "webhook", "code" },
                        { 0 } },
    [HOOK_SECONDS] = { "controller_runtime_webhook_latency_seconds",
                       "Time to judge a review.",
                       TY_HISTOGRAM,
                       { "webhook" },
                       { 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                         0.25, 0.5, 1, 2.5, 5, 10 } },
    [WRITES] = { "trainyard_writes_total",
                 "Writes to the API server, by kind of write.",
                 TY_COUNTER,
                 { "verb" },
                 { 0 } },
    [EVENTS] = { "trainyard_events_total",
                 "Events, by what became of them.",
                 TY_COUNTER,
                 { "result" },
                 { 0 } },
    [JOBS] = { "trainyard_trainjobs", "TrainJobs by state.", TY_GAUGE, { "state" }, { 0 } },
    [CACHE_OBJECTS] = { "trainyard_cache_objects",
                        "Objects in the cache, by kind.",
                        TY_GAUGE,
                        { "kind" },
                        { 0 } },
    [CACHE_BYTES] = { "trainyard_cache_bytes",
                      "Memory that the cache takes.",
                      TY_GAUGE,
                      { NULL },
                      { 0 } },
    [CERT_UNTIL] = { "trainyard_certificate_expiry_timestamp_seconds",
                     "When the certificate that is served ends.",
                     TY_GAUGE,
                     { NULL },
                     { 0 } },
    [BUILD] = { "trainyard_build_info", "Always 1.", TY_GAUGE, { "version" }, { 0 } },
    { 0 },
};

struct ty_metrics *ty_servers_metrics(void)
{
    return ty_metrics_new(table);
}

static void count(struct ty_servers *s, int row, const char *a, const char *b, uint64_t now,
                  uint64_t *was)
{
    const char *labels[] = { a, b };

    ty_metrics_add(s->metrics, &table[row], a ? labels : NULL, (double)(now - *was));
    *was = now;
}

static void gauge(struct ty_servers *s, int row, const char *label, double value)
{
    ty_metrics_set(s->metrics, &table[row], label ? &label : NULL, value);
}

static void measure_jobs(struct ty_servers *s)
{
    struct ty_jobs_counts now, *was = &s->seen;
    struct ty_queue_counts queue, *queue_was = &s->queue_seen;
    const char *controller = JOB_CONTROLLER;

    ty_jobs_count(s->s.jobs, &now, &queue);
    ty_metrics_add(s->metrics, &table[SECONDS], &controller, now.seconds - was->seconds);
    was->seconds = now.seconds;
    uint64_t good = now.looks - now.errors, good_was = was->looks - was->errors;
    count(s, RECONCILES, JOB_CONTROLLER, "success", good, &good_was);
    uint64_t bad_was = was->errors;
    count(s, RECONCILES, JOB_CONTROLLER, "error", now.errors, &bad_was);
    was->looks = now.looks;
    count(s, ERRORS, JOB_CONTROLLER, NULL, now.errors, &was->errors);
    count(s, WRITES, "apply", NULL, now.applies, &was->applies);
    count(s, WRITES, "status", NULL, now.statuses, &was->statuses);
    count(s, WRITES, "delete", NULL, now.deletes, &was->deletes);
    count(s, ADDS, JOB_CONTROLLER, NULL, queue.adds, &queue_was->adds);
    count(s, RETRIES, JOB_CONTROLLER, NULL, queue.retries, &queue_was->retries);
    gauge(s, DEPTH, JOB_CONTROLLER, (double)queue.depth);
    gauge(s, WORKERS, JOB_CONTROLLER, (double)now.in_flight);
}

static void measure_events(struct ty_servers *s)
{
    struct ty_events_counts now = { 0 }, *was = &s->events_seen;

    if (!s->s.events)
        return;
    ty_events_count(s->s.events, &now);
    count(s, EVENTS, "written", NULL, now.written, &was->written);
    count(s, EVENTS, "series", NULL, now.series, &was->series);
    count(s, EVENTS, "dropped", NULL, now.dropped, &was->dropped);
    count(s, EVENTS, "failed", NULL, now.failed, &was->failed);
}

struct states {
    struct ty_arena *arena; /* scratch */
    size_t suspended, complete, failed, open;
};

static void count_state(void *ctx, const struct ty_known *o)
{
    struct states *n = ctx;

    ty_arena_reset(n->arena);
    const struct ty_json *job = ty_world_read(n->arena, o), *status = ty_json_get(job, "status");

    if (ty_str_is(ty_json_str_at(ty_condition(status, "Failed"), "status"), "True"))
        n->failed++;
    else if (ty_trainjob_finished(status))
        n->complete++;
    else if (ty_json_true_at(job, "spec.suspend"))
        n->suspended++;
    else
        n->open++;
}

static void measure_cache(struct ty_servers *s)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_trainjob,
                                                   &ty_kind_jobset,
                                                   &ty_kind_configmap,
                                                   &ty_kind_secret,
                                                   &ty_kind_clustertrainingruntime,
                                                   &ty_kind_trainingruntime };
    const struct ty_world *w = ty_jobs_world(s->s.jobs);
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct states n = { .arena = a };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        gauge(s, CACHE_OBJECTS, kinds[i]->kind, (double)ty_world_count(w, kinds[i]));
    gauge(s, CACHE_BYTES, NULL, (double)ty_world_bytes(w));
    ty_world_each(w, &ty_kind_trainjob, count_state, &n);
    gauge(s, JOBS, "suspended", (double)n.suspended);
    gauge(s, JOBS, "complete", (double)n.complete);
    gauge(s, JOBS, "failed", (double)n.failed);
    gauge(s, JOBS, "running", (double)n.open);
}

/* "host:port" of "https://host:port/path". */
static const char *host_of(struct ty_arena *a, const char *server)
{
    const char *at = strstr(server, "://");
    struct ty_str host;

    ty_str_cut(ty_str(at ? at + 3 : server), '/', &host);
    return ty_arena_strndup(a, host.p, host.n);
}

/* As client-go labels them, so that its dashboards and alerts go on to work. */
static void measure_requests(struct ty_servers *s)
{
    const struct ty_standing_count *c = NULL;
    ty_auto_arena *a = ty_arena_new_small((size_t)1 << 20, 1024);
    size_t n = s->s.standing ? ty_standing_counts(s->s.standing, &c) : 0;
    const char *host = host_of(a, ty_kube_config(s->s.kube)->server);

    for (size_t i = 0; i < n; i++) {
        const char *code = c[i].code ? ty_arena_printf(a, "%d", c[i].code) : "<error>";
        const char *labels[] = { code, host, c[i].method };
        ty_metrics_add(s->metrics, &table[REQUESTS], labels,
                       (double)(c[i].n - s->requests_seen[i]));
        s->requests_seen[i] = c[i].n;
    }
    gauge(s, AVAILABLE, NULL, n == 0 || !ty_standing_why(s->s.standing, a));
}

void ty_servers_measure(struct ty_servers *s)
{
    bool leads = !s->s.lease || ty_lease_held(s->s.lease);

    measure_jobs(s);
    measure_cache(s);
    measure_events(s);
    measure_requests(s);
    gauge(s, LEADER, s->s.config->lease_name, leads);
    gauge(s, CERT_UNTIL, NULL, (double)ty_hookcerts_until(s->s.certs));
    gauge(s, BUILD, s->s.version, 1);
}

void ty_servers_hook_answered(void *ctx, struct ty_str path, int code, double seconds)
{
    struct ty_servers *s = ctx;
    char number[16], name[128];
    const char *labels[] = { name, number };

    if (code == 404)
        return; /* whatever somebody types is not worth a series */
    snprintf(number, sizeof(number), "%d", code);
    snprintf(name, sizeof(name), "%.*s", TY_ARG(path));
    ty_metrics_add(s->metrics, &table[HOOK_REQUESTS], labels, 1);
    ty_metrics_observe(s->metrics, &table[HOOK_SECONDS], labels, seconds);
}
