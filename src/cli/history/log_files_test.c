#include "cli/history/log_files.h"
#include "cli/testing.h"

#include <sys/stat.h>

static void test_names(void **state)
{
    static const char *const bad[] = {
        "node.log",         "node.0.log",   ".0.0.log", "node.a.0.log",        "node.0.0.txt",
        "node.-1.0.log",    "0.0.log",      "",         "n\nerror: x.0.0.log", "n\tx.0.0.log",
        "n\033[1m.0.0.log", "n\xff.0.0.log"
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_log_file f;

    (void)state;
    assert_true(ty_log_files_parse_name(a, "node.2.31.log", &f));
    assert_string_equal(f.container, "node");
    assert_int_equal(f.attempt, 2);
    assert_int_equal(f.restart, 31);
    assert_true(ty_log_files_parse_name(a, "my.side.car.0.1.log", &f));
    assert_string_equal(f.container, "my.side.car");
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_false(ty_log_files_parse_name(a, bad[i], &f));
    assert_false(
        ty_log_files_parse_name(a, "node.0.0.log.1", &f)); /* the first part of node.0.0.log */
}

struct sheet {
    struct ty_cli_fixture b;
    char *text;
    size_t n;
    FILE *out;
};

static int setup(void **state)
{
    struct sheet *s = calloc(1, sizeof(*s));

    fixture_open(&s->b);
    s->out = open_memstream(&s->text, &s->n);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct sheet *s = *state;

    fclose(s->out);
    free(s->text);
    fixture_close(&s->b);
    free(s);
    return 0;
}

static void append_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "ae");

    fputs(text, f);
    fclose(f);
}

static const char *print_log(struct sheet *s)
{
    fflush(s->out);
    return s->text;
}

static void test_list(void **state)
{
    struct sheet *s = *state;
    struct ty_log_file *f = NULL;

    assert_int_equal(ty_log_files_list(s->b.cli.arena, ".", "pod", &f), 0);
    mkdir("logs", 0700);
    mkdir("logs/pod", 0700);
    fixture_file("logs/pod/node.10.0.log", "");
    fixture_file("logs/pod/node.2.1.log", "");
    fixture_file("logs/pod/node.2.0.log", "");
    fixture_file("logs/pod/node.2.0.log.1", "");
    fixture_file("logs/pod/a.0.0.log", "");
    fixture_file("logs/pod/stray", "");
    assert_int_equal(ty_log_files_list(s->b.cli.arena, ".", "pod", &f), 4);
    assert_string_equal(f[0].path, "./logs/pod/a.0.0.log");
    assert_string_equal(f[1].path, "./logs/pod/node.2.0.log");
    assert_string_equal(f[2].path, "./logs/pod/node.2.1.log");
    assert_string_equal(f[3].path, "./logs/pod/node.10.0.log");
}

static void test_growing(void **state)
{
    struct sheet *s = *state;
    struct ty_log_cursor place = { 0 };

    assert_false(ty_log_files_print(s->out, "x.log", "[n] ", &place)); /* not there yet */
    fixture_file("x.log", "one\ntw");
    assert_true(ty_log_files_print(s->out, "x.log", "[n] ", &place));
    assert_string_equal(print_log(s), "[n] one\n");
    append_text("x.log", "o\n\nlast");
    assert_true(ty_log_files_print(s->out, "x.log", "[n] ", &place));
    assert_false(ty_log_files_print(s->out, "x.log", "[n] ", &place));
    assert_string_equal(print_log(s), "[n] one\n[n] two\n[n] \n");
    ty_log_files_flush(s->out, "[n] ", &place);
    assert_string_equal(print_log(s), "[n] one\n[n] two\n[n] \n[n] last\n");
}

static void test_turned_over(void **state)
{
    struct sheet *s = *state;
    struct ty_log_cursor place = { 0 };

    fixture_file("x.log", "one\n");
    ty_log_files_print(s->out, "x.log", NULL, &place);
    append_text("x.log", "two\n");
    assert_int_equal(rename("x.log", "x.log.1"), 0);
    fixture_file("x.log", "three\n");
    assert_true(ty_log_files_print(s->out, "x.log", NULL, &place));
    assert_string_equal(print_log(s), "one\ntwo\nthree\n");
    struct ty_log_cursor fresh = { 0 };
    ty_log_files_print(s->out, "x.log", NULL, &fresh);
    assert_string_equal(print_log(s), "one\ntwo\nthree\none\ntwo\nthree\n");
}

static void assert_tail(struct sheet *s, int64_t lines, const char *want)
{
    struct ty_log_cursor place = { 0 };
    size_t before = 0;

    print_log(s);
    before = s->n;
    ty_log_files_tail("x.log", lines, &place);
    ty_log_files_print(s->out, "x.log", NULL, &place);
    assert_string_equal(print_log(s) + before, want);
}

static void test_tail(void **state)
{
    struct sheet *s = *state;

    fixture_file("x.log", "one\ntwo\nthree\n");
    assert_tail(s, 0, "");
    assert_tail(s, 1, "three\n");
    assert_tail(s, 2, "two\nthree\n");
    assert_tail(s, 9, "one\ntwo\nthree\n");
    append_text("x.log", "four");
    assert_tail(s, 0, "");
    assert_tail(s, 1, "four");
    assert_tail(s, 2, "three\nfour");
    fixture_file("x.log.1", "minus\nzero\n");
    assert_tail(s, 4, "one\ntwo\nthree\nfour");
    assert_tail(s, 5, "zero\none\ntwo\nthree\nfour");
    assert_tail(s, 99, "minus\nzero\none\ntwo\nthree\nfour");
    fixture_file("x.log", "");
    assert_tail(s, 1, "zero\n");
}

static void test_long_files_and_lines(void **state)
{
    struct sheet *s = *state;
    struct ty_log_cursor place = { 0 };
    FILE *f = fopen("x.log", "we");

    for (int i = 0; i < 50000; i++)
        fprintf(f, "line %d\n", i);
    fclose(f);
    assert_tail(s, 3, "line 49997\nline 49998\nline 49999\n");
    f = fopen("y.log", "we");
    for (int i = 0; i < 300000; i++)
        fputc('x', f);
    fclose(f);
    print_log(s);
    size_t before = s->n;
    ty_log_files_print(s->out, "y.log", "[n] ", &place);
    ty_log_files_flush(s->out, "[n] ", &place);
    print_log(s);
    assert_true(s->n - before >= 300000 + 5); /* in pieces, all of it */
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
/* A job can put a pipe in the place of its log: opening it would wait for ever. */
static void test_a_pipe_instead(void **state)
{
    struct sheet *s = *state;
    struct ty_log_cursor place = { 0 };

    assert_int_equal(mkfifo("l", 0600), 0);
    ty_log_files_tail("l", 5, &place);
    ty_log_files_since("l", 1, &place);
    assert_false(ty_log_files_print(s->out, "l", NULL, &place));
    assert_string_equal(print_log(s), "");
    ty_log_files_flush(s->out, NULL, &place);
}

/* On a terminal: what a job writes can color its lines, and no more. */
static void test_for_a_terminal(void **state)
{
    struct sheet *s = *state;
    struct ty_log_cursor place = { .clean = true }, plain = { .clean = true };

    append_text("l", "\033]0;owned\007\033[31mred\n\033[2Jtwo\033[");
    ty_log_files_print(s->out, "l", "[n] ", &place);
    assert_string_equal(print_log(s), "[n] \033[31mred\033[0m\n");
    append_text("l", "1mx\n10%\r20%\r\nend"); /* the sequence was cut by the read */
    ty_log_files_print(s->out, "l", "[n] ", &place);
    ty_log_files_flush(s->out, "[n] ", &place);
    assert_string_equal(print_log(s), "[n] \033[31mred\033[0m\n[n] two\033[1mx\033[0m\n"
                                      "[n] 10%\r[n] 20%\r[n] \n[n] end\n");
    size_t before = s->n;
    ty_log_files_print(s->out, "l", NULL, &plain);
    ty_log_files_flush(s->out, NULL, &plain);
    assert_string_equal(print_log(s) + before, "\033[31mred\ntwo\033[1mx\n10%\r20%\r\nend\033[0m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), T(test_list),          T(test_growing),
        T(test_turned_over),          T(test_tail),          T(test_long_files_and_lines),
        T(test_for_a_terminal),       T(test_a_pipe_instead)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
