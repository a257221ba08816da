/* Locks of two runs, here of two structs: flock(2) belongs to the open file. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/pod/gpu_lock.h"

static const char *const ids[] = { "0", "1", "2", NULL };
static const struct ty_host host = { .gpus = ids, .gpu_resource = "nvidia.com/gpu" };

struct lock_fixture {
    struct ty_arena *a;
    char *parent, *dir;
    struct ty_gpu_locks x, y; /* of two runs */
};

static int setup(void **state)
{
    struct ty_arena *a = ty_arena_new(1 << 20);
    struct lock_fixture *f = ty_new(a, struct lock_fixture);

    f->a = a;
    f->parent = ty_arena_strdup(a, "/tmp/gpu-lock-XXXXXX");
    assert_non_null(mkdtemp(f->parent));
    f->dir = ty_arena_printf(a, "%s/locks", f->parent);
    f->x.path = f->y.path = f->dir;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = { "nvidia-0", "nvidia-1", "nvidia-2", "target" };
    struct lock_fixture *f = *state;

    ty_gpu_locks_done(&f->x);
    ty_gpu_locks_done(&f->y);
    for (size_t i = 0; i < TY_COUNT(names); i++)
        unlink(ty_arena_printf(f->a, "%s/%s", f->dir, names[i]));
    rmdir(f->dir);
    unlink(f->dir);
    rmdir(f->parent);
    ty_arena_free(f->a);
    return 0;
}

static bool extend(struct ty_gpu_locks *l, int64_t want, const char *why)
{
    struct ty_err err = { 0 };
    bool good = ty_gpu_locks_extend(l, &host, want, &err);

    if (!good && !strstr(err.text, why))
        fail_msg("%s", err.text);
    return good;
}

static void all_or_none(void **state)
{
    struct lock_fixture *f = *state;
    const char *mine = ty_arena_printf(f->a, "GPU 0 is used by another run (pid %d, u", getpid());

    assert_true(extend(&f->x, 1, ""));
    assert_int_equal(f->x.held, 1);
    assert_false(extend(&f->y, 3, mine));
    assert_int_equal(f->y.held, 0);
    assert_true(extend(&f->y, 2, "")); /* the free ones, in order */
    assert_int_equal(f->y.held, 6);
    assert_false(extend(&f->x, 2, "GPU 1 is used by another run"));
    assert_int_equal(f->x.held, 1);
    ty_gpu_locks_trim(&f->y, 1 << 2, 1);
    assert_int_equal(f->y.held, 4);
    assert_true(extend(&f->x, 2, ""));
    assert_int_equal(f->x.held, 3);
    ty_gpu_locks_trim(&f->x, 0, 0);
    ty_gpu_locks_trim(&f->y, 0, 0);
    assert_true(extend(&f->y, 3, ""));
}

/* Others may lock the files, and nobody may write to them, whatever the umask of the first. */
static void modes(void **state)
{
    struct lock_fixture *f = *state;
    mode_t mask = umask(077);
    struct stat st;

    assert_true(extend(&f->x, 1, ""));
    umask(mask);
    assert_int_equal(stat(f->dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 01777);
    assert_int_equal(stat(ty_arena_printf(f->a, "%s/nvidia-0", f->dir), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
}

/* What somebody put in the place of a file is not followed, not opened, not taken for free. */
static void things_in_its_place(void **state)
{
    struct lock_fixture *f = *state;
    const char *target = ty_arena_printf(f->a, "%s/target", f->dir);

    assert_true(extend(&f->x, 1, ""));
    ty_gpu_locks_trim(&f->x, 0, 0);
    unlink(ty_arena_printf(f->a, "%s/nvidia-0", f->dir));
    assert_int_equal(symlink(target, ty_arena_printf(f->a, "%s/nvidia-0", f->dir)), 0);
    assert_int_equal(mkfifo(ty_arena_printf(f->a, "%s/nvidia-1", f->dir), 0666), 0);
    assert_false(extend(&f->x, 3, "nvidia-0: Too many levels of symbolic links; it belongs to u"));
    assert_int_equal(access(target, F_OK), -1);
    assert_true(extend(&f->x, 1, ""));
    assert_int_equal(f->x.held, 4);
}

static void bad_directories(void **state)
{
    struct lock_fixture *f = *state;
    struct ty_err err = { 0 };

    assert_int_equal(symlink("/tmp", f->dir), 0);
    assert_int_equal(ty_gpu_lock_open_dir(f->dir, &err), -ENOTDIR);
    assert_int_equal(unlink(f->dir), 0);
    assert_int_equal(mkdir(f->dir, 0700), 0);
    assert_int_equal(ty_gpu_lock_open_dir(f->dir, &err), -EPERM);
    assert_non_null(strstr(err.text, "chmod 1777"));
    assert_int_equal(ty_gpu_lock_open_dir(ty_arena_printf(f->a, "%s/none/locks", f->parent), &err),
                     -ENOENT);
}

/* Its owner can remove the files of others, whatever the mode. */
static void a_directory_of_a_stranger(void **state)
{
    struct lock_fixture *f = *state;
    struct ty_err err = { 0 };

    if (geteuid() != 0)
        skip(); /* only root can give it away */
    assert_int_equal(mkdir(f->dir, 0700) | chmod(f->dir, 01777) | chown(f->dir, 54321, 54321), 0);
    assert_int_equal(ty_gpu_lock_open_dir(f->dir, &err), -EPERM);
    assert_non_null(strstr(err.text, "/locks belongs to uid 54321, who could remove locks"));
}

/* Everybody may open a file and lock it for reading: the message says who does. */
static void a_read_lock(void **state)
{
    struct lock_fixture *f = *state;

    assert_true(extend(&f->x, 1, ""));
    ty_gpu_locks_trim(&f->x, 0, 0);
    int fd = open(ty_arena_printf(f->a, "%s/nvidia-0", f->dir), O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_SH), 0);
    assert_false(extend(&f->x, 3, ty_arena_printf(f->a, "run (pid %d, u", getpid())));
    close(fd);
}

static void without_locks(void **state)
{
    struct lock_fixture *f = *state;

    f->x.path = f->y.path = NULL;
    assert_true(extend(&f->x, 3, ""));
    assert_true(extend(&f->y, 3, ""));
    assert_int_equal(f->y.held, 7);
}

#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = { LOCK_TEST(all_or_none),
                                        LOCK_TEST(modes),
                                        LOCK_TEST(things_in_its_place),
                                        LOCK_TEST(bad_directories),
                                        LOCK_TEST(a_directory_of_a_stranger),
                                        LOCK_TEST(a_read_lock),
                                        LOCK_TEST(without_locks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
