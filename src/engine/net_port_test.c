#include "engine/net_port.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"

static void make_dir(char *dir, size_t n)
{
    snprintf(dir, n, "/tmp/net-port-XXXXXX");
    assert_non_null(mkdtemp(dir));
}

static int bind_to(int port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

static void test_reserve(void **state)
{
    struct ty_net_port a = { 0 }, b = { 0 };
    struct ty_err err = { 0 };
    char dir[64], path[128];
    unsigned next = 0, again;

    (void)state;
    make_dir(dir, sizeof(dir));
    assert_int_equal(ty_net_port_reserve(dir, &next, &a, &err), 0);
    snprintf(path, sizeof(path), "%s/port-%d.lock", dir, a.port);
    assert_int_equal(access(path, F_OK), 0);
    again = (unsigned)(a.port - 20000); /* another run that looks at the same place first */
    assert_int_equal(ty_net_port_reserve(dir, &again, &b, &err), 0);
    assert_int_not_equal(a.port, b.port);
    ty_net_port_release(&a);
    assert_int_equal(access(path, F_OK), -1);
    ty_net_port_release(&a); /* none is fine */
    ty_net_port_release(&b);
    assert_int_equal(rmdir(dir), 0); /* nothing is left */
}

static void test_port_in_use(void **state)
{
    struct ty_net_port a = { 0 }, b = { 0 };
    struct ty_err err = { 0 };
    unsigned next = 0;
    char dir[64];

    (void)state;
    make_dir(dir, sizeof(dir));
    assert_int_equal(ty_net_port_reserve(dir, &next, &a, &err), 0);
    int port = a.port, fd = bind_to(port);
    ty_net_port_release(&a);
    next = (unsigned)(port - 20000);
    assert_int_equal(ty_net_port_reserve(dir, &next, &b, &err), 0);
    assert_int_not_equal(b.port, port);
    ty_net_port_release(&b);
    close(fd);
    assert_int_equal(rmdir(dir), 0);
}

static void test_no_folder(void **state)
{
    struct ty_net_port a = { 0 };
    struct ty_err err = { 0 };
    unsigned next = 0;

    (void)state;
    assert_int_equal(ty_net_port_reserve("/nowhere/at/all", &next, &a, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/at/all/port-"));
    assert_int_equal(a.port, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_port_in_use),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
