/* Provides the Authorization header and the client certificate for the next request. */
#ifndef TY_STORE_KUBE_KUBE_AUTH_H
#define TY_STORE_KUBE_KUBE_AUTH_H

#include <uv.h>

#include "net/http_client.h"
#include "store/kube/kubeconfig.h"

struct ty_kube_auth;
struct ty_kube_settings;

/* Called from the loop when requested credentials are available, or with an error (err). changed:
 * connections that were opened with the old certificate must not be used any more. */
typedef void ty_kube_auth_fn(void *ctx, bool changed, const struct ty_err *err);

/* Of the settings: loop, config, which outlives it, and interactive. gives. -EINVAL, -EIO with a
 * message. */
int ty_kube_auth_new(struct ty_kube_auth **ret, const struct ty_kube_settings *s,
                     ty_kube_auth_fn *fn, void *ctx, struct ty_err *err);
void ty_kube_auth_free(struct ty_kube_auth *auth); /* takes; NULL is fine */

/* 0: header and peer below are valid for a request now. TY_WAIT: fn will be called. Negative with a
 * message: the token file cannot be read. */
int ty_kube_auth_ready(struct ty_kube_auth *auth, int64_t now_s, struct ty_err *err);
/* fn will be called when a person has answered, however long that takes. */
bool ty_kube_auth_is_patient(const struct ty_kube_auth *auth);
/* The serial number of the credentials: it changes with them. */
uint64_t ty_kube_auth_serial(const struct ty_kube_auth *auth);
/* The server refused the credentials of this serial (401). True: other credentials exist or can be
 * obtained, so a retry makes sense. *ret_changed: as `changed` above. */
bool ty_kube_auth_refused(struct ty_kube_auth *auth, uint64_t serial, bool *ret_changed);
/* "https://HOST:PORT/PATH", the prefix of request URLs, with tls-server-name as its host.
 * *ret_host: a Host header with the real name, or NULL. Lives with the arena. */
const char *ty_kube_auth_base(const struct ty_kube_auth *auth, struct ty_arena *a,
                              const char **ret_host);
const char *ty_kube_auth_header(const struct ty_kube_auth *auth); /* "Authorization: …"; or NULL */
const struct ty_http_client_peer *ty_kube_auth_peer(const struct ty_kube_auth *auth);

#endif
