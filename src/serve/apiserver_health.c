/* Derives the API server's health from the results of our requests. */
#include "serve/apiserver_health.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define PROBE_MS    5000
#define WHO_CEILING ((size_t)1 << 30)

enum api_state { WELL, REFUSED, SILENT };

struct ty_apiserver_health {
    struct ty_apiserver_health_settings s;
    struct ty_kube *kube;
    struct ty_kube_op *probe;
    uv_timer_t *timer; /* of the next probe; on the heap because libuv closes it later */
    enum api_state state;
    int64_t since_ms;            /* when it became unhealthy; loop time */
    enum api_state logged_state; /* the last state that was logged, and when; WELL: none */
    int64_t logged_ms;
    bool logged;        /* this outage was logged */
    int64_t refused_ms; /* the last 401 */
    char why[256];
    struct ty_apiserver_health_count counts[TY_APISERVER_HEALTH_COUNTS];
    size_t n_counts;
};

static int64_t now_ms(const struct ty_apiserver_health *t)
{
    return (int64_t)uv_now(t->s.loop);
}

static int64_t seconds(const struct ty_apiserver_health *t)
{
    return (now_ms(t) - t->since_ms + 500) / 1000;
}

/* ---- log ---- */

/* Limits the log when the state flaps, for instance because one of several servers is broken. */
static void log_unhealthy(struct ty_apiserver_health *t)
{
    if (t->logged_state == t->state && now_ms(t) - t->logged_ms < TY_APISERVER_HEALTH_LOG_MS)
        return;
    t->logged_state = t->state;
    t->logged_ms = now_ms(t);
    t->logged = true;
    ty_error(t->s.log, t->why,
             t->state == REFUSED ? "TrainJobs wait: the API server refuses our credentials"
                                 : "TrainJobs wait: the API server does not answer",
             TY_S("server", t->s.config->server), TY_I("seconds", seconds(t)));
}

static void log_healthy(const struct ty_apiserver_health *t)
{
    ty_info(t->s.log,
            t->state == REFUSED ? "the API server takes our credentials again"
                                : "the API server answers again",
            TY_S("server", t->s.config->server), TY_I("seconds", seconds(t)));
}

/* ---- probes ---- */

static void on_probed(void *ctx, const struct ty_kube_response *answer TY_UNUSED);

/* Every authenticated user may get the version, so a 401 is about the credentials and nothing
 * else. */
static void on_timer(uv_timer_t *timer)
{
    struct ty_apiserver_health *t = timer->data;

    t->probe = ty_kube_start(t->kube, &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                                                 .path = "/version",
                                                                 .timeout_ms = t->s.probe_ms,
                                                                 .unlimited = true,
                                                                 .tries = -1,
                                                                 .fn = on_probed,
                                                                 .ctx = t });
}

static void schedule_probe(struct ty_apiserver_health *t)
{
    if (t->kube && !t->probe && !uv_is_active((uv_handle_t *)t->timer))
        uv_timer_start(t->timer, on_timer, (uint64_t)t->s.probe_ms, 0);
}

/* The result has been observed by now. Silence is logged here, because an outage that ends before
 * the first probe delayed nothing. */
static void on_probed(void *ctx, const struct ty_kube_response *answer TY_UNUSED)
{
    struct ty_apiserver_health *t = ctx;

    t->probe = NULL;
    if (t->state == WELL)
        return;
    log_unhealthy(t);
    schedule_probe(t);
}

/* ---- observed requests ---- */

static void set_healthy(struct ty_apiserver_health *t)
{
    bool logged = t->logged;

    if (t->state == WELL)
        return;
    if (logged)
        log_healthy(t);
    t->state = WELL;
    t->logged = false;
    uv_timer_stop(t->timer);
    if (logged && t->s.well)
        t->s.well(t->s.ctx);
}

static void set_unhealthy(struct ty_apiserver_health *t, enum api_state state)
{
    if (t->state == WELL)
        t->since_ms = now_ms(t);
    t->state = state;
    if (state == REFUSED)
        log_unhealthy(t);
    schedule_probe(t);
}

static void add_count(struct ty_apiserver_health *t, const struct ty_kube_request_result *seen)
{
    size_t i = 0;

    while (i < t->n_counts &&
           (t->counts[i].code != seen->code || strcmp(t->counts[i].method, seen->method) != 0))
        i++;
    if (i == TY_APISERVER_HEALTH_COUNTS)
        return;
    if (i == t->n_counts)
        t->counts[t->n_counts++] =
            (struct ty_apiserver_health_count){ .method = seen->method, .code = seen->code };
    t->counts[i].n++;
}

/* A server that refuses one request may close the connection under others: the next probe
 * decides. */
static bool just_refused(const struct ty_apiserver_health *t)
{
    return t->state == REFUSED && now_ms(t) - t->refused_ms <= 2 * t->s.probe_ms;
}

void ty_apiserver_health_observe(void *ctx, const struct ty_kube_request_result *seen)
{
    struct ty_apiserver_health *t = ctx;
    ty_auto_arena *a = NULL;

    add_count(t, seen);
    if (seen->log)
        return; /* the kubelet has answered, or a lost node has not */
    if (seen->code == 401 && seen->again)
        return; /* renewed credentials may be accepted */
    if (seen->code == 401) {
        a = ty_arena_new_small(WHO_CEILING, 1024);
        snprintf(t->why, sizeof(t->why), "Unauthorized: the API server does not take %s",
                 ty_kubeconfig_identity(a, t->s.config));
        t->refused_ms = now_ms(t);
        set_unhealthy(t, REFUSED);
    } else if (seen->code == 0 && !just_refused(t)) {
        snprintf(t->why, sizeof(t->why), "%s", seen->text ? seen->text : "no answer");
        set_unhealthy(t, SILENT);
    } else if (seen->code && seen->whole &&
               !seen->watch) { /* the result of a watch was decided when it started */
        set_healthy(t);
    }
}

/* ---- public functions ---- */

struct ty_apiserver_health *ty_apiserver_health_new(const struct ty_apiserver_health_settings *s)
{
    struct ty_apiserver_health *t = ty_xalloc(calloc(1, sizeof(*t)));

    t->s = *s;
    if (t->s.probe_ms <= 0)
        t->s.probe_ms = PROBE_MS;
    t->timer = ty_xalloc(calloc(1, sizeof(*t->timer)));
    uv_timer_init(s->loop, t->timer);
    t->timer->data = t;
    return t;
}

void ty_apiserver_health_set_client(struct ty_apiserver_health *t, struct ty_kube *kube)
{
    t->kube = kube;
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_apiserver_health_free(struct ty_apiserver_health *t)
{
    if (!t)
        return;
    ty_kube_cancel(t->probe);
    uv_close((uv_handle_t *)t->timer, on_closed);
    free(t);
}

const char *ty_apiserver_health_reason(const struct ty_apiserver_health *t, struct ty_arena *a)
{
    if (t->state == WELL)
        return NULL;
    return ty_arena_strdup(a, t->why);
}

size_t ty_apiserver_health_counts(const struct ty_apiserver_health *t,
                                  const struct ty_apiserver_health_count **ret)
{
    *ret = t->counts;
    return t->n_counts;
}
