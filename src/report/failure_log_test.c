#include "report/failure_log.h"

#include "base/testing.h"

static void marks(const char *line, const char *body, int64_t rank, int64_t local)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_failure_log log;

    ty_failure_log_read(a, ty_str(line), &log);
    assert_int_equal(log.n, 1);
    assert_string_equal(ty_arena_cstr(a, log.lines[0].body), body);
    assert_int_equal(log.lines[0].mark.rank, rank);
    assert_int_equal(log.lines[0].mark.local, local);
}

static void test_marks(void **state)
{
    (void)state;
    marks("[default1]:ValueError: boom", "ValueError: boom", -1, 1);
    marks("[trainer12]:  File", " File", -1, 12);
    marks("[rank3]: ValueError: boom", "ValueError: boom", 3, -1);
    marks("[rank3]:   File", "  File", 3, -1);
    marks("[default1]:[rank3]: ValueError: boom", "ValueError: boom", 3, 1);
    marks("[1,2]<stderr>:boom", "boom", 2, -1);
    marks("[2]<stdout>:boom", "boom", 2, -1);
    marks("[17:45:14] task 1 got new rank 1", "[17:45:14] task 1 got new rank 1", -1, -1);
    marks("[E1117 17:33:43 x.cpp:607] [Rank 0] x", "[E1117 17:33:43 x.cpp:607] [Rank 0] x", -1, -1);
    marks("[error]: no digits", "[error]: no digits", -1, -1);
    marks("[rank99999999999999999999]: x", "x", -1, -1);
    marks("[]: x", "[]: x", -1, -1);
}

static void test_offsets(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_failure_log log;

    (void)state;
    ty_failure_log_read(a, TY_LIT("one\r\n\033[31mtwo\033[0m\n10%\r20%\n\n\n"), &log);
    assert_int_equal(log.n, 3);
    assert_string_equal(log.lines[1].text.p, "two");
    assert_int_equal(log.lines[1].offset, 5);
    assert_string_equal(log.lines[2].text.p, "20%");
    ty_failure_log_read(a, (struct ty_str){ 0 }, &log);
    assert_int_equal(log.n, 0);
}

/* Reads a line of `n` digits, then `word`, then `after`. */
static const char *cut(struct ty_arena *a, int n, const char *word, const char *after)
{
    const char *digits = ty_arena_printf(a, "%0*d", n, 0);
    struct ty_failure_log log;

    ty_failure_log_read(a, ty_str(ty_arena_printf(a, "%s%s%s", digits, word, after)), &log);
    return log.lines[0].text.p + n;
}

/* What is masked by its form later is there as a whole, or not at all. */
static void test_no_half_words(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(cut(a, 360, " https://ann:9c4f7e1b0d@pypi.example/simple is gone", ""), "");
    assert_string_equal(cut(a, 360, " https://ann:9c4f7e1b0d@h.example gone", " now"),
                        " https://ann:9c4f7e1b0d@h.example gone");
    assert_string_equal(cut(a, 380, " token a7f3d9e2c1b4f6a8d0", ""), " token");
    assert_string_equal(cut(a, 371, " 29 bytes are there, not more", ""),
                        " 29 bytes are there, not more");
    assert_string_equal(cut(a, 371, " 29 bytes are there, not more", "  "),
                        " 29 bytes are there, not more");
    assert_string_equal(cut(a, 260, " é", ty_arena_printf(a, "%0*d", 200, 0)), " é000000000");
    assert_string_equal(cut(a, 271, "é", ty_arena_printf(a, "%0*d", 200, 0)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_marks),
                                        cmocka_unit_test(test_offsets),
                                        cmocka_unit_test(test_no_half_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
