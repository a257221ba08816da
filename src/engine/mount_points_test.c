/* Two runs at once, a run that was killed, and what a pod wrote beside its mount point. */
#include "engine/mount_points.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"

struct fixture {
    char dir[64], run_a[80], run_b[80], home[80];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    snprintf(f->dir, sizeof(f->dir), "/tmp/trainyard-points-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->run_a, sizeof(f->run_a), "%s/run-a", f->dir);
    snprintf(f->run_b, sizeof(f->run_b), "%s/run-b", f->dir);
    snprintf(f->home, sizeof(f->home), "%s/home", f->dir);
    assert_int_equal(mkdir(f->run_a, 0700) | mkdir(f->run_b, 0700) | mkdir(f->home, 0700), 0);
    assert_int_equal(chdir(f->home), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chdir("/"), 0);
    tree_remove(f->dir);
    free(f);
    return 0;
}

/* /tmp is a place of every run, and the fixture is there. */
static int hold(struct fixture *f, struct ty_mount_points *m, struct ty_mount_point_hold **list,
                const char *name, bool dir)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", f->home, name);
    return ty_mount_points_hold(m, list, NULL, path, dir);
}

static bool has_record(const char *run)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/" TY_MOUNT_POINTS_FILE, run);
    return access(path, F_OK) == 0;
}

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
}

static void test_created_and_removed(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *one = NULL, *two = NULL;

    ty_mount_points_init(&m, f->run_a, f->home);
    assert_int_equal(mkdir("mine", 0755), 0);
    assert_int_equal(symlink("mine", "link"), 0);
    hold(f, &m, &one, "a//b/c/", true);
    hold(f, &m, &one, "link/file", false);
    hold(f, &m, &one, "mine", true); /* exists: it stays */
    hold(f, &m, &two, "a/b/c", true);
    hold(f, &m, &two, "a/b/c", true); /* its container started again */
    assert_int_equal(access("a/b/c/.", F_OK) | access("mine/file", F_OK), 0);
    assert_true(has_record(f->run_a));
    ty_mount_points_release(&m, &one);
    assert_int_equal(access("mine/file", F_OK), -1);
    assert_int_equal(access("a/b/c", F_OK), 0); /* the other pod */
    ty_mount_points_release(&m, &two);
    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(access("mine", F_OK), 0);
    ty_mount_points_done(&m);
    assert_false(has_record(f->run_a));
}

static void test_what_was_written_beside_it_stays(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *list = NULL;

    ty_mount_points_init(&m, f->run_a, NULL);
    hold(f, &m, &list, "out/cache", true);
    hold(f, &m, &list, "conf", false);
    touch("out/result");
    int fd = open("conf", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, "x", 1), 1); /* somebody else uses the name now */
    close(fd);
    ty_mount_points_release(&m, &list);
    ty_mount_points_done(&m);
    assert_int_equal(access("out/result", F_OK) | access("conf", F_OK), 0);
    assert_int_equal(access("out/cache", F_OK), -1);
    ty_mount_points_gc(f->run_a); /* and it is forgotten */
    assert_false(has_record(f->run_a));
    assert_int_equal(access("out/result", F_OK), 0);
}

static void test_elsewhere(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *list = NULL;
    char volume[128], path[160];

    ty_mount_points_init(&m, f->run_a, "/");
    assert_int_equal(ty_mount_points_hold(&m, &list, NULL, "/usr/ty-new/dir", true), -EPERM);
    assert_int_equal(ty_mount_points_hold(&m, &list, NULL, "/ty-new", true), -EPERM);
    assert_null(list);
    /* in a volume, but not through a link that leaves it */
    snprintf(volume, sizeof(volume), "%s/volume", f->home);
    assert_int_equal(mkdir(volume, 0755), 0);
    assert_int_equal(symlink("..", "volume/up"), 0);
    snprintf(path, sizeof(path), "%s/up/new", volume);
    assert_int_equal(ty_mount_points_hold(&m, &list, volume, path, true), -EPERM);
    assert_null(list);
    snprintf(path, sizeof(path), "%s/new", volume);
    assert_int_equal(ty_mount_points_hold(&m, &list, volume, path, true), 0);
    assert_int_equal(access("volume/new", F_OK), 0);
    ty_mount_points_release(&m, &list);
    assert_int_equal(access("volume/new", F_OK), -1);
    ty_mount_points_done(&m);
}

/* Removing it would unmount what the other run's pod has there. */
static void test_another_run_uses_it(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points a, b;
    struct ty_mount_point_hold *of_a = NULL, *of_b = NULL;

    ty_mount_points_init(&a, f->run_a, NULL);
    ty_mount_points_init(&b, f->run_b, NULL);
    hold(f, &a, &of_a, "x/y", true);
    hold(f, &b, &of_b, "x/y", true);
    ty_mount_points_release(&a, &of_a);
    ty_mount_points_done(&a);
    assert_int_equal(access("x/y", F_OK), 0);
    ty_mount_points_gc(f->run_a);
    assert_int_equal(access("x/y", F_OK), 0);
    assert_true(has_record(f->run_a));
    ty_mount_points_release(&b, &of_b);
    ty_mount_points_done(&b);
    ty_mount_points_gc(f->run_a); /* as the next run does */
    assert_int_equal(access("x", F_OK), -1);
    assert_false(has_record(f->run_a));
}

static void test_somebody_has_an_exclusive_lock(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *list = NULL;

    ty_mount_points_init(&m, f->run_a, NULL);
    assert_int_equal(mkdir("locked", 0755), 0);
    int fd = open("locked", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(hold(f, &m, &list, "locked", true), -EAGAIN);
    assert_null(list);
    close(fd);
    assert_int_equal(hold(f, &m, &list, "locked", true), 0);
    assert_non_null(list);
    ty_mount_points_release(&m, &list);
    ty_mount_points_done(&m);
}

static void test_a_killed_run(void **state)
{
    struct fixture *f = *state;
    pid_t pid = fork();

    if (pid == 0) {
        struct ty_mount_points m;
        struct ty_mount_point_hold *list = NULL;
        ty_mount_points_init(&m, f->run_a, NULL);
        hold(f, &m, &list, "one/two", true);
        hold(f, &m, &list, "three", false);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(access("one/two", F_OK) | access("three", F_OK), 0);
    assert_int_equal(unlink("three"), 0);
    touch("three"); /* another file of that name */
    assert_int_equal(link("three", "four"), 0);
    ty_mount_points_gc(f->run_a);
    assert_int_equal(access("one", F_OK), -1);
    assert_int_equal(access("three", F_OK), 0);
    assert_false(has_record(f->run_a));
    ty_mount_points_gc("/nowhere");
}

/* Runs that create and remove one name as fast as they can: while one holds it, it is there. */
static void test_a_race(void **state)
{
    enum { RUNS = 6, ROUNDS = 200 };
    struct fixture *f = *state;
    struct stat first, now;

    for (int i = 0; i < RUNS; i++) {
        if (fork() != 0)
            continue;
        int bad = 0, held = 0;
        for (int k = 0; k < ROUNDS; k++) {
            struct ty_mount_points m;
            struct ty_mount_point_hold *list = NULL;
            ty_mount_points_init(&m, i % 2 ? f->run_a : f->run_b, NULL);
            /* It may lose every try on a busy machine, but not in every round. */
            if (hold(f, &m, &list, "r/a/c/e", true) == 0) {
                held++;
                bad += stat("r/a/c/e", &first) != 0;
                usleep(50); /* for the others to try to remove it */
                bad += stat("r/a/c/e", &now) != 0 || now.st_ino != first.st_ino;
            }
            ty_mount_points_release(&m, &list);
            ty_mount_points_done(&m);
        }
        _exit(bad > 0 || !held);
    }
    for (int i = 0; i < RUNS; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

/* A link on the way leads to what this run has created, but elsewhere. */
static void test_a_link_on_the_way(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *list = NULL;

    ty_mount_points_init(&m, f->run_a, NULL);
    assert_int_equal(mkdir("d", 0755), 0);
    hold(f, &m, &list, "d/dir", true);
    hold(f, &m, &list, "d/file", false);
    assert_int_equal(rename("d", "other"), 0);
    assert_int_equal(symlink("other", "d"), 0);
    ty_mount_points_release(&m, &list);
    ty_mount_points_done(&m);
    ty_mount_points_gc(f->run_a);
    assert_int_equal(access("other/dir", F_OK) | access("other/file", F_OK), 0);
}

/* Somebody exchanges a directory in the volume and a link that leads out of it. */
static void test_a_race_with_a_link(void **state)
{
    enum { ROUNDS = 3000 };
    struct fixture *f = *state;
    char volume[128], path[160];
    struct stat before, after;

    snprintf(volume, sizeof(volume), "%s/volume", f->home);
    snprintf(path, sizeof(path), "%s/d/new/dir", volume);
    assert_int_equal(mkdir("volume", 0755) | mkdir("volume/d", 0755) | mkdir("outside", 0755), 0);
    assert_int_equal(symlink("../outside", "volume/l"), 0);
    assert_int_equal(stat("outside", &before), 0);
    pid_t pid = fork();
    while (pid == 0)
        if (renameat2(AT_FDCWD, "volume/d", AT_FDCWD, "volume/l", RENAME_EXCHANGE) < 0)
            _exit(1); /* the test removes them at its end */
    for (int i = 0; i < ROUNDS; i++) {
        struct ty_mount_points m;
        struct ty_mount_point_hold *list = NULL;
        ty_mount_points_init(&m, f->run_a, NULL);
        ty_mount_points_hold(&m, &list, volume, path, true);
        ty_mount_points_release(&m, &list);
        ty_mount_points_done(&m);
    }
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(stat("outside", &after), 0); /* a name made and removed would show */
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

/* A volume of "/" has everything below it. */
static void test_the_root_as_volume(void **state)
{
    struct fixture *f = *state;
    struct ty_mount_points m;
    struct ty_mount_point_hold *list = NULL;
    char path[160];

    ty_mount_points_init(&m, f->run_a, NULL);
    for (size_t i = 0; i < TY_COUNT(m.places); i++) { /* only the volume permits it */
        free(m.places[i]);
        m.places[i] = NULL;
    }
    snprintf(path, sizeof(path), "/%s/x/nested", f->home);
    ty_mount_points_hold(&m, &list, "/", path, true);
    assert_non_null(list);
    assert_int_equal(access("x/nested", F_OK), 0);
    ty_mount_points_release(&m, &list);
    assert_int_equal(access("x", F_OK), -1);
    snprintf(path, sizeof(path), "/%s/y/../../z", f->home);
    ty_mount_points_hold(&m, &list, "/", path, true);
    assert_null(list);
    ty_mount_points_done(&m);
    assert_int_equal(access("y", F_OK), -1);
}

static void test_a_long_record(void **state)
{
    struct fixture *f = *state;
    char path[128];
    struct stat st;

    assert_int_equal(mkdir("dir", 0755) | stat("dir", &st), 0);
    snprintf(path, sizeof(path), "%s/" TY_MOUNT_POINTS_FILE, f->run_a);
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    for (int i = 0; i < 40000; i++)
        fprintf(out, "d 1 1 %s/no/such/directory/here%c", f->home, 0);
    fprintf(out, "d %ju %ju %s/dir%c", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, f->home, 0);
    assert_true(ftell(out) > 1 << 21);
    fclose(out);
    ty_mount_points_gc(f->run_a);
    assert_int_equal(access("dir", F_OK), -1);
    assert_false(has_record(f->run_a));
    assert_int_equal(mkfifo(path, 0600), 0);
    ty_mount_points_gc(f->run_a); /* does not wait for a writer */
    assert_true(has_record(f->run_a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
        TEST(test_created_and_removed),
        TEST(test_what_was_written_beside_it_stays),
        TEST(test_elsewhere),
        TEST(test_another_run_uses_it),
        TEST(test_a_killed_run),
        TEST(test_a_race),
        TEST(test_a_link_on_the_way),
        TEST(test_a_race_with_a_link),
        TEST(test_the_root_as_volume),
        TEST(test_a_long_record),
        TEST(test_somebody_has_an_exclusive_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
