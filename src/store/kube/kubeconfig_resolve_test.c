/* From documents to one server and one user: what each field means, and every way to get one
 * wrong. Files are in kubeconfig_test.c. */
#include "store/kube/kubeconfig_inner.h"

#include <errno.h>

#include "base/testing.h"
#include "json/yaml.h"

#define FILE_A "/k/a"

struct world {
    struct ty_arena *a;
    struct ty_kubeconfig_merge m;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    if (!w)
        return -1;
    w->a = ty_arena_new(1 << 24);
    w->m.a = w->a;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    ty_arena_free(w->a);
    free(w);
    return 0;
}

/* Behind those that are there already. */
static int add(struct world *w, const char *path, const char *text, struct ty_err *err)
{
    struct ty_yaml_docs docs = { 0 };
    assert_int_equal(ty_yaml_parse(w->a, path, ty_str(text), NULL, &docs, err), 0);
    assert_int_equal(docs.n, 1);
    return ty_kubeconfig_merge_add(&w->m, path, docs.v[0], err);
}

/* Of one file with this user, in flow style, and this more in its cluster. */
static int resolve(struct world *w, const char *user, const char *cluster, struct ty_kubeconfig *c,
                   struct ty_err *err)
{
    w->m.n_files = 0;
    *c = (struct ty_kubeconfig){ 0 };
    assert_int_equal(
        add(w, FILE_A,
            ty_arena_printf(w->a,
                            "current-context: x\n"
                            "clusters: [{name: c, cluster: {server: 'https://h:1/'%s}}]\n"
                            "users: [{name: u, user: %s}]\n"
                            "contexts: [{name: x, context: {cluster: c, user: u}}]\n",
                            cluster, user),
            err),
        0);
    return ty_kubeconfig_merge_resolve(&w->m, NULL, c, err);
}

static void users(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(resolve(w, "{tokenFile: t/file}", "", &c, &err), 0);
    assert_string_equal(c.token_file, "/k/t/file");
    assert_string_equal(c.server, "https://h:1");
    assert_int_equal(resolve(w,
                             "{client-certificate-data: Y2VydA==, client-certificate: lost, "
                             "client-key: /abs/key}",
                             ", certificate-authority: ca.pem", &c, &err),
                     0);
    assert_true(ty_str_is(c.cert.data, "cert")); /* data wins over the file */
    assert_null(c.cert.file);
    assert_string_equal(c.key.file, "/abs/key");
    assert_string_equal(c.ca.file, "/k/ca.pem");
    assert_int_equal(resolve(w,
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
    assert_int_equal(resolve(w, "{}", ", insecure-skip-tls-verify: true", &c, &err), 0);
    assert_true(c.insecure);
}

static void exec_plugins(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(
        resolve(
            w,
            "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./p, "
            "args: [a, b], env: [{name: NAME, value: V}, {name: E}], provideClusterInfo: true}}",
            ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
            &c, &err),
        0);
    assert_string_equal(c.exec->command, "/k/./p");
    assert_string_equal(c.exec->args[1], "b");
    assert_null(c.exec->args[2]);
    assert_int_equal(c.exec->n_env, 2);
    assert_string_equal(c.exec->env[1].value, "");
    assert_int_equal(c.exec->interactive, TY_KUBE_IF_POSSIBLE); /* v1beta1 need not say */
    assert_true(ty_str_is(c.exec_config, "{\"audience\":\"x\"}"));
    assert_int_equal(resolve(w,
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
        { "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, "
          "env: [{name: A, value: b}, {name: NAME, value: 7}]}}",
          "", "user \"u\": exec.env[1].value must be a string" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, args: [a, []]}}",
          "", "exec.args[1] must be a string" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1, command: [x]}}", "",
          "user \"u\": exec.command must be a string" },
        { "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
          "interactiveMode: Sometimes}}",
          "", "exec.interactiveMode must be Never, IfAvailable or Always" },
        { "{as: a, as-user-extra: {k: [v, {}]}}", "", "as-user-extra.k[1] must be a string" },
        { "{as-uid: '7'}", "", "need as" },
        { "{as-user-extra: {k: [v]}}", "", "need as" },
        { "{client-key-data: a2V5}", "", "go together" },
        { "{client-key-data: 'a2V', client-certificate: x}", "", "client-key-data is not base64" },
        { "{tokenFile: {}}", "", "tokenFile must be a string" },
        { "{}", ", certificate-authority-data: 7", "certificate-authority-data must be a string" },
        { "{}", ", certificate-authority-data: '='", "certificate-authority-data is not base64" },
        { "{}", ", insecure-skip-tls-verify: true, certificate-authority: x",
          "exclude each other" },
        { "{}", ", insecure-skip-tls-verify: true, certificate-authority-data: eA==",
          "exclude each other" },
    };
    struct world *w = *state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kubeconfig c;
        struct ty_err err = { 0 };
        assert_int_equal(resolve(w, cases[i].user, cases[i].cluster, &c, &err), -EINVAL);
        if (!strstr(err.text, cases[i].text) || !strstr(err.text, FILE_A ": "))
            fail_msg("case %zu: %s", i, err.text);
    }
}

/* What is null, empty or of another program is as if it were not there. */
static void nothing_said(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(resolve(w,
                             "{token: '', tokenFile: null, client-certificate-data: '', as: '', "
                             "exec: null, as-groups: [], as-user-extra: {k: []}, colour: red}",
                             ", tls-server-name: '', proxy-url: null, extensions: [{name: other, "
                             "extension: {}}]",
                             &c, &err),
                     0);
    assert_null(c.token);
    assert_null(c.token_file);
    assert_null(c.cert.file);
    assert_int_equal(c.cert.data.n, 0);
    assert_null(c.exec);
    assert_null(c.as);
    assert_null(c.as_groups);
    assert_null(c.as_extra);
    assert_null(c.tls_name);
    assert_null(c.proxy);
    assert_int_equal(c.exec_config.n, 0);
    assert_false(c.insecure);
}

static void servers(void **state)
{
    static const struct {
        const char *server, *want; /* NULL: refused */
    } cases[] = {
        { "https://h:6443/", "https://h:6443" },
        { "https://h/k8s/clusters/c-1//", "https://h/k8s/clusters/c-1" },
        { "h:8080", "http://h:8080" }, /* as kubectl reads it */
        { "http://h", "http://h" },
        { "ftp://h", NULL },
        { "unix:///run/api", NULL },
    };
    struct world *w = *state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kubeconfig c = { 0 };
        struct ty_err err = { 0 };
        w->m.n_files = 0;
        assert_int_equal(add(w, FILE_A,
                             ty_arena_printf(w->a,
                                             "clusters: [{name: c, cluster: {server: '%s'}}]\n"
                                             "contexts: [{name: x, context: {cluster: c}}]\n",
                                             cases[i].server),
                             &err),
                         0);
        int r = ty_kubeconfig_merge_resolve(&w->m, "x", &c, &err);
        if (cases[i].want) {
            assert_int_equal(r, 0);
            assert_string_equal(c.server, cases[i].want);
        } else {
            assert_int_equal(r, -EINVAL);
            assert_has(err.text, "/k/a: cluster \"c\": server: ");
            assert_has(err.text, "is not an http(s) address");
            assert_null(c.server); /* untouched */
        }
    }
}

/* The context of one file, the cluster of another: each path begins where its file is. */
static void paths_of_several_files(void **state)
{
    struct world *w = *state;
    struct ty_kubeconfig c;
    struct ty_err err = { 0 };
    assert_int_equal(add(w, "/one/a",
                         "current-context: x\n"
                         "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                         "users: [{name: u, user: {tokenFile: ../t}}]\n",
                         &err),
                     0);
    assert_int_equal(add(w, "here", /* of the working directory */
                         "current-context: y\n"
                         "clusters: [{name: c, cluster: {server: h, certificate-authority: ca}}]\n"
                         "users: [{name: u, user: {token: late}}]\n",
                         &err),
                     0);
    assert_int_equal(ty_kubeconfig_merge_resolve(&w->m, NULL, &c, &err), 0);
    assert_string_equal(c.context, "x");
    assert_string_equal(c.token_file, "/one/../t");
    assert_string_equal(c.ca.file, "ca");
    assert_null(c.token);
    assert_int_equal(ty_kubeconfig_merge_resolve(&w->m, "z", &c, &err), -EINVAL);
    assert_string_equal(err.text, "kubeconfig has no context named \"z\" (/one/a and others)");
}

static void documents_that_are_none(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "- a\n", "/k/a: this is not a kubeconfig file" },
        { "text\n", "/k/a: this is not a kubeconfig file" },
        { "kind: Pod\n", "/k/a: kind is Pod, a kubeconfig file has Config" },
    };
    struct world *w = *state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_err err = { 0 };
        assert_int_equal(add(w, FILE_A, cases[i].text, &err), -EINVAL);
        assert_string_equal(err.text, cases[i].says);
        assert_int_equal(w->m.n_files, 0);
    }
}

static void too_many_files(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };
    for (int i = 0; i < TY_KUBECONFIG_MAX_FILES; i++)
        assert_int_equal(add(w, FILE_A, "kind: Config\n", &err), 0);
    assert_int_equal(add(w, FILE_A, "kind: Config\n", &err), -E2BIG);
    assert_has(err.text, "more than 64 files");
}

/* What a context needs, and what it names; lists that are none are empty. */
static void contexts(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "kind: Config\n", "no current-context (/k/a); choose one with --context" },
        { "current-context: 7\n", "no current-context" },
        { "current-context: x\n", "no context named \"x\" (/k/a)" },
        { "current-context: x\ncontexts: {name: x}\n", "no context named \"x\"" },
        { "current-context: x\ncontexts: [{name: x}]\n", "context \"x\": cluster is not set" },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: 7}}]\n",
          "context \"x\": cluster must be a string" },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: c, namespace: [n]}}]\n",
          "context \"x\": namespace must be a string" },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n",
          "no cluster named \"c\"" },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
          "clusters: [{name: c}]\n",
          "cluster \"c\": server is not set" },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
          "clusters: [{name: c, cluster: {server: h}}]\n",
          "no user named \"u\"" },
    };
    struct world *w = *state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kubeconfig c = { 0 };
        struct ty_err err = { 0 };
        w->m.n_files = 0;
        assert_int_equal(add(w, FILE_A, cases[i].text, &err), 0);
        assert_int_equal(ty_kubeconfig_merge_resolve(&w->m, NULL, &c, &err), -EINVAL);
        assert_has(err.text, cases[i].says);
    }
    struct ty_kubeconfig_merge none = { .a = w->a };
    struct ty_err err = { 0 };
    assert_int_equal(ty_kubeconfig_merge_resolve(&none, "", &(struct ty_kubeconfig){ 0 }, &err),
                     -EINVAL);
    assert_has(err.text, "no current-context (it is empty)");
}

#define WITH(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(users),    WITH(exec_plugins),           WITH(refused),
        WITH(servers),  WITH(paths_of_several_files), WITH(documents_that_are_none),
        WITH(contexts), WITH(too_many_files),         WITH(nothing_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
