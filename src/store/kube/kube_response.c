/* Maps HTTP responses to results. */
#include "store/kube/kube_response.h"

#include <errno.h>

#define REASON_BYTES 256
#define SHOWN_BYTES  200 /* of a response that is not a Status */
/* An API server repeats the value that it refuses, which may be a label of a megabyte. */
#define MESSAGE_BYTES 4096

static int errno_of(int code, struct ty_str reason)
{
    if (code >= 200 && code < 300)
        return 0;
    switch (code) {
    case 400:
    case 413:
    case 422:
        return -EINVAL;
    case 401:
    case 403:
        return -EACCES;
    case 404:
        return -ENOENT;
    case 409:
        return ty_str_is(reason, "AlreadyExists") ? -EEXIST : -ESTALE;
    case 410:
        return -EIDRM;
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return -EAGAIN;
    default:
        return -EPROTO;
    }
}

static bool is_status(const struct ty_json *v)
{
    return ty_str_is(ty_json_str_at(v, "kind"), "Status") &&
           ty_str_is(ty_json_str_at(v, "apiVersion"), "v1");
}

static void read_status(struct ty_arena *a, const struct ty_json *status,
                        struct ty_kube_response *ret)
{
    int64_t seconds = 0;
    ret->reason = ty_str_head(ty_json_str_at(status, "reason"), REASON_BYTES);
    struct ty_str message = ty_json_str_at(status, "message");
    ret->message = ty_str_head(message, MESSAGE_BYTES);
    if (ret->message.n < message.n)
        ret->message = ty_str(ty_arena_printf(a, "%.*s ...", TY_ARG(ret->message)));
    if (ty_json_int_at(status, "details.retryAfterSeconds", &seconds) && seconds > 0 &&
        ret->retry_after_ms == 0)
        ret->retry_after_ms = seconds < 3600 ? seconds * 1000 : 3600000;
    if (ret->message.n == 0)
        ret->message = ty_str(ty_arena_printf(a, "HTTP %d %.*s", ret->code, TY_ARG(ret->reason)));
}

/* "404 page not found", or a proxy's error page: shows the first line. */
static void read_other(struct ty_arena *a, struct ty_str body, struct ty_kube_response *ret)
{
    struct ty_str line;
    ty_str_cut(ty_str_trim(body), '\n', &line);
    line = ty_str_head(line, SHOWN_BYTES);
    ret->message =
        ty_str(ty_arena_printf(a, "HTTP %d%s%.*s", ret->code, line.n ? ": " : "", TY_ARG(line)));
}

void ty_kube_response_parse(struct ty_arena *a, int code, struct ty_str body,
                            const char *retry_after, struct ty_kube_response *ret)
{
    struct ty_err err = { 0 };
    int64_t seconds = 0;

    *ret = (struct ty_kube_response){ .code = code, .text = body };
    if (retry_after && ty_str_parse_i64(ty_str(retry_after), &seconds) && seconds > 0)
        ret->retry_after_ms = seconds < 3600 ? seconds * 1000 : 3600000;
    ret->json = body.n ? ty_json_parse(a, body, NULL, &err) : NULL;
    if (is_status(ret->json))
        read_status(a, ret->json, ret);
    else if (code < 200 || code >= 300)
        read_other(a, body, ret);
    ret->r = errno_of(code, ret->reason);
    if (ret->r == 0) {
        ret->message = (struct ty_str){ "", 0 };
        ret->version = ty_json_str_at(ret->json, "metadata.resourceVersion");
    }
    if (ret->r == 0 && body.n && (ty_arena_full(a) || err.code == -EFBIG)) {
        ret->r = -EFBIG;
        ret->json = NULL;
        ret->message =
            ty_str(ty_arena_printf(a, "the answer of the server is too large: %zu bytes", body.n));
    } else if (ret->r == 0 && body.n && !ret->json) {
        ret->r = -EPROTO;
        ret->message =
            ty_str(ty_arena_printf(a, "the answer of the server is not JSON: %s", err.text));
    }
}

void ty_kube_response_status(struct ty_arena *a, const struct ty_json *status,
                             struct ty_kube_response *ret)
{
    int64_t code = 0;
    *ret = (struct ty_kube_response){ .json = status };
    if (ty_json_int_at(status, "code", &code) && code > 0 && code < 1000)
        ret->code = (int)code;
    read_status(a, status, ret);
    ret->r = errno_of(ret->code, ret->reason);
    if (ret->r == 0)
        ret->r = -EPROTO; /* an error response with status Success */
}

void ty_kube_response_lost(struct ty_str why, struct ty_kube_response *ret)
{
    *ret = (struct ty_kube_response){ .r = -EAGAIN, .message = why };
}

void ty_kube_object_init(const struct ty_json *json, struct ty_str text, struct ty_kube_object *ret)
{
    const struct ty_json *meta = ty_json_get(json, "metadata");
    *ret = (struct ty_kube_object){
        .json = json,
        .text = text,
        .ns = ty_json_str_at(meta, "namespace"),
        .name = ty_json_str_at(meta, "name"),
        .uid = ty_json_str_at(meta, "uid"),
        .version = ty_json_str_at(meta, "resourceVersion"),
    };
}
