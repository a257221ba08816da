/* Tests without a cluster; tests/operator/test_reads.py uses a real one. */
#include "cli/history/job_history_testing.h"
#include "cli/install/cluster_hint.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static const char *hint_text(struct hist *h, const char *ns)
{
    ty_cluster_hint(&h->b.cli, ns, "x");
    fixture_flush(&h->b);
    return h->b.err;
}

/* A kubeconfig for this port and user, which KUBECONFIG names. */
static void write_kubeconfig(int port, const char *user)
{
    const char *path = getenv("KUBECONFIG");
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    fprintf(f,
            "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
            "{cluster: c, user: u, namespace: team}}], clusters: [{name: c, cluster: {server: "
            "'https://127.0.0.1:%d', insecure-skip-tls-verify: true}}], users: [{name: u, user: "
            "%s}]}\n",
            port, user);
    assert_int_equal(fclose(f), 0);
}

static void test_no_kubeconfig(void **state)
{
    assert_string_equal(hint_text(*state, NULL),
                        "note: these are the runs of this machine; a cluster's: "
                        "trainyard get x --cluster\n");
}

static void test_a_program_is_not_started(void **state)
{
    write_kubeconfig(1,
                     "{exec: {apiVersion: client.authentication.k8s.io/v1, command: /nonexistent, "
                     "interactiveMode: Never}}");
    assert_string_equal(hint_text(*state, NULL),
                        "note: these are the runs of this machine; a cluster's: "
                        "trainyard get x --cluster\n");
}

static int open_listener(int *ret_port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(at);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

/* A server that never answers and a closed port: both end within the timeout. */
static void test_a_cluster_that_does_not_answer(void **state)
{
    struct hist *h = *state;
    int port = 0, fd = open_listener(&port);

    write_kubeconfig(port, "{token: t}");
    assert_has(hint_text(h, "ns"),
               "note: no run \"x\" on this machine; the cluster of context \"c\" ");
    assert_has(h->b.err, "To look there: trainyard get x --cluster -n ns\n");
    close(fd);
    write_kubeconfig(port, "{token: t}");
    assert_has(hint_text(h, NULL), "the cluster of context \"c\" could not be asked: ");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, hist_setup, hist_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_no_kubeconfig), T(test_a_program_is_not_started),
                                        T(test_a_cluster_that_does_not_answer) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
