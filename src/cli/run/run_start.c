#include "cli/run/run_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/run/run_gc.h"

/* The zygote keeps standard error. Of a detached run it must not: who reads that pipe, such as
 * sshd, would wait for the end of the job. */
int ty_run_start_fork(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                      struct ty_err *err)
{
    int saved = opts->detach ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1,
        null = saved >= 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

    if (null >= 0)
        dup2(null, STDERR_FILENO);
    int ret = ty_zygote_fork(opts->own_network, &r->zygote, err);
    if (null >= 0) {
        dup2(saved, STDERR_FILENO);
        close(null);
    }
    if (saved >= 0)
        close(saved);
    return ret;
}

int ty_run_start_prepare(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                         struct ty_err *err)
{
    int ret = ty_run_folders(r, "run", err); /* the zygote works meanwhile */

    if (ret < 0)
        return ret;
    ret = ty_zygote_wait(r->zygote, err);
    if (ret < 0 && opts->own_network)
        ty_wrap(err, "--network pod");
    if (ret == 0)
        ty_host_find(r->cli->arena, r->zygote, &r->host);
    return ret;
}

static void open_network(struct ty_run_ctx *r, struct ty_engine_opts *engine)
{
    struct ty_err err = { 0 };

    engine->pod_network = ty_zygote_caps(r->zygote).network;
    if (!engine->pod_network)
        return;
    engine->uplink = ty_zygote_open_uplink(r->zygote, &err) == 0;
    if (!engine->uplink)
        ty_cli_msg(r->cli, TY_MSG_NOTE, "pods have no access to the network outside this run: %s",
                   err.text);
}

int ty_run_start_engine(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                        struct ty_err *err)
{
    struct ty_engine_opts engine = { .loop = &r->loop,
                                     .zygote = r->zygote,
                                     .pipeline = &r->session.pipeline,
                                     .settings = &r->session.settings,
                                     .dir = r->dir,
                                     .claims_dir = r->claims };

    r->program = realpath("/proc/self/exe", NULL);
    r->workdir = opts->workdir ? realpath(opts->workdir, NULL) : getcwd(NULL, 0);
    if (!r->workdir || !r->program)
        return ty_fail(err, -errno, "--workdir %s: %s", opts->workdir ? opts->workdir : ".",
                       strerrordesc_np(errno));
    engine.program = r->program;
    engine.workdir = r->workdir;
    engine.env = r->env;
    engine.keep = opts->keep;
    engine.restarts = opts->restarts;
    open_network(r, &engine);
    if (opts->keep)
        ty_run_gc_exclude(r->cli->arena, r->dir);
    engine.observers[0] = &r->view.observer;
    engine.observers[1] = &r->history.observer;
    engine.host = r->host;
    engine.gpu_locks = ty_run_gpu_locks(r);
    ty_run_status_begin(&r->status, &r->session, &r->loop, r->root, &engine);
    int ret = ty_engine_new(&engine, &r->engine, err);
    r->status.engine = r->engine;
    if (ret == 0 && r->past)
        ty_run_history_begin(&r->history, &r->loop, r->engine, r->dir, r->past);
    return ret;
}
