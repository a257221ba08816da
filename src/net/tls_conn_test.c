/* The way to a socket. */
#include "net/tls_conn_inner.h"
#include "net/tls_conn_testing.h"

#include <netdb.h>

static void nobody_there(void **state)
{
    struct conn_world w;
    struct conn_heard refused = { 0 }, unknown = { 0 }, port = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.port = "1";
    conn_run(&w, &refused, &s);
    assert_has(refused.why, "cannot connect to 127.0.0.1 port 1: Connection refused");
    s.host = "nobody.invalid";
    conn_run(&w, &unknown, &s);
    assert_has(unknown.why, "nobody.invalid");
    s.host = "127.0.0.1";
    s.port = "seven";
    conn_run(&w, &port, &s);
    assert_int_equal(port.gone, 1);
    conn_end(&w, &refused);
    conn_end(&w, &unknown);
    conn_end(&w, &port);
    conn_finish(&w);
}

/* By name; ::1, which has no listener, may come first. */
static void by_name(void **state)
{
    struct conn_world w;
    struct conn_heard h = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.host = "localhost";
    conn_run(&w, &h, &s);
    assert_int_equal(h.ready, 1);
    conn_end(&w, &h);
    conn_finish(&w);
}

/* The kernel accepts the connection, but there is no handshake. */
static void time_is_limited(void **state)
{
    struct conn_world w;
    struct conn_heard h = { 0 };
    int number = 0, fd = port_take(16, &number);
    char port[8];
    (void)state;
    conn_begin(&w, "h2");
    snprintf(port, sizeof(port), "%d", number);
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.port = port;
    s.connect_ms = 500; /* for the address, too */
    conn_run(&w, &h, &s);
    assert_has(h.why, "timed out");
    assert_has(h.why, "TLS handshake");
    conn_end(&w, &h);
    close(fd);
    conn_finish(&w);
}

/* A port that drops connections: its queue is full, and nothing accepts. */
struct hole {
    int fd, knocks[4];
    char port[8];
};

static void hole_begin(struct hole *h)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int port = 0;
    h->fd = port_take(0, &port);
    at.sin_port = htons((uint16_t)port);
    snprintf(h->port, sizeof(h->port), "%d", port);
    for (size_t i = 0; i < 4; i++) {
        h->knocks[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(h->knocks[i], (struct sockaddr *)&at, sizeof(at));
    }
}

static void hole_end(struct hole *h)
{
    for (size_t i = 0; i < 4; i++)
        close(h->knocks[i]);
    close(h->fd);
}

static struct addrinfo *address(const char *port, struct addrinfo *then)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *found;
    assert_int_equal(getaddrinfo("127.0.0.1", port, &hints, &found), 0);
    found->ai_next = then;
    return found;
}

/* A name may have several addresses, and the first may be one that never answers, nor refuses:
 * there must be time left for the next, or it is never reached, however often it is tried. */
static void the_first_is_dead(void **state)
{
    struct conn_world w;
    struct hole hole;
    struct conn_heard h = { 0 }, dead = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    hole_begin(&hole);
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.ctx = &h;
    h.conn = ty_tls_conn_new(&s);
    ty_tls_conn_resolved(h.conn, address("1", address(hole.port, address(w.port, NULL))));
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_string_equal(h.why, "");
    assert_int_equal(h.ready, 1);
    s.ctx = &dead;
    s.connect_ms = 200;
    dead.conn = ty_tls_conn_new(&s);
    ty_tls_conn_resolved(dead.conn, address(hole.port, address(hole.port, NULL)));
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_has(dead.why, "timed out");
    assert_has(dead.why, "did not answer");
    conn_end(&w, &h);
    conn_end(&w, &dead);
    hole_end(&hole);
    conn_finish(&w);
}

static void freed_at_once(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost", "nobody.invalid" };
    struct conn_world w;
    (void)state;
    conn_begin(&w, "h2");
    for (int i = 0; i < 6; i++) {
        struct conn_heard h = { 0 };
        struct ty_tls_conn_settings s = conn_to_far(&w);
        s.host = hosts[i % 3];
        s.ctx = &h;
        h.conn = ty_tls_conn_new(&s);
        if (i >= 3)
            uv_run(&w.loop, UV_RUN_NOWAIT); /* a slow machine may be ready in one turn, or know
                                               that there is no such name */
        int gone = h.gone;
        ty_tls_conn_free(h.conn);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.gone, gone);
        ty_buf_done(&h.in);
    }
    ty_tls_conn_free(NULL);
    conn_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_there),    cmocka_unit_test(by_name),
        cmocka_unit_test(time_is_limited), cmocka_unit_test(the_first_is_dead),
        cmocka_unit_test(freed_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
