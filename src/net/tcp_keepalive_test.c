#include "net/tcp_keepalive.h"
#include "net/testing.h"

#include <netinet/tcp.h>

static int option(int fd, int level, int name)
{
    int v = -1;
    socklen_t n = sizeof(v);
    assert_int_equal(getsockopt(fd, level, name, &v, &n), 0);
    return v;
}

static void is_watched(void **state)
{
    static const struct {
        int64_t dead_ms;
        int every;
    } cases[] = { { 30000, 10 }, { 500, 1 } };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ty_tcp_keepalive_set(fd, cases[i].dead_ms);
        assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
        assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), cases[i].every);
        assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), cases[i].every);
        assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), cases[i].dead_ms);
        close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(is_watched) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
