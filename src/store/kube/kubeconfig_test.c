#include "store/kube/kubeconfig.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/testing.h"
#include "base/tree_testing.h"

struct world {
    char dir[32];
    struct ty_arena *a;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    if (!w)
        return -1;
    snprintf(w->dir, sizeof(w->dir), "/tmp/kubeconfig-XXXXXX");
    w->a = ty_arena_new(1 << 24);
    *state = w;
    return mkdtemp(w->dir) ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;
    tree_remove(w->dir);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static const char *write_file(struct world *w, const char *name, const char *text)
{
    const char *path = ty_arena_printf(w->a, "%s/%s", w->dir, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

#define HEAD "apiVersion: v1\nkind: Config\n"

static int load_text(struct world *w, const char *text, struct ty_kubeconfig *c, struct ty_err *err)
{
    struct ty_kubeconfig_sources where = { .kubeconfig = write_file(w, "config", text) };
    *c = (struct ty_kubeconfig){ 0 };
    return ty_kubeconfig_load(w->a, &where, c, err);
}

static void merged_files(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    const char *one =
        write_file(w, "one",
                   HEAD "contexts:\n- name: x\n  context: {cluster: c, user: u, namespace: ns}\n"
                        "users:\n- name: u\n  user: {token: first}\n");
    const char *two = write_file(w, "two",
                                 HEAD "current-context: x\n"
                                      "users:\n- name: u\n  user: {token: second, as: somebody}\n"
                                      "clusters:\n- name: c\n  cluster: {server: 'https://two'}\n");
    struct ty_kubeconfig_sources where = {
        .env = ty_arena_printf(w->a, ":%s/missing:%s:%s", w->dir, one, two),
        .host = "10.0.0.1", /* the files win */
        .home = "/nowhere",
    };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), 0);
    assert_string_equal(c.server, "https://two");
    assert_string_equal(c.context, "x");
    assert_string_equal(c.ns, "ns");
    assert_string_equal(c.token, "first"); /* the first file's entry wins, whole */
    assert_null(c.as);
    where.context = "y";
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -EINVAL);
    assert_has(err.text, "no context named \"y\"");
    where.env = "/nowhere/at/all";
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
}

static void which_of_them(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    write_file(w, "token", "secret\n");
    write_file(w, "ca.crt", "x");
    write_file(w, "namespace", "mine\n");
    struct ty_kubeconfig_sources where = { .host = "fd00::1", .port = "6443", .pod_dir = w->dir };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), 0);
    assert_string_equal(c.server, "https://[fd00::1]:6443");
    assert_string_equal(c.ns, "mine");
    assert_has(c.token_file, "/token");
    assert_has(c.ca.file, "/ca.crt");
    where.pod_dir = "/nowhere";
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    assert_has(err.text, "this pod has no service account");
    where = (struct ty_kubeconfig_sources){ .home = w->dir };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    mkdir(ty_arena_printf(w->a, "%s/.kube", w->dir), 0700);
    write_file(w, ".kube/config",
               HEAD "current-context: x\nclusters: [{name: c, cluster: {server: here:80}}]\n"
                    "contexts: [{name: x, context: {cluster: c}}]\n");
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), 0);
    assert_string_equal(c.server, "http://here:80"); /* as kubectl reads it */
    assert_string_equal(c.ns, "default");
    where = (struct ty_kubeconfig_sources){ 0 };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    assert_has(err.text, "no cluster");
}

static void broken_files(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "no current-context" },
        { "- a\n", "not a kubeconfig file" },
        { "kind: Pod\n", "kind is Pod" },
        { HEAD "---\n" HEAD, "one document is expected" },
        { "a: [", "config:" },
        { HEAD, "no current-context" },
        { HEAD "current-context: x\n", "no context named \"x\"" },
        { HEAD "current-context: x\ncontexts: [{name: x}]\n", "cluster is not set" },
        { HEAD "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n",
          "no cluster named \"c\"" },
        { HEAD "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
               "clusters: [{name: c, cluster: {}}]\n",
          "server is not set" },
        { HEAD "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
               "clusters: [{name: c, cluster: {server: 'ftp://x'}}]\n",
          "not an http(s) address" },
        { HEAD "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
               "clusters: [{name: c, cluster: {server: x}}]\n",
          "no user named \"u\"" },
    };
    struct world *w = *state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kubeconfig c;
        struct ty_err err = { 0 };
        assert_true(load_text(w, cases[i].text, &c, &err) < 0);
        if (!strstr(err.text, cases[i].says))
            fail_msg("case %zu: %s", i, err.text);
    }
}

static void who_we_say_we_are(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const struct ty_kube_exec exec = { .command = "login" };
    struct ty_kubeconfig c = { 0 };

    assert_string_equal(ty_kubeconfig_identity(a, &c), "no credentials");
    c.cert.data = TY_LIT("pem");
    assert_string_equal(ty_kubeconfig_identity(a, &c), "the client certificate in the kubeconfig");
    c.cert.file = "/c.pem";
    assert_string_equal(ty_kubeconfig_identity(a, &c), "the client certificate /c.pem");
    c.exec = &exec;
    assert_string_equal(ty_kubeconfig_identity(a, &c), "what the exec plugin login gave");
    c.token = "secret";
    assert_string_equal(ty_kubeconfig_identity(a, &c), "the token in the kubeconfig");
    c.token_file = "/t";
    assert_string_equal(ty_kubeconfig_identity(a, &c), "the token in file /t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merged_files, setup, teardown),
        cmocka_unit_test_setup_teardown(which_of_them, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_files, setup, teardown),
        cmocka_unit_test(who_we_say_we_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
