/* Decodes AdmissionReviews, runs admission, encodes the answers. */
#include "serve/webhook.h"

#include <errno.h>

#include "base/base64.h"
#include "serve/respond.h"
#include "trainer/admission.h"
#include "json/patch_diff.h"

#define HEAD "-trainer-kubeflow-org-v1alpha1-"
/* An object that fills etcd's 1.5 MiB has some 60,000 values. Admission builds several trees of it,
 * and a list of numbers within the body limit would take gigabytes. */
#define VALUES 500000

struct hook {
    const char *path;
    const struct ty_kind *kind;
    bool mutating;
};
static const struct hook hooks[] = {
    { "/mutate" HEAD "trainjob", &ty_kind_trainjob, true },
    { "/validate" HEAD "trainjob", &ty_kind_trainjob, false },
    { "/validate" HEAD "trainingruntime", &ty_kind_trainingruntime, false },
    { "/validate" HEAD "clustertrainingruntime", &ty_kind_clustertrainingruntime, false },
};

static const struct hook *hook_at(struct ty_str path)
{
    for (size_t i = 0; i < TY_COUNT(hooks); i++)
        if (ty_str_is(path, hooks[i].path))
            return &hooks[i];
    return NULL;
}

const char *ty_webhook_path(size_t i)
{
    return i < TY_COUNT(hooks) ? hooks[i].path : NULL;
}

/* One review. */
struct review {
    const struct ty_webhook *w;
    const struct hook *hook;
    struct ty_arena *a;
    const struct ty_json *request;
    struct ty_json *obj, *old; /* old NULL on create */
    struct ty_json *response;
};

static int status_failure(struct ty_arena *a, int code, const char *reason, const char *message,
                          struct ty_json **ret)
{
    struct ty_json *v = ty_json_object(a);

    ty_json_set(a, v, "kind", ty_json_cstr(a, "Status"));
    ty_json_set(a, v, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, v, "status", ty_json_cstr(a, "Failure"));
    ty_json_set(a, v, "message", ty_json_cstr(a, message));
    ty_json_set(a, v, "reason", ty_json_cstr(a, reason));
    ty_json_set(a, v, "code", ty_json_int(a, code));
    *ret = v;
    return code;
}

/* The error of the request, or NULL. */
static const char *check_request(const struct review *r)
{
    const struct ty_json *kind = ty_json_get(r->request, "kind");

    if (ty_json_str_at(r->request, "uid").n == 0)
        return "request.uid: Required value";
    if (!ty_str_is(ty_json_str_at(kind, "group"), r->hook->kind->group) ||
        !ty_str_is(ty_json_str_at(kind, "version"), r->hook->kind->version) ||
        !ty_str_is(ty_json_str_at(kind, "kind"), r->hook->kind->kind))
        return ty_arena_printf(r->a, "request.kind: this webhook is for %s.%s, not %.*s.%.*s",
                               r->hook->kind->kind, r->hook->kind->group,
                               TY_ARG(ty_json_str_at(kind, "kind")),
                               TY_ARG(ty_json_str_at(kind, "group")));
    return NULL;
}

/* Only creates and updates of the object itself are checked, not deletes or the status. */
static bool is_admission(const struct review *r)
{
    struct ty_str op = ty_json_str_at(r->request, "operation");

    return (ty_str_is(op, "CREATE") || ty_str_is(op, "UPDATE")) &&
           ty_json_str_at(r->request, "subResource").n == 0;
}

static const char *check_object(struct review *r)
{
    bool update = ty_str_is(ty_json_str_at(r->request, "operation"), "UPDATE");

    r->obj = ty_json_get(r->request, "object");
    r->old = update ? ty_json_get(r->request, "oldObject") : NULL;
    if (!r->obj || ty_kind_of(r->obj) != r->hook->kind)
        return ty_arena_printf(r->a, "request.object: a %s was expected here", r->hook->kind->kind);
    if (update && (!r->old || ty_kind_of(r->old) != r->hook->kind))
        return ty_arena_printf(r->a, "request.oldObject: a %s was expected here",
                               r->hook->kind->kind);
    return NULL;
}

static void deny(struct review *r, int code, const char *message)
{
    const char *reason = code == 403 ? "Forbidden" : code == 500 ? "InternalError" : "BadRequest";
    struct ty_json *status = ty_json_object(r->a);

    ty_json_set(r->a, status, "message", ty_json_cstr(r->a, message));
    ty_json_set(r->a, status, "reason", ty_json_cstr(r->a, reason));
    ty_json_set(r->a, status, "code", ty_json_int(r->a, code));
    ty_json_set(r->a, r->response, "allowed", ty_json_bool(r->a, false));
    ty_json_set(r->a, r->response, "status", status);
}

static void add_patch(struct review *r, const struct ty_json *ops)
{
    struct ty_str text = ty_json_text(r->a, ops);

    ty_json_set(r->a, r->response, "patch", ty_json_str(r->a, ty_base64_encode(r->a, text)));
    ty_json_set(r->a, r->response, "patchType", ty_json_cstr(r->a, "JSONPatch"));
}

static void add_warnings(struct review *r, const struct ty_warnings *w)
{
    for (size_t i = 0; i < w->n; i++)
        ty_json_push(r->a, ty_json_ensure_array(r->a, r->response, "warnings"),
                     ty_json_cstr(r->a, w->v[i]));
}

static void mutate(struct review *r)
{
    struct ty_json *next = NULL;
    struct ty_err err = { 0 };

    if (ty_admission_mutate_trainjob(r->a, r->obj, r->old, r->w->now_s(r->w->ctx), &next, &err) <
        0) {
        struct ty_warnings hints = { .arena = r->a };
        deny(r, 400, ty_arena_strdup(r->a, err.text));
        ty_admission_decode_hint(r->a, r->obj, &hints);
        add_warnings(r, &hints);
        return;
    }
    const struct ty_json *ops = ty_patch_diff(r->a, r->obj, next);
    if (ty_json_len(ops))
        add_patch(r, ops);
}

/* The API server prefixes the message with our webhook's name, which the verdict, made for callers
 * without one, already has. */
static const char *strip_prefix(const char *message)
{
    static const char mark[] = "denied the request: ";
    const char *at = strstr(message, mark);

    return at ? at + strlen(mark) : message;
}

static void validate(struct review *r)
{
    struct ty_admission_request in = { .pipeline = r->w->pipeline,
                                       .settings = r->w->settings,
                                       .view = r->w->view,
                                       .op = r->old ? TY_ADMISSION_UPDATE : TY_ADMISSION_CREATE,
                                       .obj = r->obj,
                                       .old = r->old,
                                       .now_s = r->w->now_s(r->w->ctx) };
    struct ty_admission_response v = { .code = 200,
                                       .errs = { .arena = r->a },
                                       .warnings = { .arena = r->a } };

    if (r->hook->kind == &ty_kind_trainjob)
        ty_admission_validate_trainjob(r->a, &in, &v);
    else
        ty_admission_validate_runtime(r->a, &in, &v);
    if (v.code >= 400)
        deny(r, v.code, strip_prefix(v.message));
    add_warnings(r, &v.warnings);
}

static int answer_review(struct review *r, struct ty_json **ret)
{
    struct ty_json *v = ty_json_object(r->a);
    const char *why = check_request(r);

    if (why)
        return status_failure(r->a, 400, "BadRequest", why, ret);
    r->response = ty_json_object(r->a);
    ty_json_set(r->a, r->response, "uid", ty_json_get(r->request, "uid"));
    ty_json_set(r->a, r->response, "allowed", ty_json_bool(r->a, true));
    if (is_admission(r)) {
        why = check_object(r);
        if (why)
            return status_failure(r->a, 400, "BadRequest", why, ret);
        if (r->hook->mutating)
            mutate(r);
        else
            validate(r);
    }
    ty_json_set(r->a, v, "kind", ty_json_cstr(r->a, "AdmissionReview"));
    ty_json_set(r->a, v, "apiVersion", ty_json_cstr(r->a, "admission.k8s.io/v1"));
    ty_json_set(r->a, v, "response", r->response);
    if (r->w->judged)
        r->w->judged(r->w->ctx, r->request, r->response);
    *ret = v;
    return 200;
}

int ty_webhook_review(const struct ty_webhook *w, struct ty_arena *a, struct ty_str path,
                      struct ty_str body, struct ty_json **ret)
{
    struct review r = { .w = w, .hook = hook_at(path), .a = a };
    struct ty_err err = { 0 };

    if (!r.hook)
        return status_failure(a, 404, "NotFound", "there is no webhook at this path", ret);
    const struct ty_json_limits limits = { .values = VALUES };
    const struct ty_json *v = ty_json_parse(a, body, &limits, &err);
    if (!v && ty_arena_starved(a))
        return status_failure(a, 503, "ServiceUnavailable",
                              "no memory is left for this review: try again", ret);
    if (!v && (err.code == -E2BIG || err.code == -EFBIG))
        return status_failure(a, 413, "RequestEntityTooLarge",
                              ty_arena_printf(a, "the review is too large: %s", err.text), ret);
    if (!v)
        return status_failure(a, 400, "BadRequest",
                              ty_arena_printf(a, "the body is not JSON: %s", err.text), ret);
    if (!ty_str_is(ty_json_str_at(v, "kind"), "AdmissionReview") ||
        !ty_str_is(ty_json_str_at(v, "apiVersion"), "admission.k8s.io/v1"))
        return status_failure(a, 400, "BadRequest",
                              "an AdmissionReview of admission.k8s.io/v1 was expected", ret);
    r.request = ty_json_get(v, "request");
    if (!ty_json_is(r.request, TY_JSON_OBJECT))
        return status_failure(a, 400, "BadRequest", "request: Required value", ret);
    int code = answer_review(&r, ret);
    if (ty_arena_starved(a)) /* memory is short at the moment */
        return status_failure(a, 503, "ServiceUnavailable",
                              "no memory is left for this review: try again", ret);
    if (ty_arena_full(a)) /* its content may be incomplete */
        return status_failure(
            a, 413, "RequestEntityTooLarge",
            "the review is too large: what becomes of it takes more memory than it may", ret);
    return code;
}
