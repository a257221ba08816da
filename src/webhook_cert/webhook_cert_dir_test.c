#include "webhook_cert/webhook_cert_manager.h"

#include "store/api_testing.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#define DAY ((int64_t)24 * 3600)

struct fixture {
    char dir[64];
    struct ty_arena *a;
    uv_loop_t loop;
    struct ty_webhook_cert_manager *h;
    struct ty_str got;
    int calls, puts;
    bool refuses; /* the server refuses: a well-formed key that cannot sign */
};

static int on_ready(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    struct fixture *b = ctx;
    assert_int_equal(ca.n, 0);
    if (b->refuses)
        return ty_fail(err, -EINVAL, "the server does not like it");
    b->got = ty_arena_str(b->a, pem->cert);
    b->calls++;
    return 0;
}

/* Each write is a second later: two within one tick of the file system's clock have the same
 * time. */
static void put(struct fixture *b, const char *name, struct ty_str text)
{
    const struct timespec at = { .tv_sec = 1700000000 + ++b->puts };
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", b->dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){ at, at }, 0), 0);
}

static struct ty_pem make(struct fixture *b, const char *name)
{
    struct ty_pem pem;
    struct ty_err err = { 0 };
    struct ty_certs_request ask = { .name = name,
                                    .from_s = 1700000000,
                                    .until_s = 1700000000 + DAY };
    assert_int_equal(ty_certs_ca(b->a, &ask, &pem, &err), 0);
    return pem;
}

static void turn(struct fixture *b)
{
    ty_webhook_cert_manager_check(b->h);
    uv_run(&b->loop, UV_RUN_NOWAIT);
}

static void test_a_directory(void **state)
{
    (void)state;
    struct fixture b = { .dir = "/tmp/trainyard-test-XXXXXX", .a = ty_arena_new(1 << 24) };
    assert_non_null(mkdtemp(b.dir));
    uv_loop_init(&b.loop);
    b.h = ty_webhook_cert_manager_new(&(struct ty_webhook_cert_manager_settings){
        .loop = &b.loop, .dir = b.dir, .ready = on_ready, .ctx = &b });
    turn(&b); /* no files yet: it waits, and logs that */
    assert_int_equal(b.calls, 0);
    assert_false(ty_webhook_cert_manager_ready(b.h));
    assert_has(ty_webhook_cert_manager_reason(b.h), "/tls.crt");
    struct ty_pem one = make(&b, "one"), two = make(&b, "two");
    put(&b, "tls.crt", one.cert);
    put(&b, "tls.key", one.key);
    b.refuses = true;
    turn(&b);
    assert_false(ty_webhook_cert_manager_ready(b.h));
    assert_has(ty_webhook_cert_manager_reason(b.h), "the server does not like it");
    b.refuses = false;
    turn(&b);
    assert_int_equal(b.calls, 1);
    assert_true(ty_str_eq(b.got, one.cert));
    assert_true(ty_webhook_cert_manager_ready(b.h));
    assert_string_equal(ty_webhook_cert_manager_reason(b.h), "");
    assert_int_equal(ty_webhook_cert_manager_not_after(b.h), 1700000000 + DAY);
    turn(&b);
    assert_int_equal(b.calls, 1); /* unchanged */
    put(&b, "tls.crt", two.cert); /* half of the new pair */
    turn(&b);
    assert_int_equal(b.calls, 1);
    assert_true(ty_webhook_cert_manager_ready(b.h)); /* the current pair is still valid */
    put(&b, "tls.key", two.key);
    b.refuses = true;
    turn(&b);
    assert_int_equal(b.calls, 1); /* not counted as served */
    assert_true(ty_webhook_cert_manager_ready(b.h));
    b.refuses = false;
    put(&b, "tls.key", two.key); /* written again */
    turn(&b);
    assert_int_equal(b.calls, 2);
    assert_true(ty_str_eq(b.got, two.cert));
    put(&b, "tls.crt", TY_LIT("junk"));
    turn(&b);
    assert_int_equal(b.calls, 2);
    ty_webhook_cert_manager_free(b.h);
    while (uv_run(&b.loop, UV_RUN_DEFAULT))
        ;
    assert_int_equal(uv_loop_close(&b.loop), 0);
    put(&b, "tls.crt", TY_LIT(""));
    char path[128];
    snprintf(path, sizeof(path), "%s/tls.crt", b.dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/tls.key", b.dir);
    unlink(path);
    rmdir(b.dir);
    ty_arena_free(b.a);
}

/* ---- the CA for pods ---- */

struct trust {
    int calls;
    size_t bytes;
};

static int not_served(void *ctx TY_UNUSED, const struct ty_pem *pem TY_UNUSED,
                      struct ty_str ca TY_UNUSED, struct ty_err *err TY_UNUSED)
{
    fail(); /* no certificate exists */
    return 0;
}

static void on_trusted(void *ctx, struct ty_str ca)
{
    struct trust *t = ctx;
    t->calls++;
    t->bytes = ca.n;
}

/* The Secret cannot be read: that is reported as well, so that the controllers do not wait for
 * ever. The content is tested with a real API server in tests/operator/test_status_ca.py. */
static void test_no_secret(void **state TY_UNUSED)
{
    struct trust t = { .bytes = 1 };
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct ty_kube *kube = api_nobody(&loop);
    struct ty_webhook_cert_manager *h = ty_webhook_cert_manager_new(
        &(struct ty_webhook_cert_manager_settings){ .loop = &loop,
                                                    .dir = "/nonexistent",
                                                    .kube = kube,
                                                    .ns = "ns",
                                                    .secret = "s",
                                                    .ready = not_served,
                                                    .trusted = on_trusted,
                                                    .ctx = &t });
    while (!t.calls)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(t.bytes, 0);
    ty_webhook_cert_manager_free(h);
    ty_kube_free(kube);
    loop_end(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_directory),
                                        cmocka_unit_test(test_no_secret) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
