#include "base/testing.h"
#include "control/hookcerts.h"
#include "control/hookplan.h"

#define DAY  ((int64_t)24 * 3600)
#define NOW  ((int64_t)1700000000)
#define NAME "svc.ns.svc"

struct bench {
    struct ty_gnutls g;
    struct ty_arena *a;
    struct ty_hookplan_in in;
    struct ty_hookplan p;
};

static int open_bench(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct ty_err err = { 0 };
    b->a = ty_arena_new(1 << 24);
    if (ty_gnutls_load(&b->g, &err) < 0)
        return -1;
    b->in = (struct ty_hookplan_in){ .gnutls = &b->g, .service_name = NAME, .now_s = NOW };
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    ty_gnutls_done(&b->g);
    ty_arena_free(b->a);
    free(b);
    return 0;
}

static const char *plan(struct bench *b)
{
    struct ty_err err = { 0 };
    assert_int_equal(ty_hookplan_make(b->a, &b->in, &b->p, &err), 0);
    assert_true(b->p.serve); /* whatever happens, there is something to serve */
    return b->p.why;
}

static void store(struct bench *b)
{
    b->in.ca_crt = b->p.ca_crt;
    b->in.ca_key = b->p.ca_key;
    b->in.tls_crt = b->p.tls_crt;
    b->in.tls_key = b->p.tls_key;
}

static size_t n_cas(struct ty_str bundle)
{
    size_t n = 0;
    for (const char *p = bundle.p; (p = strstr(p, "-----BEGIN CERTIFICATE-----")); p++)
        n++;
    return n;
}

static void fresh(struct bench *b)
{
    assert_string_equal(plan(b), "the Secret has no certificates yet");
    assert_true(b->p.write);
    store(b);
}

static void test_from_nothing(void **state)
{
    struct bench *b = *state;
    struct ty_err err = { 0 };
    int64_t until = 0;
    fresh(b);
    assert_int_equal(b->p.until_s, NOW + 365 * DAY);
    assert_int_equal(ty_certs_until(&b->g, b->p.ca_crt, &until, &err), 0);
    assert_int_equal(until, NOW + 3650 * DAY);
    struct ty_str was = b->in.tls_crt;
    assert_string_equal(plan(b), ""); /* and then it is left alone */
    assert_false(b->p.write);
    assert_true(ty_str_eq(b->p.tls_crt, was));
    b->in.now_s = NOW + 274 * DAY; /* 91 days are left */
    assert_string_equal(plan(b), "");
}

static void test_certificate_ends(void **state)
{
    struct bench *b = *state;
    fresh(b);
    b->in.now_s = NOW + 276 * DAY;
    struct ty_str ca = b->in.ca_crt;
    assert_string_equal(plan(b), "the certificate ends soon");
    assert_int_equal(b->p.until_s, b->in.now_s + 365 * DAY);
    assert_int_equal(n_cas(b->p.ca_crt), 1); /* of the same CA: nobody need be told */
    assert_true(ty_str_eq(ty_str_trim(b->p.ca_crt), ty_str_trim(ca)));
    store(b);
    assert_string_equal(plan(b), "");
}

static void test_ca_ends(void **state)
{
    struct bench *b = *state;
    fresh(b);
    for (int n = 1; n <= 11; n++) { /* certificates come and go */
        b->in.now_s = NOW + n * 300 * DAY;
        assert_string_equal(plan(b), "the certificate ends soon");
        store(b);
    }
    assert_int_equal(b->p.until_s, NOW + 3650 * DAY); /* never longer than its CA */
    struct ty_str served = b->in.tls_crt;
    b->in.now_s = NOW + 3561 * DAY;
    b->in.settled = true; /* with the old bundle, which is not what counts */
    assert_string_equal(plan(b), "the CA ends soon");
    assert_true(b->p.waits);
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    assert_true(ty_str_eq(ty_str_trim(b->p.tls_crt), ty_str_trim(served)));
    store(b);
    b->in.settled = false; /* the API server does not know the new one yet */
    assert_string_equal(plan(b), "");
    assert_true(b->p.waits);
    assert_true(ty_str_eq(ty_str_trim(b->p.tls_crt), ty_str_trim(served)));
    b->in.settled = true;
    assert_string_equal(plan(b), "the new CA is known to the API server");
    assert_false(b->p.waits);
    assert_int_equal(n_cas(b->p.ca_crt), 2); /* others may still serve the old certificate */
    store(b);
    assert_string_equal(plan(b), "");
    b->in.now_s = NOW + 3651 * DAY;
    assert_string_equal(plan(b), "an older CA has ended");
    assert_int_equal(n_cas(b->p.ca_crt), 1);
}

static void test_broken(void **state)
{
    struct bench *b = *state;
    fresh(b);
    struct ty_hookplan_in good = b->in;
    b->in.tls_key = good.ca_key;
    assert_string_equal(plan(b), "what the Secret has cannot be used: the private key is not the "
                                 "certificate's");
    b->in = good;
    b->in.tls_crt = TY_LIT("junk");
    assert_has(plan(b), "what the Secret has cannot be used: ");
    b->in = good;
    b->in.ca_crt = (struct ty_str){ 0 };
    assert_string_equal(plan(b), "what the Secret has cannot be used: there is no CA");
    b->in = good;
    b->in.service_name = "other.ns.svc"; /* the Service was renamed */
    assert_string_equal(plan(b), "what the Secret has cannot be used: the certificate is not for "
                                 "other.ns.svc");
    b->in = good;
    b->in.now_s = NOW + 400 * DAY; /* nobody looked for a year */
    assert_has(plan(b), "what the Secret has cannot be used: the certificate ended");
    assert_int_equal(b->p.until_s, b->in.now_s + 365 * DAY);
}

/* Valid, but the CA's key was lost: a new CA in two steps, nothing is interrupted. */
static void test_lost_key(void **state)
{
    struct bench *b = *state;
    fresh(b);
    b->in.ca_key = (struct ty_str){ 0 };
    assert_string_equal(plan(b), "");
    b->in.now_s = NOW + 300 * DAY;
    assert_has(plan(b), "the CA's key cannot be used: ");
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    assert_true(b->p.waits);
    store(b);
    b->in.settled = true;
    assert_string_equal(plan(b), "the new CA is known to the API server");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_from_nothing, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_certificate_ends, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_ca_ends, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_broken, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_lost_key, open_bench, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
