/* The operator as a process: start, signals and shutdown, without an API server, or with one that
 * never answers. With a real one: tests/operator. */
#include "base/tree_testing.h"
#include "base/wait_testing.h"
#include "net/http_server_testing.h"
#include "operator/operator.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CODES 40 /* added to its exit code, see start */

struct fixture {
    char dir[64], file[96], url[64];
    struct ty_kubeconfig kubeconfig;
    struct ty_arena *a;
    const char *gates;
    int webhook, held; /* ports: that of the webhook; a socket that listens and never answers */
    int log;
    pid_t pid;
    struct ty_talk talk;
    char text[65536]; /* of the log */
};

/* ---- the configuration ---- */

static void write_config(struct fixture *f, const char *more)
{
    FILE *out = fopen(f->file, "we");

    assert_non_null(out);
    fprintf(out,
            "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"
            "webhook: {host: 127.0.0.1, port: %d, certDir: %s}\n%s",
            f->webhook, f->dir, more);
    assert_int_equal(fclose(out), 0);
}

#define HEALTH "health: {healthProbeBindAddress: '127.0.0.1:0'}\n"
#define QUIET  HEALTH "metrics: {bindAddress: '127.0.0.1:0'}\n" /* ports that are free */

static void set_server(struct fixture *f, int port)
{
    snprintf(f->url, sizeof(f->url), "https://127.0.0.1:%d", port);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    snprintf(f->dir, sizeof(f->dir), "%s", "/tmp/trainyard-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->file, sizeof(f->file), "%s/config.yaml", f->dir);
    f->a = ty_arena_new(1 << 24);
    f->webhook = port_free();
    f->held = -1;
    f->log = memfd_create("log", MFD_CLOEXEC);
    f->kubeconfig = (struct ty_kubeconfig){ .context = "", .ns = "default", .server = f->url };
    set_server(f, port_free()); /* nothing listens there */
    write_config(f, QUIET);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    if (f->pid > 0) { /* a test that failed */
        kill(f->pid, SIGKILL);
        waitpid(f->pid, NULL, 0);
    }
    if (f->held >= 0)
        close(f->held);
    close(f->log);
    ty_arena_free(f->a);
    tree_remove(f->dir);
    free(f);
    return 0;
}

/* ---- the process ---- */

/* What src/cli/cmd_operator.c does. */
static int run(const struct fixture *f)
{
    struct ty_log_settings settings = ty_log_default;
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_pipeline pipeline;
    struct ty_config config;
    struct ty_err err = { 0 };

    settings.fd = f->log;
    if (ty_config_read(a, f->file, f->gates, &config, &err) < 0 ||
        ty_pipeline_init(&pipeline, NULL, NULL, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 9;
    }
    struct ty_log log = { ty_log_open(&settings), NULL };
    int code = ty_operator_run(&(struct ty_operator_settings){ .config = &config,
                                                               .file = f->file,
                                                               .gates = f->gates,
                                                               .kubeconfig = &f->kubeconfig,
                                                               .pipeline = &pipeline,
                                                               .log = &log,
                                                               .ns = "kubeflow-system",
                                                               .version = "1.2.3" });
    ty_log_close(log.out);
    return code;
}

/* It ends with exit(), not _exit(), so that the sanitizers report leaks, with an exit code of their
 * own. */
static void start(struct fixture *f)
{
    fflush(NULL);
    f->pid = fork();
    assert_true(f->pid >= 0);
    if (f->pid > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    exit(CODES + run(f));
}

/* The log so far; valid until the next call. */
static const char *log_of(struct fixture *f)
{
    ssize_t n = pread(f->log, f->text, sizeof(f->text) - 1, 0);

    f->text[n > 0 ? n : 0] = '\0';
    return f->text;
}

static bool ended(struct fixture *f, int *ret_status)
{
    if (waitpid(f->pid, ret_status, WNOHANG) != f->pid)
        return false;
    f->pid = 0;
    return true;
}

/* Its exit code. */
static int end(struct fixture *f)
{
    int status = 0, waited = 0;

    while (!ended(f, &status))
        if (!wait_a_moment(&waited))
            fail_msg("still there; it said: %s", log_of(f));
    if (!WIFEXITED(status))
        fail_msg("ended by signal %d; it said: %s", WTERMSIG(status), log_of(f));
    return WEXITSTATUS(status) - CODES;
}

/* Waits until the log contains it; returns what follows. */
static const char *said(struct fixture *f, const char *words)
{
    const char *at;
    int waited = 0;

    while (!(at = strstr(log_of(f), words)))
        if (!wait_a_moment(&waited))
            fail_msg("it never said '%s', but: %s", words, log_of(f));
    return at + strlen(words);
}

static int signalled(struct fixture *f, int sig)
{
    assert_int_equal(kill(f->pid, sig), 0);
    return end(f);
}

static void started(struct fixture *f)
{
    start(f);
    said(f, "\"what\":\"metrics.bindAddress\""); /* the last port */
}

/* The answer of the health port, whose number is read from the log. */
static const char *health(struct fixture *f, const char *path)
{
    const char *at = said(f, "\"what\":\"health.healthProbeBindAddress\",\"port\":");
    int64_t port = 0;
    struct ty_str digits;

    ty_str_cut(ty_str(at), ',', &digits);
    assert_true(ty_str_parse_i64(digits, &port));
    memset(&f->talk, 0, sizeof(f->talk));
    f->talk.port = (int)port;
    f->talk.send =
        ty_arena_printf(f->a, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
    talk_run(&f->talk);
    return f->talk.got;
}

/* ---- starts that fail ---- */

/* One line names the field and the address; every open port is closed. */
static void refuses(struct fixture *f, const char *more, const char *field, const char *words)
{
    write_config(f, more);
    assert_int_equal(ftruncate(f->log, 0), 0);
    assert_int_equal(lseek(f->log, 0, SEEK_SET), 0);
    start(f);
    assert_int_equal(end(f), 1);
    const char *text = said(f, "\"msg\":\"cannot start\"");
    assert_has(text, field);
    assert_has(text, words);
    assert_null(strstr(text, "\"level\":\"error\""));
    assert_has(text, "\"msg\":\"stopped\",\"code\":1}");
}

static void test_ports_in_use(void **state)
{
    struct fixture *f = *state;
    int port = 0;

    f->held = port_take(64, &port);
    const char *number = ty_arena_printf(f->a, " port %d: ", port);
    refuses(f, ty_arena_printf(f->a, "health: {healthProbeBindAddress: '127.0.0.1:%d'}\n", port),
            "health.healthProbeBindAddress: ", number);
    refuses(f, ty_arena_printf(f->a, HEALTH "metrics: {bindAddress: '127.0.0.1:%d'}\n", port),
            "metrics.bindAddress: ", number);
    f->webhook = port;
    refuses(f, QUIET, "webhook.port: ", "in use");
}

/* The status API's port comes last, and with it a client of its own. */
static void test_status_port_in_use(void **state)
{
    struct fixture *f = *state;
    struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
    socklen_t n = sizeof(any);

    f->held = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(f->held, (struct sockaddr *)&any, n), 0);
    assert_int_equal(listen(f->held, 1), 0);
    assert_int_equal(getsockname(f->held, (struct sockaddr *)&any, &n), 0);
    f->gates = "TrainJobStatus=true";
    refuses(f, ty_arena_printf(f->a, QUIET "statusServer: {port: %d}\n", ntohs(any.sin6_port)),
            "statusServer.port: ", "in use");
}

/* ---- shutdown ---- */

/* No API server: the operator is alive, not ready, and shuts down in order. */
static void test_sigterm_without_a_server(void **state)
{
    struct fixture *f = *state;

    started(f);
    assert_has(health(f, "/healthz"), "HTTP/1.1 200 ");
    assert_has(health(f, "/readyz"), "HTTP/1.1 500 ");
    said(f, "\"msg\":\"cannot watch\"");
    assert_int_equal(signalled(f, SIGTERM), 0);
    assert_has(said(f, "\"msg\":\"shutting down\",\"signal\":\"SIGTERM\""),
               "\"msg\":\"stopped\",\"code\":0}");
}

/* The status API's client is there, too; and the other signal. */
static void test_sigint_with_the_status_api(void **state)
{
    struct fixture *f = *state;

    f->gates = "TrainJobStatus=true";
    write_config(f, ty_arena_printf(f->a, QUIET "statusServer: {port: %d}\n", port_free()));
    started(f);
    said(f, "\"what\":\"statusServer.port\"");
    assert_int_equal(signalled(f, SIGINT), 0);
    said(f, "\"msg\":\"shutting down\",\"signal\":\"SIGINT\"");
}

/* The server accepts connections and never answers: all requests are in flight, including that for
 * the Lease. */
static void silent_server(struct fixture *f)
{
    int port = 0;

    f->held = port_take(64, &port);
    set_server(f, port);
    write_config(f, QUIET "leaderElection: {leaderElect: true, leaseDuration: 4s, "
                          "renewDeadline: 2s, retryPeriod: 1s}\n");
}

static void test_sigterm_with_a_silent_server(void **state)
{
    struct fixture *f = *state;

    silent_server(f);
    started(f);
    said(f, "\"msg\":\"cannot read the lease\"");
    assert_null(strstr(log_of(f), "this process leads"));
    assert_int_equal(signalled(f, SIGTERM), 0);
    said(f, "\"msg\":\"stopped\",\"code\":0}");
}

/* The second signal exits at once. */
static void test_sigterm_twice(void **state)
{
    struct fixture *f = *state;

    silent_server(f);
    started(f);
    assert_int_equal(kill(f->pid, SIGTERM), 0);
    said(f, "\"msg\":\"shutting down\"");
    assert_int_equal(signalled(f, SIGTERM), 0);
}

/* ---- SIGHUP ---- */

#define NAMED                                                                                      \
    "health: {healthProbeBindAddress: '127.0.0.1:0', livenessEndpointName: alive}\n"               \
    "metrics: {bindAddress: '127.0.0.1:0'}\n"

static void hang_up(struct fixture *f, const char *more, const char *words)
{
    write_config(f, more);
    assert_int_equal(kill(f->pid, SIGHUP), 0);
    said(f, words);
}

static void test_sighup(void **state)
{
    struct fixture *f = *state;

    started(f);
    assert_has(health(f, "/alive"), "HTTP/1.1 404 ");
    hang_up(f, QUIET, "\"msg\":\"configuration reloaded: no change\"");
    hang_up(f, QUIET "healht: {}\n",
            "configuration not reloaded: the previous one stays in effect");
    assert_has(log_of(f), ty_arena_printf(f->a, "%s:6:9: healht: unknown field", f->file));
    assert_has(health(f, "/healthz"), "HTTP/1.1 200 ");
    hang_up(f, NAMED, "\"msg\":\"configuration changed\",\"field\":\"health.livenessEndpointName");
    assert_has(health(f, "/alive"), "HTTP/1.1 200 ");
    assert_has(health(f, "/healthz"), "HTTP/1.1 200 "); /* as before */
    hang_up(
        f, NAMED "clientConnection: {qps: 7}\n",
        "configuration changed; takes effect at the next start\",\"field\":\"clientConnection.");
    assert_has(health(f, "/alive"), "HTTP/1.1 200 ");
    assert_int_equal(signalled(f, SIGTERM), 0);
}

/* The file is removed and restored. */
static void test_sighup_without_the_file(void **state)
{
    struct fixture *f = *state;

    started(f);
    assert_int_equal(unlink(f->file), 0);
    assert_int_equal(kill(f->pid, SIGHUP), 0);
    said(f, "configuration not reloaded: the previous one stays in effect");
    hang_up(f, QUIET, "\"msg\":\"configuration reloaded: no change\"");
    assert_int_equal(signalled(f, SIGTERM), 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_ports_in_use),
        T(test_status_port_in_use),
        T(test_sigterm_without_a_server),
        T(test_sigint_with_the_status_api),
        T(test_sigterm_with_a_silent_server),
        T(test_sigterm_twice),
        T(test_sighup),
        T(test_sighup_without_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
