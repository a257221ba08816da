/* Opens a cluster for reading. */
#include "cli/install/cluster.h"
#include "cli/cmds.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define SOON_MS  700 /* a shorter read shows no progress line */
#define AGAIN_MS 100

int ty_cluster_open(struct ty_cluster *c, struct ty_cli *cli, const struct ty_kube_opts *kube,
                    struct ty_err *err)
{
    struct ty_kubeconfig_sources where = { .kubeconfig = kube->kubeconfig,
                                           .context = kube->context };

    *c = (struct ty_cluster){ .cli = cli, .snapshot = ty_cluster_snapshot_new() };
    ty_kubeconfig_sources_env(&where);
    int r = ty_kubeconfig_load(cli->arena, &where, &c->config, err);
    if (r == -ENOENT && !kube->kubeconfig)
        ty_wrap(err, "no kubeconfig");
    return r < 0 ? r : ty_cluster_reader_new(&c->look, &c->config, err);
}

void ty_cluster_close(struct ty_cluster *c)
{
    ty_cluster_reader_free(c->look);
    ty_cluster_snapshot_free(c->snapshot);
}

static void on_tick(void *ctx, size_t done, size_t of)
{
    struct ty_cluster *c = ctx;
    int64_t now = ty_cli_monotonic_ms();

    if (now - c->began_ms < SOON_MS || now - c->drawn_ms < AGAIN_MS)
        return;
    fprintf(c->cli->err, "\r\033[Kreading the cluster: %zu of %zu", done, of);
    fflush(c->cli->err);
    c->drawn_ms = now;
    c->drawn = true;
}

void ty_cluster_read(struct ty_cluster *c, const struct ty_cluster_query *wants, size_t n)
{
    int fd = fileno(c->cli->err);
    bool terminal = fd >= 0 && isatty(fd);

    c->began_ms = ty_cli_monotonic_ms();
    ty_cluster_reader_read(c->look, c->snapshot, wants, n, terminal ? on_tick : NULL, c);
    if (c->drawn)
        fputs("\r\033[K", c->cli->err);
    c->drawn = false;
}
