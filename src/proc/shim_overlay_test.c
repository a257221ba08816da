/* Private copies of directories with few and with many entries. */
#include "proc/testing.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "proc/proc_probe.h"
#include "proc/shim_overlay.h"

static char volume[64]; /* of this process */

static void make_volume(void)
{
    snprintf(volume, sizeof(volume), "/tmp/trainyard-over-%d", (int)getpid());
    assert_int_equal(mkdir(volume, 0755), 0);
}

static void fill_dir(const char *dir, int n)
{
    char path[128];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/entry-%d", dir, i);
        assert_int_equal(mkdir(path, 0755), 0);
    }
}

static void empty_dir(const char *dir, int n)
{
    char path[128];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/entry-%d", dir, i);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* More than can be bound, and not a directory of software: the sentence says what to do. */
static void too_many_entries(void **state)
{
    (void)state;
    char dir[] = "/tmp/trainyard-many-XXXXXX", to[64];
    assert_non_null(mkdtemp(dir));
    fill_dir(dir, 1025);
    make_volume();
    snprintf(to, sizeof(to), "%s/new", dir);
    const struct ty_bind_mount binds[] = { { .from = volume, .to = to }, { 0 } };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
    assert_int_equal(n.code, E2BIG);
    assert_has(n.text, "make a mount point in /tmp/trainyard-many-");
    assert_has(n.text, ": it has more than 1,024 entries");
    assert_has(n.text, "create the mount point there yourself, or change the mountPath");
    ty_shim_free(k);
    ty_zygote_stop(z);
    empty_dir(dir, 1025);
    rmdir(volume);
}

/* A copy that cannot be finished leaves nothing: the zygote's would be in every pod. */
static void a_copy_that_fails(void **state)
{
    (void)state;
    char dir[] = "/tmp/trainyard-half-XXXXXX", last[64];
    struct ty_proc_failure fail = { 0 };
    const struct ty_zygote_caps can = { .mounts = true, .user_ns = geteuid() != 0 };
    int status = 0;
    assert_non_null(mkdtemp(dir));
    fill_dir(dir, 1025);
    snprintf(last, sizeof(last), "%s/entry-1024", dir);
    pid_t pid = fork();
    if (pid == 0) {
        bool good = ty_proc_enter_namespaces(&can, &fail) == 0 &&
                    ty_shim_overlay_mount(dir, NULL, &fail) == -E2BIG && access(last, F_OK) == 0;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    empty_dir(dir, 1025);
}

/* A directory of software gets an overlay, in which earlier mounts are still seen. */
static void an_overlay(void **state)
{
    (void)state;
    char hosts[96];
    make_volume();
    snprintf(hosts, sizeof(hosts), "%s/hosts", volume);
    int fd = open(hosts, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, "pod hosts\n", 10), 10);
    close(fd);
    const struct ty_bind_mount binds[] = {
        { .from = hosts, .to = "/etc/hosts", .read_only = true },
        { .from = volume, .to = "/etc/ty-app/one" },
        { .from = volume, .to = "/etc/ty-app/two" },
        { .from = hosts, .to = "/etc/ty.conf" },
        { 0 },
    };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds), *other = shim(z, NULL);
    struct said s = run_sh(k, "cat /etc/hosts /etc/ty-app/two/hosts /etc/ty.conf && ls /etc/ty-app "
                              "&& head -c 5 /etc/passwd && test ! -w /etc/hosts || echo writable");
    assert_exit(&s, 0);
    assert_has(s.text, "pod hosts\npod hosts\npod hosts\none\ntwo\n");
    s = run_sh(k, "ls -A /etc | grep -v ^ty | wc -l");
    struct said t = run_sh(other, "ls -A /etc | wc -l");
    assert_string_equal(s.text, t.text);
    ty_shim_free(k);
    ty_shim_free(other);
    ty_zygote_stop(z);
    assert_int_equal(access("/etc/ty-app", F_OK), -1);
    assert_int_equal(unlink(hosts), 0);
    rmdir(volume);
}

/* A container with a new mount point in a directory of many entries, which works in one of its
 * subdirectories. In a mount namespace of the test, as only root has. */
static void write_beside(const char *dir, bool overlay)
{
    struct ty_proc_failure fail = { 0 };
    const struct ty_zygote_caps can = { .mounts = true };
    char to[64], home[64], kept[80], beside[64];
    snprintf(to, sizeof(to), "%s/new/x", dir);
    snprintf(home, sizeof(home), "%s/entry-7/home", dir);
    snprintf(kept, sizeof(kept), "%s/kept", home);
    snprintf(beside, sizeof(beside), "%s/entry-7/beside", dir);
    pid_t pid = fork();
    if (pid == 0) {
        assert_int_equal(ty_proc_enter_namespaces(&can, &fail), 0);
        assert_int_equal(mount("tmpfs", dir, "tmpfs", 0, NULL), 0);
        assert_int_equal(mount("tmpfs", "/mnt", "tmpfs", 0, NULL), 0);
        fill_dir(dir, 100);
        assert_int_equal(mkdir(home, 0755), 0);
        assert_int_equal(symlink(home, "/mnt/link"), 0);
        const struct ty_bind_mount binds[] = { { .from = "/mnt", .to = to }, { 0 } };
        static const char *const argv[] = { "sh", "-c", "touch kept ../beside && ls ../../new",
                                            NULL };
        struct ty_zygote *z = zygote(0);
        struct ty_shim *k = shim(z, NULL);
        struct ty_process_spec start = plain(1, argv);
        start.binds = binds;
        start.cwd = "/mnt/link";
        struct said s = run(k, start);
        assert_exit(&s, 0);
        assert_string_equal(s.text, "x\n");
        ty_shim_free(k);
        ty_zygote_stop(z);
        to[strlen(to) - 2] = '\0';
        assert_int_equal(access(to, F_OK), -1);
        assert_int_equal(access(beside, F_OK), overlay ? -1 : 0);
        assert_int_equal(access(kept, F_OK), 0); /* the working directory is always the host's */
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void many_entries(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    write_beside("/etc/opt", true);
    write_beside("/opt", false); /* data may be there */
    write_beside("/usr/local", false);
}

/* /dev is copied once, for the termination message of every container; devices work in it. */
static void devices(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct said s =
        run_sh(k, "echo x >/dev/null && head -c 3 /dev/zero | wc -c && test -c /dev/null "
                  "&& test -f /dev/termination-log && test -d /dev/shm "
                  "&& ! echo x 2>/dev/null >/dev/full && test -e /dev/pts/. && echo good");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "3\ngood\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_entries), cmocka_unit_test(a_copy_that_fails),
        cmocka_unit_test(an_overlay),       cmocka_unit_test(devices),
        cmocka_unit_test(many_entries),
    };
    return run_as_both("overlay", tests, TY_COUNT(tests));
}
