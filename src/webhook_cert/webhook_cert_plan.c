/* Checks the four texts of the Secret in order of urgency: can the pair be served at all, does the
 * CA expire soon, does the certificate, is it signed by the first CA of the bundle. */
#include "webhook_cert/webhook_cert_plan.h"
#include "base/time.h"
#include "webhook_cert/webhook_cert_manager.h"
#include <errno.h>

#define CA_NAME  "kubeflow-trainer-ca"
#define CA_ORG   "kubeflow-trainer"
#define CA_YEARS 10
#define DAY_S    ((int64_t)24 * 3600)
#define CAS_MOST 4    /* in a bundle, so that it does not grow when the Secret is deleted often */
#define EARLY_S  3600 /* clock skew: valid from a little before now */

struct cert_planner {
    struct ty_arena *a;
    const struct ty_webhook_cert_plan_in *in;
    struct ty_webhook_cert_plan *p;
};

/* The next certificate of a bundle, without surrounding text; *rest moves behind it. */
static bool next_cert(struct ty_str *rest, struct ty_str *ret)
{
    static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";
    const char *p = rest->n ? memmem(rest->p, rest->n, begin, sizeof(begin) - 1) : NULL;
    if (!p)
        return false;
    size_t left = rest->n - (size_t)(p - rest->p);
    const char *q = memmem(p, left, end, sizeof(end) - 1);
    if (!q)
        return false;
    q += sizeof(end) - 1;
    *ret = (struct ty_str){ p, (size_t)(q - p) };
    *rest = (struct ty_str){ q, rest->n - (size_t)(q - rest->p) };
    return true;
}

/* NUL-terminated, with a newline: the form for bundles and GnuTLS. */
static struct ty_str pem_copy(struct ty_arena *a, struct ty_str s)
{
    return ty_str(ty_arena_printf(a, "%.*s\n", TY_ARG(s)));
}

static int64_t cert_not_after(struct ty_str cert)
{
    int64_t until = 0;
    return ty_certs_expiry(cert, &until, NULL) < 0 ? 0 : until;
}

/* Whether clients that trust a CA of this bundle accept this pair now. */
static bool bundle_trusts(const struct cert_planner *w, struct ty_str bundle,
                          const struct ty_pem *pem, int64_t at_s, struct ty_err *err)
{
    struct ty_str one;
    ty_fail(err, -EKEYREJECTED, "there is no CA");
    while (next_cert(&bundle, &one)) {
        struct ty_str ca = pem_copy(w->a, one);
        if (cert_not_after(ca) > at_s &&
            ty_certs_check(pem, ca, w->in->service_name, at_s, err) == 0)
            return true;
    }
    return false;
}

/* The same for tls_*. */
static bool bundle_trusts_tls(const struct cert_planner *w, struct ty_str bundle, int64_t at_s,
                              struct ty_err *err)
{
    struct ty_pem pem = { w->p->tls_crt, w->p->tls_key };

    return bundle_trusts(w, bundle, &pem, at_s, err);
}

/* Whether clients that trust this bundle accept the pair that this process serves. */
static bool served_is_trusted(const struct cert_planner *w, struct ty_str bundle)
{
    struct ty_pem pem = { w->in->shown_crt, w->in->shown_key };
    struct ty_err why = { 0 };

    return pem.cert.n && bundle_trusts(w, bundle, &pem, w->in->now_s, &why);
}

static int make_serving(struct cert_planner *w, const struct ty_pem *ca, struct ty_err *err)
{
    const char *names[] = { w->in->service_name, NULL };
    struct ty_certs_request ask = { .name = w->in->service_name,
                                    .names = names,
                                    .from_s = w->in->now_s - EARLY_S,
                                    .until_s = w->in->now_s + 365 * DAY_S };
    int64_t end = cert_not_after(ca->cert);
    struct ty_pem pem;
    if (ask.until_s > end)
        ask.until_s = end;
    int r = ty_certs_serving(w->a, &ask, ca, &pem, err);
    if (r < 0)
        return r;
    r = ty_certs_check(&pem, ca->cert, w->in->service_name, w->in->now_s, err);
    if (r < 0) /* the key does not belong to this CA */
        return r;
    w->p->tls_crt = pem.cert;
    w->p->tls_key = pem.key;
    return 0;
}

static int make_ca(struct cert_planner *w, struct ty_pem *ret, struct ty_err *err)
{
    const char *names[] = { CA_NAME, NULL };
    struct ty_certs_request ask = { .name = CA_NAME,
                                    .org = CA_ORG,
                                    .names = names,
                                    .from_s = w->in->now_s - EARLY_S,
                                    .until_s = w->in->now_s + DAY_S * 365 * CA_YEARS };
    return ty_certs_ca(w->a, &ask, ret, err);
}

static void set_write_reason(struct cert_planner *w, const char *why)
{
    w->p->write = true;
    w->p->why = why;
}

/* Creates everything: nothing in the Secret can be served. */
static int create_all(struct cert_planner *w, const char *why, struct ty_err *err)
{
    struct ty_pem ca;
    int r = make_ca(w, &ca, err);
    if (r == 0)
        r = make_serving(w, &ca, err);
    if (r < 0)
        return r;
    w->p->ca_crt = ca.cert;
    w->p->ca_key = ca.key;
    set_write_reason(w, why);
    return 0;
}

/* The CAs of `front`, then the newest unexpired ones of `behind`, and in any case the one that
 * signed the stored or the served certificate. */
static struct ty_str join_cas(const struct cert_planner *w, struct ty_str front,
                              struct ty_str behind)
{
    ty_auto_buf all = { 0 };
    struct ty_err why = { 0 };
    struct ty_str one;
    size_t n = 0;
    for (; next_cert(&front, &one); n++)
        ty_buf_add(&all, pem_copy(w->a, one));
    while (next_cert(&behind, &one)) {
        struct ty_str ca = pem_copy(w->a, one);
        bool used = served_is_trusted(w, ca) || bundle_trusts_tls(w, ca, w->in->now_s, &why);
        if (cert_not_after(ca) <= w->in->now_s || (n >= CAS_MOST - 1 && !used))
            continue;
        ty_buf_add(&all, ca);
        n++;
    }
    return ty_arena_str(w->a, ty_buf_str(&all));
}

/* Puts a new CA in front; unexpired ones stay behind it. */
static int add_ca(struct cert_planner *w, const char *why, struct ty_err *err)
{
    struct ty_pem ca;
    int r = make_ca(w, &ca, err);
    if (r < 0)
        return r;
    w->p->ca_crt = join_cas(w, ca.cert, w->p->ca_crt);
    w->p->ca_key = ca.key;
    w->p->waits = true;
    set_write_reason(w, why);
    return 0;
}

/* A new certificate signed by the first CA. If the key of that is missing or wrong, a new CA. */
static int renew_cert(struct cert_planner *w, const char *why, struct ty_err *err)
{
    struct ty_str rest = w->p->ca_crt, first = { 0 };
    struct ty_webhook_cert_plan was = *w->p;
    next_cert(&rest, &first);
    struct ty_pem ca = { pem_copy(w->a, first), pem_copy(w->a, ty_str_trim(w->p->ca_key)) };
    if (make_serving(w, &ca, err) == 0) {
        set_write_reason(w, why);
        return 0;
    }
    *w->p = was;
    return add_ca(w, ty_arena_printf(w->a, "the CA's key cannot be used: %s", err->text), err);
}

/* Removes expired CAs behind the first. */
static bool has_ended_cas(const struct cert_planner *w)
{
    struct ty_str rest = w->p->ca_crt, one;
    bool first = true;
    for (; next_cert(&rest, &one); first = false)
        if (!first && cert_not_after(pem_copy(w->a, one)) <= w->in->now_s)
            return true;
    return false;
}

static void drop_ended_cas(struct cert_planner *w)
{
    ty_auto_buf all = { 0 };
    struct ty_str rest = w->p->ca_crt, one;
    while (next_cert(&rest, &one))
        if (!all.n || cert_not_after(pem_copy(w->a, one)) > w->in->now_s)
            ty_buf_add(&all, pem_copy(w->a, one));
    w->p->ca_crt = ty_arena_str(w->a, ty_buf_str(&all));
    set_write_reason(w, "an older CA has ended");
}

/* The Secret is missing, empty or broken. The served pair is stored again, with a new CA in front
 * of its own, which takes over when the API server trusts it. */
static int restore_secret(struct cert_planner *w, const char *why, struct ty_err *err)
{
    const struct ty_webhook_cert_plan_in *in = w->in;

    if (!served_is_trusted(w, in->shown_ca))
        return create_all(w, why, err);
    w->p->ca_crt = in->shown_ca;
    w->p->tls_crt = pem_copy(w->a, ty_str_trim(in->shown_crt));
    w->p->tls_key = pem_copy(w->a, ty_str_trim(in->shown_key));
    return add_ca(w, why, err);
}

static int compute_plan(struct cert_planner *w, struct ty_err *err)
{
    const struct ty_webhook_cert_plan_in *in = w->in;
    struct ty_err why = { 0 };
    struct ty_str rest = in->ca_crt, first = { 0 };
    if (!in->ca_crt.n && !in->tls_crt.n)
        return restore_secret(w, "the Secret has no certificates yet", err);
    if (!bundle_trusts_tls(w, in->ca_crt, in->now_s, &why))
        return restore_secret(
            w, ty_arena_printf(w->a, "what the Secret has cannot be used: %s", why.text), err);
    if (served_is_trusted(w, in->shown_ca) && !served_is_trusted(w, in->ca_crt)) {
        /* another CA, by a client that did not know ours */
        w->p->ca_crt = join_cas(w, in->ca_crt, in->shown_ca);
        set_write_reason(w,
                         "the certificate that is served must stay trusted until it is replaced");
        return 0;
    }
    next_cert(&rest, &first);
    first = pem_copy(w->a, first);
    int64_t soon = in->now_s + TY_WEBHOOK_CERT_RENEW_BEFORE_S;
    if (cert_not_after(first) < soon)
        return add_ca(w, "the CA ends soon", err);
    if (!bundle_trusts_tls(w, first, in->now_s, &why)) { /* a new CA is in front: the second step */
        w->p->waits = !in->settled;
        return in->settled ? renew_cert(w, "the new CA is known to the API server", err) : 0;
    }
    if (cert_not_after(w->p->tls_crt) < soon)
        return renew_cert(w, "the certificate ends soon", err);
    if (has_ended_cas(w))
        drop_ended_cas(w);
    return 0;
}

int ty_webhook_cert_plan_compute(struct ty_arena *a, const struct ty_webhook_cert_plan_in *in,
                                 struct ty_webhook_cert_plan *ret, struct ty_err *err)
{
    struct ty_webhook_cert_plan p = { .ca_crt = pem_copy(a, ty_str_trim(in->ca_crt)),
                                      .ca_key = in->ca_key,
                                      .tls_crt = pem_copy(a, ty_str_trim(in->tls_crt)),
                                      .tls_key = pem_copy(a, ty_str_trim(in->tls_key)),
                                      .why = "" };
    struct cert_planner w = { a, in, &p };
    struct ty_err why = { 0 };
    int r = compute_plan(&w, err);
    if (r < 0)
        return r;
    p.serve = bundle_trusts_tls(&w, p.ca_crt, in->now_s, &why);
    p.until_s = cert_not_after(p.tls_crt);
    if (!p.write) { /* unchanged, byte by byte */
        p.ca_crt = in->ca_crt;
        p.tls_crt = in->tls_crt;
        p.tls_key = in->tls_key;
    }
    *ret = p;
    return 0;
}
