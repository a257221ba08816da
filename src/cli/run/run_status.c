/* The status API in front of the local engine. */
#include "cli/run/run_status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "base/base64.h"
#include "base/xalloc.h"
#include "proc/netns.h"
#include "proc/zygote.h"
#include "store/local/local.h"

#define BACKLOG 512

/* ---- who may post ---- */

/* A token is an HMAC over the TrainJob, so tokens are not stored. */
const char *ty_run_status_token(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job)
{
    struct ty_run_status *s = ctx;
    struct hmac_sha256_ctx mac;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char *text = ty_arena_alloc(a, BASE16_ENCODE_LENGTH(sizeof(digest)) + 1, 1);

    hmac_sha256_set_key(&mac, sizeof(s->key), s->key);
    hmac_sha256_update(&mac, ns.n, (const uint8_t *)ns.p);
    hmac_sha256_update(&mac, 1, (const uint8_t *)"/"); /* cannot be part of a namespace */
    hmac_sha256_update(&mac, job.n, (const uint8_t *)job.p);
    hmac_sha256_digest(&mac, sizeof(digest), digest);
    base16_encode_update(text, sizeof(digest), digest);
    return text;
}

static void authorize_request(void *ctx, struct ty_status_call *c)
{
    struct ty_str want = ty_str(ty_run_status_token(ctx, c->arena, c->ns, c->name));

    ty_status_authorized(c, want.n == c->token.n && memeql_sec(want.p, c->token.p, want.n));
}

static void apply_status(void *ctx, struct ty_status_call *c)
{
    struct ty_run_status *s = ctx;
    const struct ty_stored *job =
        ty_local_find(ty_engine_store(s->engine), &ty_kind_trainjob, c->ns, c->name);
    const char *refusal = ty_status_refusal(c->arena, c->name, c->trainer_status);

    if (!job)
        ty_status_applied(c, 404, NULL);
    else if (refusal)
        ty_status_applied(c, 422, refusal);
    else {
        ty_engine_progress(s->engine, job->ns, job->name, c->trainer_status);
        ty_status_applied(c, 200, NULL);
    }
}

/* ---- the server, when the first one comes ---- */

static void handle_request(void *ctx, struct ty_http_request *q)
{
    struct ty_run_status *s = ctx;
    ty_status_handle(&s->api, q);
}

static void free_handle(uv_handle_t *h)
{
    free(h);
}

static void stop_waiting(struct ty_run_status *s)
{
    if (s->poll)
        uv_close((uv_handle_t *)s->poll, free_handle);
    s->poll = NULL;
}

static void on_first(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_run_status *s = poll->data;
    const struct ty_http_server_tls tls = { 0 };
    struct ty_http_server_opts o = { .loop = s->loop,
                                     .fd = s->fd,
                                     .tls = &tls,
                                     .body_bytes = TY_STATUS_BODY_MAX,
                                     .handle = handle_request,
                                     .ctx = s };
    struct ty_err err = { 0 };

    stop_waiting(s);
    s->fd = -1; /* owned by the server now, or closed */
    int r = ty_http_server_new(&o, &s->server, &err);
    if (r == 0)
        r = ty_http_server_set_cert(s->server, &s->tls.pem, &err);
    if (r < 0)
        ty_cli_msg(s->cli, TY_MSG_WARNING, "the status API cannot begin, progress is not taken: %s",
                   err.text);
}

/* ---- begin and end ---- */

/* On the loopback address that pods share with us, or in their own network, at the address that we
 * have there. */
static int listen_here(struct ty_run_status *s, const struct ty_engine_opts *opts,
                       struct ty_err *err)
{
    const char *host = opts->pod_network ? TY_NETNS_GATEWAY : "127.0.0.1";
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof(at);

    inet_pton(AF_INET, host, &at.sin_addr);
    s->fd = opts->pod_network ? ty_zygote_socket(opts->zygote)
                              : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0) {
        int error = opts->pod_network ? -s->fd : errno;
        return ty_fail(err, -error, "no socket on %s: %s", host, strerrordesc_np(error));
    }
    if (bind(s->fd, (struct sockaddr *)&at, n) < 0 || listen(s->fd, BACKLOG) < 0 ||
        getsockname(s->fd, (struct sockaddr *)&at, &n) < 0)
        return ty_fail(err, -errno, "no socket on %s: %s", host, strerrordesc_np(errno));
    s->port = ntohs(at.sin_port);
    s->poll = ty_xalloc(calloc(1, sizeof(*s->poll)));
    uv_poll_init(s->loop, s->poll, s->fd);
    s->poll->data = s;
    uv_poll_start(s->poll, UV_READABLE, on_first);
    return 0;
}

/* The Secret from which the plugin copies the CA, as in the operator's namespace. */
static struct ty_json *trust_secret(struct ty_arena *a, const struct ty_settings *s,
                                    struct ty_str ca)
{
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_object(a), *data = ty_json_object(a);

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "Secret"));
    ty_json_set(a, meta, "name", ty_json_cstr(a, s->webhook_secret));
    ty_json_set(a, meta, "namespace", ty_json_cstr(a, s->operator_ns));
    ty_json_set(a, obj, "metadata", meta);
    ty_json_set(a, data, "ca.crt", ty_json_str(a, ty_base64_encode(a, ca)));
    ty_json_set(a, obj, "data", data);
    return obj;
}

static bool is_on(const struct ty_session *session, const struct ty_engine_opts *opts)
{
    const struct ty_pipeline *p = &session->pipeline;

    if (session->status_off || !opts->host.mounts) /* its files could not be mounted in a pod */
        return false;
    for (size_t i = 0; i < p->n_on; i++)
        if (strcasecmp(p->on[i]->name, "TrainJobStatus") == 0)
            return true;
    return false;
}

void ty_run_status_begin(struct ty_run_status *s, struct ty_session *session, uv_loop_t *loop,
                         const char *folder, struct ty_engine_opts *opts)
{
    struct ty_arena *a = session->cli->arena;
    struct ty_err err = { 0 };

    *s = (struct ty_run_status){ .cli = session->cli, .loop = loop, .fd = -1 };
    if (!is_on(session, opts))
        return;
    s->settings = session->settings;
    s->settings.webhook_service = ty_settings_default.webhook_service;
    s->settings.operator_ns = ty_settings_default.operator_ns;
    s->settings.webhook_secret = "trainyard-status-tls"; /* the input has no Secret of that name */
    s->api =
        (struct ty_status_api){ .ctx = s, .authorize = authorize_request, .apply = apply_status };
    const char *names[] = { ty_arena_printf(a, "%s.%s.svc", s->settings.webhook_service,
                                            s->settings.operator_ns),
                            "localhost", "127.0.0.1", NULL };
    int r = getrandom(s->key, sizeof(s->key), 0) == (ssize_t)sizeof(s->key) ? 0 : -EIO;
    if (r == 0)
        r = ty_run_tls_get(a, folder, names, session->cli->now_s, &s->tls, &err);
    if (r == 0)
        r = listen_here(s, opts, &err);
    if (r < 0) {
        ty_cli_msg(s->cli, TY_MSG_WARNING, "jobs of this run cannot report progress: %s", err.text);
        ty_run_status_end(s);
        return;
    }
    s->settings.status_gate = true;
    s->settings.status_port = s->port;
    s->secret = trust_secret(a, &s->settings, s->tls.ca);
    opts->settings = &s->settings;
    opts->token = ty_run_status_token;
    opts->token_ctx = s;
}

void ty_run_status_end(struct ty_run_status *s)
{
    stop_waiting(s);
    ty_http_server_free(s->server);
    s->server = NULL;
    if (s->cli && s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}
