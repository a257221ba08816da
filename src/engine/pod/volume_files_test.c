#include "engine/pod/volume_files.h"

#include <errno.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"
#include "engine/pod/pod_plan.h"

#define FILE_OF(name, text, bits, after)                                                           \
    (struct ty_file)                                                                               \
    {                                                                                              \
        .path = (name), .data = TY_LIT(text), .mode = (bits), .next = (after)                      \
    }

static char pods[64];

static int setup(void **state)
{
    (void)state;
    snprintf(pods, sizeof(pods), "/tmp/volume-files-XXXXXX");
    return mkdtemp(pods) ? 0 : -1;
}

static int teardown(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    (void)state;
    ty_volume_files_remove(a, pods);
    return rmdir(pods); /* nothing is left */
}

static const char *dir_of(struct ty_arena *a, struct ty_file *files, bool secret)
{
    struct ty_volume v = { .kind = TY_MOUNT_FILES, .files = files, .secret = secret };
    struct ty_err err = { 0 };

    if (ty_volume_files_create(a, pods, &v, &err) < 0)
        fail_msg("%s", err.text);
    return ty_volume_files_dir(a, pods, &v);
}

static void holds(struct ty_arena *a, const char *dir, const char *name, const char *want,
                  mode_t mode)
{
    const char *path = ty_arena_printf(a, "%s/%s", dir, name);
    char text[64] = "";
    struct stat st;
    FILE *f = fopen(path, "re");

    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, want);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void test_written_once(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_file deep = FILE_OF("a/b/key", "two", 0600, NULL);
    struct ty_file files = FILE_OF("token", "one", 0644, &deep);

    (void)state;
    const char *dir = dir_of(a, &files, true);
    holds(a, dir, "token", "one", 0644);
    holds(a, dir, "a/b/key", "two", 0600);
    struct stat st;
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_string_equal(dir_of(a, &files, true), dir);
}

/* Whatever a pod could see of a difference makes another directory. */
static void test_differences(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_file rows[] = {
        FILE_OF("ab", "c", 0644, NULL),     FILE_OF("a", "bc", 0644, NULL),
        FILE_OF("ab", "c", 0600, NULL),     FILE_OF("ab", "d", 0644, NULL),
        FILE_OF("ab", "c", 0644, &rows[1]), FILE_OF("ab", "", 0644, NULL),
    };
    const char *dirs[TY_COUNT(rows) + 2];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        dirs[n++] = dir_of(a, &rows[i], false);
    dirs[n++] = dir_of(a, &rows[0], true);
    dirs[n++] = dir_of(a, NULL, false);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(dirs[i], dirs[k]);
}

/* What could not be written whole is not taken by the next pod. */
static void test_half_written(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_file under = FILE_OF("a/b", "x", 0644, NULL); /* below a file: fails */
    struct ty_file files = FILE_OF("a", "file", 0644, &under);
    struct ty_volume v = { .kind = TY_MOUNT_FILES, .files = &files };
    struct ty_err err = { 0 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(ty_volume_files_create(a, pods, &v, &err) < 0);
        assert_non_null(
            strstr(err.text, "/new/a: a part of it is a link or a file, not a directory"));
    }
    files.next = NULL;
    holds(a, dir_of(a, &files, false), "a", "file", 0644);
}

/* A job may put links in the place of the directories. */
static void test_links(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_file files = FILE_OF("token", "secret", 0600, NULL);
    struct ty_volume v = { .kind = TY_MOUNT_FILES, .files = &files };
    struct ty_err err = { 0 };
    const char *root = ty_arena_printf(a, "%s/files", pods);
    const char *other = ty_arena_printf(a, "%s/other", pods);

    (void)state;
    assert_int_equal(mkdir(other, 0755) | symlink(other, root), 0);
    assert_int_equal(ty_volume_files_create(a, pods, &v, &err), -ENOTDIR);
    assert_int_equal(rmdir(other), 0); /* it is empty */
    assert_int_equal(unlink(root) | mkdir(other, 0755) | mkdir(root, 0755), 0);
    const char *fresh = ty_arena_printf(a, "%s/new", root);
    assert_int_equal(symlink(other, fresh), 0);
    assert_int_equal(ty_volume_files_create(a, pods, &v, &err), -ENOTDIR);
    assert_int_equal(unlink(fresh), 0);
    assert_int_equal(symlink(other, ty_volume_files_dir(a, pods, &v)), 0);
    assert_int_equal(ty_volume_files_create(a, pods, &v, &err), -ENOTDIR); /* not its files */
    assert_int_equal(rmdir(other), 0);
}

static void test_a_name_too_long(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char *name = ty_arena_alloc(a, 5000, 1);
    struct ty_file files = FILE_OF(name, "x", 0644, NULL);
    struct ty_volume v = { .kind = TY_MOUNT_FILES, .files = &files };
    struct ty_err err = { 0 };

    (void)state;
    for (int i = 0; i < 4999; i++)
        name[i] = i % 100 == 99 ? '/' : 'a';
    name[4999] = '\0';
    assert_int_equal(ty_volume_files_create(a, pods, &v, &err), -ENAMETOOLONG);
    assert_non_null(strstr(err.text, "…: File name too long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_written_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_differences, setup, teardown),
        cmocka_unit_test_setup_teardown(test_half_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_name_too_long, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
