#include "cli/run/run_notify.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 30000
#define POLL_NS     10000000

enum { FAILED_TO_RUN = -1, TOOK_TOO_LONG = -2 };

/* The first line of the failure summary, or of the message of the final condition. */
static const char *headline_of(struct ty_run_ctx *r, const struct ty_run_job *j)
{
    const struct ty_failure_summary *v = ty_engine_failure_summary(r->engine, j->name);
    const char *stopped = ty_engine_stopped(r->engine);
    ty_auto_buf text = { 0 };
    struct ty_str first;
    bool good = j->result && strcmp(j->result, "Complete") == 0;

    if (!j->result && stopped)
        ty_buf_cstr(&text, stopped);
    else if (!good && ty_failure_summary_any(v))
        ty_failure_summary_print(v, 0, &text);
    else if (j->message)
        ty_buf_cstr(&text, j->message);
    ty_str_cut(ty_buf_str(&text), '\n', &first);
    return ty_arena_cstr(r->cli->arena, first);
}

/* A command is in a process group of its own, so that all of it can be ended; signals of the
 * terminal do not reach it there, hence they are forwarded. Gives the status as of waitpid. */
static int wait_for_command(pid_t pid)
{
    sigset_t signals, before;
    int status = FAILED_TO_RUN;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    for (int64_t end_ms = ty_cli_wall_ms() + PATIENCE_MS;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            break;
        if (ty_cli_wall_ms() > end_ms) {
            kill(-pid, SIGKILL);
            waitpid(pid, &status, 0);
            status = TOOK_TOO_LONG;
            break;
        }
        int sig = sigtimedwait(&signals, NULL, &(struct timespec){ .tv_nsec = POLL_NS });
        if (sig > 0)
            kill(-pid, sig);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* The status as of waitpid, or one of those above. */
static int run_command(const char *command, const char *const *env)
{
    char sh[] = "/bin/sh", option[] = "-c";
    char *argv[] = { sh, option, NULL, NULL }, **vars = NULL;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attrs;
    pid_t pid = 0;

    memcpy(&argv[2], &command, sizeof(command)); /* execve() does not write to it */
    memcpy(&vars, &env, sizeof(env));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attrs);
    posix_spawnattr_setflags(&attrs, POSIX_SPAWN_SETPGROUP);
    int r = posix_spawn(&pid, sh, &files, &attrs, argv, vars);
    posix_spawnattr_destroy(&attrs);
    posix_spawn_file_actions_destroy(&files);
    return r == 0 ? wait_for_command(pid) : FAILED_TO_RUN;
}

static int notify_job(struct ty_run_ctx *r, const struct ty_run_job *j, const char *command)
{
    struct ty_arena *a = r->cli->arena;
    size_t n = 0;

    while (environ[n])
        n++;
    const char **env = ty_new_n(a, const char *, n + 5);
    const char *result = j->result                      ? j->result
                         : ty_engine_stopped(r->engine) ? "Stopped"
                                                        : "Deleted";
    /* Ours first: getenv finds the first of equal names. */
    env[0] = ty_arena_printf(a, "TRAINYARD_JOB=%s", j->name);
    env[1] = ty_arena_printf(a, "TRAINYARD_RESULT=%s", result);
    env[2] = ty_arena_printf(a, "TRAINYARD_HEADLINE=%s", headline_of(r, j));
    env[3] = ty_arena_printf(a, "TRAINYARD_LOGS=%s/logs", r->dir);
    for (size_t i = 0; i < n; i++)
        env[4 + i] = environ[i];
    return run_command(command, env);
}

void ty_run_notify(struct ty_run_ctx *r, const char *command)
{
    int worst = 0;

    for (const struct ty_run_job *j = r->view.model.jobs; j && command; j = j->next) {
        int status = notify_job(r, j, command);
        worst = worst ? worst : status;
    }
    if (worst == FAILED_TO_RUN)
        ty_run_view_note(&r->view, TY_MSG_WARNING, "--notify %s: it could not be run", command);
    else if (worst == TOOK_TOO_LONG)
        ty_run_view_note(&r->view, TY_MSG_WARNING,
                         "--notify %s: it took longer than 30 s and was killed", command);
    else if (worst)
        ty_run_view_note(&r->view, TY_MSG_WARNING, "--notify %s: it failed with exit code %d",
                         command, WIFEXITED(worst) ? WEXITSTATUS(worst) : 128 + WTERMSIG(worst));
}
