/* Answers that all our servers use. */
#ifndef TY_SERVE_RESPOND_H
#define TY_SERVE_RESPOND_H

#include "net/http_server.h"
#include "json/json.h"

/* Takes the request. As JSON, with a newline at its end. */
void ty_respond_json(struct ty_http_request *q, int code, const struct ty_json *v);
/* A Kubernetes Status: {"status":"Failure","message":…,"reason":…,"code":…}. Takes the request. */
void ty_respond_failure(struct ty_http_request *q, int code, const char *reason,
                        const char *message);
/* Takes the request. */
void ty_respond_text(struct ty_http_request *q, int code, struct ty_str text);

/* The token of "Authorization: Bearer TOKEN": exactly two words, the first in any case. Else empty.
 */
struct ty_str ty_respond_bearer(const struct ty_http_request *q);

#endif
