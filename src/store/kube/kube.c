/* The client: its connections, its credentials, and its operations (kube_op.c). */
#include "store/kube/kube_inner.h"

#include "base/xalloc.h"

#define CONNECT_MS 10000
#define WRITERS    8                  /* connections; opened on demand and kept open */
#define TREE_BYTES ((size_t)64 << 20) /* of one response, with a budget */
#define MOST_BYTES ((size_t)1 << 30)  /* without a budget */

static struct ty_http_client_settings connection_settings(const struct ty_kube *k)
{
    return (struct ty_http_client_settings){
        .loop = k->set.loop,
        .agent = k->set.agent,
        .connect_ms = CONNECT_MS < k->set.timeout_ms ? CONNECT_MS : k->set.timeout_ms,
        .dead_ms = k->set.dead_ms,
        .h2 = !k->set.http1,
        .http1 = k->set.http1,
    };
}

int ty_kube_open_logs(struct ty_kube *k, struct ty_err *err)
{
    struct ty_http_client_settings s = connection_settings(k);
    return k->logs ? 0 : ty_http_client_new(&k->logs, &s, err);
}

static int open_connections(struct ty_kube *k, struct ty_err *err)
{
    struct ty_http_client_settings s = connection_settings(k);
    int r = ty_http_client_new(&k->reads, &s, err);
    /* Through a proxy: if an API server refuses a request without reading its body (401, 403, 429),
     * libcurl 7.88 loses the response body over HTTP/2, but not over HTTP/1.1. */
    s.http1 = true;
    s.connections = WRITERS;
    if (r == 0)
        r = ty_http_client_new(&k->writes, &s, err);
    s.fence = k->set.fence;
    if (r == 0 && s.fence.open)
        r = ty_http_client_new(&k->fenced, &s, err);
    return r;
}

int ty_kube_new(struct ty_kube **ret, const struct ty_kube_settings *s, struct ty_err *err)
{
    struct ty_kube *k = ty_xalloc(calloc(1, sizeof(*k)));
    k->set = *s;
    if (k->set.timeout_ms == 0)
        k->set.timeout_ms = TY_KUBE_TIMEOUT_MS;
    if (k->set.idle_ms == 0)
        k->set.idle_ms = TY_KUBE_IDLE_MS;
    if (k->set.dead_ms == 0)
        k->set.dead_ms = TY_KUBE_DEAD_MS;
    uv_update_time(s->loop); /* the loop may not have run for long */
    k->random = ty_kube_random_seed();
    k->a = ty_arena_new_input(s->budget ? TREE_BYTES : MOST_BYTES, s->budget);
    k->sent = ty_arena_new_small((size_t)16 << 20, 4096);
    k->timer = ty_xalloc(calloc(1, sizeof(*k->timer)));
    uv_timer_init(s->loop, k->timer);
    k->timer->data = k;
    ty_kube_limiter_init(&k->limiter, s->qps, s->burst, ty_kube_now(k));
    int r = ty_kube_auth_new(&k->auth, s, ty_kube_on_auth, k, err);
    if (r == 0)
        r = open_connections(k, err);
    if (r < 0) {
        ty_kube_free(k);
        return r;
    }
    *ret = k;
    return 0;
}

static void on_timer_closed(uv_handle_t *h)
{
    free(h);
}

void ty_kube_free(struct ty_kube *k)
{
    if (!k)
        return;
    for (struct ty_kube_op *op = k->ops, *next; op; op = next) {
        next = op->next;
        ty_kube_cancel(op);
    }
    ty_http_client_free(k->reads);
    ty_http_client_free(k->writes);
    ty_http_client_free(k->fenced);
    ty_http_client_free(k->logs);
    ty_kube_auth_free(k->auth);
    uv_close((uv_handle_t *)k->timer, on_timer_closed);
    ty_arena_free(k->a);
    ty_arena_free(k->sent);
    free(k);
}

const struct ty_kubeconfig *ty_kube_config(const struct ty_kube *k)
{
    return k->set.config;
}

struct ty_budget *ty_kube_budget(const struct ty_kube *k)
{
    return k->set.budget;
}

bool ty_kube_is_prompting(const struct ty_kube *k)
{
    return ty_kube_auth_is_patient(k->auth);
}

uint64_t ty_kube_requests(const struct ty_kube *k)
{
    return k->requests;
}
