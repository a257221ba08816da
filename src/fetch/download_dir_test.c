#include "fetch/download_dir.h"
#include "fetch/testing.h"

#include <errno.h>

static void test_folders_are_made(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct stat st;
    assert_int_equal(ty_download_dir_open(a, "x/y//z/", &s, NULL), 0);
    assert_int_equal(stat("x/y/z/.trainyard/lock", &st), 0);
    int64_t room = ty_download_dir_free_bytes(s);
    assert_true(room > 0);
    int fd = open("x/y/z/.trainyard/0.part", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0); /* a part counts as room for its file */
    close(fd);
    assert_true(ty_download_dir_free_bytes(s) > (int64_t)1 << 40);
    ty_download_dir_close(s);
    ty_download_dir_close(NULL);
}

static void test_one_run_at_a_time(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL, *other = NULL;
    struct ty_err err = { 0 };
    assert_int_equal(ty_download_dir_open(a, "d", &s, &err), 0);
    assert_int_equal(ty_download_dir_open(a, "d", &other, &err), -EBUSY);
    assert_string_equal(err.text, "d is being filled by another trainyard");
    ty_download_dir_close(s);
    assert_int_equal(ty_download_dir_open(a, "d", &other, &err), 0);
    ty_download_dir_close(other);
}

static void test_what_cannot_be_a_folder(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct ty_err err = { 0 };
    box_write("file", "");
    assert_true(ty_download_dir_open(a, "file", &s, &err) < 0);
    assert_has(err.text, "file: Not a directory");
    assert_true(ty_download_dir_open(a, "file/below", &s, &err) < 0);
    assert_has(err.text, "cannot make the folder file/below");
    assert_null(s);
}

static void test_peek(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    box_write("d/a", "12345");
    assert_int_equal(mkdir("d/b", 0777), 0);
    assert_int_equal(ty_download_dir_open_file(s, "a", 4), -1);
    assert_int_equal(ty_download_dir_open_file(s, "none", 0), -1);
    assert_int_equal(ty_download_dir_open_file(s, "b", 0), -1);
    int fd = ty_download_dir_open_file(s, "a", 5);
    assert_true(fd >= 0);
    close(fd);
    ty_download_dir_close(s);
}

static void test_tidy_leaves_what_is_not_a_part(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct stat st;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    box_write("d/.trainyard/0.part", "x");
    box_write("d/.trainyard/0.tag", "x");
    box_write("d/x.part", "x");
    ty_download_dir_cleanup(s);
    ty_download_dir_close(s);
    assert_true(stat("d/.trainyard/0.part", &st) < 0);
    assert_true(stat("d/.trainyard/0.tag", &st) < 0);
    assert_int_equal(stat("d/.trainyard/done.jsonl", &st), 0);
    assert_int_equal(stat("d/x.part", &st), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_folders_are_made),
        box_test(test_one_run_at_a_time),
        box_test(test_what_cannot_be_a_folder),
        box_test(test_peek),
        box_test(test_tidy_leaves_what_is_not_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
