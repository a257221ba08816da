/* The operator from its start to its end. operator_start.c starts the parts and connects them,
 * operator_signals.c shuts down and reads the configuration again. */
#include "operator/operator.h"

#include <stdlib.h>

#include "operator/operator_inner.h"
#include "proc/memory.h"

/* Reserved of a memory limit: what the program itself takes, measured (libraries, TLS, sockets,
 * fragmentation of the heap), and what is allocated before a full budget is noticed. */
#define RESERVE_BYTES ((size_t)32 << 20)
#define BUDGET_BYTES                                                                               \
    ((size_t)512 << 20) /* without a memory limit: still bounds what input can use */

/* Closes our own handles first, so that none of our callbacks runs while the parts are freed. The
 * parts close their own. */
static void free_all(struct ty_operator *o)
{
    uv_handle_t *const own[] = { (uv_handle_t *)&o->sigterm, (uv_handle_t *)&o->sigint,
                                 (uv_handle_t *)&o->sighup, (uv_handle_t *)&o->shutdown_timer,
                                 (uv_handle_t *)&o->trim };

    for (size_t i = 0; i < TY_COUNT(own); i++)
        uv_close(own[i], NULL);
    o->leading =
        false; /* the client calls the fence until it is freed, and the lease is freed first */
    ty_servers_free(o->servers);
    ty_lease_client_free(o->lease);
    ty_webhook_cert_manager_free(o->certs);
    ty_failure_watch_free(o->failures);
    o->failures = NULL;
    ty_trainjob_controller_free(o->controller);
    ty_events_free(o->events);
    ty_apiserver_health_free(o->apiserver_health);
    ty_kube_free(o->status_kube);
    ty_kube_free(o->review_kube);
    ty_kube_free(o->kube);
    uv_run(&o->loop, UV_RUN_DEFAULT);
    uv_loop_close(&o->loop);
    free(o->ca);
    ty_arena_free(o->reload_arena);
    ty_arena_free(o->arena);
}

static void set_budget(struct ty_operator *o)
{
    struct ty_memory_limit limit;

    ty_memory_limit("/proc/self", "/sys/fs/cgroup", &limit);
    ty_memory_return_large();
    size_t most = limit.bytes > 2 * RESERVE_BYTES ? limit.bytes - RESERVE_BYTES : limit.bytes / 2;
    o->budget.ceiling = limit.bytes && most < BUDGET_BYTES ? most : BUDGET_BYTES;
    ty_info(o->s->log, "memory budget for objects and requests", TY_I("bytes", o->budget.ceiling),
            TY_I("limit", limit.bytes),
            TY_S("from", limit.from[0] ? limit.from : "no limit found"));
}

int ty_operator_run(const struct ty_operator_settings *s)
{
    struct ty_operator o = { .s = s, .config = *s->config, .settings = s->config->settings };
    struct ty_err err = { 0 };

    o.settings.operator_ns = s->ns;
    o.arena = ty_arena_new((size_t)64 << 20);
    uv_loop_init(&o.loop);
    ty_info(s->log, "starting", TY_S("version", s->version), TY_S("server", s->kubeconfig->server),
            TY_S("namespace", s->ns));
    set_budget(&o);
    if (ty_operator_start(&o, &err) < 0) {
        ty_error(s->log, err.text, "cannot start", TY_S("version", s->version));
        o.code = 1;
    } else {
        uv_run(&o.loop, UV_RUN_DEFAULT);
    }
    free_all(&o);
    ty_info(s->log, "stopped", TY_I("code", o.code));
    return o.code;
}
