/* The numbers behind /metrics. The parts keep them; they are brought here when somebody asks. */
#include "serve/servers_inner.h"

#include "base/budget.h"
#include "serve/servers_rows.h"
#include "serve/webhook.h"

static void set2(struct ty_servers *s, enum ty_servers_row row, const char *a, const char *b,
                 double value)
{
    const char *labels[] = { a, b };

    ty_metrics_set(s->metrics, &ty_servers_rows[row], a ? labels : NULL, value);
}

static void set(struct ty_servers *s, enum ty_servers_row row, const char *label, double value)
{
    set2(s, row, label, NULL, value);
}

/* What nobody has asked for yet is shown as 0: the first of it is a change, too. */
struct ty_metrics *ty_servers_metrics(void)
{
    struct ty_metrics *m = ty_metrics_new(ty_servers_rows);

    for (size_t i = 0; ty_webhook_path(i); i++) {
        const char *good[] = { ty_webhook_path(i), "200" }, *bad[] = { ty_webhook_path(i), "500" };
        ty_metrics_set(m, &ty_servers_rows[TY_ROW_REVIEWS], good, 0);
        ty_metrics_set(m, &ty_servers_rows[TY_ROW_REVIEWS], bad, 0);
        ty_metrics_set(m, &ty_servers_rows[TY_ROW_REVIEWING], good, 0);
    }
    return m;
}

/* ---- the controllers ---- */

static void measure_queue(struct ty_servers *s, const char *name, const struct ty_queue_kind *q)
{
    const char *labels[] = { name, name };

    set2(s, TY_ROW_DEPTH, name, name, (double)q->depth);
    set2(s, TY_ROW_ADDS, name, name, (double)q->adds);
    set2(s, TY_ROW_RETRIES, name, name, (double)q->retries);
    ty_metrics_spread(s->metrics, &ty_servers_rows[TY_ROW_WAITED], labels, &q->waited);
    ty_metrics_spread(s->metrics, &ty_servers_rows[TY_ROW_WORKED], labels, &q->worked);
}

static void measure_controller(struct ty_servers *s, enum ty_controller_kind of)
{
    static const char *const names[] = { [TY_CONTROLLER_TRAINJOB] = "trainjob_controller",
                                         [TY_CONTROLLER_RUNTIME] = "trainingruntime_controller",
                                         [TY_CONTROLLER_CLUSTER_RUNTIME] =
                                             "clustertrainingruntime_controller" };
    const char *name = names[of];
    const struct ty_queue_kind *queue = NULL;
    struct ty_controller_counts n;

    ty_trainjob_controller_count_of(s->s.jobs, of, &n, &queue);
    measure_queue(s, name, queue);
    set2(s, TY_ROW_RECONCILES, name, "success", (double)n.success);
    set2(s, TY_ROW_RECONCILES, name, "error", (double)n.error);
    set2(s, TY_ROW_RECONCILES, name, "requeue", (double)n.requeue);
    set2(s, TY_ROW_RECONCILES, name, "requeue_after", (double)n.requeue_after);
    set(s, TY_ROW_ERRORS, name, (double)n.error);
    set(s, TY_ROW_ACTIVE, name, (double)n.active);
    set(s, TY_ROW_MOST, name, (double)n.most);
    set2(s, TY_ROW_UNFINISHED, name, name, n.unfinished);
    set2(s, TY_ROW_LONGEST, name, name, n.longest);
    ty_metrics_spread(s->metrics, &ty_servers_rows[TY_ROW_TIME], &name, &n.seconds);
}

static void measure_jobs(struct ty_servers *s)
{
    struct ty_trainjob_controller_counts now;

    for (int i = 0; i < TY_CONTROLLERS; i++)
        measure_controller(s, (enum ty_controller_kind)i);
    ty_trainjob_controller_count(s->s.jobs, &now);
    set(s, TY_ROW_SECONDS, "trainjob_controller", now.seconds);
    set(s, TY_ROW_WRITES, "apply", (double)now.applies);
    set(s, TY_ROW_WRITES, "status", (double)now.statuses);
    set(s, TY_ROW_WRITES, "delete", (double)now.deletes);
}

static void measure_events(struct ty_servers *s)
{
    struct ty_events_counts now = { 0 };

    if (!s->s.events)
        return;
    ty_events_count(s->s.events, &now);
    set(s, TY_ROW_EVENTS, "written", (double)now.written);
    set(s, TY_ROW_EVENTS, "series", (double)now.series);
    set(s, TY_ROW_EVENTS, "dropped", (double)now.dropped);
    set(s, TY_ROW_EVENTS, "failed", (double)now.failed);
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

static void measure_cache(struct ty_servers *s)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_trainjob,
                                                   &ty_kind_jobset,
                                                   &ty_kind_configmap,
                                                   &ty_kind_secret,
                                                   &ty_kind_clustertrainingruntime,
                                                   &ty_kind_trainingruntime };
    const struct ty_cache *w = ty_trainjob_controller_cache(s->s.jobs);
    struct states jobs = { .cache = w };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        set(s, TY_ROW_CACHE_OBJECTS, kinds[i]->kind, (double)ty_cache_count(w, kinds[i]));
    set(s, TY_ROW_CACHE_BYTES, NULL, (double)ty_cache_bytes(w));
    ty_cache_each(w, &ty_kind_trainjob, count_state, &jobs);
    for (int i = 0; i < TY_TRAINJOB_STATES; i++)
        set(s, TY_ROW_JOBS, ty_trainjob_state_names[i], (double)jobs.n[i]);
}

/* ---- the ports ---- */

static void measure_ports(struct ty_servers *s)
{
    static const char *const names[] = { [PORT_HEALTH] = "health",
                                         [PORT_WEBHOOK] = "webhook",
                                         [PORT_METRICS] = "metrics",
                                         [PORT_STATUS] = "status" };
    static const char *const reasons[] = { [TY_CUT_DEADLINE] = "deadline",
                                           [TY_CUT_IDLE] = "idle",
                                           [TY_CUT_CROWDED] = "crowded",
                                           [TY_CUT_MEMORY] = "memory" };

    for (int i = 0; i < PORTS; i++) {
        if (!s->port[i])
            continue;
        set(s, TY_ROW_CONNECTIONS, names[i], (double)ty_serve_connections(s->port[i]));
        for (int k = 0; k < TY_CUTS; k++)
            set2(s, TY_ROW_CONNECTIONS_CLOSED, names[i], reasons[k],
                 (double)ty_serve_cuts(s->port[i], (enum ty_serve_cut)k));
    }
}

static void measure_budget(struct ty_servers *s)
{
    static const struct ty_budget none = { 0 };
    const struct ty_budget *b = s->s.budget ? s->s.budget : &none;

    set(s, TY_ROW_BUDGET, NULL, (double)b->ceiling);
    set(s, TY_ROW_BUDGET_USED, NULL, (double)b->used);
    set(s, TY_ROW_BUDGET_PEAK, NULL, (double)b->peak);
    set(s, TY_ROW_BUDGET_REFUSED, NULL, (double)b->refused);
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
    ty_auto_arena *a = ty_arena_new_small((size_t)64 << 20, 1024);
    size_t n = s->s.standing ? ty_standing_counts(s->s.standing, &c) : 0;
    const char *host = host_of(a, ty_kube_config(s->s.kube)->server);

    for (size_t i = 0; i < n; i++) {
        const char *code = c[i].code ? ty_arena_printf(a, "%d", c[i].code) : "<error>";
        const char *labels[] = { code, host, c[i].method };
        ty_metrics_set(s->metrics, &ty_servers_rows[TY_ROW_REQUESTS], labels, (double)c[i].n);
    }
    set(s, TY_ROW_AVAILABLE, NULL, n == 0 || !ty_standing_why(s->s.standing, a));
}

void ty_servers_measure(struct ty_servers *s)
{
    bool leads = !s->s.lease || ty_lease_client_held(s->s.lease);

    measure_jobs(s);
    measure_cache(s);
    measure_events(s);
    measure_requests(s);
    measure_ports(s);
    measure_budget(s);
    set(s, TY_ROW_LEADER, s->s.config->lease_name, leads);
    set(s, TY_ROW_CERT_UNTIL, NULL, (double)ty_webhook_cert_manager_not_after(s->s.certs));
    set(s, TY_ROW_BUILD, s->s.version, 1);
}

/* ---- the webhooks ---- */

/* Whatever else somebody types is not worth a series. */
static const char *known_path(struct ty_str path)
{
    size_t i = 0;

    while (ty_webhook_path(i) && !ty_str_is(path, ty_webhook_path(i)))
        i++;
    return ty_webhook_path(i);
}

void ty_servers_hook_begun(void *ctx, struct ty_str path)
{
    struct ty_servers *s = ctx;
    const char *name = known_path(path);

    if (name)
        ty_metrics_add(s->metrics, &ty_servers_rows[TY_ROW_REVIEWING], &name, 1);
}

void ty_servers_hook_answered(void *ctx, struct ty_str path, int code, double seconds)
{
    struct ty_servers *s = ctx;
    char number[16];
    const char *name = known_path(path), *labels[] = { name, number };

    if (!name)
        return;
    snprintf(number, sizeof(number), "%d", code);
    ty_metrics_add(s->metrics, &ty_servers_rows[TY_ROW_REVIEWING], labels, -1);
    ty_metrics_add(s->metrics, &ty_servers_rows[TY_ROW_REVIEWS], labels, 1);
    ty_metrics_observe(s->metrics, &ty_servers_rows[TY_ROW_REVIEW_TIME], labels, seconds);
}
