/* GnuTLS, loaded with the first certificate, connection or server: if linked, it would add two
 * milliseconds to every start of the program (see net/curl.h). */
#ifndef TY_NET_GNUTLS_H
#define TY_NET_GNUTLS_H

#include "base/err.h"
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#define TY_GNUTLS_EACH(X)                                                                          \
    X(rnd)                                                                                         \
    X(init)                                                                                        \
    X(deinit)                                                                                      \
    X(bye)                                                                                         \
    X(handshake)                                                                                   \
    X(record_recv)                                                                                 \
    X(record_send)                                                                                 \
    X(record_get_direction)                                                                        \
    X(error_is_fatal)                                                                              \
    X(alert_get)                                                                                   \
    X(alert_get_name)                                                                              \
    X(set_default_priority)                                                                        \
    X(set_default_priority_append)                                                                 \
    X(server_name_set)                                                                             \
    X(session_set_verify_cert2)                                                                    \
    X(session_get_verify_cert_status)                                                              \
    X(certificate_verification_status_print)                                                       \
    X(certificate_set_x509_trust_file)                                                             \
    X(certificate_set_x509_system_trust)                                                           \
    X(certificate_set_x509_key_file)                                                               \
    X(transport_set_ptr2)                                                                          \
    X(transport_set_errno)                                                                         \
    X(transport_set_pull_function)                                                                 \
    X(transport_set_push_function)                                                                 \
    X(alpn_get_selected_protocol)                                                                  \
    X(alpn_set_protocols)                                                                          \
    X(credentials_set)                                                                             \
    X(certificate_allocate_credentials)                                                            \
    X(certificate_free_credentials)                                                                \
    X(certificate_get_peers)                                                                       \
    X(certificate_set_x509_key_mem)                                                                \
    X(priority_init)                                                                               \
    X(priority_deinit)                                                                             \
    X(x509_privkey_init)                                                                           \
    X(x509_privkey_deinit)                                                                         \
    X(x509_privkey_generate)                                                                       \
    X(x509_privkey_export)                                                                         \
    X(x509_privkey_import)                                                                         \
    X(x509_privkey_get_key_id)                                                                     \
    X(x509_crt_init)                                                                               \
    X(x509_crt_deinit)                                                                             \
    X(x509_crt_import)                                                                             \
    X(x509_crt_export)                                                                             \
    X(x509_crt_set_version)                                                                        \
    X(x509_crt_set_serial)                                                                         \
    X(x509_crt_set_activation_time)                                                                \
    X(x509_crt_set_expiration_time)                                                                \
    X(x509_crt_get_activation_time)                                                                \
    X(x509_crt_get_expiration_time)                                                                \
    X(x509_crt_set_dn_by_oid)                                                                      \
    X(x509_crt_set_key)                                                                            \
    X(x509_crt_set_basic_constraints)                                                              \
    X(x509_crt_set_key_usage)                                                                      \
    X(x509_crt_check_key_purpose)                                                                  \
    X(x509_crt_set_key_purpose_oid)                                                                \
    X(x509_crt_set_subject_alt_name)                                                               \
    X(x509_crt_get_subject_key_id)                                                                 \
    X(x509_crt_set_subject_key_id)                                                                 \
    X(x509_crt_set_authority_key_id)                                                               \
    X(x509_crt_get_key_id)                                                                         \
    X(x509_crt_sign2)                                                                              \
    X(x509_crt_verify)                                                                             \
    X(x509_crt_check_hostname)

struct ty_gnutls {
    void *lib;               /* NULL: not loaded */
    const char *(*why)(int); /* error number to text */
#define TY_GNUTLS_MEMBER(name) __typeof__(&gnutls_##name) name;
    TY_GNUTLS_EACH(TY_GNUTLS_MEMBER)
#undef TY_GNUTLS_MEMBER
};

/* -ENOENT with a message if the library is not installed or too old. */
int ty_gnutls_load(struct ty_gnutls *g, struct ty_err *err);
void ty_gnutls_done(struct ty_gnutls *g); /* a zeroed struct is fine */

#endif
