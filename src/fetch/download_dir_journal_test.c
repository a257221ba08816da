#include "fetch/download_dir.h"
#include "fetch/testing.h"

static struct ty_download_dir *opened(struct ty_arena *a)
{
    struct ty_download_dir *s = NULL;
    struct ty_err err = { 0 };
    if (ty_download_dir_open(a, "d", &s, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

static void test_remembers(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    box_write("d/a \"q\"", "1");
    box_write("d/b", "22");
    assert_int_equal(ty_download_dir_mark_done(s, "a \"q\"", "one", NULL), 0);
    assert_int_equal(ty_download_dir_mark_done(s, "b", "old", NULL), 0);
    assert_int_equal(ty_download_dir_mark_done(s, "b", "new", NULL), 0);
    assert_true(ty_download_dir_mark_done(s, "none", "x", NULL) < 0);
    ty_download_dir_close(s);
    s = opened(a);
    assert_string_equal(ty_download_dir_tag(s, "a \"q\"", NULL), "one");
    int64_t size = 0;
    assert_string_equal(ty_download_dir_tag(s, "b", &size), "new"); /* the later line */
    assert_int_equal(size, 2);
    assert_null(ty_download_dir_tag(s, "c", NULL));
    ty_download_dir_close(s);
}

static void test_believes_only_what_is_still_so(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = opened(a);
    static const char *const names[] = { "d/same", "d/longer", "d/touched", "d/gone" };
    const struct timespec then[2] = { { .tv_sec = 5 }, { .tv_sec = 5 } };
    for (size_t i = 0; i < 4; i++) {
        box_write(names[i], "x");
        assert_int_equal(ty_download_dir_mark_done(s, names[i] + 2, "t", NULL), 0);
    }
    ty_download_dir_close(s);
    box_write("d/longer", "xx");
    assert_int_equal(utimensat(AT_FDCWD, "d/touched", then, 0), 0);
    assert_int_equal(unlink("d/gone"), 0);
    s = opened(a);
    assert_string_equal(ty_download_dir_tag(s, "same", NULL), "t");
    for (size_t i = 1; i < 4; i++)
        assert_null(ty_download_dir_tag(s, names[i] + 2, NULL));
    ty_download_dir_close(s);
}

static void test_a_torn_line(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkdir("d/.trainyard", 0777), 0);
    box_write("d/.trainyard/done.jsonl", "nonsense\n{\"name\":\"b\"}\n\n{\"name\":\"a\",\"ta");
    box_write("d/a", "1");
    struct ty_download_dir *s = opened(a);
    assert_null(ty_download_dir_tag(s, "a", NULL));
    assert_null(ty_download_dir_tag(s, "b", NULL));
    assert_int_equal(ty_download_dir_mark_done(s, "a", "t", NULL), 0);
    ty_download_dir_close(s);
    s = opened(a); /* the next line did not stick to the torn one */
    assert_string_equal(ty_download_dir_tag(s, "a", NULL), "t");
    ty_download_dir_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_remembers),
        box_test(test_believes_only_what_is_still_so),
        box_test(test_a_torn_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
