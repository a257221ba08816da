/* Messages arrive as sent, small and big, with their descriptors; broken ones are refused. */
#include "proc/testing.h"

#include <sys/socket.h>

#include "proc/wire.h"

static void make_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static void bodies_of_all_sizes_arrive(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 4096, TY_WIRE_INLINE, TY_WIRE_INLINE + 1, 3 << 20 };
    struct ty_wire_msg msg;
    int pair[2];

    make_pair(pair);
    for (size_t i = 0; i < TY_COUNT(sizes); i++) {
        char *text = malloc(sizes[i] + 1);
        for (size_t j = 0; j < sizes[i]; j++)
            text[j] = (char)(j * 31);
        assert_int_equal(
            ty_wire_send(pair[0], TY_WIRE_POD, (struct ty_str){ text, sizes[i] }, NULL, 0), 0);
        assert_int_equal(ty_wire_recv(pair[1], &msg), 1);
        assert_int_equal(msg.kind, TY_WIRE_POD);
        assert_int_equal(msg.n, sizes[i]);
        assert_memory_equal(msg.body, text, sizes[i]);
        ty_wire_done(&msg);
        free(text);
    }
    close(pair[0]);
    close(pair[1]);
}

static void descriptors_arrive_beside_any_body(void **state)
{
    (void)state;
    static char big[TY_WIRE_INLINE + 7];
    struct ty_wire_msg msg;
    int pair[2], pipes[2];
    char c = 0;

    make_pair(pair);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    for (size_t n = 4; n <= sizeof(big); n += sizeof(big) - 4) {
        assert_int_equal(ty_wire_send(pair[0], TY_WIRE_START, (struct ty_str){ big, n }, pipes, 2),
                         0);
        assert_int_equal(ty_wire_recv(pair[1], &msg), 1);
        assert_int_equal(msg.n, n);
        assert_int_equal(msg.n_fds, 2);
        assert_true(fcntl(msg.fds[0], F_GETFD) & FD_CLOEXEC);
        assert_int_equal(write(msg.fds[1], "x", 1), 1);
        assert_int_equal(read(pipes[0], &c, 1), 1);
        int taken = ty_wire_take(&msg, 0), left = msg.fds[1];
        ty_wire_done(&msg);
        assert_int_equal(close(taken), 0);
        assert_int_equal(fcntl(left, F_GETFD), -1); /* done closes what nobody took */
    }
    close(pipes[0]);
    close(pipes[1]);
    close(pair[0]);
    close(pair[1]);
}

static void ends_and_empty_sockets_are_told(void **state)
{
    (void)state;
    struct ty_wire_msg msg;
    int pair[2];
    make_pair(pair);
    assert_int_equal(ty_wire_recv(pair[1], &msg), -EAGAIN);
    assert_int_equal(write(pair[0], "abc", 3), 3); /* shorter than any message */
    assert_int_equal(ty_wire_recv(pair[1], &msg), -EBADMSG);
    shutdown(pair[0], SHUT_WR);
    assert_int_equal(ty_wire_recv(pair[1], &msg), 0);
    close(pair[1]);
    assert_int_equal(ty_wire_send(pair[0], TY_WIRE_POD, TY_LIT("x"), NULL, 0), -EPIPE);
    close(pair[0]);
}

static void a_reader_that_sleeps_does_not_hold_up(void **state)
{
    (void)state;
    static char room[TY_WIRE_INLINE];
    int pair[2], r = 0, sent = 0;
    make_pair(pair);
    for (; r == 0 && sent < 10000; sent++)
        r = ty_wire_send(pair[0], TY_WIRE_POD, (struct ty_str){ room, sizeof(room) }, NULL, 0);
    assert_int_equal(r, -EAGAIN);
    assert_true(sent > 4);
    close(pair[0]);
    close(pair[1]);
}

static void too_big_is_refused(void **state)
{
    (void)state;
    int pair[2];
    char *big = calloc(1, TY_WIRE_MAX + 1);
    make_pair(pair);
    assert_int_equal(
        ty_wire_send(pair[0], TY_WIRE_POD, (struct ty_str){ big, TY_WIRE_MAX + 1 }, NULL, 0),
        -E2BIG);
    free(big);
    close(pair[0]);
    close(pair[1]);
}

static const char *const words[] = { "one", "", "three three", NULL };
static const struct ty_bind_mount some_binds[] = {
    { .from = "/a", .to = "/b", .sub = "c", .read_only = true },
    { .to = "/c", .tmpfs = true },
    { 0 }
};

static void put_all(struct ty_buf *b)
{
    uint64_t number = 1234567890123;
    ty_buf_put(b, &number, sizeof(number));
    ty_wire_put_strs(b, words);
    ty_wire_put_strs(b, NULL);
    ty_wire_put_str(b, "word");
    ty_wire_put_binds(b, some_binds);
    ty_wire_put_binds(b, NULL);
}

static void bodies_read_back(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    uint64_t number = 0;
    put_all(&b);
    struct ty_wire_in in = { .p = b.p, .end = b.p + b.n };
    ty_wire_get(&in, &number, sizeof(number));
    char **list = ty_wire_get_strs(&in), **none = ty_wire_get_strs(&in);
    const char *word = ty_wire_get_str(&in);
    struct ty_bind_mount *binds = ty_wire_get_binds(&in), *no_binds = ty_wire_get_binds(&in);
    assert_false(in.bad);
    assert_ptr_equal(in.p, in.end);
    assert_true(number == 1234567890123);
    for (size_t i = 0; words[i]; i++)
        assert_string_equal(list[i], words[i]);
    assert_null(list[3]);
    assert_null(none[0]);
    assert_string_equal(word, "word");
    assert_string_equal(binds[0].from, "/a");
    assert_string_equal(binds[0].to, "/b");
    assert_string_equal(binds[0].sub, "c");
    assert_true(binds[0].read_only && !binds[0].tmpfs);
    assert_true(binds[1].tmpfs && !binds[1].read_only);
    assert_null(binds[2].to);
    assert_null(no_binds[0].to);
    free(list);
    free(none);
    free(binds);
    free(no_binds);
}

/* Every shorter body is refused, and nothing is read behind its end (the sanitizer looks on). */
static void cut_bodies_are_refused(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    put_all(&b);
    for (size_t n = 0; n < b.n; n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, b.p, n);
        struct ty_wire_in in = { .p = cut, .end = cut + n };
        uint64_t number;
        ty_wire_get(&in, &number, sizeof(number));
        char **list = ty_wire_get_strs(&in), **none = ty_wire_get_strs(&in);
        ty_wire_get_str(&in);
        struct ty_bind_mount *binds = ty_wire_get_binds(&in), *no_binds = ty_wire_get_binds(&in);
        assert_true(in.bad);
        assert_null(no_binds);
        free(list);
        free(none);
        free(binds);
        free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_all_sizes_arrive),
        cmocka_unit_test(descriptors_arrive_beside_any_body),
        cmocka_unit_test(ends_and_empty_sockets_are_told),
        cmocka_unit_test(a_reader_that_sleeps_does_not_hold_up),
        cmocka_unit_test(too_big_is_refused),
        cmocka_unit_test(bodies_read_back),
        cmocka_unit_test(cut_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
