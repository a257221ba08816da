/* trainyard rsh: replaces ssh for mpirun inside a run. Accepts ssh's options and ignores them:
 * there is no network connection. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/cmds.h"
#include "engine/rsh.h"

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
static size_t skip_options(const struct ty_strlist *words)
{
    size_t i = 0;

    while (i < words->n && words->v[i][0] == '-' && words->v[i][1])
        i += takes_next(words->v[i]) ? 2 : 1;
    return i;
}

static int connect_to(const char *path, struct ty_err *err)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
    int fd = -1, at = -1;

    errno = ENOTDIR; /* for a path without a directory */
    if (slash)
        *slash = 0;
    at = slash ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (at >= 0) {
        snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%.80s", at, slash + 1);
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
        ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    if (at >= 0)
        close(at);
    free(dir);
    return fd;
}

static bool send_request(int fd, const struct ty_rsh_request *req)
{
    int fds[3] = { 0, 1, 2 };
    struct iovec iov;
    char control[CMSG_SPACE(sizeof(fds))] = { 0 };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

    memcpy(&iov.iov_base, &req, sizeof(req)); /* sendmsg() does not write to it */
    iov.iov_len = sizeof(*req);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(fds));
    memcpy(CMSG_DATA(c), fds, sizeof(fds));
    return sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(*req);
}

struct rsh_opts {
    struct ty_args args;
};
static const struct ty_opt options[] = { TY_OPT_HELP(struct rsh_opts), TY_OPT_END };

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct rsh_opts *opts = parsed;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *path = getenv("TRAINYARD_RSH");
    struct ty_rsh_request *req = ty_new(cli->arena, struct ty_rsh_request);
    struct ty_rsh_reply reply = { .code = 255 };
    struct ty_err err = { 0 };
    ty_auto_buf command = { 0 };
    size_t host = skip_options(&opts->args.operands);

    if (host >= opts->args.operands.n || host + 1 >= opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_rsh, "give a host and a command");
    if (!path) {
        ty_cli_msg(cli, TY_MSG_ERROR, "rsh works inside a run only: TRAINYARD_RSH is not set");
        return 255;
    }
    for (size_t i = host + 1; i < opts->args.operands.n; i++)
        ty_buf_printf(&command, "%s%s", i > host + 1 ? " " : "", opts->args.operands.v[i]);
    /* The user of user@host is ignored: pods run as one user. */
    const char *at = strchr(opts->args.operands.v[host], '@');
    const char *name = at ? at + 1 : opts->args.operands.v[host];
    if (strlen(name) >= sizeof(req->host)) {
        ty_cli_msg(cli, TY_MSG_ERROR, "a host name of %zu bytes is too long", strlen(name));
        return 255;
    }
    memcpy(req->host, name, strlen(name));
    if (command.n >= sizeof(req->command)) {
        ty_cli_msg(cli, TY_MSG_ERROR, "a command of %zu bytes is too long", command.n);
        return 255;
    }
    memcpy(req->command, command.p, command.n);
    int fd = connect_to(path, &err);
    if (fd < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        return 255;
    }
    if (!send_request(fd, req) || recv(fd, &reply, sizeof(reply), 0) != (ssize_t)sizeof(reply))
        reply = (struct ty_rsh_reply){ .code = 255, .text = "the run ended" };
    close(fd);
    if (reply.text[0])
        ty_cli_msg(cli, TY_MSG_ERROR, "%s: %s", req->host, reply.text);
    return reply.code;
}

const struct ty_cmd ty_cmd_rsh = {
    .name = "rsh",
    .about = "Run a command in another pod of this run (for mpirun, instead of ssh)",
    .operand = "HOST COMMAND…",
    .more =
        "Works inside a pod of 'trainyard run', where it is called ssh. The command runs under\n"
        "/bin/sh in the pod HOST, with this process's stdin, stdout and stderr.\n",
    .opts = TY_OPTS(options, struct rsh_opts),
    .raw = true,
    .run = run,
};
