/* Requests of rsh to the engine. engine/rsh_test.c tests the engine's side,
 * tests/run/test_frameworks.py both with a real mpirun. */
#include "cli/testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "engine/rsh.h"

/* A server in place of the engine: accepts one request and answers it, or closes the connection. */
struct peer {
    struct ty_cli_fixture b;
    pthread_t thread;
    int fd;
    struct ty_rsh_request got;
    size_t n_fds; /* that came with it */
    struct ty_rsh_reply reply;
    size_t reply_n; /* bytes of the reply to send; 0: close the connection */
};

static void count_fds(struct peer *p, struct msghdr *msg)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        int fds[8];
        memcpy(fds, CMSG_DATA(c), (n < 8 ? n : 8) * sizeof(int));
        for (size_t i = 0; i < n && i < 8; i++, p->n_fds++)
            close(fds[i]);
    }
}

static void *serve_request(void *ctx)
{
    struct peer *p = ctx;
    char control[256];
    struct iovec iov = { &p->got, sizeof(p->got) };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    int c = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);

    if (c < 0)
        return NULL;
    if (recvmsg(c, &msg, 0) == (ssize_t)sizeof(p->got)) {
        count_fds(p, &msg);
        if (p->reply_n)
            send(c, &p->reply, p->reply_n, MSG_NOSIGNAL);
    }
    close(c);
    return NULL;
}

static int setup(void **state)
{
    struct peer *p = calloc(1, sizeof(*p));
    struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "rsh.sock" };

    fixture_open(&p->b);
    p->reply_n = sizeof(p->reply);
    p->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(p->fd, 1), 0);
    assert_int_equal(pthread_create(&p->thread, NULL, serve_request, p), 0);
    setenv("TRAINYARD_RSH", ty_arena_printf(p->b.cli.arena, "%s/rsh.sock", p->b.dir), 1);
    *state = p;
    return 0;
}

static void stop_server(struct peer *p)
{
    if (p->fd < 0)
        return;
    shutdown(p->fd, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->fd);
    p->fd = -1;
}

static int teardown(void **state)
{
    struct peer *p = *state;

    stop_server(p);
    fixture_close(&p->b);
    free(p);
    return 0;
}

static void assert_request(struct peer *p, const char *const *words, const char *host,
                           const char *command)
{
    p->reply.code = 42;
    assert_int_equal(fixture_run(&p->b, words), 42);
    stop_server(p);
    assert_string_equal(p->got.host, host);
    assert_string_equal(p->got.command, command);
    assert_int_equal(p->n_fds, 3);
    assert_string_equal(p->b.err, "");
}
#define ASKS(p, host, command, ...)                                                                \
    assert_request(p, (const char *const[]){ "rsh", __VA_ARGS__, NULL }, host, command)

static void test_a_command(void **state)
{
    ASKS(*state, "j-node-0-1", "echo hi", "j-node-0-1", "echo", "hi");
}

/* As in ssh, words are joined by spaces, and the remote shell splits them again. */
static void test_quoting_is_the_callers(void **state)
{
    ASKS(*state, "h", "sh -c 'a  b' \"$X\" ;", "h", "sh", "-c", "'a  b'", "\"$X\"", ";");
}

static void test_sshs_options(void **state)
{
    ASKS(*state, "h", "true -x", "-x", "-o", "BatchMode=yes", "-p22", "-qo", "A=b", "-Tp", "22",
         "--", "me@h", "true", "-x");
}

/* Hydra's way: every option in one word, its value in it. */
static void test_values_in_the_word(void **state)
{
    ASKS(*state, "h", "true", "-oA=b", "-lme", "h", "true");
}

static void test_no_host_or_no_command(void **state)
{
    struct peer *p = *state;

    assert_int_equal(FIXTURE_RUN(&p->b, "rsh"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "-o"), TY_EXIT_USAGE); /* its value is missing */
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "-o", "h", "true"), TY_EXIT_USAGE);
    assert_has(p->b.err, "give a host and a command");
}

static void test_outside_of_a_run(void **state)
{
    struct peer *p = *state;

    unsetenv("TRAINYARD_RSH");
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_has(p->b.err, "rsh works inside a run only: TRAINYARD_RSH is not set");
    setenv("TRAINYARD_RSH", "nonsense", 1);
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_has(p->b.err, "error: nonsense: No such file or directory\n");
    setenv("TRAINYARD_RSH", "/no/such/folder/rsh.sock", 1);
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_has(p->b.err, "error: /no/such/folder/rsh.sock: No such file or directory\n");
    setenv("TRAINYARD_RSH", ty_arena_printf(p->b.cli.arena, "%s/other.sock", p->b.dir), 1);
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_has(p->b.err, "other.sock: No such file or directory\n");
}

static void test_refused(void **state)
{
    struct peer *p = *state;

    p->reply = (struct ty_rsh_reply){ .code = 255, .text = "no such pod" };
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "ghost", "true"), 255);
    assert_string_equal(p->b.err, "error: ghost: no such pod\n");
}

static void test_the_run_ends_meanwhile(void **state)
{
    struct peer *p = *state;

    p->reply_n = 0;
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_string_equal(p->b.err, "error: h: the run ended\n");
}

static void test_half_an_answer(void **state)
{
    struct peer *p = *state;

    p->reply_n = 2;
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", "true"), 255);
    assert_string_equal(p->b.err, "error: h: the run ended\n");
}

/* Too long names and commands are refused, never truncated. */
static void test_too_long(void **state)
{
    struct peer *p = *state;
    char *host = ty_arena_printf(p->b.cli.arena, "%0600d", 1);
    char *command = ty_arena_printf(p->b.cli.arena, "%060000d", 1);

    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", host, "true"), 255);
    assert_has(p->b.err, "a host name of 600 bytes is too long");
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", command), 255);
    assert_has(p->b.err, "a command of 60000 bytes is too long");
    command[59999] = 0;
    p->reply.code = 3;
    assert_int_equal(FIXTURE_RUN(&p->b, "rsh", "h", command), 3);
    assert_int_equal(strlen(p->got.command), 59999);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_a_command),
        T(test_quoting_is_the_callers),
        T(test_sshs_options),
        T(test_values_in_the_word),
        T(test_no_host_or_no_command),
        T(test_outside_of_a_run),
        T(test_refused),
        T(test_the_run_ends_meanwhile),
        T(test_half_an_answer),
        T(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
