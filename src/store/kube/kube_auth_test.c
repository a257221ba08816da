/* Credentials and their renewal. tests/cluster/test_who.py tests them against an API server. */
#include "store/kube/kube.h"
#include "store/kube/kube_auth.h"

#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

static void no_news(void *ctx TY_UNUSED, bool changed TY_UNUSED, const struct ty_err *err TY_UNUSED)
{
    fail_msg("nothing was wanted");
}

static void write_file(const char *path, const char *text)
{
    char part[64];
    snprintf(part, sizeof(part), "%s.part", path);
    FILE *f = fopen(part, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(rename(part, path), 0);
}

struct world {
    uv_loop_t loop;
    char dir[32], file[64];
    struct ty_kubeconfig config;
    struct ty_kube_auth *auth;
};

static void start_auth(struct world *w)
{
    *w = (struct world){ .dir = "/tmp/ty-auth.XXXXXX", .config.server = "https://far:1/base" };
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->file, sizeof(w->file), "%s/file", w->dir);
    write_file(w->file, "first");
    assert_int_equal(uv_loop_init(&w->loop), 0);
}

static void open_auth(struct world *w)
{
    struct ty_err err = { 0 };
    struct ty_kube_settings s = { .loop = &w->loop, .config = &w->config };
    assert_int_equal(ty_kube_auth_new(&w->auth, &s, no_news, NULL, &err), 0);
}

static void finish(struct world *w)
{
    ty_kube_auth_free(w->auth);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    unlink(w->file);
    rmdir(w->dir);
}

/* Only a replaced certificate file causes new connections, and only once. */
static void a_certificate_that_is_replaced(void **state)
{
    struct world w;
    bool changed = true;
    (void)state;
    start_auth(&w);
    w.config.cert.file = w.config.key.file = w.file;
    open_auth(&w);
    uint64_t before = ty_kube_auth_serial(w.auth);
    assert_false(ty_kube_auth_refused(w.auth, before, &changed));
    assert_false(changed);
    write_file(w.file, "second");
    assert_true(ty_kube_auth_refused(w.auth, before, &changed));
    assert_true(changed);
    uint64_t after = ty_kube_auth_serial(w.auth);
    assert_true(after != before);
    assert_true(
        ty_kube_auth_refused(w.auth, before, &changed)); /* was under way: try with the new */
    assert_false(changed);
    assert_false(ty_kube_auth_refused(w.auth, after, &changed)); /* it is no better */
    assert_false(changed);
    unlink(w.file); /* between two of them */
    assert_false(ty_kube_auth_refused(w.auth, after, &changed));
    write_file(w.file, "the third"); /* longer: number and time of a file may come again */
    assert_true(ty_kube_auth_refused(w.auth, after, &changed));
    assert_true(changed);
    finish(&w);
}

/* A token file is read again after a 401, and every ten seconds. */
static void a_token_that_is_replaced(void **state)
{
    struct world w;
    struct ty_err err = { 0 };
    bool changed = true;
    (void)state;
    start_auth(&w);
    w.config.token_file = w.file;
    open_auth(&w);
    assert_int_equal(ty_kube_auth_ready(w.auth, 1000, &err), 0);
    assert_string_equal(ty_kube_auth_header(w.auth), "Authorization: Bearer first");
    write_file(w.file, "second\n");
    assert_int_equal(ty_kube_auth_ready(w.auth, 1009, &err), 0);
    assert_string_equal(ty_kube_auth_header(w.auth), "Authorization: Bearer first");
    assert_true(ty_kube_auth_refused(w.auth, ty_kube_auth_serial(w.auth), &changed));
    assert_false(changed); /* connections know nothing of tokens */
    assert_int_equal(ty_kube_auth_ready(w.auth, 1009, &err), 0);
    assert_string_equal(ty_kube_auth_header(w.auth), "Authorization: Bearer second");
    write_file(w.file, "");
    assert_int_equal(ty_kube_auth_ready(w.auth, 1019, &err), 0); /* it may do for a while */
    assert_string_equal(ty_kube_auth_header(w.auth), "Authorization: Bearer second");
    write_file(w.file, "third");
    assert_int_equal(ty_kube_auth_ready(w.auth, 1029, &err), 0);
    assert_string_equal(ty_kube_auth_header(w.auth), "Authorization: Bearer third");
    assert_int_equal(ty_kube_auth_ready(w.auth, 500, &err), 0); /* the clock was set back */
    finish(&w);
}

static void no_token_at_all(void **state)
{
    struct world w;
    struct ty_err err = { 0 };
    (void)state;
    start_auth(&w);
    w.config.token_file = w.file;
    write_file(w.file, " \n");
    open_auth(&w);
    assert_true(ty_kube_auth_ready(w.auth, 1000, &err) < 0);
    assert_has(err.text, "no credentials");
    assert_has(err.text, "is empty");
    assert_null(ty_kube_auth_header(w.auth));
    finish(&w);
}

/* With tls-server-name: that name is in the URL, and the server's own in the Host header. */
static void another_name(void **state)
{
    static const struct {
        const char *server, *name, *base, *host, *to;
    } cases[] = {
        { "https://far:1/base", NULL, "https://far:1/base", NULL, NULL },
        { "https://far:1/base", "near", "https://near/base", "Host: far:1", "far:1" },
        { "https://far", "near", "https://near", "Host: far", "far:443" },
        { "https://[::1]", "near", "https://near", "Host: [::1]", "[::1]:443" },
        { "https://[::1]:7", "near", "https://near", "Host: [::1]:7", "[::1]:7" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 16);
        struct world w;
        const char *host = NULL;
        start_auth(&w);
        w.config.server = cases[i].server;
        w.config.tls_name = cases[i].name;
        open_auth(&w);
        assert_string_equal(ty_kube_auth_base(w.auth, a, &host), cases[i].base);
        const char *to = ty_kube_auth_peer(w.auth)->to;
        assert_string_equal(host ? host : "", cases[i].host ? cases[i].host : "");
        assert_string_equal(to ? to : "", cases[i].to ? cases[i].to : "");
        finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate_that_is_replaced),
        cmocka_unit_test(a_token_that_is_replaced),
        cmocka_unit_test(no_token_at_all),
        cmocka_unit_test(another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
