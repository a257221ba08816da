/* Two grounds: an ordinary folder, where every word that is written can be read back, and the real
 * cgroup v2 of this kernel where root may write to it (its controllers may all belong to v1, so
 * limits are not tried there; joining, killing and removing are). */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"
#include "proc/cgroup.h"

static int setup(void **state)
{
    char *dir = strdup("/tmp/trainyard-cgroup-XXXXXX");
    *state = mkdtemp(dir);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    tree_remove(*state);
    free(*state);
    return 0;
}

static char *run_dir(struct ty_arena *a, const char *dir)
{
    char text[512] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, sizeof(text) - 1);
    const char *p = strrchr(text, ')');

    close(fd);
    assert_true(n > 0 && p);
    for (int i = 2; i < 22; i++)
        p = strchr(p + 1, ' ');
    return ty_arena_printf(a, "%s/trainyard-%d-%llu", dir, getpid(), strtoull(p, NULL, 10));
}

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void file_is(struct ty_arena *a, const char *dir, const char *file, const char *want)
{
    char text[256] = "";
    int fd = open(ty_arena_printf(a, "%s/%s", dir, file), O_RDONLY | O_CLOEXEC);

    if (!want) {
        assert_int_equal(fd, -1);
        return;
    }
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof(text) - 1) >= 0);
    close(fd);
    assert_string_equal(text, want);
}

/* In an ordinary folder "+pids", the last word written, is not a controller's name: none is there.
 */
static void limits_without_controllers_are_left_out(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_cgroups *c = NULL;
    struct ty_err err = { 0 };
    const struct ty_cgroup_limits l = { .memory = 1 << 30, .cpu_milli = 1500, .pids = 99 };

    assert_int_equal(ty_cgroups_open(*state, &c, &err), 0);
    assert_false(ty_cgroups_controllers(c).memory || ty_cgroups_controllers(c).cpu ||
                 ty_cgroups_controllers(c).pids);
    assert_int_equal(ty_cgroup_create(c, "pod.main", &l, &err), 0);
    char *dir = ty_arena_printf(a, "%s/pod.main", run_dir(a, *state));
    file_is(a, dir, "memory.max", NULL);
    file_is(a, dir, "cpu.max", NULL);
    file_is(a, run_dir(a, *state), "cgroup.subtree_control", "+pids");
    assert_int_equal(ty_cgroup_oom_kills(c, "pod.main"), 0);
    assert_int_equal(ty_cgroup_procs(c, "pod.main"), -ENOENT);
    unlink(ty_arena_printf(a, "%s/cgroup.subtree_control", run_dir(a, *state)));
    ty_cgroups_close(c);
    assert_int_equal(access(run_dir(a, *state), F_OK), -1);
}

/* A file that cannot be truncated by us stands for the kernel's, which holds what is enabled. */
static struct ty_cgroups *with_controllers(struct ty_arena *a, const char *dir, const char *list)
{
    struct ty_cgroups *c = NULL;
    struct ty_err err = { 0 };
    char *run = run_dir(a, dir);

    assert_int_equal(mkdir(run, 0755), 0);
    char *fifo = ty_arena_printf(a, "%s/cgroup.subtree_control", run);
    assert_int_equal(mkfifo(fifo, 0644), 0);
    int fd = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC); /* what we put in, and "+x" after it */
    assert_int_equal(write(fd, list, strlen(list)), strlen(list));
    assert_int_equal(ty_cgroups_open(dir, &c, &err), 0);
    close(fd);
    unlink(fifo);
    return c;
}

static void limits_are_written(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_cgroups *c = with_controllers(a, *state, "memory cpu pids ");
    struct ty_err err = { 0 };
    struct ty_cgroup_limits l = { .memory = 1 << 30, .cpu_milli = 1500, .pids = 99 };
    char *dir = ty_arena_printf(a, "%s/pod.main", run_dir(a, *state));

    assert_true(ty_cgroups_controllers(c).memory && ty_cgroups_controllers(c).cpu &&
                ty_cgroups_controllers(c).pids);
    assert_int_equal(ty_cgroup_create(c, "pod.main", &l, &err), 0);
    file_is(a, dir, "memory.max", "1073741824");
    file_is(a, dir, "memory.swap.max", "0");
    file_is(a, dir, "memory.oom.group", "1");
    file_is(a, dir, "cpu.max", "150000 100000");
    file_is(a, dir, "pids.max", "99");
    l = (struct ty_cgroup_limits){ .cpu_milli = 1 }; /* again, and less than the kernel takes */
    assert_int_equal(ty_cgroup_create(c, "pod.main", &l, &err), 0);
    file_is(a, dir, "memory.max", "max");
    file_is(a, dir, "cpu.max", "1000 100000");
    file_is(a, dir, "pids.max", "max");
    write_text(ty_arena_printf(a, "%s/memory.events", dir),
               "low 0\nhigh 0\nmax 7\noom 4\noom_kill 3\noom_group_kill 1\n");
    assert_int_equal(ty_cgroup_oom_kills(c, "pod.main"), 3);
    assert_int_equal(ty_cgroup_create(c, "no/such", &l, &err), -ENOENT);
    assert_has(err.text, "no/such");
    tree_remove(dir);
    assert_true(ty_cgroup_remove(c, "pod.main"));
    ty_cgroups_close(c);
}

static void leftovers_of_the_dead_go(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_cgroups *c = NULL;
    struct ty_err err = { 0 };
    pid_t dead = fork();

    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    char *left = ty_arena_printf(a, "%s/trainyard-%d-12345", (char *)*state, dead);
    char *reused = ty_arena_printf(a, "%s/trainyard-%d-1", (char *)*state, getppid());
    char *other = ty_arena_printf(a, "%s/user.slice", (char *)*state);
    mkdir(left, 0755);
    mkdir(ty_arena_printf(a, "%s/pod.main", left), 0755);
    mkdir(reused, 0755); /* another process has that number now */
    mkdir(other, 0755);
    assert_int_equal(ty_cgroups_open(*state, &c, &err), 0);
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(reused, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    struct ty_cgroups *second = NULL; /* ours is alive: it stays */
    assert_int_equal(ty_cgroup_create(c, "p.c", &(struct ty_cgroup_limits){ 0 }, &err), 0);
    assert_int_equal(ty_cgroups_open(*state, &second, &err), 0);
    assert_int_equal(access(ty_arena_printf(a, "%s/p.c", run_dir(a, *state)), F_OK), 0);
    ty_cgroups_close(second);
    ty_cgroups_close(c);
}

static void a_folder_that_is_none(void **state)
{
    (void)state;
    struct ty_cgroups *c = NULL;
    struct ty_err err = { 0 };

    assert_int_equal(ty_cgroups_open("/nonexistent", &c, &err), -ENOENT);
    assert_has(err.text, "/nonexistent/trainyard-");
    ty_cgroups_close(NULL);
}

/* The real thing, without controllers. */
static void join_kill_and_remove(void **state)
{
    (void)state;
    static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
    const char *root = NULL;
    struct ty_cgroups *c = NULL;
    struct ty_err err = { 0 };

    for (size_t i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/cgroup.subtree_control", roots[i]);
        if (access(path, W_OK) == 0)
            root = roots[i];
    }
    if (!root || ty_cgroups_open(root, &c, &err) < 0)
        skip();
    ty_auto_arena *a = ty_arena_new(1 << 16);
    assert_int_equal(ty_cgroup_create(c, "pod.main", &(struct ty_cgroup_limits){ 0 }, &err), 0);
    int fd = ty_cgroup_procs(c, "pod.main");
    assert_true(fd >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (write(fd, "0", 1) == 1)
            pause();
        _exit(1);
    }
    close(fd);
    char *procs = ty_arena_printf(a, "%s/pod.main/cgroup.procs", run_dir(a, root));
    char text[64] = "";
    while (!text[0]) { /* until it has joined */
        fd = open(procs, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) >= 0);
        close(fd);
    }
    assert_int_equal(strtol(text, NULL, 10), pid);
    int status = 0;
    ty_cgroup_remove(c, "pod.main"); /* busy: kills it */
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(ty_cgroup_remove(c, "pod.main"));
    assert_true(ty_cgroup_remove(c, "pod.main")); /* twice does no harm */
    ty_cgroups_close(c);
    assert_int_equal(access(run_dir(a, root), F_OK), -1);
}

static void finds_one_or_says_why(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_err err = { 0 };
    char *dir = ty_cgroups_find(a, &err);

    if (dir)
        assert_int_equal(access(ty_arena_printf(a, "%s/cgroup.procs", dir), W_OK), 0);
    else
        assert_has(err.text, "cgroup");
    assert_true(!dir == (err.code < 0));
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(limits_without_controllers_are_left_out),
        T(limits_are_written),
        T(leftovers_of_the_dead_go),
        T(a_folder_that_is_none),
        T(join_kill_and_remove),
        T(finds_one_or_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
