/* Reviews in a second: the validating webhook for a torch TrainJob, over TLS on loopback,
 * keep-alive, 8 connections with one request each. The client is a separate process; only CPU time
 * of the server is counted, which does not depend on the client or the load of the machine. */
#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "serve/respond.h"
#include "serve/webhook.h"

#define CONNECTIONS 8
#define REQUESTS    24000
#define TARGET      15300 /* three times v2.3.0's */

static const char runtime_text[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"ClusterTrainingRuntime\","
    "\"metadata\":{\"name\":\"torch-distributed\"},\"spec\":{\"mlPolicy\":{\"numNodes\":1,"
    "\"torch\":{}},\"template\":{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"groupName\":"
    "\"default\",\"replicas\":1,\"template\":{\"metadata\":{\"labels\":{\"trainer.kubeflow.org/"
    "trainjob-ancestor-step\":\"trainer\"}},\"spec\":{\"template\":{\"spec\":{\"containers\":[{"
    "\"name\":\"node\",\"image\":\"pytorch/pytorch:2.9.1\"}]}}}}}]}}}}";
static const char review_text[] =
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":"
    "\"705ab4f5-6393-11e8-b7cc-42010a800002\",\"kind\":{\"group\":\"trainer.kubeflow.org\","
    "\"version\":\"v1alpha1\",\"kind\":\"TrainJob\"},\"operation\":\"CREATE\",\"object\":{"
    "\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{\"name\":"
    "\"resnet\",\"namespace\":\"team-a\"},\"spec\":{\"runtimeRef\":{\"apiGroup\":"
    "\"trainer.kubeflow.org\",\"kind\":\"ClusterTrainingRuntime\",\"name\":\"torch-distributed\"},"
    "\"suspend\":false,\"trainer\":{\"image\":\"registry.example/resnet:7\",\"args\":["
    "\"--epochs=90\"],\"numNodes\":8,\"env\":[{\"name\":\"LR\",\"value\":\"0.1\"}],"
    "\"resourcesPerNode\":{\"limits\":{\"nvidia.com/gpu\":8}}}}},\"oldObject\":null}}";

/* ---- the client ---- */

struct client {
    gnutls_certificate_credentials_t cred;
    gnutls_session_t sessions[CONNECTIONS];
};

static bool client_open(struct client *c, int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr = { htonl(INADDR_LOOPBACK) },
                              .sin_port = htons((uint16_t)port) };
    int r = 0;

    gnutls_certificate_allocate_credentials(&c->cred);
    for (size_t i = 0; i < CONNECTIONS && r >= 0; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        gnutls_transport_ptr_t both = (gnutls_transport_ptr_t)(intptr_t)fd;
        gnutls_init(&c->sessions[i], GNUTLS_CLIENT);
        gnutls_set_default_priority(c->sessions[i]);
        gnutls_credentials_set(c->sessions[i], GNUTLS_CRD_CERTIFICATE, c->cred);
        gnutls_transport_set_ptr2(c->sessions[i], both, both);
        r = connect(fd, (struct sockaddr *)&at, sizeof(at));
        do
            r = r < 0 && r != GNUTLS_E_AGAIN ? r : gnutls_handshake(c->sessions[i]);
        while (r == GNUTLS_E_AGAIN);
    }
    return r >= 0;
}

/* Reads one response; false unless it allows the object. */
static bool client_read(gnutls_session_t session)
{
    char text[8192];
    size_t n = 0;

    while (n < sizeof(text) - 1) {
        ssize_t got = gnutls_record_recv(session, text + n, sizeof(text) - 1 - n);
        if (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)
            continue; /* a session ticket */
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = 0;
        if (text[n - 1] == '\n' && strstr(text, "\"allowed\":true"))
            return true;
    }
    return false;
}

static int client_run(int port)
{
    struct client c = { 0 };
    char request[4096];
    int n =
        snprintf(request, sizeof(request),
                 "POST /validate-trainer-kubeflow-org-v1alpha1-trainjob?timeout=10s HTTP/1.1\r\n"
                 "Host: webhook\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 strlen(review_text), review_text);

    if (!client_open(&c, port))
        return 1;
    for (size_t i = 0; i < REQUESTS / CONNECTIONS; i++) {
        for (size_t k = 0; k < CONNECTIONS; k++)
            if (gnutls_record_send(c.sessions[k], request, (size_t)n) != n)
                return 1;
        for (size_t k = 0; k < CONNECTIONS; k++)
            if (!client_read(c.sessions[k]))
                return 1;
    }
    return 0;
}

/* ---- the server ---- */

struct bench {
    uv_loop_t loop;
    struct ty_webhook hooks;
    const struct ty_json *runtime;
    struct ty_http_server *server;
    uv_timer_t timer;
    pid_t client;
    size_t n;
    int status;
};

static const struct ty_json *get_object(void *ctx, const struct ty_kind *kind,
                                        struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    const struct bench *b = ctx;
    return kind == &ty_kind_clustertrainingruntime ? b->runtime : NULL;
}

static int64_t now(void *ctx TY_UNUSED)
{
    return (int64_t)time(NULL);
}

static void on_request(void *ctx, struct ty_http_request *q)
{
    struct bench *b = ctx;

    struct ty_json *answer = NULL;
    int code = ty_webhook_review(&b->hooks, q->arena, q->path, q->body, &answer);

    b->n++;
    ty_respond_json(q, code, answer);
}

static void on_timer(uv_timer_t *t)
{
    struct bench *b = t->data;

    if (waitpid(b->client, &b->status, WNOHANG) != b->client)
        return;
    uv_close((uv_handle_t *)t, NULL);
    ty_http_server_free(b->server);
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int start_server(struct bench *b, struct ty_arena *a, struct ty_err *err)
{
    static const char *const names[] = { "localhost", NULL };
    const struct ty_http_server_tls tls = { 0 };
    struct ty_http_server_opts o = {
        .loop = &b->loop, .address = "127.0.0.1", .tls = &tls, .handle = on_request, .ctx = b
    };
    struct ty_certs_request ask = {
        .name = "localhost", .names = names, .from_s = 0, .until_s = 4000000000
    };
    struct ty_pem pem;
    int r = ty_certs_ca(a, &ask, &pem, err);
    if (r == 0)
        r = ty_http_server_new(&o, &b->server, err);
    if (r == 0)
        r = ty_http_server_set_cert(b->server, &pem, err);
    return r;
}

int main(void)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct bench b = { 0 };
    struct ty_pipeline pipeline;
    struct ty_view view = { .ctx = &b, .get = get_object };
    struct ty_err err = { 0 };

    b.runtime = ty_json_parse(a, ty_str(runtime_text), NULL, &err);
    b.hooks = (struct ty_webhook){
        .pipeline = &pipeline, .settings = &ty_settings_default, .view = &view, .now_s = now
    };
    uv_loop_init(&b.loop);
    if (!b.runtime || ty_pipeline_init(&pipeline, NULL, NULL, NULL, &err) < 0 ||
        start_server(&b, a, &err) < 0) {
        fprintf(stderr, "webhook: %s\n", err.text);
        return 1;
    }
    b.client = fork();
    if (b.client == 0)
        _exit(client_run(ty_http_server_port(b.server)));
    uv_timer_init(&b.loop, &b.timer);
    b.timer.data = &b;
    uv_timer_start(&b.timer, on_timer, 10, 10);
    double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = clock_seconds(CLOCK_MONOTONIC);
    uv_run(&b.loop, UV_RUN_DEFAULT);
    cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = clock_seconds(CLOCK_MONOTONIC) - wall;
    uv_loop_close(&b.loop);
    if (b.status != 0 || b.n != REQUESTS) {
        fprintf(stderr, "webhook: the client did not get its answers\n");
        return 1;
    }
    printf("validating webhook, TLS, keep-alive: %.0f reviews/s of one core (target %d), %.0f/s by "
           "the clock, "
           "the client on the same machine\n",
           (double)b.n / cpu, TARGET, (double)b.n / wall);
    return 0;
}
