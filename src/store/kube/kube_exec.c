/* Runs an exec plugin with libuv. It is done when the process has ended and its output is closed.
 * Its messages and prompts go to this process's standard error. */
#include "store/kube/kube_exec.h"

#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"

#define SAID_BYTES ((size_t)1 << 20)

struct ty_kube_exec_run {
    const struct ty_kubeconfig *config;
    ty_kube_cred_fn *fn; /* NULL: cancelled */
    void *ctx;
    bool allowed;  /* by the settings: to ask somebody */
    bool patient;  /* no time limit */
    bool has_mode; /* the mode of the terminal that it was given */
    struct termios mode;
    int64_t limit_ms;
    struct ty_arena *a;
    uv_process_t process;
    uv_pipe_t out;
    uv_timer_t timer;
    unsigned open; /* handles that are not closed */
    bool ended, closed, late;
    int spawn_error, signal;
    int64_t code;
    struct ty_buf said;
    char piece[4096];
};

static void on_closed(uv_handle_t *h)
{
    struct ty_kube_exec_run *run = h->data;
    run->open--;
    if (run->open > 0)
        return;
    ty_buf_done(&run->said);
    ty_arena_free(run->a);
    free(run);
}

/* A running process is closed only after it has ended: libuv does not wait for a closed one. */
static bool is_running(const struct ty_kube_exec_run *run)
{
    return run->process.data && run->spawn_error == 0 && !run->ended;
}

static void close_all(struct ty_kube_exec_run *run)
{
    run->fn = NULL;
    uv_handle_t *all[] = { (uv_handle_t *)&run->process, (uv_handle_t *)&run->out,
                           (uv_handle_t *)&run->timer };
    for (size_t i = is_running(run); i < TY_COUNT(all); i++)
        if (all[i]->data && !uv_is_closing(all[i]))
            uv_close(all[i], on_closed);
}

static int exec_error(const struct ty_kube_exec_run *run, struct ty_err *err)
{
    const struct ty_kube_exec *x = run->config->exec;
    if (run->spawn_error == -ENOENT)
        return ty_fail(err, -ENOENT, "exec plugin %s is not installed%s%s", x->command,
                       x->install_hint ? ": " : "", x->install_hint ? x->install_hint : "");
    if (run->spawn_error == -ENOTTY)
        return ty_fail(err, -ENOTTY,
                       "exec plugin %s wants to ask somebody (interactiveMode: Always), and %s",
                       x->command,
                       run->allowed ? "this is not a terminal"
                                    : "this program runs unattended: give it other credentials");
    if (run->spawn_error < 0)
        return ty_fail(err, run->spawn_error, "exec plugin %s cannot be run: %s", x->command,
                       strerrordesc_np(-run->spawn_error));
    if (run->late)
        return ty_fail(err, -ETIMEDOUT, "exec plugin %s: no credentials after %lld s", x->command,
                       (long long)(run->limit_ms / 1000));
    if (run->signal)
        return ty_fail(err, -EIO, "exec plugin %s was ended by signal %d", x->command, run->signal);
    if (run->code != 0)
        return ty_fail(err, -EIO, "exec plugin %s failed with exit code %lld", x->command,
                       (long long)run->code);
    if (run->said.full)
        return ty_fail(err, -EFBIG, "exec plugin %s printed more than 1 MB", x->command);
    return 0;
}

static void finish_run(struct ty_kube_exec_run *run)
{
    struct ty_err err = { 0 };
    struct ty_kube_cred cred;
    ty_kube_cred_fn *fn = run->fn;
    if (!fn)
        return;
    int r = exec_error(run, &err);
    if (r == 0) {
        r = ty_kube_cred_parse(run->a, run->config->exec, ty_buf_str(&run->said), &cred, &err);
        if (r < 0)
            ty_wrap(&err, "exec plugin %s", run->config->exec->command);
    }
    run->fn = NULL;
    fn(run->ctx, r == 0 ? &cred : NULL, &err);
    close_all(run);
}

/* A plugin that was killed at a prompt for a password has left the terminal without echo. */
static void restore_terminal(const struct ty_kube_exec_run *run)
{
    sigset_t stop, old;

    if (!run->has_mode)
        return;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU); /* would stop this process in the background */
    pthread_sigmask(SIG_BLOCK, &stop, &old);
    tcsetattr(STDIN_FILENO, TCSANOW, &run->mode);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void on_late(uv_timer_t *t);

static void on_ended(uv_process_t *p, int64_t code, int signal)
{
    struct ty_kube_exec_run *run = p->data;
    run->ended = true;
    run->code = code;
    run->signal = signal;
    if (signal)
        restore_terminal(run);
    if (!run->fn) /* cancelled, or late */
        close_all(run);
    else if (run->closed)
        finish_run(run);
    else if (run->patient) /* what it has started may hold its output open */
        uv_timer_start(&run->timer, on_late, (uint64_t)run->limit_ms, 0);
}

static void on_alloc(uv_handle_t *h, size_t hint TY_UNUSED, uv_buf_t *buf)
{
    struct ty_kube_exec_run *run = h->data;
    *buf = uv_buf_init(run->piece, sizeof(run->piece));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    struct ty_kube_exec_run *run = s->data;
    if (n > 0)
        ty_buf_put(&run->said, buf->base, (size_t)n);
    if (n >= 0)
        return;
    uv_read_stop(s);
    run->closed = true;
    if (run->ended)
        finish_run(run);
}

static void on_late(uv_timer_t *t)
{
    struct ty_kube_exec_run *run = t->data;
    if (run->spawn_error == 0 && !run->ended) { /* else its pid may be another's by now */
        run->late = true;
        uv_process_kill(&run->process, SIGKILL);
    }
    finish_run(
        run); /* processes that the plugin started may hold its output open: do not wait for them */
}

/* This process's environment, the plugin's, and KUBERNETES_EXEC_INFO. Strings of this process are
 * shared. */
static char **make_env(struct ty_kube_exec_run *run, bool interactive)
{
    const struct ty_kube_exec *x = run->config->exec;
    size_t n = 0, at = 0;
    while (environ[n])
        n++;
    char **env = ty_new_n(run->a, char *, n + x->n_env + 2);
    for (size_t i = 0; i < n; i++) {
        bool ours = strncmp(environ[i], "KUBERNETES_EXEC_INFO=", 21) != 0;
        for (size_t j = 0; j < x->n_env && ours; j++) {
            size_t name = strlen(x->env[j].name);
            ours = strncmp(environ[i], x->env[j].name, name) != 0 || environ[i][name] != '=';
        }
        if (ours)
            env[at++] = environ[i];
    }
    for (size_t j = 0; j < x->n_env; j++)
        env[at++] = ty_arena_printf(run->a, "%s=%s", x->env[j].name, x->env[j].value);
    env[at++] = ty_arena_printf(run->a, "KUBERNETES_EXEC_INFO=%s",
                                ty_kube_exec_info(run->a, run->config, interactive).p);
    return env;
}

static char **make_args(struct ty_kube_exec_run *run)
{
    const struct ty_kube_exec *x = run->config->exec;
    size_t n = 0;
    while (x->args && x->args[n])
        n++;
    char **args = ty_new_n(run->a, char *, n + 2);
    args[0] = ty_arena_strdup(run->a, x->command);
    for (size_t i = 0; i < n; i++)
        args[i + 1] = ty_arena_strdup(run->a, x->args[i]);
    return args;
}

static int spawn_plugin(struct ty_kube_exec_run *run, uv_loop_t *loop)
{
    bool terminal = run->allowed && isatty(STDIN_FILENO);
    enum ty_kube_interactive mode = run->config->exec->interactive;
    bool interactive = mode != TY_KUBE_NEVER && terminal;
    if (mode == TY_KUBE_ALWAYS && !terminal)
        return -ENOTTY;
    run->patient = terminal || (run->allowed && isatty(STDERR_FILENO));
    run->has_mode = interactive && tcgetattr(STDIN_FILENO, &run->mode) == 0;
    char **args = make_args(run);
    uv_stdio_container_t io[3] = {
        { .flags = interactive ? UV_INHERIT_FD : UV_IGNORE, .data.fd = 0 },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&run->out },
        { .flags = UV_INHERIT_FD, .data.fd = 2 }, /* its messages go to stderr */
    };
    uv_process_options_t o = {
        .exit_cb = on_ended,
        .file = args[0],
        .args = args,
        .env = make_env(run, interactive),
        .stdio = io,
        .stdio_count = 3,
    };
    run->process.data = run;
    run->open++;
    return uv_spawn(loop, &run->process, &o);
}

struct ty_kube_exec_run *ty_kube_exec_start(const struct ty_kube_exec_settings *s)
{
    struct ty_kube_exec_run *run = ty_xalloc(calloc(1, sizeof(*run)));
    uv_loop_t *loop = s->loop;
    *run = (struct ty_kube_exec_run){ .config = s->config,
                                      .fn = s->fn,
                                      .ctx = s->ctx,
                                      .allowed = s->interactive,
                                      .limit_ms = s->limit_ms ? s->limit_ms : TY_KUBE_EXEC_MS };
    run->a = ty_arena_new((size_t)64 << 20);
    run->said.ceiling = SAID_BYTES;
    uv_pipe_init(loop, &run->out, 0);
    uv_timer_init(loop, &run->timer);
    run->out.data = run->timer.data = run;
    run->open = 2;
    run->spawn_error = spawn_plugin(run, loop);
    if (run->spawn_error == 0)
        uv_read_start((uv_stream_t *)&run->out, on_alloc, on_read);
    if (run->spawn_error < 0)
        uv_timer_start(&run->timer, on_late, 0, 0);
    else if (!run->patient)
        uv_timer_start(&run->timer, on_late, (uint64_t)run->limit_ms, 0);
    return run;
}

bool ty_kube_exec_is_patient(const struct ty_kube_exec_run *run)
{
    return run->patient;
}

void ty_kube_exec_cancel(struct ty_kube_exec_run *run)
{
    if (!run || !run->fn)
        return;
    if (run->spawn_error == 0 && !run->ended)
        uv_process_kill(&run->process, SIGKILL);
    close_all(run);
}
