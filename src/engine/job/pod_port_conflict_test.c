/* Ports that other pods hold are tests/run/test_network.py. */
#include "engine/job/pod_port_conflict.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "engine/engine_testing.h"
#include "engine/pod/pods.h"

static int listen_anywhere(int *ret_port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET };
    socklen_t n = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, n), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &n), 0);
    *ret_port = ntohs(addr.sin_port);
    return fd;
}

static void another_program_holds_it(void **state)
{
    struct engine_fixture *w = *state;
    char job[] = "j", host[] = "j-node-0-0";
    int port = 0, fd = listen_anywhere(&port), scans = 3;

    fixture_open(w);
    struct ty_pod_runtime p = { .e = w->e, .job = job, .host = host };
    char *log = ty_arena_printf(w->a, "bind to 0.0.0.0:%d: Address already in use\n", port);
    const char *hint = ty_pod_port_conflict(w->a, &p, ty_str(log), &scans);
    assert_non_null(hint);
    assert_string_equal(hint, ty_arena_printf(w->a,
                                              "port %d is held by another program on this machine: "
                                              "use another port, or run with --network pod",
                                              port));
    assert_int_equal(scans, 2);
    close(fd);
    assert_null(ty_pod_port_conflict(w->a, &p, ty_str(log), &scans)); /* free by now */
    assert_null(ty_pod_port_conflict(w->a, &p, TY_LIT("KeyError: 1\n"), &scans));
    assert_null(ty_pod_port_conflict(w->a, &p, TY_LIT("Address already in use\n"), &scans));
}

static void few_scans(void **state)
{
    struct engine_fixture *w = *state;
    char job[] = "j", host[] = "j-node-0-0";
    int port = 0, fd = listen_anywhere(&port), scans = 1;

    fixture_open(w);
    struct ty_pod_runtime p = { .e = w->e, .job = job, .host = host };
    char *log = ty_arena_printf(w->a, "bind to 0.0.0.0:%d: Address already in use\n", port);
    assert_null(ty_pod_port_conflict(w->a, &p, TY_LIT("KeyError: 1\n"), &scans)); /* no scan */
    assert_non_null(ty_pod_port_conflict(w->a, &p, ty_str(log), &scans));
    assert_null(ty_pod_port_conflict(w->a, &p, ty_str(log), &scans));
    assert_int_equal(scans, 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = { ENGINE_TEST(another_program_holds_it),
                                        ENGINE_TEST(few_scans) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
