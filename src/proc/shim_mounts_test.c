/* Binds, tmpfs and host names of pods and of containers, as their processes see them. */
#include "base/tree_testing.h"
#include "proc/testing.h"

#include <sys/stat.h>

#include "proc/shim_mounts.h"

struct place {
    char dir[64];
};

static void write_at(const struct place *p, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", p->dir, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static struct place make_place(void)
{
    struct place p = { "/tmp/trainyard-ns-XXXXXX" };
    char path[256];
    assert_non_null(mkdtemp(p.dir));
    assert_int_equal(chmod(p.dir, 0755), 0);
    write_at(&p, "hosts", "127.1.2.3 node-0\n");
    snprintf(path, sizeof(path), "%s/data", p.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    write_at(&p, "data/file", "content\n");
    snprintf(path, sizeof(path), "%s/data/target", p.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    return p;
}

static void remove_place(const struct place *p)
{
    assert_int_equal(tree_remove(p->dir), 0);
}

static const char *at(const struct place *p, const char *name, char ret[256])
{
    snprintf(ret, 256, "%s/%s", p->dir, name);
    return ret;
}

static void a_pod_has_hosts_and_a_name(void **state)
{
    (void)state;
    struct place p = make_place();
    char hosts[256], before[128], after[128];
    const struct ty_bind_mount binds[] = { { .from = at(&p, "hosts", hosts), .to = "/etc/hosts" },
                                           { 0 } };
    assert_int_equal(gethostname(before, sizeof(before)), 0);
    for (size_t m = 0; m < 2; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, binds);
        struct said s = run_sh(k, "cat /etc/hosts; uname -n; getent hosts node-0");
        assert_exit(&s, 0);
        assert_string_equal(s.text, "127.1.2.3 node-0\npod-0\n127.1.2.3       node-0\n");
        ty_shim_free(k);
        ty_zygote_stop(z);
    }
    assert_int_equal(gethostname(after, sizeof(after)), 0);
    assert_string_equal(before, after);
    remove_place(&p);
}

static void a_pod_has_its_own_proc(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct said s = run_sh(k, "test -d /proc/$$ && cat /proc/1/comm; set -- /proc/[0-9]*; echo $#");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "ty-keeper\n2\n"); /* init and sh */
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void read_only_is_read_only(void **state)
{
    (void)state;
    struct place p = make_place();
    char data[256], target[256];
    const struct ty_bind_mount binds[] = {
        { .from = at(&p, "data", data), .to = at(&p, "data/target", target), .read_only = true },
        { 0 }
    };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    char script[1024];
    snprintf(script, sizeof(script),
             "cat %s/file; touch %s/new 2>/dev/null || echo refused; touch %s/outside && echo made",
             target, target, data);
    struct said s = run_sh(k, script);
    assert_exit(&s, 0);
    assert_string_equal(s.text, "content\nrefused\nmade\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_place(&p);
}

static void tmpfs_is_empty_and_writable(void **state)
{
    (void)state;
    struct place p = make_place();
    char data[256], outside[256], script[2048];
    const struct ty_bind_mount binds[] = { { .to = at(&p, "data", data), .tmpfs = true }, { 0 } };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    snprintf(script, sizeof(script), "ls %s; echo x >%s/y; stat -f -c %%T %s; stat -c %%a %s", data,
             data, data, data);
    struct said s = run_sh(k, script);
    assert_exit(&s, 0);
    assert_string_equal(s.text, "tmpfs\n777\n");
    assert_int_equal(access(at(&p, "data/y", outside), F_OK), -1);
    assert_int_equal(access(at(&p, "data/file", outside), F_OK), 0);
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_place(&p);
}

/* A volume over a directory that holds the source of the next one. */
static void sources_are_found_before_they_are_hidden(void **state)
{
    (void)state;
    struct place p = make_place();
    char dir[256], data[256], inner[256], script[512];
    snprintf(inner, sizeof(inner), "%s/inner", p.dir);
    const struct ty_bind_mount binds[] = { { .to = at(&p, "", dir), .tmpfs = true },
                                           { .from = at(&p, "data", data), .to = inner },
                                           { 0 } };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, binds);
    snprintf(script, sizeof(script), "ls %s; cat %s/file", p.dir, inner);
    struct said s = run_sh(k, script);
    assert_exit(&s, 0);
    assert_string_equal(s.text, "inner\ncontent\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_place(&p);
}

static void a_container_has_binds_of_its_own(void **state)
{
    (void)state;
    struct place p = make_place();
    char data[256], target[256], script[512];
    const struct ty_bind_mount binds[] = {
        { .from = at(&p, "data", data), .to = at(&p, "data/target", target) }, { 0 }
    };
    snprintf(script, sizeof(script), "ls %s", target);
    const char *const argv[] = { "sh", "-c", script, NULL };
    for (size_t m = 0; m < 2; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, NULL);
        struct ty_process_spec with = plain(1, argv);
        with.binds = binds;
        struct said s = run(k, with);
        assert_exit(&s, 0);
        assert_string_equal(s.text, "file\ntarget\n");
        s = run(k, plain(2, argv));
        assert_exit(&s, 0);
        assert_string_equal(s.text, "");
        ty_shim_free(k);
        ty_zygote_stop(z);
    }
    remove_place(&p);
}

static void what_cannot_be_bound_is_told(void **state)
{
    (void)state;
    static const struct ty_bind_mount missing[] = {
        { .from = "/no/such/thing", .to = "/etc/hosts" }, { 0 }
    };
    static const struct ty_bind_mount relative[] = { { .from = "/etc", .to = "etc" }, { 0 } };
    static const struct ty_bind_mount kinds[] = { { .from = "/etc", .to = "/etc/passwd" }, { 0 } };
    static const struct ty_bind_mount file[] = { { .from = "/etc/passwd", .to = "/usr" }, { 0 } };
    static const struct {
        const struct ty_bind_mount *binds;
        int code;
        const char *text;
    } cases[] = {
        { missing, ENOENT, "open /no/such/thing: No such file or directory" },
        { relative, EINVAL, "mount etc: Invalid argument" },
        { kinds, ENOTDIR, "mount /etc/passwd: Not a directory" },
        { file, EISDIR, "mount /usr: Is a directory" },
    };
    struct ty_zygote *z = zygote(0);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_shim *k = shim(z, cases[i].binds); /* the pod */
        struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
        assert_string_equal(n.text, cases[i].text);
        assert_int_equal(n.code, cases[i].code);
        ty_shim_free(k);

        const char *const argv[] = { "true", NULL }; /* the container */
        struct ty_process_spec s = plain(3, argv);
        s.binds = cases[i].binds;
        k = shim(z, NULL);
        start(k, &s);
        n = expect(k, TY_SHIM_START_FAILED, 3);
        assert_string_equal(n.text, cases[i].text);
        ty_shim_free(k);
    }
    ty_zygote_stop(z);
}

static void more_binds_than_any_pod_has(void **state)
{
    (void)state;
    static struct ty_bind_mount many[TY_SHIM_BINDS_MAX + 2];
    struct place p = make_place();
    char hosts[256];
    for (size_t i = 0; i <= TY_SHIM_BINDS_MAX; i++)
        many[i] = (struct ty_bind_mount){ .from = at(&p, "hosts", hosts), .to = "/etc/hosts" };
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, many);
    struct ty_shim_event n = expect(k, TY_SHIM_GONE, 0);
    assert_int_equal(n.code, E2BIG);
    ty_shim_free(k);
    many[TY_SHIM_BINDS_MAX].to = NULL;
    k = shim(z, many);
    struct said s = run_sh(k, "grep -c /etc/hosts /proc/self/mounts");
    assert_exit(&s, 0);
    assert_string_equal(s.text, "256\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
    remove_place(&p);
}

static void without_mounts_binds_are_left_out(void **state)
{
    (void)state;
    static const struct ty_bind_mount binds[] = { { .from = "/no/such/thing", .to = "/etc/hosts" },
                                                  { 0 } };
    struct ty_zygote *z = zygote(TY_NO_PID_NS | TY_NO_MOUNTS);
    struct ty_shim *k = shim(z, binds);
    char name[128], want[256];
    assert_int_equal(gethostname(name, sizeof(name)), 0);
    snprintf(want, sizeof(want), "%s\n", name);
    struct said s = run_sh(k, "uname -n");
    assert_exit(&s, 0);
    assert_string_equal(s.text, want);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void paths_grow_to_their_end(void **state)
{
    (void)state;
    struct ty_shim_path p = { 0 };
    assert_int_equal(ty_shim_path_add(&p, "/usr/binary", 8), 0);
    assert_string_equal(p.p, "/usr/bin");
    while (ty_shim_path_add(&p, "0123456789", 10) == 0)
        ;
    assert_true(p.n < sizeof(p.p) && p.n > sizeof(p.p) - 12);
    assert_int_equal(p.p[p.n], 0);
    assert_int_equal(ty_shim_path_add(&p, p.p, sizeof(p.p) - p.n), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_has_hosts_and_a_name),
        cmocka_unit_test(a_pod_has_its_own_proc),
        cmocka_unit_test(read_only_is_read_only),
        cmocka_unit_test(tmpfs_is_empty_and_writable),
        cmocka_unit_test(sources_are_found_before_they_are_hidden),
        cmocka_unit_test(a_container_has_binds_of_its_own),
        cmocka_unit_test(what_cannot_be_bound_is_told),
        cmocka_unit_test(more_binds_than_any_pod_has),
        cmocka_unit_test(without_mounts_binds_are_left_out),
        cmocka_unit_test(paths_grow_to_their_end),
    };
    return run_as_both("keeper_ns", tests, TY_COUNT(tests));
}
