#include "review.h"

#include "base/base64.h"
#include "json/patch_testing.h"

static struct ty_json *send_review(struct ty_arena *a, const struct ty_webhook *w, const char *verb,
                                   const struct ty_kind *k, bool create, const struct ty_json *obj,
                                   const struct ty_json *old)
{
    struct ty_json *review = ty_json_object(a), *request = ty_json_object(a),
                   *kind = ty_json_object(a);
    struct ty_json *answer = NULL;

    ty_json_set(a, kind, "group", ty_json_cstr(a, k->group));
    ty_json_set(a, kind, "version", ty_json_cstr(a, k->version));
    ty_json_set(a, kind, "kind", ty_json_cstr(a, k->kind));
    ty_json_set(a, request, "uid", ty_json_cstr(a, "705ab4f5-6393-11e8-b7cc-42010a800002"));
    ty_json_set(a, request, "kind", kind);
    ty_json_set(a, request, "operation", ty_json_cstr(a, create ? "CREATE" : "UPDATE"));
    ty_json_set(a, request, "object", ty_json_copy(a, obj, 0));
    ty_json_set(a, request, "oldObject", old ? ty_json_copy(a, old, 0) : ty_json_null(a));
    ty_json_set(a, review, "kind", ty_json_cstr(a, "AdmissionReview"));
    ty_json_set(a, review, "apiVersion", ty_json_cstr(a, "admission.k8s.io/v1"));
    ty_json_set(a, review, "request", request);
    char *path = ty_arena_printf(a, "/%s-trainer-kubeflow-org-v1alpha1-%s", verb, k->singular);
    int code = ty_webhook_review(w, a, ty_str(path), ty_json_text(a, review), &answer);
    if (code != 200 || !ty_json_eq(ty_json_at(answer, "response.uid"), ty_json_get(request, "uid")))
        return NULL;
    return ty_json_get(answer, "response");
}

static struct ty_json *apply_patch(struct ty_arena *a, const struct ty_json *obj,
                                   const struct ty_json *response)
{
    struct ty_str text = ty_json_str_at(response, "patch");
    struct ty_str patch = ty_base64_decode(a, text);
    struct ty_err err = { 0 };

    if (!text.n)
        return ty_json_copy(a, obj, 0);
    if (!ty_str_is(ty_json_str_at(response, "patchType"), "JSONPatch") || !patch.p)
        return NULL;
    const struct ty_json *ops = ty_json_parse(a, patch, NULL, &err);
    return ops ? json_patched(a, obj, ops) : NULL;
}

/* The API server's message for a denial. */
static const char *denial_text(struct ty_arena *a, const char *role, const struct ty_kind *k,
                               const struct ty_json *response, int64_t *ret_code)
{
    if (ty_json_true_at(response, "allowed"))
        return NULL;
    *ret_code = 0;
    ty_json_int_at(response, "status.code", ret_code);
    return ty_arena_printf(
        a, "admission webhook \"%s.%s.trainer.kubeflow.org\" denied the request: %.*s", role,
        k->singular, TY_ARG(ty_json_str_at(response, "status.message")));
}

static bool same_warnings(const struct ty_json *response, const struct ty_admission_response *v)
{
    const struct ty_json *list = ty_json_get(response, "warnings");
    bool same = ty_json_len(list) == v->warnings.n;

    for (size_t i = 0; same && i < v->warnings.n; i++)
        same = ty_str_is(ty_json_as_str(ty_json_item(list, i)), v->warnings.v[i]);
    return same;
}

static const char *compare_response(struct ty_arena *a, const char *got, int64_t code,
                                    const struct ty_admission_response *v)
{
    if (got && v->message && strcmp(got, v->message) == 0 && code == v->code)
        return NULL;
    return ty_arena_printf(a, "webhook: %lld %s\n instead of %d %s", (long long)code,
                           got ? got : "allowed", v->code, v->message ? v->message : "accepted");
}

const char *review_differs(struct ty_arena *a, const struct ty_webhook *w, enum ty_admission_op op,
                           const struct ty_json *before, const struct ty_json *old,
                           const struct ty_json *after, const struct ty_admission_response *v)
{
    const struct ty_kind *k = ty_kind_of(before);
    bool by_hook = v->message && strncmp(v->message, "admission webhook", 17) == 0;
    struct ty_json *obj = ty_json_copy(a, before, 0), *response = NULL;
    int64_t code = 0;

    if (!k || !k->ours || op == TY_ADMISSION_UPDATE_STATUS)
        return NULL; /* the API server calls no webhook */
    ty_schema_prune(a, k->schema, obj, NULL, NULL);
    ty_schema_default(a, k->schema, obj);
    if (k == &ty_kind_trainjob) {
        response = send_review(a, w, "mutate", k, op == TY_ADMISSION_CREATE, obj, old);
        const char *no = denial_text(a, "defaulter", k, response, &code);
        if (no)
            return compare_response(a, no, code, v);
        obj = apply_patch(a, obj, response);
        if (!obj || (!v->message && !ty_json_eq(obj, after)))
            return "webhook: the patch gives another object";
    }
    if (v->message && !by_hook)
        return NULL; /* the schema refuses it before the validating webhook is called */
    response = send_review(a, w, "validate", k, op == TY_ADMISSION_CREATE, obj, old);
    if (!response || !same_warnings(response, v))
        return "webhook: other warnings, or no answer at all";
    const char *no = denial_text(a, "validator", k, response, &code);
    return no || v->message ? compare_response(a, no, code, v) : NULL;
}
