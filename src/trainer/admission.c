/* Admission in the API server's order: decode, defaults, mutating webhook, schema and rules,
 * validating webhook. The first stage that finds an error answers, unless in->all. */
#include "trainer/admission.h"

#include <errno.h>

#include "api/name.h"
#include "api/object_meta.h"

/* The API server passes on at most 4096 characters of warnings, and 256 of each if there are more.
 */
#define WARNING_MAX   256
#define WARNINGS_MAX  15
#define HINTS_MAX     5  /* for a refusal by the validating webhook */
#define VALUE_SHOWN   64 /* bytes of a value beside a hint */
#define GENERATED_MAX 58 /* of generateName: five random characters follow, 63 in all */

static const char *name_of(const struct ty_json *obj, struct ty_arena *a)
{
    return ty_json_cstr_at(a, obj, "metadata.name");
}

/* Sets the response unless an earlier stage did. */
static void set_response(struct ty_admission_response *v, int code, const char *message)
{
    if (v->message)
        return;
    v->code = code;
    v->message = message;
}

static void refuse_unknown(struct ty_arena *a, const struct ty_kind *kind,
                           struct ty_admission_response *v)
{
    ty_auto_buf out = { 0 };

    for (const struct ty_field_err *e = v->errs.first; e; e = e->next) {
        if (out.n)
            ty_buf_cstr(&out, ", ");
        ty_errs_print(&out, e);
    }
    set_response(
        v, 400,
        ty_arena_printf(a,
                        "%s in version \"%s\" cannot be handled as a %s: strict decoding error: "
                        "%.*s",
                        kind->kind, kind->version, kind->kind, (int)out.n, out.p));
}

/* The API server's rules for metadata, which it checks before the schema. */
static void check_namespace(const struct ty_admission_request *in, struct ty_errs *errs)
{
    const struct ty_json *node = ty_json_at(in->obj, "metadata.namespace");
    struct ty_str ns = ty_json_as_str(node);

    if (ns.n == 0 || ty_name_is_dns1123_label(ns))
        return;
    struct ty_field_err *e =
        ty_errs_add(errs, TY_KEY(TY_KEY(NULL, "metadata"), "namespace"), TY_INVALID,
                    ty_json_text(errs->arena, node).p, "%s", ty_name_dns1123_label_msg);
    e->at = node;
}

static void check_name(const struct ty_admission_request *in, struct ty_errs *errs)
{
    const struct ty_field_path *at = TY_KEY(TY_KEY(NULL, "metadata"), "name");
    const struct ty_json *node = ty_json_at(in->obj, "metadata.name");
    struct ty_str name = ty_json_as_str(node);
    struct ty_field_err *e = NULL;

    if (in->op != TY_ADMISSION_CREATE)
        return;
    if (ty_json_get(in->obj, "metadata") &&
        !ty_json_is(ty_json_get(in->obj, "metadata"), TY_JSON_OBJECT))
        return; /* the schema reports the type */
    if (name.n == 0)
        e = ty_errs_add(errs, at, TY_REQUIRED, NULL, "name or generateName is required");
    else if (!ty_name_is_dns1123_subdomain(name))
        e = ty_errs_add(errs, at, TY_INVALID, ty_json_text(errs->arena, node).p, "%s",
                        ty_name_dns1123_subdomain_msg);
    if (e)
        e->at = node ? node : in->obj;
    if (e && node && name.n == 0)
        e->hint = ty_schema_hint_string(errs->arena, node);
    check_namespace(in, errs);
}

void ty_admission_fill_name(struct ty_arena *a, struct ty_json *obj)
{
    struct ty_json *meta = ty_json_get(obj, "metadata"), *name = ty_json_get(meta, "name");
    struct ty_str prefix = ty_json_str_at(meta, "generateName");

    if (prefix.n == 0 || (name && (name->type != TY_JSON_STRING || name->n)))
        return;
    if (prefix.n > GENERATED_MAX)
        prefix.n = GENERATED_MAX;
    ty_json_set(a, meta, "name", ty_json_strf(a, "%.*sxxxxx", TY_ARG(prefix)));
}

static void check_schema(struct ty_arena *a, const struct ty_admission_request *in,
                         const struct ty_kind *kind, struct ty_admission_response *v)
{
    const struct ty_field *field = ty_schema_field(kind->schema, TY_LIT("status"));
    struct ty_errs mine = { .arena = a };
    const struct ty_field_path *status = TY_KEY(NULL, "status");

    check_name(in, &mine);
    if (in->op != TY_ADMISSION_UPDATE_STATUS)
        ty_object_meta_check(ty_json_get(in->obj, "metadata"), TY_KEY(NULL, "metadata"), &mine);
    if (in->op != TY_ADMISSION_UPDATE_STATUS)
        ty_schema_validate(kind->schema, in->obj, in->old, NULL, NULL, &mine);
    else if (field && ty_json_get(in->obj, "status"))
        ty_schema_validate(field->schema, ty_json_get(in->obj, "status"),
                           ty_json_get(in->old, "status"), status, NULL, &mine);
    if (mine.n == 0)
        return;
    set_response(v, 422,
                 ty_arena_printf(a, "%s.%s \"%s\" is invalid: %s", kind->kind, kind->group,
                                 name_of(in->obj, a), ty_errs_text(a, &mine)));
    ty_errs_join(&v->errs, &mine);
}

static void warn_text(struct ty_warnings *w, const char *text)
{
    struct ty_str head = ty_str_head(ty_str(text), WARNING_MAX);

    if (text[head.n])
        head = ty_str_head(ty_str(text), WARNING_MAX - 3);
    ty_warnings_add(w, "%.*s%s", TY_ARG(head), text[head.n] ? "..." : "");
}

/* Scalars are shown as they were written; lists and objects are too long to be shown. */
static const char *hint_text(struct ty_arena *a, const struct ty_field_err *e)
{
    bool scalar = e->at && e->at->type < TY_JSON_ARRAY;

    if (!scalar)
        return ty_arena_printf(a, "%s: %s", e->path, e->hint);
    struct ty_str value = ty_json_text(a, e->at), head = ty_str_head(value, VALUE_SHOWN);
    return ty_arena_printf(a, "%s: %.*s%s: %s", e->path, TY_ARG(head),
                           head.n < value.n ? "..." : "", e->hint);
}

/* Adds hints for errors whose text must be v2.3.0's. The API server passes warnings to the client
 * even if the object is refused. */
static void add_hints(const struct ty_errs *errs, struct ty_warnings *w, size_t most)
{
    const char *last = "";
    size_t n = 0;

    for (const struct ty_field_err *e = errs->first; e && n < most; e = e->next) {
        if (!e->hint || e->warn_only)
            continue;
        const char *text = hint_text(w->arena, e);
        if (strcmp(text, last) != 0) { /* a quantity is an anyOf: both branches report the same */
            warn_text(w, text);
            n++;
        }
        last = text;
    }
}

void ty_admission_warn(const struct ty_admission_request *in, struct ty_errs *errs,
                       struct ty_admission_response *v)
{
    struct ty_errs kept = { .arena = errs->arena };
    size_t n = 0, hints = v->warnings.n;

    if (in->lint)
        return;
    add_hints(errs, &v->warnings, HINTS_MAX);
    const size_t room = WARNINGS_MAX - (v->warnings.n - hints);
    for (struct ty_field_err *e = errs->first, *next = NULL; e; e = next) {
        next = e->next;
        e->next = NULL;
        if (!e->warn_only)
            ty_errs_join(&kept, &(struct ty_errs){ .first = e, .last = e, .n = 1 });
        else if (n++ < room)
            warn_text(&v->warnings, ty_arena_printf(errs->arena, "%s: %s", e->path, e->detail));
    }
    if (n > room)
        ty_warnings_add(&v->warnings, "and %zu more of this kind", n - room);
    *errs = kept;
}

void ty_admission_decode_hint(struct ty_arena *a, const struct ty_json *obj,
                              struct ty_warnings *warnings)
{
    struct ty_errs errs = { .arena = a, .most = WARNINGS_MAX };

    if (!ty_schema_bounded(&ty_schema_TrainJob, obj))
        return; /* as in ty_admission_mutate_trainjob: the object will be refused anyway */
    ty_schema_validate_types(&ty_schema_TrainJob, obj, NULL, &errs);
    add_hints(&errs, warnings, WARNINGS_MAX);
}

static void decode_object(struct ty_arena *a, const struct ty_admission_request *in,
                          const struct ty_kind *kind, struct ty_admission_response *v)
{
    ty_schema_prune(a, kind->schema, in->obj, NULL, in->strict ? &v->errs : NULL);
    if (v->errs.n)
        refuse_unknown(a, kind, v);
    ty_schema_default(a, kind->schema, in->obj);
}

/* Sets the response, and *err if decoding failed. */
static void run_mutating(struct ty_arena *a, const struct ty_admission_request *in,
                         struct ty_admission_response *v, struct ty_err *err)
{
    struct ty_json *next = NULL;

    if (ty_admission_mutate_trainjob(a, in->obj, in->old, in->now_s, &next, err) == 0) {
        *in->obj = *next;
        return;
    }
    set_response(
        v, 400,
        ty_arena_printf(a,
                        "admission webhook \"defaulter.trainjob.trainer.kubeflow.org\" denied "
                        "the request: %s",
                        err->text));
    if (!in->lint)
        ty_admission_decode_hint(a, in->obj, &v->warnings);
}

/* Schemas have no types of metadata, whose values are strings: place and hint of one that is not,
 * if that is what cannot be read. */
static void explain_unreadable(struct ty_field_err *e, struct ty_arena *a, const char *unreadable,
                               const struct ty_json *obj)
{
    static const char *const maps[] = { "labels", "annotations" };

    for (size_t i = 0; e && i < TY_COUNT(maps); i++) {
        const struct ty_json *map = ty_json_get(ty_json_get(obj, "metadata"), maps[i]);
        if (!strstr(unreadable, ty_arena_printf(a, "metadata.%s", maps[i])))
            continue;
        if (map && !e->at && map->type != TY_JSON_OBJECT && map->type != TY_JSON_NULL)
            e->at = map;
        ty_each_member (m, map)
            if (!e->at && m->value->type != TY_JSON_STRING && m->value->type != TY_JSON_NULL) {
                e->at = m->value;
                e->hint = ty_schema_hint_string(a, m->value);
            }
    }
}

/* Most objects that a typed client cannot decode fail schema validation, too, with the field's
 * path: then that error is enough. */
static void check_shape(struct ty_arena *a, const struct ty_admission_request *in,
                        const struct ty_kind *kind, const struct ty_err *unreadable,
                        struct ty_admission_response *v)
{
    size_t before = v->errs.n;

    if (!v->message || in->all)
        check_schema(a, in, kind, v);
    if (unreadable->code < 0 && v->errs.n == before)
        explain_unreadable(ty_errs_add(&v->errs, NULL, TY_INVALID, NULL, "%s", unreadable->text), a,
                           unreadable->text, in->obj);
}

void ty_admission_handle(struct ty_arena *a, const struct ty_admission_request *in,
                         struct ty_admission_response *ret)
{
    const struct ty_kind *kind = ty_kind_of(in->obj);
    bool trainjob = kind == &ty_kind_trainjob;
    struct ty_err unreadable = { 0 };

    *ret = (struct ty_admission_response){ .code = in->op == TY_ADMISSION_CREATE ? 201 : 200,
                                           .errs = { .arena = a },
                                           .warnings = { .arena = a } };
    if (!kind || !kind->schema)
        return; /* no schema: not validated */
    decode_object(a, in, kind, ret);
    if (ret->message && !in->all)
        return;
    if (trainjob && in->op != TY_ADMISSION_UPDATE_STATUS)
        run_mutating(a, in, ret, &unreadable);
    if (in->op == TY_ADMISSION_CREATE)
        ty_admission_fill_name(a, in->obj);
    check_shape(a, in, kind, &unreadable, ret);
    if (!kind->ours || in->op == TY_ADMISSION_UPDATE_STATUS || (ret->message && !in->all))
        return; /* the API server does not call webhooks for it; with `all` they report what they
                   can */
    if (trainjob)
        ty_admission_validate_trainjob(a, in, ret);
    else
        ty_admission_validate_runtime(a, in, ret);
}
