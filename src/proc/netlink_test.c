/* In a network namespace of the test's own. */
#include "proc/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

/* The line that failed, 0 for none: a child cannot use cmocka's. */
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what))                                                                               \
            return __LINE__;                                                                       \
    } while (0)

static int use_interfaces(void)
{
    struct ty_netlink_veth v = {
        .name = "left", .peer = "right", .pid = getpid(), .mac = { 2, 1, 2, 3, 4, 5 }
    };
    uint32_t address = inet_addr("10.9.0.1");
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
    int nl = ty_netlink_open(), fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = address;
    CHECK(nl >= 0 && fd >= 0);
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno == ENETUNREACH);
    CHECK(ty_netlink_up(nl, "lo", 0) == 0);
    CHECK(ty_netlink_index(nl, "lo") == 1);
    CHECK(ty_netlink_index(nl, "bridge") == -ENODEV);
    CHECK(ty_netlink_add_bridge(nl, "bridge") == 0);
    CHECK(ty_netlink_add_bridge(nl, "bridge") == -EEXIST);
    v.master = ty_netlink_index(nl, "bridge");
    CHECK(v.master == (int)if_nametoindex("bridge"));
    CHECK(ty_netlink_add_veth(nl, &v) == 0);
    CHECK(ty_netlink_add_veth(nl, &v) == -EEXIST);
    CHECK(if_nametoindex("left") && if_nametoindex("right"));
    CHECK(ty_netlink_add_address(nl, "bridge", address, 16) == 0);
    CHECK(ty_netlink_add_address(nl, "nowhere", address, 16) == -ENODEV);
    CHECK(ty_netlink_up(nl, "bridge", 0) == 0);
    CHECK(ty_netlink_up(nl, "left", 0) == 0);
    CHECK(ty_netlink_up(nl, "right", v.master) == 0);
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno == ECONNREFUSED);
    CHECK(ty_netlink_add_default_route(nl, inet_addr("10.9.0.2")) == 0);
    CHECK(ty_netlink_add_default_route(nl, inet_addr("10.8.0.2")) == -ENETUNREACH);
    CHECK(ty_netlink_delete(nl, "left") == 0);
    CHECK(!if_nametoindex("right")); /* a pair is one thing */
    CHECK(ty_netlink_delete(nl, "left") == -ENODEV);
    return 0;
}

static void test_interfaces(void **state)
{
    int status = 0, line = 0, fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        line = unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0
                   ? -1
                   : use_interfaces();
        _exit(write(fds[1], &line, sizeof(line)) != sizeof(line));
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &line, sizeof(line)), sizeof(line));
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (line < 0)
        skip(); /* no network namespaces here */
    if (line)
        fail_msg("line %d", line);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_interfaces) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
