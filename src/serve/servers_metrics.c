/* Collects the values of /metrics from the parts at each scrape. */
#include "serve/servers_inner.h"

#include "base/budget.h"
#include "failure/failure_watch.h"
#include "serve/servers_metrics_table.h"
#include "serve/webhook.h"

static void set_gauge2(struct ty_servers *s, enum ty_servers_metric row, const char *a,
                       const char *b, double value)
{
    const char *labels[] = { a, b };

    ty_metrics_set(s->metrics, &ty_servers_metrics_table[row], a ? labels : NULL, value);
}

static void set_gauge(struct ty_servers *s, enum ty_servers_metric row, const char *label,
                      double value)
{
    set_gauge2(s, row, label, NULL, value);
}

/* Series without a value yet are 0, so that their first increment is visible. */
struct ty_metrics *ty_servers_metrics_new(void)
{
    struct ty_metrics *m = ty_metrics_new(ty_servers_metrics_table);

    for (size_t i = 0; ty_webhook_path(i); i++) {
        const char *good[] = { ty_webhook_path(i), "200" }, *bad[] = { ty_webhook_path(i), "500" };
        ty_metrics_set(m, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWS], good, 0);
        ty_metrics_set(m, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWS], bad, 0);
        ty_metrics_set(m, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWING], good, 0);
    }
    return m;
}

/* ---- the controllers ---- */

static void update_queue(struct ty_servers *s, const char *name, const struct ty_queue_kind *q)
{
    const char *labels[] = { name, name };

    set_gauge2(s, TY_SERVERS_METRIC_DEPTH, name, name, (double)q->depth);
    set_gauge2(s, TY_SERVERS_METRIC_ADDS, name, name, (double)q->adds);
    set_gauge2(s, TY_SERVERS_METRIC_RETRIES, name, name, (double)q->retries);
    ty_metrics_set_histogram(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_WAITED],
                             labels, &q->waited);
    ty_metrics_set_histogram(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_WORKED],
                             labels, &q->worked);
}

static void update_controller(struct ty_servers *s, enum ty_controller_kind of)
{
    static const char *const names[] = { [TY_CONTROLLER_TRAINJOB] = "trainjob_controller",
                                         [TY_CONTROLLER_RUNTIME] = "trainingruntime_controller",
                                         [TY_CONTROLLER_CLUSTER_RUNTIME] =
                                             "clustertrainingruntime_controller" };
    const char *name = names[of];
    const struct ty_queue_kind *queue = NULL;
    struct ty_controller_counts n;

    ty_trainjob_controller_count_of(s->s.controller, of, &n, &queue);
    update_queue(s, name, queue);
    set_gauge2(s, TY_SERVERS_METRIC_RECONCILES, name, "success", (double)n.success);
    set_gauge2(s, TY_SERVERS_METRIC_RECONCILES, name, "error", (double)n.error);
    set_gauge2(s, TY_SERVERS_METRIC_RECONCILES, name, "requeue", (double)n.requeue);
    set_gauge2(s, TY_SERVERS_METRIC_RECONCILES, name, "requeue_after", (double)n.requeue_after);
    set_gauge(s, TY_SERVERS_METRIC_ERRORS, name, (double)n.error);
    set_gauge(s, TY_SERVERS_METRIC_ACTIVE, name, (double)n.active);
    set_gauge(s, TY_SERVERS_METRIC_MAX_CONCURRENT, name, (double)n.most);
    set_gauge2(s, TY_SERVERS_METRIC_UNFINISHED, name, name, n.unfinished);
    set_gauge2(s, TY_SERVERS_METRIC_LONGEST, name, name, n.longest);
    ty_metrics_set_histogram(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_TIME], &name,
                             &n.seconds);
}

static void update_jobs(struct ty_servers *s)
{
    struct ty_trainjob_controller_counts now;

    for (int i = 0; i < TY_CONTROLLERS; i++)
        update_controller(s, (enum ty_controller_kind)i);
    ty_trainjob_controller_count(s->s.controller, &now);
    set_gauge(s, TY_SERVERS_METRIC_SECONDS, "trainjob_controller", now.seconds);
    set_gauge(s, TY_SERVERS_METRIC_WRITES, "apply", (double)now.applies);
    set_gauge(s, TY_SERVERS_METRIC_WRITES, "status", (double)now.statuses);
    set_gauge(s, TY_SERVERS_METRIC_WRITES, "delete", (double)now.deletes);
    set_gauge(s, TY_SERVERS_METRIC_WRITES, "finalizers", (double)now.finalizers);
}

static void update_events(struct ty_servers *s)
{
    struct ty_events_counts now = { 0 };

    if (!s->s.events)
        return;
    ty_events_count(s->s.events, &now);
    set_gauge(s, TY_SERVERS_METRIC_EVENTS, "written", (double)now.written);
    set_gauge(s, TY_SERVERS_METRIC_EVENTS, "series", (double)now.series);
    set_gauge(s, TY_SERVERS_METRIC_EVENTS, "dropped", (double)now.dropped);
    set_gauge(s, TY_SERVERS_METRIC_EVENTS, "failed", (double)now.failed);
}

/* Off: no samples. */
static void update_failures(struct ty_servers *s)
{
    struct ty_failure_watch_counts now;

    if (!s->s.failures)
        return;
    ty_failure_watch_count(s->s.failures, &now);
    set_gauge(s, TY_SERVERS_METRIC_SUMMARIES, NULL, (double)now.summaries);
    set_gauge(s, TY_SERVERS_METRIC_LOG_REQUESTS, NULL, (double)now.log_requests);
    set_gauge(s, TY_SERVERS_METRIC_PODS, NULL, (double)now.pods);
    set_gauge(s, TY_SERVERS_METRIC_POD_BYTES, NULL, (double)now.pod_bytes);
}

/* ---- the cache ---- */

struct states {
    const struct ty_cache *cache;
    size_t n[TY_TRAINJOB_STATES];
};

static void count_state(void *ctx, const struct ty_cached *o)
{
    struct states *s = ctx;

    s->n[ty_trainjob_state_get(s->cache, o)]++;
}

static void update_cache(struct ty_servers *s)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_trainjob,
                                                   &ty_kind_jobset,
                                                   &ty_kind_configmap,
                                                   &ty_kind_secret,
                                                   &ty_kind_clustertrainingruntime,
                                                   &ty_kind_trainingruntime };
    const struct ty_cache *w = ty_trainjob_controller_cache(s->s.controller);
    struct states jobs = { .cache = w };

    for (size_t i = 0; i < TY_COUNT(kinds); i++)
        set_gauge(s, TY_SERVERS_METRIC_CACHE_OBJECTS, kinds[i]->kind,
                  (double)ty_cache_count(w, kinds[i]));
    set_gauge(s, TY_SERVERS_METRIC_CACHE_BYTES, NULL, (double)ty_cache_bytes(w));
    ty_cache_each(w, &ty_kind_trainjob, count_state, &jobs);
    for (int i = 0; i < TY_TRAINJOB_STATES; i++)
        set_gauge(s, TY_SERVERS_METRIC_JOBS, ty_trainjob_state_names[i], (double)jobs.n[i]);
}

/* ---- the ports ---- */

static void update_ports(struct ty_servers *s)
{
    static const char *const names[] = { [PORT_HEALTH] = "health",
                                         [PORT_WEBHOOK] = "webhook",
                                         [PORT_METRICS] = "metrics",
                                         [PORT_STATUS] = "status" };
    static const char *const reasons[] = { [TY_HTTP_SERVER_CLOSE_DEADLINE] = "deadline",
                                           [TY_HTTP_SERVER_CLOSE_IDLE] = "idle",
                                           [TY_HTTP_SERVER_CLOSE_CROWDED] = "crowded",
                                           [TY_HTTP_SERVER_CLOSE_MEMORY] = "memory" };

    for (int i = 0; i < PORTS; i++) {
        if (!s->port[i])
            continue;
        set_gauge(s, TY_SERVERS_METRIC_CONNECTIONS, names[i],
                  (double)ty_http_server_connections(s->port[i]));
        for (int k = 0; k < TY_HTTP_SERVER_CLOSE_REASONS; k++)
            set_gauge2(
                s, TY_SERVERS_METRIC_CONNECTIONS_CLOSED, names[i], reasons[k],
                (double)ty_http_server_closed(s->port[i], (enum ty_http_server_close_reason)k));
    }
}

static void update_budget(struct ty_servers *s)
{
    static const struct ty_budget none = { 0 };
    const struct ty_budget *b = s->s.budget ? s->s.budget : &none;

    set_gauge(s, TY_SERVERS_METRIC_BUDGET, NULL, (double)b->ceiling);
    set_gauge(s, TY_SERVERS_METRIC_BUDGET_USED, NULL, (double)b->used);
    set_gauge(s, TY_SERVERS_METRIC_BUDGET_PEAK, NULL, (double)b->peak);
    set_gauge(s, TY_SERVERS_METRIC_BUDGET_REFUSED, NULL, (double)b->refused);
}

/* "host:port" of "https://host:port/path". */
static const char *host_of(struct ty_arena *a, const char *server)
{
    const char *at = strstr(server, "://");
    struct ty_str host;

    ty_str_cut(ty_str(at ? at + 3 : server), '/', &host);
    return ty_arena_cstr(a, host);
}

/* With client-go's labels, so that existing dashboards and alerts work. */
static void update_requests(struct ty_servers *s)
{
    const struct ty_apiserver_health_count *c = NULL;
    ty_auto_arena *a = ty_arena_new_small((size_t)64 << 20, 1024);
    size_t n = s->s.apiserver_health ? ty_apiserver_health_counts(s->s.apiserver_health, &c) : 0;
    const char *host = host_of(a, ty_kube_config(s->s.kube)->server);

    for (size_t i = 0; i < n; i++) {
        const char *code = c[i].code ? ty_arena_printf(a, "%d", c[i].code) : "<error>";
        const char *labels[] = { code, host, c[i].method };
        ty_metrics_set(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_REQUESTS], labels,
                       (double)c[i].n);
    }
    set_gauge(s, TY_SERVERS_METRIC_AVAILABLE, NULL,
              n == 0 || !ty_apiserver_health_reason(s->s.apiserver_health, a));
}

void ty_servers_metrics_update(struct ty_servers *s)
{
    bool leads = !s->s.lease || ty_lease_client_held(s->s.lease);

    update_jobs(s);
    update_cache(s);
    update_events(s);
    update_failures(s);
    update_requests(s);
    update_ports(s);
    update_budget(s);
    set_gauge(s, TY_SERVERS_METRIC_LEADER, s->s.config->lease_name, leads);
    set_gauge(s, TY_SERVERS_METRIC_CERT_UNTIL, NULL,
              (double)ty_webhook_cert_manager_not_after(s->s.certs));
    set_gauge(s, TY_SERVERS_METRIC_BUILD, s->s.version, 1);
}

/* ---- the webhooks ---- */

/* Other values of users get no series of their own. */
static const char *known_path(struct ty_str path)
{
    size_t i = 0;

    while (ty_webhook_path(i) && !ty_str_is(path, ty_webhook_path(i)))
        i++;
    return ty_webhook_path(i);
}

void ty_servers_metrics_review_started(void *ctx, struct ty_str path)
{
    struct ty_servers *s = ctx;
    const char *name = known_path(path);

    if (name)
        ty_metrics_add(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWING], &name,
                       1);
}

void ty_servers_metrics_review_done(void *ctx, struct ty_str path, int code, double seconds)
{
    struct ty_servers *s = ctx;
    char number[16];
    const char *name = known_path(path), *labels[] = { name, number };

    if (!name)
        return;
    snprintf(number, sizeof(number), "%d", code);
    ty_metrics_add(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWING], labels, -1);
    ty_metrics_add(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEWS], labels, 1);
    ty_metrics_observe(s->metrics, &ty_servers_metrics_table[TY_SERVERS_METRIC_REVIEW_TIME], labels,
                       seconds);
}
