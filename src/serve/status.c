/* Handles one status report, step by step. */
#include "serve/status.h"

#include <errno.h>

#include "serve/respond.h"
#include "serve/status_decode.h"
#include "trainer/admission.h"

#define HEAD "/apis/trainer.kubeflow.org/v1alpha1/namespaces/"

/* The rest up to the next '/', which must be followed by `then`; false: no match. */
static bool next_segment(struct ty_str *rest, const char *then, struct ty_str *ret)
{
    struct ty_str tail = ty_str(then);
    struct ty_str after = ty_str_cut(*rest, '/', ret);

    if (!ret->n || !after.p || !ty_str_starts(after, tail))
        return false;
    *rest = (struct ty_str){ after.p + tail.n, after.n - tail.n };
    return true;
}

static bool parse_path(struct ty_status_call *c)
{
    struct ty_str rest = c->q->path;

    if (strcmp(c->q->method, "POST") != 0 || !ty_str_starts(rest, TY_LIT(HEAD)))
        return false;
    rest = (struct ty_str){ rest.p + strlen(HEAD), rest.n - strlen(HEAD) };
    return next_segment(&rest, "trainjobs/", &c->ns) && next_segment(&rest, "status", &c->name) &&
           rest.n == 0;
}

void ty_status_handle(const struct ty_status_api *api, struct ty_http_request *q)
{
    struct ty_status_call *c = ty_new(q->arena, struct ty_status_call);

    *c = (struct ty_status_call){ .arena = q->arena, .api = api, .q = q };
    if (q->too_big && q->announced) {
        ty_respond_failure(q, 413, "RequestEntityTooLarge", "Payload too large");
        return;
    }
    if (!parse_path(c)) {
        ty_respond_failure(q, 404, "NotFound", "Not found");
        return;
    }
    c->token = ty_respond_bearer(q);
    api->authorize(api->ctx, c);
}

static void send_payload(struct ty_status_call *c)
{
    struct ty_json *v = ty_json_object(c->arena);

    if (c->trainer_status)
        ty_json_set(c->arena, v, "trainerStatus", c->trainer_status);
    ty_respond_json(c->q, 200, v);
}

static void send_busy(struct ty_status_call *c)
{
    ty_http_request_add_header(c->q, "Retry-After", "1");
    ty_respond_failure(c->q, 429, "TooManyRequests", "Too many requests");
}

void ty_status_authorized(struct ty_status_call *c, int verdict)
{
    if (verdict == -EBUSY)
        send_busy(c);
    else if (verdict < 0)
        ty_respond_failure(c->q, 500, "InternalError", "Internal error");
    else if (verdict == 0)
        ty_respond_failure(c->q, 403, "Forbidden", "Forbidden");
    else if (c->q->too_big || ty_status_decode(c->arena, c->q->body, &c->trainer_status) < 0)
        ty_respond_failure(c->q, 422, "Invalid", "Invalid payload");
    else if (c->trainer_status)
        c->api->apply(c->api->ctx, c);
    else
        send_payload(c);
}

void ty_status_applied(struct ty_status_call *c, int code, const char *message)
{
    if (code >= 200 && code < 300)
        send_payload(c);
    else if (code == 404)
        ty_respond_failure(c->q, 404, "NotFound", "Train job not found");
    else if (code == 400 || code == 422)
        ty_respond_failure(c->q, 422, "Invalid", message ? message : "Validation failed");
    else
        ty_respond_failure(c->q, 500, "InternalError", "Internal error");
}

const char *ty_status_refusal(struct ty_arena *a, struct ty_str name,
                              const struct ty_json *trainer_status)
{
    struct ty_json *job = ty_json_object(a);
    struct ty_json *meta = ty_json_ensure_object(a, job, "metadata");
    struct ty_json *status = ty_json_ensure_object(a, job, "status");
    struct ty_admission_request in = { .op = TY_ADMISSION_UPDATE_STATUS, .obj = job };
    struct ty_admission_response v;

    ty_json_set(a, job, "apiVersion", ty_json_cstr(a, "trainer.kubeflow.org/v1alpha1"));
    ty_json_set(a, job, "kind", ty_json_cstr(a, "TrainJob"));
    ty_json_set(a, meta, "name", ty_json_str(a, name));
    ty_json_set(a, status, "trainerStatus", ty_json_copy(a, trainer_status, 0));
    ty_admission_handle(a, &in, &v);
    return v.code >= 400 ? v.message : NULL;
}
