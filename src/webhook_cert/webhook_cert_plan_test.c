#include "base/testing.h"
#include "webhook_cert/webhook_cert_manager.h"
#include "webhook_cert/webhook_cert_plan.h"

#define DAY  ((int64_t)24 * 3600)
#define NOW  ((int64_t)1700000000)
#define NAME "svc.ns.svc"

struct fixture {
    struct ty_arena *a;
    struct ty_webhook_cert_plan_in in;
    struct ty_webhook_cert_plan p;
};

static int open_bench(void **state)
{
    struct fixture *b = calloc(1, sizeof(*b));
    b->a = ty_arena_new(1 << 24);
    b->in = (struct ty_webhook_cert_plan_in){ .service_name = NAME, .now_s = NOW };
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct fixture *b = *state;
    ty_arena_free(b->a);
    free(b);
    return 0;
}

static const char *plan(struct fixture *b)
{
    struct ty_err err = { 0 };
    assert_int_equal(ty_webhook_cert_plan_compute(b->a, &b->in, &b->p, &err), 0);
    assert_true(b->p.serve); /* in any case there is a pair to serve */
    return b->p.why;
}

static void store(struct fixture *b)
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

static void fresh(struct fixture *b)
{
    assert_string_equal(plan(b), "the Secret has no certificates yet");
    assert_true(b->p.write);
    store(b);
}

static void test_from_nothing(void **state)
{
    struct fixture *b = *state;
    struct ty_err err = { 0 };
    int64_t until = 0;
    fresh(b);
    assert_int_equal(b->p.until_s, NOW + 365 * DAY);
    assert_int_equal(ty_certs_expiry(b->p.ca_crt, &until, &err), 0);
    assert_int_equal(until, NOW + 3650 * DAY);
    struct ty_str was = b->in.tls_crt;
    assert_string_equal(plan(b), ""); /* and then nothing changes */
    assert_false(b->p.write);
    assert_true(ty_str_eq(b->p.tls_crt, was));
    b->in.now_s = NOW + 274 * DAY; /* 91 days are left */
    assert_string_equal(plan(b), "");
}

static void test_certificate_ends(void **state)
{
    struct fixture *b = *state;
    fresh(b);
    b->in.now_s = NOW + 276 * DAY;
    struct ty_str ca = b->in.ca_crt;
    assert_string_equal(plan(b), "the certificate ends soon");
    assert_int_equal(b->p.until_s, b->in.now_s + 365 * DAY);
    assert_int_equal(n_cas(b->p.ca_crt), 1); /* of the same CA: the bundle does not change */
    assert_true(ty_str_eq(ty_str_trim(b->p.ca_crt), ty_str_trim(ca)));
    store(b);
    assert_string_equal(plan(b), "");
}

static void test_ca_ends(void **state)
{
    struct fixture *b = *state;
    fresh(b);
    for (int n = 1; n <= 11; n++) { /* certificates are renewed */
        b->in.now_s = NOW + n * 300 * DAY;
        assert_string_equal(plan(b), "the certificate ends soon");
        store(b);
    }
    assert_int_equal(b->p.until_s, NOW + 3650 * DAY); /* never longer than its CA */
    struct ty_str served = b->in.tls_crt;
    b->in.now_s = NOW + 3561 * DAY;
    b->in.settled = true; /* with the old bundle, which does not count */
    assert_string_equal(plan(b), "the CA ends soon");
    assert_true(b->p.waits);
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    assert_true(ty_str_eq(ty_str_trim(b->p.tls_crt), ty_str_trim(served)));
    store(b);
    b->in.settled = false; /* the API server does not trust the new one yet */
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
    struct fixture *b = *state;
    fresh(b);
    struct ty_webhook_cert_plan_in good = b->in;
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
    b->in.now_s = NOW + 400 * DAY; /* no check for a year */
    assert_has(plan(b), "what the Secret has cannot be used: the certificate ended");
    assert_int_equal(b->p.until_s, b->in.now_s + 365 * DAY);
}

/* Valid, but the CA's key is lost: a new CA in two steps, without an interruption. */
static void test_lost_key(void **state)
{
    struct fixture *b = *state;
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

/* ---- the served pair while the Secret is lost ---- */

static void show(struct fixture *b)
{
    b->in.shown_ca = b->p.ca_crt;
    b->in.shown_crt = b->p.tls_crt;
    b->in.shown_key = b->p.tls_key;
}

static void lose(struct fixture *b)
{
    b->in.ca_crt = b->in.ca_key = b->in.tls_crt = b->in.tls_key = (struct ty_str){ 0 };
}

/* A new CA in two steps here, too: the certificate stays until the new CA is trusted. */
static void test_a_deleted_secret(void **state)
{
    struct fixture *b = *state;
    struct ty_err err = { 0 };
    fresh(b);
    show(b);
    lose(b);
    assert_string_equal(plan(b), "the Secret has no certificates yet");
    assert_true(b->p.write && b->p.waits);
    assert_string_equal(b->p.tls_crt.p, b->in.shown_crt.p);
    assert_string_equal(b->p.tls_key.p, b->in.shown_key.p);
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    assert_false(ty_str_starts(b->p.ca_crt, b->in.shown_ca)); /* the new one is in front */
    assert_has(b->p.ca_crt.p, ty_str_trim(b->in.shown_ca).p);
    store(b);
    assert_string_equal(plan(b), ""); /* waits */
    assert_true(b->p.waits);
    b->in.settled = true;
    assert_string_equal(plan(b), "the new CA is known to the API server");
    struct ty_pem shown = { b->in.shown_crt, b->in.shown_key };
    assert_int_equal(ty_certs_check(&shown, b->in.shown_ca, NAME, NOW, &err), 0);
    assert_string_not_equal(b->p.tls_crt.p, b->in.shown_crt.p);
}

static void test_a_spoilt_secret(void **state)
{
    struct fixture *b = *state;
    fresh(b);
    show(b);
    b->in.tls_crt = TY_LIT("nonsense");
    assert_has(plan(b), "what the Secret has cannot be used: ");
    assert_string_equal(b->p.tls_crt.p, b->in.shown_crt.p);
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    b->in.now_s = NOW + 366 * DAY; /* the served pair has expired: it is not stored again */
    plan(b);
    assert_string_not_equal(b->p.tls_crt.p, b->in.shown_crt.p);
    assert_int_equal(n_cas(b->p.ca_crt), 1);
}

/* A replica that has just started finds no Secret, and does not know our certificate. */
static void test_another_ca_in_the_secret(void **state)
{
    struct fixture *b = *state;
    fresh(b);
    show(b);
    struct ty_str ours = b->in.shown_ca, crt = b->in.shown_crt, key = b->in.shown_key;
    b->in.shown_crt = (struct ty_str){ 0 };
    lose(b);
    fresh(b); /* of the other replica */
    b->in.shown_ca = ours;
    b->in.shown_crt = crt;
    b->in.shown_key = key;
    assert_string_equal(plan(b),
                        "the certificate that is served must stay trusted until it is replaced");
    assert_true(b->p.write);
    assert_int_equal(n_cas(b->p.ca_crt), 2);
    assert_true(ty_str_starts(
        b->p.ca_crt, ty_str_trim(b->in.ca_crt))); /* the other replica's CA stays in front */
    assert_string_equal(b->p.tls_crt.p, b->in.tls_crt.p);
    assert_string_equal(b->p.ca_key.p, b->in.ca_key.p);
    store(b);
    assert_string_equal(plan(b), ""); /* both are trusted */
    assert_false(b->p.waits);
}

/* The bundle does not grow with every deletion of the Secret. */
static void test_deleted_again_and_again(void **state)
{
    struct fixture *b = *state;
    fresh(b);
    for (int i = 0; i < 12; i++) {
        show(b);
        lose(b);
        b->in.settled = false;
        plan(b);
        assert_string_equal(b->p.tls_crt.p, b->in.shown_crt.p);
        assert_in_range(n_cas(b->p.ca_crt), 2, 4);
        store(b);
        b->in.settled = true;
        if (i >= 8) { /* before that it is deleted again before the new CA is trusted */
            assert_string_equal(plan(b), "the new CA is known to the API server");
            store(b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_from_nothing, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_certificate_ends, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_ca_ends, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_a_deleted_secret, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_a_spoilt_secret, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_another_ca_in_the_secret, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_deleted_again_and_again, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_broken, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_lost_key, open_bench, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
