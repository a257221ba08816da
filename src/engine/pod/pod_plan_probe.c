/* Probes and lifecycle handlers, with their defaults filled in. */
#include "engine/pod/pod_plan_probe.h"

#include <errno.h>

#include "engine/pod/env_expand.h"
#include "engine/pod/pod_env.h"
#include "engine/pod/pod_env_net.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"

/* A number, or the name of one of the container's ports. */
static int read_port(const struct ty_pod_ctx *x, const struct ty_json *container,
                     const struct ty_json *port, int *ret, struct ty_err *err)
{
    struct ty_str name = ty_json_as_str(port);
    int64_t v = 0;

    if (ty_json_is(port, TY_JSON_INT))
        v = port->i;
    else if (name.n && !ty_str_parse_i64(name, &v))
        (void)ty_json_int_at(ty_json_find_item(ty_json_get(container, "ports"), "name", name, NULL),
                             "containerPort", &v);
    if (v < 1 || v > 65535)
        return ty_fail(err, -EINVAL, "couldn't find port: %.*s", TY_ARG(name));
    *ret = ty_pod_net_port(x, (int)v);
    return 0;
}

/* Commands see only the literal values of `env`: what the kubelet does too. */
static const char **read_command(const struct ty_pod_ctx *x, const struct ty_json *container,
                                 const struct ty_json *command)
{
    const char **env = ty_pod_env_literal(x->scratch, container);
    const char **argv = ty_new_n(x->a, const char *, ty_json_len(command) + 1);
    struct ty_str before = TY_LIT("");
    size_t n = 0;

    ty_each_item (it, command) {
        if (!ty_pod_plan_has_room(x))
            return argv;
        struct ty_str text =
            ty_str(ty_env_expand(x->scratch, ty_json_as_str(*it), (const char *const *)env));
        argv[n] = ty_arena_cstr(x->a, ty_pod_net_text(x, before, text));
        before = ty_str(ty_arena_printf(x->scratch, "%s ", argv[n++]));
    }
    return argv;
}

static const char *read_headers(const struct ty_pod_ctx *x, const struct ty_json *list)
{
    ty_auto_buf out = { 0 };

    ty_each_item (h, list) {
        struct ty_str name = ty_json_str_at(*h, "name"), value = ty_json_str_at(*h, "value");
        ty_buf_printf(&out, "%.*s: %.*s\r\n", TY_ARG(name), TY_ARG(value));
    }
    return out.n ? ty_arena_cstr(x->a, ty_buf_str(&out)) : NULL;
}

static int read_http(const struct ty_pod_ctx *x, const struct ty_json *container,
                     const struct ty_json *get, struct ty_probe *p, struct ty_err *err)
{
    struct ty_str path = ty_json_str_at(get, "path"), scheme = ty_json_str_at(get, "scheme");

    p->kind = TY_PROBE_HTTP;
    p->http_path =
        path.n ? ty_arena_printf(x->a, "%s%.*s", path.p[0] == '/' ? "" : "/", TY_ARG(path)) : "/";
    p->scheme = ty_str_is(scheme, "HTTPS") ? "HTTPS" : "HTTP";
    p->headers = read_headers(x, ty_json_get(get, "httpHeaders"));
    return read_port(x, container, ty_json_get(get, "port"), &p->port, err);
}

static int read_handler(const struct ty_pod_ctx *x, const struct ty_json *container,
                        const struct ty_json *spec, struct ty_probe *p, struct ty_err *err)
{
    const struct ty_json *h = ty_json_get(spec, "exec");
    struct ty_str host;

    if (h) {
        p->kind = TY_PROBE_EXEC;
        p->argv = read_command(x, container, ty_json_get(h, "command"));
        return p->argv[0] ? 0 : ty_fail(err, -EINVAL, "exec without a command");
    }
    h = ty_json_get(spec, "sleep");
    if (h) {
        p->kind = TY_PROBE_SLEEP;
        (void)ty_json_int_at(h, "seconds", &p->timeout_s);
        return 0;
    }
    h = ty_json_get(spec, "httpGet");
    if (!h)
        h = ty_json_get(spec, "tcpSocket");
    host = ty_json_str_at(h, "host");
    p->host = host.n ? ty_arena_cstr(x->a, ty_pod_net_text(x, TY_LIT(""), host)) : NULL;
    if (ty_json_get(spec, "httpGet"))
        return read_http(x, container, h, p, err);
    p->kind = h ? TY_PROBE_TCP : TY_PROBE_GRPC;
    if (!h)
        h = ty_json_get(spec, "grpc");
    if (!h)
        return ty_fail(err, -EINVAL, "no exec, httpGet, tcpSocket, grpc or sleep");
    return read_port(x, container, ty_json_get(h, "port"), &p->port, err);
}

/* 0 means "not said", as everywhere in this part of the API. */
static int64_t positive_or(const struct ty_json *spec, const char *key, int64_t otherwise)
{
    int64_t v = 0;
    return ty_json_int_at(spec, key, &v) && v > 0 ? v : otherwise;
}

int ty_pod_probe(struct ty_pod_ctx *x, const struct ty_json *container, const struct ty_json *spec,
                 const struct ty_probe **ret, struct ty_err *err)
{
    struct ty_probe *p;
    int r;

    *ret = NULL;
    if (!ty_json_len(spec))
        return 0;
    p = ty_new(x->a, struct ty_probe);
    p->initial_delay_s = positive_or(spec, "initialDelaySeconds", 0);
    p->period_s = positive_or(spec, "periodSeconds", 10);
    p->timeout_s = positive_or(spec, "timeoutSeconds", 1);
    p->success = positive_or(spec, "successThreshold", 1);
    p->failure = positive_or(spec, "failureThreshold", 3);
    p->grace_s = positive_or(spec, "terminationGracePeriodSeconds", -1);
    r = read_handler(x, container, spec, p, err);
    if (r == 0)
        *ret = p;
    return r;
}
