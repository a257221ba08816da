#include "cli/files.h"
#include "cli/testing.h"
#include <fcntl.h>
#include <sys/stat.h>

struct seen {
    char names[1024], input_errors[1024];
};

static void on_text(void *ctx, const char *file, struct ty_str text)
{
    struct seen *s = ctx;
    size_t n = strlen(s->names);
    snprintf(s->names + n, sizeof(s->names) - n, "%s=%.*s;", file, TY_ARG(text));
}

static void on_trouble(void *ctx, const char *file, const char *sentence)
{
    struct seen *s = ctx;
    size_t n = strlen(s->input_errors);
    snprintf(s->input_errors + n, sizeof(s->input_errors) - n, "%s: %s;", file, sentence);
}

static void read_all(struct ty_cli_fixture *b, const char *path, bool recursive, struct seen *s)
{
    memset(s, 0, sizeof(*s));
    struct ty_files f = {
        .arena = b->cli.arena,
        .stdin_fd = b->cli.in,
        .recursive = recursive,
        .room_bytes = 100,
        .room_files = 10,
        .text = on_text,
        .trouble = on_trouble,
        .ctx = s,
    };
    ty_files_read(&f, path);
}

static void test_directories(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct seen s;
    fixture_open(&b);
    assert_int_equal(mkdir("d", 0700) | mkdir("d/sub.yaml", 0700) | mkdir("empty", 0700), 0);
    fixture_file("d/b.yaml", "B");
    fixture_file("d/a.json", "A");
    fixture_file("d/c.yml", "C");
    fixture_file("d/.hidden.yaml", "no");
    fixture_file("d/notes.txt", "no");
    fixture_file("d/sub.yaml/x.yaml", "X");
    read_all(&b, "d", false, &s);
    assert_string_equal(s.names, "d/a.json=A;d/b.yaml=B;d/c.yml=C;");
    read_all(&b, "d/", true, &s);
    assert_string_equal(s.names, "d/a.json=A;d/b.yaml=B;d/c.yml=C;d/sub.yaml/x.yaml=X;");
    read_all(&b, "empty", false, &s);
    assert_string_equal(s.input_errors, "empty: no .yaml, .yml or .json files in this directory;");
    fixture_close(&b);
}

static void test_troubles(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct seen s;
    fixture_open(&b);
    read_all(&b, "gone.yaml", false, &s);
    assert_string_equal(s.input_errors, "gone.yaml: cannot open: No such file or directory;");
    fixture_file("big.yaml", "");
    assert_int_equal(truncate("big.yaml", 100 << 20), 0);
    read_all(&b, "big.yaml", false, &s);
    assert_string_equal(s.input_errors, "big.yaml: 100 MB is more than the 32 MB limit;");
    assert_string_equal(s.names, "");
    char text[102];
    memset(text, 'x', 101);
    text[101] = 0;
    fixture_file("room.yaml", text);
    read_all(&b, "room.yaml", false, &s);
    assert_string_equal(s.input_errors,
                        "room.yaml: the files together are more than can be read at once;");
    fixture_close(&b);
}

static void test_standard_input(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct seen s;
    int fds[2];
    fixture_open(&b);
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "hello", 5), 5);
    close(fds[1]);
    b.cli.in = fds[0];
    read_all(&b, "-", false, &s);
    assert_string_equal(s.names, "<stdin>=hello;");
    assert_int_equal(close(fds[0]), 0); /* it was borrowed */
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directories),
        cmocka_unit_test(test_troubles),
        cmocka_unit_test(test_standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
