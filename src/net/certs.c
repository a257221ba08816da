/* X.509 certificates with GnuTLS. */
#include "net/certs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/time.h"

#define FINGERPRINT 64 /* maximal length of a key ID */

/* GnuTLS objects that must be freed on every path. */
struct cert_and_key {
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
};
static void cert_and_key_done(struct cert_and_key *h)
{
    if (h->cert)
        gnutls_x509_crt_deinit(h->cert);
    if (h->key)
        gnutls_x509_privkey_deinit(h->key);
}
#define auto_cert_and_key TY_AUTO(cert_and_key_done) struct cert_and_key

static int fail_gnutls(int r, struct ty_err *err, const char *what)
{
    return r >= 0 ? 0 : ty_fail(err, -EINVAL, "%s: %s", what, gnutls_strerror(r));
}

static gnutls_datum_t to_datum(struct ty_str s)
{
    gnutls_datum_t d = { .size = (unsigned)s.n };

    memcpy(&d.data, &s.p, sizeof(d.data)); /* it only reads, but has no const */
    return d;
}

static int read_cert(struct cert_and_key *h, struct ty_str pem, struct ty_err *err)
{
    gnutls_datum_t d = to_datum(pem);
    int r = gnutls_x509_crt_init(&h->cert);

    if (r == 0)
        r = gnutls_x509_crt_import(h->cert, &d, GNUTLS_X509_FMT_PEM);
    return fail_gnutls(r, err, "the certificate cannot be read");
}

static int read_key(struct cert_and_key *h, struct ty_str pem, struct ty_err *err)
{
    gnutls_datum_t d = to_datum(pem);
    int r = gnutls_x509_privkey_init(&h->key);

    if (r == 0)
        r = gnutls_x509_privkey_import(h->key, &d, GNUTLS_X509_FMT_PEM);
    return fail_gnutls(r, err, "the private key cannot be read");
}

static int make_key(struct cert_and_key *h)
{
    int r = gnutls_x509_privkey_init(&h->key);

    return r < 0
               ? r
               : gnutls_x509_privkey_generate(h->key, GNUTLS_PK_ECDSA,
                                              GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
}

/* Serial numbers are random, so that a recreated CA with the same name never issues one twice. */
static int set_serial(struct cert_and_key *h)
{
    unsigned char serial[16];
    int r = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

    serial[0] = (unsigned char)(serial[0] & 0x7f) | 0x40; /* positive, and never zero */
    return r < 0 ? r : gnutls_x509_crt_set_serial(h->cert, serial, sizeof(serial));
}

static int set_names(struct cert_and_key *h, const char *const *names)
{
    int r = 0;

    for (; names && *names && r >= 0; names++) {
        unsigned char ip[16];
        unsigned n = inet_pton(AF_INET, *names, ip) == 1    ? 4
                     : inet_pton(AF_INET6, *names, ip) == 1 ? 16
                                                            : 0;
        r = gnutls_x509_crt_set_subject_alt_name(
            h->cert, n ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME, n ? (const void *)ip : *names,
            n ? n : (unsigned)strlen(*names), GNUTLS_FSAN_APPEND);
    }
    return r;
}

static int set_subject(struct cert_and_key *h, const struct ty_certs_request *ask)
{
    int r = gnutls_x509_crt_set_dn_by_oid(h->cert, GNUTLS_OID_X520_COMMON_NAME, 0, ask->name,
                                          (unsigned)strlen(ask->name));

    if (r >= 0 && ask->org)
        r = gnutls_x509_crt_set_dn_by_oid(h->cert, GNUTLS_OID_X520_ORGANIZATION_NAME, 0, ask->org,
                                          (unsigned)strlen(ask->org));
    return r < 0 ? r : set_names(h, ask->names);
}

static int set_times(struct cert_and_key *h, const struct ty_certs_request *ask)
{
    int r = gnutls_x509_crt_set_activation_time(h->cert, (time_t)ask->from_s);

    return r < 0 ? r : gnutls_x509_crt_set_expiration_time(h->cert, (time_t)ask->until_s);
}

static int set_use(struct cert_and_key *h, bool ca)
{
    int r = gnutls_x509_crt_set_basic_constraints(h->cert, ca, ca ? 0 : -1);

    if (r >= 0)
        r = gnutls_x509_crt_set_key_usage(h->cert, ca ? GNUTLS_KEY_KEY_CERT_SIGN |
                                                            GNUTLS_KEY_DIGITAL_SIGNATURE
                                                      : GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (r >= 0 && !ca)
        r = gnutls_x509_crt_set_key_purpose_oid(h->cert, GNUTLS_KP_TLS_WWW_SERVER, 0);
    return r;
}

/* The authority key ID is copied from the signer's certificate: implementations compute it
 * differently, and with another ID verifiers would search for another CA. */
static int set_ids(struct cert_and_key *h, const struct cert_and_key *signer)
{
    unsigned char id[FINGERPRINT * 2];
    size_t n = sizeof(id);
    int r = gnutls_x509_crt_get_key_id(h->cert, 0, id, &n);

    if (r >= 0)
        r = gnutls_x509_crt_set_subject_key_id(h->cert, id, n);
    n = sizeof(id);
    if (r >= 0)
        r = gnutls_x509_crt_get_subject_key_id(signer->cert, id, &n, NULL);
    if (r == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
        return 0; /* it has none */
    return r < 0 ? r : gnutls_x509_crt_set_authority_key_id(h->cert, id, n);
}

/* signer NULL: self-signed. */
static int fill_cert(struct cert_and_key *h, const struct ty_certs_request *ask,
                     const struct cert_and_key *signer)
{
    int r = make_key(h);

    if (r >= 0)
        r = gnutls_x509_crt_init(&h->cert);
    if (r >= 0)
        r = gnutls_x509_crt_set_version(h->cert, 3);
    if (r >= 0)
        r = set_serial(h);
    if (r >= 0)
        r = set_times(h, ask);
    if (r >= 0)
        r = set_subject(h, ask);
    if (r >= 0)
        r = gnutls_x509_crt_set_key(h->cert, h->key);
    if (r >= 0)
        r = set_use(h, signer == NULL);
    if (r >= 0)
        r = set_ids(h, signer ? signer : h);
    if (r >= 0)
        r = gnutls_x509_crt_sign2(h->cert, signer ? signer->cert : h->cert,
                                  signer ? signer->key : h->key, GNUTLS_DIG_SHA256, 0);
    return r;
}

static int export_pem(const struct cert_and_key *h, struct ty_arena *a, struct ty_pem *ret)
{
    char text[16384]; /* a P-256 pair takes less than two kilobytes, plus the DNS names */
    size_t n = sizeof(text), k = sizeof(text);
    int r = gnutls_x509_crt_export(h->cert, GNUTLS_X509_FMT_PEM, text, &n);

    if (r < 0)
        return r;
    ret->cert = (struct ty_str){ ty_arena_strndup(a, text, n), n };
    r = gnutls_x509_privkey_export(h->key, GNUTLS_X509_FMT_PEM, text, &k);
    if (r < 0)
        return r;
    ret->key = (struct ty_str){ ty_arena_strndup(a, text, k), k };
    return 0;
}

static int make_cert(struct ty_arena *a, const struct ty_certs_request *ask,
                     const struct cert_and_key *signer, struct ty_pem *ret, struct ty_err *err)
{
    auto_cert_and_key h = { 0 };
    int r = fill_cert(&h, ask, signer);

    if (r >= 0)
        r = export_pem(&h, a, ret);
    return fail_gnutls(r, err, "a certificate cannot be made");
}

int ty_certs_ca(struct ty_arena *a, const struct ty_certs_request *ask, struct ty_pem *ret,
                struct ty_err *err)
{
    return make_cert(a, ask, NULL, ret, err);
}

int ty_certs_serving(struct ty_arena *a, const struct ty_certs_request *ask,
                     const struct ty_pem *ca, struct ty_pem *ret, struct ty_err *err)
{
    auto_cert_and_key signer = { 0 };
    int r = read_cert(&signer, ca->cert, err);

    if (r == 0)
        r = read_key(&signer, ca->key, err);
    return r < 0 ? ty_wrap(err, "the CA") : make_cert(a, ask, &signer, ret, err);
}

static int read_pem_file(struct ty_arena *a, const char *file, struct ty_str *ret,
                         struct ty_err *err)
{
    ty_auto_buf b = { .ceiling = TY_PEM_MAX };
    int fd = open(file, O_RDONLY | O_CLOEXEC), why = errno;
    char chunk[4096];
    ssize_t got = fd < 0 ? -1 : 1;

    while (got > 0 && !b.full) {
        got = read(fd, chunk, sizeof(chunk));
        why = errno;
        ty_buf_put(&b, chunk, got > 0 ? (size_t)got : 0);
    }
    if (fd >= 0)
        close(fd);
    if (got < 0)
        return ty_fail(err, -why, "%s: %s", file, strerrordesc_np(why));
    if (b.full)
        return ty_fail(err, -EFBIG, "%s: too big for a certificate", file);
    *ret = ty_arena_str(a, ty_buf_str(&b));
    return 0;
}

int ty_certs_read(struct ty_arena *a, const char *cert_file, const char *key_file,
                  struct ty_pem *ret, struct ty_err *err)
{
    struct ty_pem p = { 0 };
    int r = read_pem_file(a, cert_file, &p.cert, err);

    if (r == 0 && key_file)
        r = read_pem_file(a, key_file, &p.key, err);
    if (r == 0)
        *ret = p;
    return r;
}

int ty_certs_expiry(struct ty_str cert, int64_t *ret_until_s, struct ty_err *err)
{
    auto_cert_and_key h = { 0 };
    int r = read_cert(&h, cert, err);

    if (r == 0)
        *ret_until_s = (int64_t)gnutls_x509_crt_get_expiration_time(h.cert);
    return r;
}

static bool same_key(const struct cert_and_key *h)
{
    unsigned char x[FINGERPRINT], y[FINGERPRINT];
    size_t n = sizeof(x), k = sizeof(y);

    return gnutls_x509_crt_get_key_id(h->cert, 0, x, &n) >= 0 &&
           gnutls_x509_privkey_get_key_id(h->key, 0, y, &k) >= 0 && n == k && memcmp(x, y, n) == 0;
}

static bool signed_by(const struct cert_and_key *h, const struct cert_and_key *ca)
{
    unsigned status = 0;
    int r =
        gnutls_x509_crt_verify(h->cert, &ca->cert, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS, &status);

    return r >= 0 && status == 0;
}

static int check_time(const struct cert_and_key *h, int64_t now_s, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    int64_t from = (int64_t)gnutls_x509_crt_get_activation_time(h->cert);
    int64_t until = (int64_t)gnutls_x509_crt_get_expiration_time(h->cert);

    if (now_s < from)
        return ty_fail(err, -EKEYREJECTED, "the certificate is valid from %s on, not before",
                       ty_time_text(a, from).p);
    if (now_s >= until)
        return ty_fail(err, -EKEYREJECTED, "the certificate ended at %s", ty_time_text(a, until).p);
    return 0;
}

static int fail_rejected(struct ty_err *err) /* keeps the message */
{
    if (err)
        err->code = -EKEYREJECTED;
    return -EKEYREJECTED;
}

static int read_pair(struct cert_and_key *h, const struct ty_pem *p, struct ty_err *err)
{
    if (read_cert(h, p->cert, err) < 0 || read_key(h, p->key, err) < 0)
        return fail_rejected(err);
    if (!same_key(h))
        return ty_fail(err, -EKEYREJECTED, "the private key is not the certificate's");
    return 0;
}

int ty_certs_check_pair(const struct ty_pem *p, int64_t *ret_until_s, struct ty_err *err)
{
    auto_cert_and_key h = { 0 };
    int r = read_pair(&h, p, err);

    if (r == 0)
        *ret_until_s = (int64_t)gnutls_x509_crt_get_expiration_time(h.cert);
    return r;
}

int ty_certs_check(const struct ty_pem *p, struct ty_str ca, const char *name, int64_t now_s,
                   struct ty_err *err)
{
    auto_cert_and_key h = { 0 }, signer = { 0 };
    int r = read_pair(&h, p, err);

    if (r < 0)
        return r;
    if (read_cert(&signer, ca, err) < 0) {
        ty_wrap(err, "the CA");
        return fail_rejected(err);
    }
    if (!signed_by(&h, &signer))
        return ty_fail(err, -EKEYREJECTED, "the CA did not sign the certificate");
    if (!gnutls_x509_crt_check_hostname(h.cert, name))
        return ty_fail(err, -EKEYREJECTED, "the certificate is not for %s", name);
    return check_time(&h, now_s, err);
}
