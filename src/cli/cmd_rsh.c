/* trainyard rsh: replaces ssh for mpirun inside a run. Accepts ssh's options and ignores them for
 * pods of the run: there is no network connection. Other hosts are the real ssh's. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/cmds.h"
#include "cli/run/ssh_path.h"
#include "engine/rsh_client.h"

/* ssh's options that take a value. */
static const char with_value[] = "BbcDEeFIiJLlmOopQRSWw";

/* "-v", "-p 22", "-p22", "-qp 22": does the word's last letter take the next word? */
static bool takes_next(const char *word)
{
    for (const char *c = word + 1; *c; c++)
        if (strchr(with_value, *c))
            return !c[1]; /* else the rest of the word is its value */
    return false;
}

/* Returns the index of the host; the command follows it. */
static size_t skip_options(const char *const *words, size_t n)
{
    size_t i = 0;

    while (i < n && words[i][0] == '-' && words[i][1])
        i += takes_next(words[i]) ? 2 : 1;
    return i;
}

struct rsh_opts {
    struct ty_args args;
};
static const struct ty_opt options[] = { TY_OPT_HELP(struct rsh_opts), TY_OPT_END };

/* As `rsh`, or as the `ssh` of a run, whose first word is then --run=DIR. */
struct rsh_words {
    const char *const *v; /* of the command line, NULL-terminated */
    size_t n, host;       /* the command begins behind the host */
    const char *dir;      /* NULL: called as rsh */
};

static struct rsh_words read_words(struct ty_arena *a, const struct ty_strlist *all)
{
    static const char run[] = "--run=";
    size_t skip = all->n && strncmp(all->v[0], run, strlen(run)) == 0;
    const char **v = ty_new_n(a, const char *, all->n + 1);
    struct rsh_words w = { .v = v, .n = all->n - skip };

    if (w.n)
        memcpy(v, all->v + skip, w.n * sizeof(*v));
    w.dir = skip ? all->v[0] + strlen(run) : NULL;
    w.host = skip_options(v, w.n);
    return w;
}

/* git, rsync and the like: the real ssh with all its arguments. Returns only if there is none. */
static int exec_real(struct ty_cli *cli, const struct rsh_words *w)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *path = getenv("PATH");
    const char *own = ty_arena_printf(cli->arena, "%s/bin", w->dir);
    char *program = ty_ssh_path_find(cli->arena, path, own);
    char **argv = ty_new_n(cli->arena, char *, w->n + 2);

    argv[0] = ty_arena_strdup(cli->arena, "ssh");
    for (size_t i = 0; i < w->n; i++)
        argv[i + 1] = ty_arena_strdup(cli->arena, w->v[i]);
    if (program)
        execv(program, argv);
    ty_cli_msg(cli, TY_MSG_ERROR, "%s%s: %s", program ? program : "ssh ",
               program ? "" : (w->host < w->n ? w->v[w->host] : ""),
               program ? strerrordesc_np(errno)
                       : "not a pod of this run, and there is no other ssh in PATH");
    return 255;
}

/* The request to the engine. A command that does not fit is left out: the reply says then whether
 * the host is ours. *ret_left_out: why. */
static struct ty_rsh_request *request_of(struct ty_cli *cli, const struct rsh_words *w,
                                         const char **ret_left_out)
{
    struct ty_rsh_request *req = ty_new(cli->arena, struct ty_rsh_request);
    ty_auto_buf command = { 0 };
    /* The user of user@host is ignored: pods run as one user. */
    const char *at = strchr(w->v[w->host], '@'), *name = at ? at + 1 : w->v[w->host];

    for (size_t i = w->host + 1; i < w->n; i++)
        ty_buf_printf(&command, "%s%s", i > w->host + 1 ? " " : "", w->v[i]);
    snprintf(req->host, sizeof(req->host), "%s", name);
    if (strlen(name) >= sizeof(req->host))
        *ret_left_out =
            ty_arena_printf(cli->arena, "a host name of %zu bytes is too long", strlen(name));
    else if (command.n >= sizeof(req->command))
        *ret_left_out =
            ty_arena_printf(cli->arena, "a command of %zu bytes is too long", command.n);
    else if (command.n)
        memcpy(req->command, command.p, command.n);
    return req;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct rsh_opts *opts = parsed;
    struct rsh_words w = read_words(cli->arena, &opts->args.operands);
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *path = getenv("TRAINYARD_RSH");
    const char *left_out = NULL;
    struct ty_rsh_reply reply = { .code = 255 };
    const int fds[] = { 0, 1, 2 };
    struct ty_err err = { 0 };

    if (w.dir)
        path = ty_arena_printf(cli->arena, "%s/rsh.sock", w.dir);
    if (w.dir && w.host >= w.n)
        return exec_real(cli, &w); /* ssh -V, ssh -Q cipher */
    if (w.host >= w.n || (!w.dir && w.host + 1 >= w.n))
        return ty_cli_usage(cli, &ty_cmd_rsh, "give a host and a command");
    if (!path) {
        ty_cli_msg(cli, TY_MSG_ERROR, "rsh works inside a run only: TRAINYARD_RSH is not set");
        return 255;
    }
    const struct ty_rsh_request *req = request_of(cli, &w, &left_out);
    int fd = !left_out || w.dir ? ty_rsh_client_connect(path, &err) : -1;
    if (fd < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", left_out ? left_out : err.text);
        return 255;
    }
    if (!ty_rsh_client_send(fd, req, fds) ||
        recv(fd, &reply, sizeof(reply), 0) != (ssize_t)sizeof(reply))
        reply = (struct ty_rsh_reply){ .code = 255, .text = "the run ended" };
    close(fd);
    if (reply.foreign && w.dir)
        return exec_real(cli, &w);
    if (reply.text[0])
        ty_cli_msg(cli, TY_MSG_ERROR, "%s: %s", req->host, left_out ? left_out : reply.text);
    return reply.code;
}

const struct ty_cmd ty_cmd_rsh = {
    .name = "rsh",
    .about = "Run a command in another pod of this run (for mpirun, instead of ssh)",
    .operand = "HOST COMMAND…",
    .more =
        "Works inside a pod of 'trainyard run', where it is called ssh. The command runs under\n"
        "/bin/sh in the pod HOST, with this process's stdin, stdout and stderr. As ssh, it\n"
        "starts the next ssh of PATH for every host that is not one of the run: git and rsync\n"
        "work as usual.\n",
    .opts = TY_OPTS(options, struct rsh_opts),
    .raw = true,
    .run = run,
};
