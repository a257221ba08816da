#include "proc/port_holders.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

static int listen_anywhere(int *ret_port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET };
    socklen_t n = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0); /* a child inherits it */

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, n), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &n), 0);
    *ret_port = ntohs(addr.sin_port);
    return fd;
}

/* A child that holds the socket, with an environment of its own. It says so by closing its end of a
 * pipe: exec closes it. */
static pid_t start_holder(const char *marker)
{
    char name[] = "sleep", seconds[] = "60", run[64], pod[] = "POD=a-0";
    char *argv[] = { name, seconds, NULL }, *env[] = { run, pod, NULL };
    int ready[2];
    char byte;

    snprintf(run, sizeof(run), "%s", marker);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        execve("/bin/sleep", argv, env);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    return pid;
}

static void test_holder_is_found(void **state)
{
    struct ty_port_holder found[4];
    int port = 0, fd = listen_anywhere(&port);
    pid_t pid = start_holder("RUN=/tmp/run-1");

    (void)state;
    assert_true(ty_port_holders_any(port));
    assert_int_equal(ty_port_holders_find("RUN=/tmp/run-1", "POD", found, 4), 1);
    assert_int_equal(found[0].port, port);
    assert_string_equal(found[0].value, "a-0");
    assert_int_equal(ty_port_holders_find("RUN=/tmp/run-1", "POD", found, 0), 0);
    assert_int_equal(ty_port_holders_find("RUN=/tmp/run-12", "POD", found, 4), 0);
    assert_int_equal(ty_port_holders_find("RUN=/tmp/run-1", "NODE", found, 4), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(ty_port_holders_find("RUN=/tmp/run-1", "POD", found, 4), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_holder_is_found) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
