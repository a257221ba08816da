/* News arrive whole, in order, also those told just before an end. */
#include "proc/testing.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "proc/shim_event.h"

static void make_pair(int pair[2])
{
    const int on = 1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
}

static void news_arrive_in_order(void **state)
{
    (void)state;
    struct ty_shim_event out = { .what = TY_SHIM_EXITED,
                                 .id = 7,
                                 .wstatus = 256,
                                 .user_us = 1,
                                 .sys_us = 2,
                                 .max_rss_kb = 3,
                                 .code = 4 },
                         in;
    int pair[2];
    make_pair(pair);
    assert_int_equal(ty_shim_event_recv(pair[1], &in), -EAGAIN);
    assert_int_equal(ty_shim_event_send(pair[0], &out, false), 0);
    out.what = TY_SHIM_START_FAILED;
    memset(out.text, 'x', sizeof(out.text)); /* not even terminated */
    assert_int_equal(ty_shim_event_send(pair[0], &out, false), 0);
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 1);
    assert_true(in.what == TY_SHIM_EXITED && in.id == 7 && in.wstatus == 256 && in.user_us == 1 &&
                in.sys_us == 2 && in.max_rss_kb == 3 && in.code == 4);
    assert_string_equal(in.text, "");
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 1);
    assert_int_equal(in.what, TY_SHIM_START_FAILED);
    assert_int_equal(strlen(in.text), sizeof(in.text) - 1);
    close(pair[0]);
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 0);
    close(pair[1]);
}

/* The other end dies with a request unread: the kernel reports a reset before its last words. */
static void last_words_are_heard(void **state)
{
    (void)state;
    struct ty_shim_event out = { .what = TY_SHIM_GONE, .code = 13, .text = "mount: no" }, in;
    int pair[2];
    make_pair(pair);
    assert_int_equal(ty_shim_event_send(pair[0], &out, false), 0);
    assert_int_equal(send(pair[1], "request", 7, 0), 7);
    close(pair[0]);
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 1);
    assert_string_equal(in.text, "mount: no");
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 0);
    close(pair[1]);
}

static void a_sleeping_reader_does_not_hold_up(void **state)
{
    (void)state;
    struct ty_shim_event out = { .what = TY_SHIM_EXITED };
    int pair[2], r = 0, sent = 0;
    make_pair(pair);
    for (; r == 0 && sent < 100000; sent++)
        r = ty_shim_event_send(pair[0], &out, false);
    assert_int_equal(r, -EAGAIN);
    close(pair[0]);
    close(pair[1]);
}

/* In a namespace of its own a process is 1; outside it has our number. */
static void process_ids_are_translated(void **state)
{
    (void)state;
    int pair[2];
    if (geteuid() != 0)
        skip(); /* shim_test does it for others */
    make_pair(pair);
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid < 0) {
        close(pair[0]);
        close(pair[1]);
        skip(); /* this kernel forbids it */
    }
    if (pid == 0) {
        struct ty_shim_event out = { .what = TY_SHIM_STARTED, .pid = getpid() };
        _exit(out.pid == 1 && ty_shim_event_send(pair[0], &out, true) == 0 ? 0 : 1);
    }
    int status = 0;
    struct ty_shim_event in = { 0 };
    struct pollfd p = { pair[1], POLLIN, 0 };
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    assert_int_equal(ty_shim_event_recv(pair[1], &in), 1); /* before it is buried */
    assert_int_equal(in.what, TY_SHIM_STARTED);
    assert_int_equal(in.pid, pid);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(news_arrive_in_order),
        cmocka_unit_test(last_words_are_heard),
        cmocka_unit_test(a_sleeping_reader_does_not_hold_up),
        cmocka_unit_test(process_ids_are_translated),
    };
    return run_as_both("news", tests, TY_COUNT(tests));
}
