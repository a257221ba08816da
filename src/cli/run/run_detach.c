#include "cli/run/run_detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "proc/regular_file.h"

static bool read_answer(int fd, struct ty_buf *ret)
{
    char chunk[4096];
    ssize_t n = 0;

    do {
        n = read(fd, chunk, sizeof(chunk));
        if (n > 0)
            ty_buf_put(ret, chunk, (size_t)n);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return ret->n > 0;
}

/* Without an answer the run has ended, or is about to. */
static int wait_for_run(struct ty_cli *cli, pid_t pid, int fd)
{
    ty_auto_buf answer = { 0 };
    int status = 0;

    if (read_answer(fd, &answer))
        return ty_cli_print(cli, &answer);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int ty_run_detach_begin(struct ty_cli *cli, int *ret_fd)
{
    int fds[2];

    fflush(cli->out);
    fflush(cli->err);
    pid_t pid = pipe2(fds, O_CLOEXEC) < 0 ? -1 : fork();
    if (pid < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "--detach: no second process: %s", strerrordesc_np(errno));
        return TY_EXIT_BAD;
    }
    if (pid == 0) {
        close(fds[0]);
        setsid(); /* cannot fail: a new process leads no group */
        *ret_fd = fds[1];
        return -1;
    }
    close(fds[1]);
    int code = wait_for_run(cli, pid, fds[0]);
    close(fds[0]);
    return code;
}

/* The caller's descriptors are the ones without FD_CLOEXEC: a lock or a pipe of its must not stay
 * open as long as the run. Not before the input was read, which may be one of them: /dev/fd/63. */
static void close_inherited(void)
{
    DIR *d = opendir("/proc/self/fd");
    int64_t fd = 0;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (!ty_str_parse_i64(ty_str(e->d_name), &fd) || fd <= STDERR_FILENO)
            continue;
        int flags = fcntl((int)fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            close((int)fd);
    }
    if (d)
        closedir(d);
}

enum { NAMED = 10 }; /* jobs in a note */

static int leave_terminal(struct ty_cli *cli, const char *log, struct ty_err *err)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC),
        file = ty_regular_file_open(log, TY_DEPTH_RUN, O_WRONLY | O_CREAT | O_APPEND, 0600);

    if (null < 0)
        return ty_fail(err, -errno, "/dev/null: %s", strerrordesc_np(errno));
    if (file < 0) {
        close(null);
        return ty_fail(err, file, "%s: %s", log, ty_regular_file_error(file));
    }
    fflush(cli->out);
    fflush(cli->err);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    close(null);
    close(file);
    close_inherited();
    cli->colour = cli->colour_out = false;
    return 0;
}

/* Takes fd. -EPIPE: the caller has been killed. */
static int answer_caller(struct ty_cli *cli, int fd, struct ty_str text, const char *log,
                         struct ty_err *err)
{
    int r = leave_terminal(cli, log, err);

    if (r == 0 && write(fd, text.p, text.n) != (ssize_t)text.n)
        r = ty_fail(err, -EPIPE, "the command that started this run was ended");
    close(fd);
    return r;
}

int ty_run_detach_report(struct ty_run_ctx *r, const struct ty_json *const *objs, size_t n)
{
    ty_auto_buf text = { 0 }, names = { 0 };
    const char *name = "";
    size_t jobs = 0;
    struct ty_err err = { 0 };

    if (!ty_run_history_flush(&r->history)) {
        ty_cli_msg(r->cli, TY_MSG_ERROR, "--detach: the history is needed to find the job again");
        return TY_EXIT_BAD;
    }
    for (size_t i = 0; i < n; i++) {
        if (ty_kind_of(objs[i]) != &ty_kind_trainjob)
            continue;
        name = ty_json_cstr_at(r->cli->arena, objs[i], "metadata.name");
        ty_buf_printf(&text, "trainjob.trainer.kubeflow.org/%s created\n", name);
        if (jobs++ < NAMED)
            ty_buf_printf(&names, "%s%s", names.n ? ", " : "", name);
    }
    if (jobs > 1)
        ty_cli_msg(r->cli, TY_MSG_NOTE,
                   "'trainyard attach NAME' follows a job, 'trainyard delete NAME' stops it; NAME "
                   "is one of: %.*s%s",
                   TY_ARG(ty_buf_str(&names)), jobs > NAMED ? " …" : "");
    else
        ty_cli_msg(r->cli, TY_MSG_NOTE,
                   "'trainyard attach %s' follows it, 'trainyard delete %s' stops it", name, name);
    int ret = answer_caller(r->cli, r->detach_fd, ty_buf_str(&text),
                            ty_arena_printf(r->cli->arena, "%s/run.log", r->dir), &err);
    if (ret == 0)
        return TY_EXIT_OK;
    ty_cli_msg(r->cli, TY_MSG_ERROR, "--detach: %s", err.text);
    return ret == -EPIPE ? 130 : TY_EXIT_BAD;
}
