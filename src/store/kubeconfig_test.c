#include "store/kubeconfig.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

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

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
    (void)st;
    (void)flag;
    (void)at;
    return remove(path);
}

static int teardown(void **state)
{
    struct world *w = *state;
    nftw(w->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static const char *put(struct world *w, const char *name, const char *text)
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
    struct ty_kube_where where = { .kubeconfig = put(w, "config", text) };
    *c = (struct ty_kubeconfig){ 0 };
    return ty_kubeconfig_load(w->a, &where, c, err);
}

/* A config with this user, in flow style, and this more in its cluster. */
static int load_user(struct world *w, const char *user, const char *cluster,
                     struct ty_kubeconfig *c, struct ty_err *err)
{
    return load_text(w,
                     ty_arena_printf(w->a,
                                     HEAD
                                     "current-context: x\n"
                                     "clusters: [{name: c, cluster: {server: 'https://h:1/'%s}}]\n"
                                     "users: [{name: u, user: %s}]\n"
                                     "contexts: [{name: x, context: {cluster: c, user: u}}]\n",
                                     cluster, user),
                     c, err);
}

static void merged_files(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    const char *one =
        put(w, "one",
            HEAD "contexts:\n- name: x\n  context: {cluster: c, user: u, namespace: ns}\n"
                 "users:\n- name: u\n  user: {token: first}\n");
    const char *two = put(w, "two",
                          HEAD "current-context: x\n"
                               "users:\n- name: u\n  user: {token: second, as: somebody}\n"
                               "clusters:\n- name: c\n  cluster: {server: 'https://two'}\n");
    struct ty_kube_where where = {
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
    assert_non_null(strstr(err.text, "no context named \"y\""));
    where.env = "/nowhere/at/all";
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
}

static void which_of_them(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    put(w, "token", "secret\n");
    put(w, "ca.crt", "x");
    put(w, "namespace", "mine\n");
    struct ty_kube_where where = { .host = "fd00::1", .port = "6443", .pod_dir = w->dir };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), 0);
    assert_string_equal(c.server, "https://[fd00::1]:6443");
    assert_string_equal(c.ns, "mine");
    assert_non_null(strstr(c.token_file, "/token"));
    assert_non_null(strstr(c.ca.file, "/ca.crt"));
    where.pod_dir = "/nowhere";
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    assert_non_null(strstr(err.text, "this pod has no service account"));
    where = (struct ty_kube_where){ .home = w->dir };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    mkdir(ty_arena_printf(w->a, "%s/.kube", w->dir), 0700);
    put(w, ".kube/config",
        HEAD "current-context: x\nclusters: [{name: c, cluster: {server: here:80}}]\n"
             "contexts: [{name: x, context: {cluster: c}}]\n");
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), 0);
    assert_string_equal(c.server, "http://here:80"); /* as kubectl reads it */
    assert_string_equal(c.ns, "default");
    where = (struct ty_kube_where){ 0 };
    assert_int_equal(ty_kubeconfig_load(w->a, &where, &c, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no cluster"));
}

static void users(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(load_user(w, "{tokenFile: t/file}", "", &c, &err), 0);
    assert_string_equal(c.token_file, ty_arena_printf(w->a, "%s/t/file", w->dir));
    assert_string_equal(c.server, "https://h:1");
    assert_int_equal(load_user(w,
                               "{client-certificate-data: Y2VydA==, client-certificate: lost, "
                               "client-key: /abs/key}",
                               ", certificate-authority: ca.pem", &c, &err),
                     0);
    assert_true(ty_str_is(c.cert.data, "cert")); /* data wins over the file */
    assert_null(c.cert.file);
    assert_string_equal(c.key.file, "/abs/key");
    assert_string_equal(c.ca.file, ty_arena_printf(w->a, "%s/ca.pem", w->dir));
    assert_int_equal(load_user(w,
                               "{token: t, as: a, as-uid: '7', as-groups: [g, h], "
                               "as-user-extra: {k: [v, w]}}",
                               ", tls-server-name: name, proxy-url: 'socks5://p:1'", &c, &err),
                     0);
    assert_string_equal(c.as_groups[1], "h");
    assert_string_equal(c.as_extra[2], "k");
    assert_string_equal(c.as_extra[3], "w");
    assert_null(c.as_extra[4]);
    assert_string_equal(c.tls_name, "name");
    assert_string_equal(c.proxy, "socks5://p:1");
    assert_int_equal(load_user(w, "{}", ", insecure-skip-tls-verify: true", &c, &err), 0);
    assert_true(c.insecure);
}

static void exec_plugins(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(
        load_user(
            w,
            "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./p, "
            "args: [a, b], env: [{name: NAME, value: V}, {name: E}], provideClusterInfo: true}}",
            ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
            &c, &err),
        0);
    assert_string_equal(c.exec->command, ty_arena_printf(w->a, "%s/./p", w->dir));
    assert_string_equal(c.exec->args[1], "b");
    assert_null(c.exec->args[2]);
    assert_int_equal(c.exec->n_env, 2);
    assert_string_equal(c.exec->env[1].value, "");
    assert_int_equal(c.exec->interactive, TY_KUBE_IF_POSSIBLE); /* v1beta1 need not say */
    assert_true(ty_str_is(c.exec_config, "{\"audience\":\"x\"}"));
    assert_int_equal(load_user(w,
                               "{exec: {apiVersion: client.authentication.k8s.io/v1, "
                               "command: in-path, interactiveMode: Never}}",
                               "", &c, &err),
                     0);
    assert_string_equal(c.exec->command, "in-path");
}

static void refused(void **state)
{
    static const struct {
        const char *user, *cluster, *text;
    } cases[] = {
        { "{username: u, password: p}", "", "no password sign-in" },
        { "{auth-provider: {name: gcp}}", "", "auth-provider was removed" },
        { "{client-certificate: x}", "", "client-certificate and client-key go together" },
        { "{client-certificate-data: '*', client-key: x}", "",
          "client-certificate-data is not base64" },
        { "{token: 7}", "", "user \"u\": token must be a string" },
        { "{as-groups: [g]}", "", "need as" },
        { "{as: a, as-groups: [1]}", "", "as-groups[0] must be a string" },
        { "{exec: {command: x}}", "", "exec.apiVersion must be" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}", "",
          "not client.authentication.k8s.io/v1alpha1" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1}}", "", "exec.command is not set" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}", "",
          "exec.interactiveMode must be" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{}]}}", "",
          "exec.env[0].name is not set" },
        { "{}", ", insecure-skip-tls-verify: true, certificate-authority: x",
          "exclude each other" },
    };
    struct world *w = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ty_kubeconfig c;
        struct ty_err err = { 0 };
        assert_int_equal(load_user(w, cases[i].user, cases[i].cluster, &c, &err), -EINVAL);
        if (!strstr(err.text, cases[i].text) || !strstr(err.text, "/config: "))
            fail_msg("case %zu: %s", i, err.text);
    }
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
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
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

    assert_string_equal(ty_kubeconfig_who(a, &c), "no credentials");
    c.cert.data = TY_LIT("pem");
    assert_string_equal(ty_kubeconfig_who(a, &c), "the client certificate in the kubeconfig");
    c.cert.file = "/c.pem";
    assert_string_equal(ty_kubeconfig_who(a, &c), "the client certificate /c.pem");
    c.exec = &exec;
    assert_string_equal(ty_kubeconfig_who(a, &c), "what the exec plugin login gave");
    c.token = "secret";
    assert_string_equal(ty_kubeconfig_who(a, &c), "the token in the kubeconfig");
    c.token_file = "/t";
    assert_string_equal(ty_kubeconfig_who(a, &c), "the token in file /t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merged_files, setup, teardown),
        cmocka_unit_test_setup_teardown(which_of_them, setup, teardown),
        cmocka_unit_test_setup_teardown(users, setup, teardown),
        cmocka_unit_test_setup_teardown(exec_plugins, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_files, setup, teardown),
        cmocka_unit_test(who_we_say_we_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
