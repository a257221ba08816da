/* Mount points that the host does not have: the pod sees them, the host never does. */
#include "proc/testing.h"

#include <sys/stat.h>

#include "proc/shim_mounts.h"

static char volume[64], volume_file[80]; /* of this process */

static void make_volume(void)
{
    snprintf(volume, sizeof(volume), "/tmp/trainyard-target-%d", (int)getpid());
    snprintf(volume_file, sizeof(volume_file), "%s/file", volume);
    assert_int_equal(mkdir(volume, 0755), 0);
    int fd = open(volume_file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, "content\n", 8), 8);
    close(fd);
}

static void remove_volume(void)
{
    unlink(volume_file);
    rmdir(volume);
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Below "/", which nobody may write to: the pod gets a root with more in it. */
static void a_new_name_in_the_root(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = {
        { .from = volume, .to = "/ty-workspace/dataset" },
        { .from = volume, .to = "/ty-workspace/model", .read_only = true },
        { .from = volume_file, .to = "/ty-other/deep/er/file" },
        { .to = "/ty-third", .tmpfs = true },
        { 0 },
    };
    make_volume();
    assert_false(exists("/ty-workspace"));
    for (size_t m = 0; m < 2; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, binds);
        struct said s = run_sh(k, "cat /ty-workspace/dataset/file /ty-other/deep/er/file; "
                                  "touch /ty-third/x; "
                                  "touch /ty-workspace/model/x 2>/dev/null || echo read-only; "
                                  "ls /ty-workspace; stat -c %a /");
        assert_exit(&s, 0);
        assert_string_equal(s.text, "content\ncontent\nread-only\ndataset\nmodel\n1755\n");
        /* the rest is as it was */
        s = run_sh(k,
                   "true </dev/null && ls /usr/bin/env /proc/self/exe >/dev/null && "
                   "test -w /tmp && test \"$(cd / && ls -d [a-su-z]*)\" = \"$(ls / | grep -v ^t)\" "
                   "&& df /dev/shm >/dev/null && cd / && pwd");
        assert_exit(&s, 0);
        assert_string_equal(s.text, "/\n");
        ty_shim_free(k);
        ty_zygote_stop(z);
    }
    assert_false(exists("/ty-workspace"));
    assert_false(exists("/ty-other"));
    assert_false(exists("/ty-third"));
    remove_volume();
}

/* The new root shows every entry of the old one. */
static void the_new_root_lacks_nothing(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .to = "/ty-third", .tmpfs = true }, { 0 } };
    static const char script[] =
        "ls -A / | grep -v ^ty-third; ls -A /etc | wc -l; ls -A /dev | wc -l";
    struct ty_zygote *z = zygote(0);
    struct ty_shim *with = shim(z, binds), *without = shim(z, NULL);
    struct said a = run_sh(with, script), b = run_sh(without, script);
    assert_exit(&a, 0);
    assert_exit(&b, 0);
    assert_string_equal(a.text, b.text);
    ty_shim_free(with);
    ty_shim_free(without);
    ty_zygote_stop(z);
}

/* One container of a pod, started by a shim that stays where it is. */
static void a_container_gets_it_alone(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = volume, .to = "/ty-workspace" },
                                                  { 0 } };
    const char *const argv[] = { "ls", "/ty-workspace", NULL };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_process_spec start = plain(1, argv);
    start.binds = binds;
    for (int i = 0; i < 3; i++) {
        struct said s = run(k, start);
        assert_exit(&s, 0);
        assert_string_equal(s.text, "file\n");
        s = run_sh(k, "test -e /ty-workspace");
        assert_exit(&s, 1);
    }
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* A pod's own new root, and a container's additions to it. */
static void a_container_adds_to_its_pod(void **state)
{
    (void)state;
    static const struct ty_bind_mount pod[] = { { .from = volume, .to = "/ty-pod" }, { 0 } };
    static const struct ty_bind_mount own[] = { { .from = volume, .to = "/ty-own" },
                                                { .from = volume, .to = "/ty-pod2/x" },
                                                { 0 } };
    const char *const argv[] = { "ls", "/ty-pod", "/ty-own", "/ty-pod2", NULL };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, pod);
    struct ty_process_spec start = plain(1, argv);
    start.binds = own;
    struct said s = run(k, start);
    assert_exit(&s, 0);
    assert_string_equal(s.text, "/ty-own:\nfile\n\n/ty-pod:\nfile\n\n/ty-pod2:\nx\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* Inside a directory that we may not write to, other than the root. */
static void a_new_name_in_a_locked_directory(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = volume,
                                                    .to = "/usr/share/ty-data/here" },
                                                  { .from = volume, .to = "/usr/share/ty-more" },
                                                  { 0 } };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct said s = run_sh(k, "cat /usr/share/ty-data/here/file /usr/share/ty-more/file; "
                              "test -d /usr/share/doc/. && test -e /usr/share/perl5");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "content\ncontent\n");
    assert_false(exists("/usr/share/ty-data"));
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* /root/.ssh is where MPI's keys are mounted unless told otherwise; an ordinary user cannot look
 * there. */
static void a_new_name_in_a_closed_directory(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = volume, .to = "/root/.ty-keys" },
                                                  { .from = volume, .to = "/root/.ty-more/keys" },
                                                  { 0 } };
    if (geteuid() == 0 || access("/root", R_OK) == 0)
        skip(); /* not closed to us */
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct said s = run_sh(k, "cat /root/.ty-keys/file /root/.ty-more/keys/file; ls -A /root");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "content\ncontent\n.ty-keys\n.ty-more\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* What goes wrong below a directory is told by its path. */
static void a_file_in_the_way(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = volume, .to = "/etc/passwd/keys" },
                                                  { 0 } };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
    assert_int_equal(n.code, ENOTDIR);
    assert_has(n.text, "/etc/passwd");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* Also where we may write: nothing of it is on the host. What exists there is the host's own. */
static void a_new_name_where_we_may_write(void **state)
{
    (void)state;
    char dir[] = "/tmp/trainyard-target-XXXXXX", to[256], below[128], script[1024];
    assert_non_null(mkdtemp(dir));
    snprintf(to, sizeof(to), "%s/new/here", dir);
    snprintf(below, sizeof(below), "%s/results", dir);
    assert_int_equal(mkdir(below, 0755), 0);
    snprintf(script, sizeof(script), "cat %s/file && touch %s/one %s/two", to, dir, below);
    const struct ty_bind_mount binds[] = { { .from = volume, .to = to }, { 0 } };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct said s = run_sh(k, script);
    assert_exit(&s, 0);
    ty_shim_free(k);
    ty_zygote_stop(z);
    snprintf(to, sizeof(to), "%s/two", below);
    assert_int_equal(unlink(to), 0);
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(rmdir(dir), 0);
    remove_volume();
}

/* /var/run is a link to /run; names come and go there while pods start. */
static void pods_that_race_for_one_name(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = volume, .to = "/var/run/ty-a/b/c" },
                                                  { .from = volume, .to = "/run/ty-a/b/d" },
                                                  { 0 } };
    enum { PODS = 24 };
    struct ty_shim *k[PODS];
    make_volume();
    struct ty_zygote *z = zygote(0);
    for (int i = 0; i < PODS; i++)
        k[i] = shim(z, binds);
    for (int i = 0; i < PODS; i++) {
        struct said s = run_sh(k[i], "cat /run/ty-a/b/c/file /var/run/ty-a/b/d/file");
        assert_exit(&s, 0);
        assert_string_equal(s.text, "content\ncontent\n");
        ty_shim_free(k[i]);
    }
    ty_zygote_stop(z);
    assert_false(exists("/run/ty-a"));
    remove_volume();
}

/* Below a volume of the same pod the directory is made in the volume, as a kubelet does. */
static void a_new_name_in_a_volume(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = {
        { .to = "/ty-a", .tmpfs = true },
        { .from = volume, .to = "/ty-a/b/c" },
        { .from = volume, .to = "/ty-ro", .read_only = true },
        { .from = volume, .to = "/ty-ro/x" },
        { 0 }
    };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
    assert_string_equal(n.text, "make /ty-ro/x: Read-only file system");
    ty_shim_free(k);
    struct ty_bind_mount fewer[] = { binds[0], binds[1], { 0 } };
    k = shim(z, fewer);
    struct said s = run_sh(k, "cat /ty-a/b/c/file");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "content\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

/* A link that leads nowhere, and "..", could lead out of the volume. */
static void ways_out_of_a_volume(void **state)
{
    (void)state;
    static const struct ty_bind_mount link[] = { { .from = volume, .to = "/ty-a" },
                                                 { .to = "/ty-a/link/x", .tmpfs = true },
                                                 { 0 } };
    static const struct ty_bind_mount up[] = { { .from = volume, .to = "/ty-a" },
                                               { .to = "/ty-a/../ty-b/../../x", .tmpfs = true },
                                               { 0 } };
    char path[80];
    make_volume();
    snprintf(path, sizeof(path), "%s/link", volume);
    assert_int_equal(symlink("/ty-nowhere", path), 0);
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, link);
    assert_string_equal(expect(k, TY_SHIM_GONE, 0).text,
                        "make /ty-a/link/x: No such file or directory");
    ty_shim_free(k);
    k = shim(z, up);
    assert_int_equal(expect(k, TY_SHIM_GONE, 0).code, EINVAL);
    ty_shim_free(k);
    ty_zygote_stop(z);
    assert_int_equal(unlink(path), 0);
    remove_volume();
}

static void odd_paths(void **state)
{
    (void)state;
    static const struct ty_bind_mount slashes[] = { { .from = volume, .to = "//ty-x///y//" },
                                                    { 0 } };
    static char long_path[6000];
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[0] = '/';
    const struct ty_bind_mount too_long[] = { { .from = volume, .to = long_path }, { 0 } };
    make_volume();
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, slashes);
    struct said s = run_sh(k, "cat /ty-x/y/file");
    assert_exit(&s, 0);
    ty_shim_free(k);
    k = shim(z, too_long);
    assert_int_equal(expect(k, TY_SHIM_GONE, 0).code, ENAMETOOLONG);
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_volume();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_name_in_the_root),
        cmocka_unit_test(the_new_root_lacks_nothing),
        cmocka_unit_test(a_container_gets_it_alone),
        cmocka_unit_test(a_container_adds_to_its_pod),
        cmocka_unit_test(a_new_name_in_a_locked_directory),
        cmocka_unit_test(a_new_name_in_a_closed_directory),
        cmocka_unit_test(a_file_in_the_way),
        cmocka_unit_test(a_new_name_where_we_may_write),
        cmocka_unit_test(pods_that_race_for_one_name),
        cmocka_unit_test(a_new_name_in_a_volume),
        cmocka_unit_test(ways_out_of_a_volume),
        cmocka_unit_test(odd_paths),
    };
    return run_as_both("keeper_target", tests, TY_COUNT(tests));
}
