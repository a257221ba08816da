/* The certificate of the server, and its replacement at run time. */
#include <errno.h>

#include "net/http_server_inner.h"
#include "net/tls_options.h"

/* Handshakes use the certificate with which their connection began (ty_http_server_tls_begin); only
 * one that began before the first certificate was set comes here, and fails. */
int ty_http_server_tls_nothing(gnutls_session_t session TY_UNUSED,
                               const gnutls_datum_t *ca TY_UNUSED, int n_ca TY_UNUSED,
                               const gnutls_pk_algorithm_t *algos TY_UNUSED, int n_algos TY_UNUSED,
                               gnutls_pcert_st **ret_chain TY_UNUSED, unsigned *ret_n TY_UNUSED,
                               gnutls_privkey_t *ret_key TY_UNUSED)
{
    return -1;
}

void ty_http_server_cert_unref(struct ty_http_server_cert *id)
{
    if (!id || --id->refs)
        return;
    if (id->cred)
        gnutls_certificate_free_credentials(id->cred);
    free(id);
}

static int read_identity(const struct ty_pem *pem, struct ty_http_server_cert *id,
                         struct ty_err *err)
{
    gnutls_datum_t cert = { .size = (unsigned)pem->cert.n }, key = { .size = (unsigned)pem->key.n };

    memcpy(&cert.data, &pem->cert.p, sizeof(cert.data)); /* only read */
    memcpy(&key.data, &pem->key.p, sizeof(key.data));
    int r = gnutls_certificate_allocate_credentials(&id->cred);
    if (r >= 0)
        r = gnutls_certificate_set_x509_key_mem(id->cred, &cert, &key, GNUTLS_X509_FMT_PEM);
    if (r < 0)
        return ty_fail(err, -EINVAL, "the certificate and its key cannot be used: %s",
                       gnutls_strerror(r));
    return 0;
}

int ty_http_server_set_cert(struct ty_http_server *s, const struct ty_pem *pem, struct ty_err *err)
{
    if (!s->with_tls)
        return ty_fail(err, -EINVAL, "the server speaks plain HTTP: it shows no certificate");
    struct ty_http_server_cert *id = ty_xalloc(calloc(1, sizeof(*id)));
    id->refs = 1;
    int r = read_identity(pem, id, err);
    if (r < 0) {
        ty_http_server_cert_unref(id);
        return r; /* the old certificate stays */
    }
    ty_http_server_cert_unref(s->id);
    s->id = id;
    return 0;
}

int ty_http_server_tls_check(const struct ty_http_server_tls *tls, struct ty_err *err)
{
    gnutls_priority_t known = NULL;
    const char *bad = NULL;

    if (gnutls_priority_init(&known, tls->priority ? tls->priority : TY_TLS_DEFAULT, &bad) < 0)
        return ty_fail(err, -EINVAL, "TLS settings are not understood: \"%s\"", bad ? bad : "");
    gnutls_priority_deinit(known);
    return 0;
}

void ty_http_server_tls_begin(struct ty_http_server_conn *c)
{
    struct ty_http_server *s = c->s;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    gnutls_session_t session = info->tls_session;
    unsigned char name[] = "http/1.1";
    const gnutls_datum_t spoken = { name, sizeof(name) - 1 };

    /* As in Go's servers, a client that offers only other protocols is refused. */
    gnutls_alpn_set_protocols(session, &spoken, 1, GNUTLS_ALPN_MANDATORY);
    if (!s->id)
        return;
    c->id = s->id;
    c->id->refs++;
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, c->id->cred);
}
