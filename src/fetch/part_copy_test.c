#include "fetch/part.h"
#include "fetch/testing.h"

static void count(void *ctx, int64_t n)
{
    *(int64_t *)ctx += n;
}

static void copy(struct ty_download_dir *s, struct ty_arena *a, const char *from, const char *name)
{
    struct ty_part p;
    struct ty_err err = { 0 };
    int64_t n = 0;
    if (ty_part_open(s, a, name, &p, &err) < 0 || ty_part_restart(s, &p, name, "t", -1, &err) < 0 ||
        ty_part_copy(s, &p, from, count, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, p.have);
    assert_int_equal(ty_part_finish(s, &p, name, "t", &err), 0);
}

static void test_a_copy_and_the_same_again(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct stat st;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    box_write("mine", "bytes");
    copy(s, a, "mine", "x/f");
    box_holds("d/x/f", "bytes");
    copy(s, a, "mine", "x/f");
    box_holds("d/x/f", "bytes");
    ty_download_dir_cleanup(s);
    ty_download_dir_close(s);
    assert_int_equal(stat("mine", &st), 0);
    assert_int_equal(st.st_nlink, 1);
}

/* Training writes into its copy of the model: the model stays as it was. */
static void test_a_change_of_the_copy(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    box_write("mine", "weights");
    copy(s, a, "mine", "f");
    ty_download_dir_close(s);
    int fd = open("d/f", O_WRONLY | O_CLOEXEC); /* in place, not a new file of that name */
    assert_int_equal(pwrite(fd, "WEI", 3, 0), 3);
    close(fd);
    box_holds("d/f", "WEIghts");
    box_holds("mine", "weights");
}

static void test_across_file_systems(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct stat st;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    copy(s, a, "/proc/self/comm", "comm"); /* claims to be empty, and is on another one */
    box_holds("d/comm", "part_copy_test\n");
    assert_int_equal(stat("d/comm", &st), 0);
    assert_int_equal(st.st_nlink, 1);
    ty_download_dir_close(s);
}

/* A key that only its owner may read stays one; a read-only file can be written in its copy. */
static void test_the_mode_of_the_source(void **state)
{
    (void)state;
    static const struct {
        mode_t from, to;
    } rows[] = { { 0600, 0600 }, { 0640, 0640 }, { 0400, 0600 }, { 0444, 0644 }, { 0666, 0644 } };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct stat st;
    mode_t before = umask(022);
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    box_write("mine", "bytes");
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(chmod("mine", rows[i].from), 0);
        copy(s, a, "mine", "f");
        assert_int_equal(stat("d/f", &st), 0);
        assert_int_equal(st.st_mode & 07777, rows[i].to);
    }
    ty_download_dir_close(s);
    umask(before);
}

static void test_what_cannot_be_read(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_download_dir *s = NULL;
    struct ty_part p;
    struct ty_err err = { 0 };
    int64_t n = 0;
    assert_int_equal(ty_download_dir_open(a, "d", &s, NULL), 0);
    assert_int_equal(ty_part_open(s, a, "f", &p, &err), 0);
    assert_true(ty_part_copy(s, &p, "none", count, &n, &err) < 0);
    assert_string_equal(err.text, "none: No such file or directory");
    ty_part_close(&p);
    ty_download_dir_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_a_copy_and_the_same_again), box_test(test_a_change_of_the_copy),
        box_test(test_across_file_systems),       box_test(test_what_cannot_be_read),
        box_test(test_the_mode_of_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
