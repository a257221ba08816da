#include "net/fence.h"
#include "net/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>

struct pair {
    int listener, near, far; /* near is nonblocking, and behind the fence */
    bool closed;
    struct ty_fence fence;
};

static bool is_open(void *ctx)
{
    return !((const struct pair *)ctx)->closed;
}

static void open_pair(struct pair *p)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int port = 0;

    *p = (struct pair){ .fence = { .open = is_open, .ctx = p, .unacked_ms = 1234 } };
    p->listener = port_take(1, &port);
    to.sin_port = htons((uint16_t)port);
    p->near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ty_fence_arm(&p->fence, p->near);
    assert_int_equal(connect(p->near, (const struct sockaddr *)&to, sizeof(to)), 0);
    p->far = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(p->far >= 0);
    fcntl(p->near, F_SETFL, O_NONBLOCK);
}

/* Reads to the end; returns the number of bytes, and whether it ended with a reset. */
static size_t drain(struct pair *p, bool *ret_reset)
{
    char bytes[65536];
    size_t all = 0;
    ssize_t n;

    while ((n = read(p->far, bytes, sizeof(bytes))) > 0)
        all += (size_t)n;
    *ret_reset = n < 0 && errno == ECONNRESET;
    return all;
}

/* Sends until the buffers of both sockets are full. */
static size_t fill(struct pair *p)
{
    static const char bytes[65536];
    size_t all = 0;
    ssize_t n;

    while ((n = send(p->near, bytes, sizeof(bytes), MSG_NOSIGNAL)) > 0)
        all += (size_t)n;
    return all;
}

static void finish(struct pair *p)
{
    close(p->far);
    close(p->listener);
}

static int option(int fd, int level, int name)
{
    int v = -1;
    socklen_t n = sizeof(v);
    assert_int_equal(getsockopt(fd, level, name, &v, &n), 0);
    return v;
}

static void no_fence(void **state)
{
    static const struct ty_fence none = { .unacked_ms = 77 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_true(ty_fence_is_open(NULL) && ty_fence_is_open(&none));
    ty_fence_arm(NULL, fd);
    ty_fence_arm(&none, fd);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
    assert_int_equal(option(fd, SOL_SOCKET, SO_LINGER), 0);
    assert_true(ty_fence_disarm(NULL, fd) && ty_fence_disarm(&none, fd));
    close(fd);
}

/* A plain close, as that of a killed process, resets the connection. */
static void armed_from_the_start(void **state)
{
    struct pair p;
    bool reset = false;
    (void)state;
    open_pair(&p);
    assert_int_equal(option(p.near, IPPROTO_TCP, TCP_USER_TIMEOUT), 1234);
    size_t sent = fill(&p);
    close(p.near);
    assert_true(drain(&p, &reset) < sent); /* what the kernel still had is gone */
    assert_true(reset);
    finish(&p);
}

static void in_order(void **state)
{
    struct pair p;
    bool reset = true;
    (void)state;
    open_pair(&p);
    assert_true(ty_fence_disarm(&p.fence, p.near));
    close(p.near);
    assert_int_equal(drain(&p, &reset), 0);
    assert_false(reset);
    finish(&p);
}

/* Not in order: bytes are unacknowledged, or the fence is closed. */
static void not_in_order(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        struct pair p;
        bool reset = false;
        open_pair(&p);
        p.closed = closed;
        size_t sent = closed ? 0 : fill(&p);
        assert_false(ty_fence_disarm(&p.fence, p.near));
        close(p.near);
        assert_true(closed || drain(&p, &reset) < sent);
        assert_true(reset || (drain(&p, &reset) == 0 && reset));
        finish(&p);
    }
}

/* A library that still sends over a cut socket gets an error. */
static void cut(void **state)
{
    struct pair p;
    bool reset = false;
    (void)state;
    open_pair(&p);
    size_t sent = fill(&p);
    ty_fence_cut(p.near);
    assert_true(send(p.near, "goodbye", 7, MSG_NOSIGNAL) < 0);
    assert_true(drain(&p, &reset) < sent);
    assert_true(reset);
    close(p.near);
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fence), cmocka_unit_test(armed_from_the_start),
        cmocka_unit_test(in_order), cmocka_unit_test(not_in_order),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
