/* Who we are, at this moment: the header and the certificate for the next request. */
#ifndef TY_STORE_KUBE_KUBE_AUTH_H
#define TY_STORE_KUBE_KUBE_AUTH_H

#include <uv.h>

#include "net/http_client.h"
#include "store/kube/kubeconfig.h"

struct ty_kube_auth;

/* Told, from the loop, when credentials that were wanted are there, or why they are not (err).
 * changed: connections that were made with the certificate before must not be used any more. */
typedef void ty_kube_auth_fn(void *ctx, bool changed, const struct ty_err *err);

/* config outlives it. gives. -EINVAL, -EIO with a sentence. */
int ty_kube_auth_new(struct ty_kube_auth **ret, uv_loop_t *loop, const struct ty_kubeconfig *config,
                     ty_kube_auth_fn *fn, void *ctx, struct ty_err *err);
void ty_kube_auth_free(struct ty_kube_auth *auth); /* takes; NULL is fine */

/* 0: header and peer below are good for a request now. TY_WAIT: fn will be called. Negative with a
 * sentence: the token file cannot be read. */
int ty_kube_auth_ready(struct ty_kube_auth *auth, int64_t now_s, struct ty_err *err);
/* Which credentials these are: another number when they have changed. */
uint64_t ty_kube_auth_serial(const struct ty_kube_auth *auth);
/* The server did not believe the credentials of this number (401). True: others can be had, or are
 * there already, so it is worth trying. *ret_changed: as `changed` above. */
bool ty_kube_auth_refused(struct ty_kube_auth *auth, uint64_t serial, bool *ret_changed);
/* "https://HOST:PORT/PATH" to write paths of requests behind; with tls-server-name as its host.
 * *ret_host: a header that names the true one, or NULL. Lives with the arena. */
const char *ty_kube_auth_base(const struct ty_kube_auth *auth, struct ty_arena *a,
                              const char **ret_host);
const char *ty_kube_auth_header(const struct ty_kube_auth *auth); /* "Authorization: …"; or NULL */
const struct ty_http_client_peer *ty_kube_auth_peer(const struct ty_kube_auth *auth);

#endif
