/* trainyard exec: runs a command in a running pod, as kubectl exec does. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cmds.h"
#include "cli/history/job_history_pods.h"
#include "cli/history/job_state.h"
#include "cli/jobs/exec_tty.h"
#include "cli/jobs/run_stopped.h"
#include "engine/rsh_client.h"

struct exec_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
    const char *container;
    bool input, tty;
};
static const struct ty_opt options[] = {
    { "stdin", 'i', TY_OPT_FLAG, NULL, "pass standard input to the command", NULL,
      TY_OPT_AT(struct exec_opts, input) },
    { "tty", 't', TY_OPT_FLAG, NULL, "give the command a terminal", NULL,
      TY_OPT_AT(struct exec_opts, tty) },
    { "container", 'c', TY_OPT_WORD, "NAME", "container of the pod (default: the node's)", NULL,
      TY_OPT_AT(struct exec_opts, container) },
    TY_OPTS_JOB_HISTORY(struct exec_opts),
    TY_OPT_HELP(struct exec_opts),
    TY_OPT_END,
};

/* The host name of the node; NULL: there is none; an error was printed. */
static const char *find_host(struct ty_cli *cli, struct ty_history_db *d,
                             const struct ty_job_history_entry *job, const char *node)
{
    struct ty_job_history_pod *pods = NULL;
    ty_auto_buf list = { 0 };
    size_t n = 0;

    if (job->pod && !node)
        return job->pod;
    if (ty_job_history_pods_soon(cli, d, cli->arena, job, &pods, &n) != TY_EXIT_OK)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (node && ty_job_history_pod_is(&pods[i], node))
            return pods[i].host;
        if (i < 20)
            ty_buf_printf(&list, "%s%s", i ? ", " : "", pods[i].node);
    }
    if (!n)
        ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" has no pods: it is %s", job->name,
                   ty_job_state_text(cli->arena, job));
    else if (node)
        ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" has no node \"%s\"; it has: %.*s", job->name,
                   node, TY_ARG(ty_buf_str(&list)));
    else
        ty_cli_msg(cli, TY_MSG_ERROR, "name a node of trainjob \"%s\": %.*s", job->name,
                   TY_ARG(ty_buf_str(&list)));
    return NULL;
}

/* Each word with its NUL. False: too long. */
static bool pack_words(struct ty_rsh_request *req, const struct ty_strlist *words, size_t from)
{
    size_t at = 0;

    for (size_t i = from; i < words->n; i++) {
        size_t n = strlen(words->v[i]) + 1;
        if (n > sizeof(req->command) - at)
            return false;
        memcpy(req->command + at, words->v[i], n);
        at += n;
        req->argc++;
    }
    return true;
}

static int finish(struct ty_cli *cli, int sock, const char *host)
{
    struct ty_rsh_reply reply = { .code = 255 };

    if (recv(sock, &reply, sizeof(reply), 0) != (ssize_t)sizeof(reply))
        reply = (struct ty_rsh_reply){ .code = 255, .text = "the run ended" };
    if (reply.text[0])
        ty_cli_msg(cli, TY_MSG_ERROR, "%s: %.255s", host, reply.text);
    return reply.code;
}

/* errno, or 0. After an error there is no reply: the run still waits for the request. */
static int send_request(int sock, const struct ty_rsh_request *req, const int fds[3])
{
    return ty_rsh_client_send(sock, req, fds) ? 0 : errno;
}

static int not_sent(struct ty_cli *cli, const char *host, int error)
{
    if (error == EPIPE || error == ECONNRESET)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s: the run ended", host);
    else
        ty_cli_msg(cli, TY_MSG_ERROR, "%s: cannot send the command to the run: %s", host,
                   strerrordesc_np(error));
    return 255;
}

static int exec_tty(struct ty_cli *cli, int sock, const struct ty_rsh_request *req, bool input)
{
    struct ty_exec_tty t;
    struct ty_err err = { 0 };
    int code = 130;

    if (ty_exec_tty_open(&t, &err) < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        ty_exec_tty_close(&t);
        return TY_EXIT_BAD;
    }
    const int fds[] = { t.slave, t.slave, t.slave };
    int error = send_request(sock, req, fds);
    close(t.slave);
    t.slave = -1;
    bool over = error || ty_exec_tty_copy(&t, sock, input);
    ty_exec_tty_close(&t); /* before anything is printed */
    if (error)
        return not_sent(cli, req->host, error);
    return over ? finish(cli, sock, req->host) : code;
}

static int exec_plain(struct ty_cli *cli, int sock, const struct ty_rsh_request *req, bool input)
{
    int null = input ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int fds[] = { input ? STDIN_FILENO : null, STDOUT_FILENO, STDERR_FILENO };
    int error = send_request(sock, req, fds);

    if (null >= 0)
        close(null);
    return error ? not_sent(cli, req->host, error) : finish(cli, sock, req->host);
}

static int exec_in(struct ty_cli *cli, const struct exec_opts *opts,
                   const struct ty_job_history_entry *job, const char *host)
{
    struct ty_rsh_request *req = ty_new(cli->arena, struct ty_rsh_request);
    bool tty = opts->tty && isatty(STDIN_FILENO);
    struct ty_err err = { 0 };

    if (opts->tty && !tty)
        ty_cli_msg(cli, TY_MSG_WARNING, "no terminal for the command: standard input is not one");
    snprintf(req->host, sizeof(req->host), "%s", host);
    snprintf(req->container, sizeof(req->container), "%s", opts->container ? opts->container : "");
    req->tty = tty;
    if (!pack_words(req, &opts->args.operands, opts->args.n_before)) {
        ty_cli_msg(cli, TY_MSG_ERROR, "the command is too long");
        return TY_EXIT_BAD;
    }
    int sock =
        ty_rsh_client_connect(ty_arena_printf(cli->arena, "%s/rsh.sock", job->run.dir), &err);
    if (sock < 0)
        return ty_job_history_error(cli, &err);
    fflush(cli->out);
    int code =
        tty ? exec_tty(cli, sock, req, opts->input) : exec_plain(cli, sock, req, opts->input);
    close(sock);
    return code;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct exec_opts *opts = parsed;
    const struct ty_args *w = &opts->args;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;

    if (w->n_before < 1 || w->n_before > 2)
        return ty_cli_usage(cli, &ty_cmd_exec, "name a TrainJob and a node, or a pod");
    if (w->operands.n == w->n_before)
        return ty_cli_usage(cli, &ty_cmd_exec, "write the command after --");
    int code =
        ty_job_history_open_job(cli, &ty_cmd_exec, &opts->history, w->operands.v[0], &d, &job);
    if (code)
        return code;
    code = ty_run_stopped_check_live(cli, &job);
    if (code)
        return code;
    const char *host = find_host(cli, d, &job, w->n_before > 1 ? w->operands.v[1] : NULL);
    return host ? exec_in(cli, opts, &job, host) : TY_EXIT_BAD;
}

const struct ty_cmd ty_cmd_exec = {
    .name = "exec",
    .names = TY_NAMES_JOB_NODE,
    .about = "Run a command in a running pod",
    .operand = "NAME NODE -- COMMAND…",
    .more =
        "The command has the environment, files, limits and namespaces of the container. NAME is\n"
        "a TrainJob and NODE a node of it, such as node-0-1; or give the name of a pod only.\n"
        "\n"
        "Exit status: that of the command; 127 it cannot be started, 255 the pod or the run\n"
        "ended.\n",
    .examples = "  trainyard exec torch-ddp node-0-0 -- nvidia-smi\n"
                "  trainyard exec -it torch-ddp-node-0-1 -- bash\n",
    .opts = TY_OPTS(options, struct exec_opts),
    .run = run,
};
