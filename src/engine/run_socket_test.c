/* A job that replaces the run's socket, or its directory, leads no client to another socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/run_socket.h"

struct sockets {
    char dir[64];
    int fd; /* listens at run/real.sock */
};

static const char *path_of(const struct sockets *w, const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", w->dir, name);
    return path;
}

static int setup(void **state)
{
    static struct sockets w;
    struct sockaddr_un addr = { .sun_family = AF_UNIX };

    snprintf(w.dir, sizeof(w.dir), "/tmp/trainyard-socket-XXXXXX");
    assert_non_null(mkdtemp(w.dir));
    assert_int_equal(mkdir(path_of(&w, "run"), 0700), 0);
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%.60s/run/real.sock", w.dir);
    w.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(w.fd >= 0);
    assert_int_equal(bind(w.fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    assert_int_equal(listen(w.fd, 4), 0);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    static const char *const files[] = { "run/real.sock", "run/link.sock", "run/file", "link" };
    const struct sockets *w = *state;

    close(w->fd);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        unlink(path_of(w, files[i]));
    assert_int_equal(rmdir(path_of(w, "run")), 0);
    assert_int_equal(rmdir(w->dir), 0);
    return 0;
}

static void test_connects(void **state)
{
    int fd = ty_run_socket_connect(path_of(*state, "run/real.sock"), SOCK_STREAM);

    assert_true(fd >= 0);
    close(fd);
}

static void test_links(void **state)
{
    const struct sockets *w = *state;

    assert_int_equal(symlink("real.sock", path_of(w, "run/link.sock")), 0);
    assert_int_equal(symlink("run", path_of(w, "link")), 0);
    assert_int_equal(ty_run_socket_connect(path_of(w, "run/link.sock"), SOCK_STREAM), -ELOOP);
    assert_int_equal(ty_run_socket_connect(path_of(w, "link/real.sock"), SOCK_STREAM), -ENOTDIR);
}

static void test_no_socket(void **state)
{
    const struct sockets *w = *state;
    int fd = open(path_of(w, "run/file"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(ty_run_socket_connect(path_of(w, "run/file"), SOCK_STREAM), -ENOTSOCK);
    assert_int_equal(ty_run_socket_connect(path_of(w, "run/none"), SOCK_STREAM), -ENOENT);
    assert_int_equal(ty_run_socket_connect("/", SOCK_STREAM), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_connects, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_socket, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
