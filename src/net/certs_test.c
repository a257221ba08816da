#include "net/certs.h"
#include "net/testing.h"

#include <errno.h>
#include <fcntl.h>

#define DAY 86400

struct fixture {
    struct ty_arena *a;
    struct ty_pem ca, pair;
    int64_t now;
};

static int setup(void **state)
{
    static const char *const names[] = { "svc.ns.svc", "127.0.0.1", "::1", NULL };
    struct fixture *f = calloc(1, sizeof(*f));
    struct ty_err err = { 0 };

    assert_non_null(f);
    f->a = ty_arena_new(1 << 22);
    f->now = 1800000000;
    struct ty_certs_request ask = {
        .name = "test-ca", .org = "test", .from_s = f->now, .until_s = f->now + 10 * DAY
    };
    assert_int_equal(ty_certs_ca(f->a, &ask, &f->ca, &err), 0);
    ask = (struct ty_certs_request){
        .name = "svc.ns.svc", .names = names, .from_s = f->now, .until_s = f->now + DAY
    };
    assert_int_equal(ty_certs_serving(f->a, &ask, &f->ca, &f->pair, &err), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    ty_arena_free(f->a);
    free(f);
    return 0;
}

static void serves_its_names(void **state)
{
    static const char *const good[] = { "svc.ns.svc", "127.0.0.1", "::1" };
    struct fixture *f = *state;
    struct ty_err err = { 0 };

    for (size_t i = 0; i < 3; i++)
        if (ty_certs_check(&f->pair, f->ca.cert, good[i], f->now, &err) != 0)
            fail_msg("%s: %s", good[i], err.text);
    assert_int_equal(ty_certs_check(&f->pair, f->ca.cert, "other.ns.svc", f->now, &err),
                     -EKEYREJECTED);
    assert_string_equal(err.text, "the certificate is not for other.ns.svc");
}

static void knows_its_time(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    int64_t until = 0;

    assert_int_equal(ty_certs_expiry(f->pair.cert, &until, &err), 0);
    assert_int_equal(until, f->now + DAY);
    assert_int_equal(ty_certs_check(&f->pair, f->ca.cert, "::1", until - 1, &err), 0);
    assert_int_equal(ty_certs_check(&f->pair, f->ca.cert, "::1", until, &err), -EKEYREJECTED);
    assert_string_equal(err.text, "the certificate ended at 2027-01-16T08:00:00Z");
    assert_int_equal(ty_certs_check(&f->pair, f->ca.cert, "::1", f->now - 1, &err), -EKEYREJECTED);
    assert_has(err.text, "valid from 2027-01-15T08:00:00Z on");
}

static void another_ca_or_key_is_refused(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    struct ty_certs_request ask = {
        .name = "test-ca", .org = "test", .from_s = f->now, .until_s = f->now + DAY
    };
    struct ty_pem other, mixed = f->pair;
    int64_t until = 7;

    /* the same name, another key: the signature tells them apart */
    assert_int_equal(ty_certs_ca(f->a, &ask, &other, &err), 0);
    assert_int_equal(ty_certs_check(&f->pair, other.cert, "::1", f->now, &err), -EKEYREJECTED);
    assert_string_equal(err.text, "the CA did not sign the certificate");
    mixed.key = other.key;
    assert_int_equal(ty_certs_check(&mixed, f->ca.cert, "::1", f->now, &err), -EKEYREJECTED);
    assert_string_equal(err.text, "the private key is not the certificate's");
    err = (struct ty_err){ 0 };
    assert_int_equal(ty_certs_check_pair(&mixed, &until, &err), -EKEYREJECTED);
    assert_string_equal(err.text, "the private key is not the certificate's");
    assert_int_equal(until, 7);
    assert_int_equal(ty_certs_check_pair(&f->pair, &until, &err), 0);
    assert_int_equal(until, f->now + DAY);
    /* a serving certificate is no CA */
    assert_int_equal(ty_certs_serving(f->a, &ask, &f->pair, &other, &err), 0);
    assert_int_equal(ty_certs_check(&other, f->pair.cert, "::1", f->now, NULL), -EKEYREJECTED);
}

static void garbage_is_told(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    struct ty_pem bad = { TY_LIT("no"), TY_LIT("") }, out;
    struct ty_certs_request ask = { .name = "x", .from_s = 0, .until_s = DAY };
    int64_t until = 7;

    assert_int_equal(ty_certs_expiry(bad.cert, &until, &err), -EINVAL);
    assert_has(err.text, "the certificate cannot be read: ");
    assert_int_equal(until, 7);
    assert_int_equal(ty_certs_serving(f->a, &ask, &bad, &out, &err), -EINVAL);
    assert_has(err.text, "the CA: the certificate cannot be read");
    assert_int_equal(ty_certs_check(&f->pair, bad.cert, "x", 0, &err), -EKEYREJECTED);
    bad.cert = f->pair.cert;
    assert_int_equal(ty_certs_check(&bad, f->ca.cert, "x", 0, &err), -EKEYREJECTED);
    assert_has(err.text, "the private key cannot be read");
    assert_int_equal(ty_certs_check_pair(&bad, &until, &err), -EKEYREJECTED);
    assert_int_equal(until, 7);
}

static void write_file(const char *file, const char *bytes, size_t n)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

static void files_are_read(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    struct ty_pem got = { 0 };
    char dir[] = "/tmp/certs-test-XXXXXX", cert[64], key[64];

    assert_non_null(mkdtemp(dir));
    snprintf(cert, sizeof(cert), "%s/tls.crt", dir);
    snprintf(key, sizeof(key), "%s/tls.key", dir);
    assert_int_equal(ty_certs_read(f->a, cert, key, &got, &err), -ENOENT);
    assert_has(err.text, "/tls.crt: No such file");
    write_file(cert, f->pair.cert.p, f->pair.cert.n);
    write_file(key, f->pair.key.p, f->pair.key.n);
    assert_int_equal(ty_certs_read(f->a, cert, key, &got, &err), 0);
    assert_int_equal(ty_certs_check(&got, f->ca.cert, "127.0.0.1", f->now, &err), 0);
    char *big = calloc(1, TY_PEM_MAX + 1);
    assert_non_null(big);
    write_file(key, big, TY_PEM_MAX + 1);
    free(big);
    assert_int_equal(ty_certs_read(f->a, cert, key, &got, &err), -EFBIG);
    assert_int_equal(ty_certs_read(f->a, cert, NULL, &got, &err), 0);
    assert_int_equal(got.key.n, 0);
    unlink(cert);
    unlink(key);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(serves_its_names, setup, teardown),
        cmocka_unit_test_setup_teardown(knows_its_time, setup, teardown),
        cmocka_unit_test_setup_teardown(another_ca_or_key_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(garbage_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(files_are_read, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
