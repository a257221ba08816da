#include "cli/cluster/refusal.h"

#define CAUSES_MAX 100

static const struct {
    const char *text;
    enum ty_field_err_type why;
} types[] = {
    { "Required value", TY_REQUIRED },
    { "Invalid value", TY_INVALID },
    { "Unsupported value", TY_UNSUPPORTED },
    { "Forbidden", TY_FORBIDDEN },
    { "Too long", TY_TOO_LONG },
    { "Too many", TY_TOO_MANY },
    { "Duplicate value", TY_DUPLICATE },
    { "Internal error", TY_INTERNAL },
};

/* Takes "Invalid value: " from the text. False: it begins with nothing of the kind. */
static bool cut_type(struct ty_str *text, enum ty_field_err_type *ret)
{
    for (size_t i = 0; i < TY_COUNT(types); i++) {
        struct ty_str word = ty_str(types[i].text);
        if (!ty_str_starts(*text, word))
            continue;
        struct ty_str rest = { text->p + word.n, text->n - word.n };
        if (ty_str_starts(rest, TY_LIT(": ")))
            rest = (struct ty_str){ rest.p + 2, rest.n - 2 };
        *text = rest;
        *ret = types[i].why;
        return true;
    }
    return false;
}

static bool add_field(struct ty_findings *f, const struct ty_doc *doc, struct ty_str path,
                      struct ty_str text)
{
    struct ty_field_err e = { .why = TY_INVALID };

    if (!path.n || ty_str_is(path, "<nil>") || !cut_type(&text, &e.why))
        return false;
    e.path = ty_arena_cstr(f->arena, path);
    e.detail = ty_arena_cstr(f->arena, text);
    ty_findings_field(f, doc, &e);
    return true;
}

static bool is_conflict(const struct ty_json *cause)
{
    return ty_str_is(ty_json_str_at(cause, "reason"), "FieldManagerConflict");
}

/* Not with somebody else: `submit` takes those over by itself. */
static bool is_own_conflict(const struct ty_json *cause)
{
    return is_conflict(cause) &&
           ty_str_starts(ty_json_str_at(cause, "message"),
                         TY_LIT("conflict with \"" TY_CLUSTER_SESSION_MANAGER "\""));
}

/* The field ".spec.trainer.env[name=\"A\"].value", and `conflict with "kubectl-edit" using v1`. */
static bool add_conflict(struct ty_findings *f, const struct ty_doc *doc,
                         const struct ty_json *cause)
{
    const struct ty_str with = TY_LIT("conflict with ");
    const char *path = ty_json_cstr_at(f->arena, cause, "field");
    struct ty_str text = ty_json_str_at(cause, "message");
    struct ty_field_err e = { .why = TY_FORBIDDEN, .path = path + (*path == '.') };

    if (!is_conflict(cause) || !ty_str_starts(text, with))
        return false;
    e.detail = ty_arena_printf(f->arena, "it belongs to field manager %.*s", (int)(text.n - with.n),
                               text.p + with.n);
    e.hint = "--force-conflicts takes it over";
    ty_findings_field(f, doc, &e);
    f->last->type = "Conflict";
    return true;
}

/* "spec.trainer.image: Forbidden: …": a path has no blanks. */
static bool add_message(struct ty_findings *f, const struct ty_doc *doc, struct ty_str text)
{
    struct ty_str path, rest = ty_str_cut(text, ':', &path);

    if (!rest.p || memchr(path.p, ' ', path.n))
        return false;
    return add_field(f, doc, path, ty_str_trim(rest));
}

void ty_refusal_add(struct ty_findings *f, const struct ty_doc *doc, const struct ty_json *status,
                    const char *message)
{
    static const char denied[] = " denied the request: ";
    const char *why = strstr(message, denied);
    size_t n = 0;

    ty_each_item (c, ty_json_at(status, "details.causes")) {
        struct ty_str path = ty_json_str_at(*c, "field"), text = ty_json_str_at(*c, "message");
        if (n < CAUSES_MAX && !is_own_conflict(*c) &&
            (add_conflict(f, doc, *c) || add_field(f, doc, path, text) ||
             add_message(f, doc, text)))
            n++;
    }
    if (n)
        return;
    struct ty_str text = ty_str(why ? why + sizeof(denied) - 1 : message);
    if (!add_message(f, doc, text))
        ty_findings_error(f, doc, "%s", message);
}

bool ty_refusal_is_rights(const struct ty_cluster_answer *answer)
{
    return answer->code == 403 && !strstr(answer->message, " denied the request: ") &&
           strstr(answer->message, " cannot ");
}

bool ty_refusal_is_own_conflict(struct ty_arena *a, const struct ty_cluster_answer *answer)
{
    const struct ty_json *status =
        answer->code == 409 && answer->text.n ? ty_json_parse(a, answer->text, NULL, NULL) : NULL;
    bool own = false;

    ty_each_item (c, ty_json_at(status, "details.causes")) {
        own = is_own_conflict(*c);
        if (!own)
            break;
    }
    return own;
}
