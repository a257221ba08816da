#include "cli/cluster/log_lines.h"

#include "base/testing.h"

#define T(n) "2026-11-17T18:40:0" #n ".000000000Z "

struct log_lines_fixture {
    struct ty_log_lines lines;
    struct ty_buf got;
};

static void on_line(void *ctx, struct ty_str stamp, struct ty_str text)
{
    struct log_lines_fixture *f = ctx;

    (void)stamp;
    ty_buf_printf(&f->got, "%.*s|", TY_ARG(text));
}

static int setup(void **state)
{
    struct log_lines_fixture *f = calloc(1, sizeof(*f));

    f->lines.fn = on_line;
    f->lines.ctx = f;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct log_lines_fixture *f = *state;

    ty_log_lines_done(&f->lines);
    ty_buf_done(&f->got);
    free(f);
    return 0;
}

#define add(f, text) ty_log_lines_add(&(f)->lines, ty_str(text))
#define assert_got(f, text)                                                                        \
    do {                                                                                           \
        ty_buf_chr(&(f)->got, 0);                                                                  \
        assert_string_equal((f)->got.p, (text));                                                   \
        (f)->got.n = 0;                                                                            \
    } while (0)

/* Chunks end anywhere, also within the timestamp. */
static void test_chunks(void **state)
{
    struct log_lines_fixture *f = *state;
    static const char text[] = T(1) "a b\n" T(2) "\n" T(3) "c\n";

    for (size_t i = 0; i + 1 < sizeof(text); i++)
        ty_log_lines_add(&f->lines, (struct ty_str){ text + i, 1 });
    assert_got(f, "a b||c|");
    add(f, T(4) "no newline");
    assert_got(f, "");
    ty_log_lines_end(&f->lines);
    assert_got(f, "no newline|");
}

/* The line in which the connection broke is sent again, and printed once. */
static void test_resume(void **state)
{
    struct log_lines_fixture *f = *state;

    add(f, T(1) "a\n" T(2) "b\n" T(3) "half of");
    ty_log_lines_resume(&f->lines);
    add(f, T(1) "a\n" T(2) "b\n" T(3) "half of a line\n" T(4) "d\n");
    assert_got(f, "a|b|half of a line|d|");
    assert_true(ty_str_is(ty_log_lines_resume(&f->lines), "2026-11-17T18:40:04.000000000Z"));
    add(f, T(3) "half of a line\n" T(4) "d\n" T(4) "d\n");
    assert_got(f, "d|"); /* the second line of that time is news */
    ty_log_lines_resume(&f->lines);
    add(f, T(4) "d\n" T(4) "d\n");
    ty_log_lines_resume(&f->lines); /* once more, before anything new */
    add(f, T(4) "d\n" T(4) "d\n" T(4) "e\n");
    assert_got(f, "e|");
}

/* Before the first line everything is news. */
static void test_resume_at_start(void **state)
{
    struct log_lines_fixture *f = *state;

    assert_int_equal(ty_log_lines_resume(&f->lines).n, 0);
    add(f, T(1) "a\n");
    assert_got(f, "a|");
}

/* A line of any length takes bounded memory, and its pieces are not repeated either. */
static void test_long_line(void **state)
{
    struct log_lines_fixture *f = *state;
    static char long_line[3 * TY_LOG_LINES_MAX];
    size_t n = 0;

    memset(long_line, 'x', sizeof(long_line));
    add(f, T(1) "a\n" T(2));
    ty_log_lines_add(&f->lines, (struct ty_str){ long_line, sizeof(long_line) });
    assert_true(f->lines.part.cap <= 2 * (TY_LOG_LINES_MAX + TY_LOG_LINES_STAMP));
    ty_log_lines_resume(&f->lines);
    add(f, T(1) "a\n" T(2));
    ty_log_lines_add(&f->lines, (struct ty_str){ long_line, sizeof(long_line) });
    add(f, "y\n" T(3) "z\n");
    for (size_t i = 0; i < f->got.n; i++)
        n += f->got.p[i] == 'x';
    assert_int_equal(n, sizeof(long_line));
    assert_memory_equal(f->got.p, "a|", 2);
    assert_memory_equal(f->got.p + f->got.n - 4, "y|z|", 4);
}

/* Times with an offset and few digits, and the kubelet's own words without any. */
static void test_other_stamps(void **state)
{
    struct log_lines_fixture *f = *state;

    add(f, "2026-11-17T19:40:01.5+01:00 a\n2026-11-17T18:40:01.25Z early\nunable to read\n");
    assert_got(f, "a|early|unable to read|");
    ty_log_lines_resume(&f->lines);
    add(f, "2026-11-17T18:40:01.25Z early\n2026-11-17T19:40:01.5+01:00 b\n");
    assert_got(f, "b|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_chunks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_at_start, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_stamps, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
