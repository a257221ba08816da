/* For tests: a CLI fixture whose kubeconfig names a scripted server (net/testing.h). */
#ifndef TY_CLI_CLUSTER_CLUSTER_SESSION_TESTING_H
#define TY_CLI_CLUSTER_CLUSTER_SESSION_TESTING_H

#include "cli/cluster/cluster_session.h"
#include "cli/testing.h"
#include "store/kube/kube_testing.h"

#include <sys/stat.h>

#define FORBIDDEN "HTTP/1.1 403 Forbidden\r\n\r\n" STATUS(403, "Forbidden", "forbidden")
#define NOT_FOUND "HTTP/1.1 404 Not Found\r\n\r\n" STATUS(404, "NotFound", "not found")

struct cluster_fixture {
    struct ty_cli_fixture b;
    struct ty_peer peer;
    bool serving;
};

static inline void cluster_kubeconfig(const char *url)
{
    FILE *f = fopen("kubeconfig", "we");

    assert_non_null(f);
    fprintf(f,
            "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
            "{cluster: c, user: u, namespace: team}}], clusters: [{name: c, cluster: {server: "
            "'%s'}}], users: [{name: u, user: {token: t}}]}\n",
            url);
    assert_int_equal(fclose(f), 0);
}

static inline int cluster_setup(void **state)
{
    struct cluster_fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    fixture_open(&f->b);
    *state = f;
    setenv("KUBECONFIG", "kubeconfig", 1);
    setenv("XDG_CONFIG_HOME", f->b.dir, 1);
    setenv("XDG_STATE_HOME", f->b.dir, 1);
    return 0;
}

/* Starts the server and names it in the kubeconfig. */
static inline void cluster_serve(struct cluster_fixture *f, const char *const *answers)
{
    peer_start(&f->peer, answers);
    f->serving = true;
    cluster_kubeconfig(f->peer.url);
}

static inline int cluster_teardown(void **state)
{
    struct cluster_fixture *f = *state;

    if (f->serving)
        peer_stop(&f->peer);
    fixture_close(&f->b);
    free(f);
    return 0;
}

#endif
