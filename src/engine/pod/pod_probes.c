/* Runs probes and hooks: a process in the pod, a TCP connection, or an HTTP request, each with its
 * timeout. The result goes to the pod's lifecycle. */
#include "engine/pod/pod_probes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pods.h"
#include "engine/pod/probe_https.h"
#include "engine/rsh.h"
#include "net/http_client.h"
#include "proc/shim.h"

#define FIRST_ID  100000u /* processes of checks; containers count from 1 */
#define REPLY_MAX 4096

struct ty_probe_run {
    struct ty_pod_runtime *pod;
    struct ty_probe_run *next;
    size_t c;
    enum ty_probe_use use;
    bool hook, done;
    const struct ty_probe *probe;
    uint32_t id;                  /* of its process, 0 none */
    int fd;                       /* its connection or the pipe of its output, -1 none */
    struct ty_probe_https *https; /* its request, or NULL */
    bool connected;
    char text[REPLY_MAX + 1];
    size_t n;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles;
};

static void probe_closed(uv_handle_t *h)
{
    struct ty_probe_run *k = h->data;

    if (--k->handles > 0)
        return;
    if (k->fd >= 0)
        close(k->fd);
    free(k);
}

static void probe_free(struct ty_probe_run *k)
{
    for (struct ty_probe_run **it = &k->pod->checks; *it; it = &(*it)->next)
        if (*it == k) {
            *it = k->next;
            break;
        }
    k->done = true;
    if (k->https)
        ty_probe_https_cancel(k->https);
    uv_close((uv_handle_t *)&k->timer, probe_closed);
    if (k->fd >= 0)
        uv_close((uv_handle_t *)&k->poll, probe_closed);
}

static void report_result(struct ty_probe_run *k, bool ok, const char *text)
{
    struct ty_pod_runtime *p = k->pod;
    int64_t now = ty_engine_now_ms(p->e);

    if (k->done)
        return;
    if (k->id)
        ty_shim_signal(p->shim, k->id, SIGKILL, true);
    if (k->hook)
        ty_pod_lifecycle_hook_result(p->run, k->c, ok, now);
    else
        ty_pod_lifecycle_probe_result(p->run, k->c, k->use, ok, text, now);
    probe_free(k);
    ty_pods_advance(p);
}

static void timed_out(uv_timer_t *t)
{
    struct ty_probe_run *k = t->data;

    if (k->probe->kind == TY_PROBE_SLEEP) {
        report_result(k, true, "");
        return;
    }
    char text[96];
    snprintf(text, sizeof(text), "no answer within %lld s", (long long)k->probe->timeout_s);
    report_result(k, false, text);
}

static void http_reply(struct ty_probe_run *k)
{
    int code = 0;
    char text[96];

    k->text[k->n] = 0;
    if (sscanf(k->text, "HTTP/%*d.%*d %3d", &code) != 1) {
        report_result(k, false, "not an HTTP reply");
        return;
    }
    snprintf(text, sizeof(text), "HTTP probe failed with statuscode: %d", code);
    report_result(k, code >= 200 && code < 400, code >= 200 && code < 400 ? "" : text);
}

static bool send_request(struct ty_probe_run *k)
{
    char req[2048];
    const struct ty_probe *p = k->probe;
    int n = snprintf(req, sizeof(req),
                     "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUser-Agent: kube-probe/trainyard\r\n"
                     "Accept: */*\r\n%sConnection: close\r\n\r\n",
                     p->http_path && p->http_path[0] ? p->http_path : "/",
                     p->host ? p->host : k->pod->address, p->port, p->headers ? p->headers : "");

    return n > 0 && (size_t)n < sizeof(req) && send(k->fd, req, (size_t)n, MSG_NOSIGNAL) == n;
}

static void on_connected(struct ty_probe_run *k);

static void on_socket(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_probe_run *k = poll->data;
    ssize_t n = 0;

    if (k->done)
        return;
    if (!k->connected) {
        on_connected(k);
        return;
    }
    n = recv(k->fd, k->text + k->n, REPLY_MAX - k->n, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0)
        k->n += (size_t)n;
    if (n <= 0 || memchr(k->text, '\n', k->n))
        http_reply(k);
}

static void on_connected(struct ty_probe_run *k)
{
    int code = 0;
    socklen_t n = sizeof(code);

    getsockopt(k->fd, SOL_SOCKET, SO_ERROR, &code, &n);
    if (code) {
        char text[160];
        snprintf(text, sizeof(text), "dial tcp %s:%d: %s", k->pod->address, k->probe->port,
                 strerrordesc_np(code));
        report_result(k, false, text);
    } else if (k->probe->kind != TY_PROBE_HTTP) {
        report_result(k, true, "");
    } else if (!send_request(k)) {
        report_result(k, false, "the request could not be sent");
    } else {
        k->connected = true;
        uv_poll_start(&k->poll, UV_READABLE, on_socket);
    }
}

/* A host that is given must be an address; the pod's own is the default. */
static int connect_to(struct ty_probe_run *k)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)k->probe->port) };
    const char *host = k->probe->host ? k->probe->host : k->pod->address;

    if (inet_pton(AF_INET, host, &addr.sin_addr) != 1 &&
        inet_pton(AF_INET, "127.0.0.1", &addr.sin_addr) != 1)
        return -EINVAL;
    k->fd = k->pod->e->o.pod_network
                ? ty_zygote_socket(k->pod->e->o.zygote)
                : socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (k->fd < 0)
        return k->pod->e->o.pod_network ? k->fd : -errno;
    uv_poll_init(k->pod->e->o.loop, &k->poll, k->fd);
    k->poll.data = k;
    k->handles++;
    if (connect(k->fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 && errno != EINPROGRESS)
        return -errno;
    uv_poll_start(&k->poll, UV_WRITABLE, on_socket);
    return 0;
}

static void https_answered(void *ctx, bool ok, const char *text)
{
    struct ty_probe_run *k = ctx;

    k->https = NULL;
    report_result(k, ok, text);
}

static void on_output(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_probe_run *k = poll->data;
    char more[1024];
    ssize_t n = read(k->fd, more, sizeof(more));

    if (n > 0 && k->n < REPLY_MAX) {
        size_t take = (size_t)n < REPLY_MAX - k->n ? (size_t)n : REPLY_MAX - k->n;
        memcpy(k->text + k->n, more, take);
        k->n += take;
    } else if (n == 0) {
        uv_poll_stop(poll);
    }
}

static int exec_in_pod(struct ty_probe_run *k)
{
    struct ty_pod_runtime *p = k->pod;
    const struct ty_container_plan *c = &p->plan.containers[k->c];
    ty_auto_arena *a = ty_arena_new(TY_PROCESS_CEILING);
    struct ty_err err = { 0 };
    int fds[2];

    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    k->fd = fds[0];
    k->id = FIRST_ID + p->e->probes.next_id++;
    struct ty_process_spec s = ty_pods_exec_start(a, p, c, k->id, k->probe->argv);
    s.out = s.err = fds[1];
    s.cgroup = ty_limits_join(p, k->c);
    uv_poll_init(p->e->o.loop, &k->poll, k->fd);
    k->poll.data = k;
    k->handles++;
    uv_poll_start(&k->poll, UV_READABLE, on_output);
    int r = ty_shim_start(p->shim, &s, &err);
    close(fds[1]);
    if (s.cgroup > 0)
        close(s.cgroup);
    return r;
}

static void start_probe(struct ty_pod_runtime *p, size_t c, const struct ty_probe *probe, bool hook,
                        enum ty_probe_use use)
{
    struct ty_probe_run *k = ty_xalloc(calloc(1, sizeof(*k)));
    int64_t limit_s = probe->timeout_s;
    const char *why = NULL;
    int r = 0;

    *k = (struct ty_probe_run){
        .pod = p, .c = c, .use = use, .hook = hook, .probe = probe, .fd = -1, .handles = 1
    };
    k->next = p->checks;
    p->checks = k;
    uv_timer_init(p->e->o.loop, &k->timer);
    k->timer.data = k;
    if (probe->kind == TY_PROBE_EXEC)
        r = exec_in_pod(k);
    else if (probe->kind == TY_PROBE_HTTP && strcmp(probe->scheme, "HTTPS") == 0)
        k->https = ty_probe_https_start(p->e, probe, p->address, https_answered, k, &why);
    else if (probe->kind != TY_PROBE_SLEEP)
        r = connect_to(k);
    if (r < 0 || why) {
        report_result(k, false, why ? why : strerrordesc_np(-r));
        return;
    }
    if (limit_s > 0 || probe->kind == TY_PROBE_SLEEP)
        uv_timer_start(&k->timer, timed_out, (uint64_t)limit_s * 1000, 0);
}

void ty_pod_probes_run(struct ty_pod_runtime *p, size_t c, enum ty_probe_use use)
{
    const struct ty_container_plan *plan = &p->plan.containers[c];
    const struct ty_probe *probe = use == TY_STARTUP_PROBE    ? plan->startup
                                   : use == TY_LIVENESS_PROBE ? plan->liveness
                                                              : plan->readiness;
    if (probe)
        start_probe(p, c, probe, false, use);
}

void ty_pod_probes_run_hook(struct ty_pod_runtime *p, size_t c, bool post_start)
{
    const struct ty_container_plan *plan = &p->plan.containers[c];
    const struct ty_probe *probe = post_start ? plan->post_start : plan->pre_stop;

    if (probe)
        start_probe(p, c, probe, true, TY_STARTUP_PROBE);
}

bool ty_pod_probes_on_shim_event(struct ty_pod_runtime *p, const struct ty_shim_event *n)
{
    struct ty_probe_run *k = p->checks;

    if (n->id < FIRST_ID || n->what == TY_SHIM_GONE)
        return false;
    while (k && k->id != n->id)
        k = k->next;
    if (!k)
        return n->id < TY_RSH_FIRST; /* it timed out before */
    if (n->what == TY_SHIM_START_FAILED) {
        k->id = 0;
        report_result(k, false, n->text);
    } else if (n->what == TY_SHIM_EXITED) {
        on_output(&k->poll, 0, 0);
        k->text[k->n] = 0;
        k->id = 0;
        report_result(k, n->wstatus == 0, k->text);
    }
    return true;
}

void ty_pod_probes_close(struct ty_pod_runtime *p)
{
    while (p->checks)
        probe_free(p->checks);
}

void ty_pod_probes_done(struct ty_pod_probes *probes)
{
    ty_http_client_free(probes->https);
}
