/* Parses the configuration with the schema engine of TrainJobs, which finds unknown fields and
 * wrong types and reports their positions. */
#include "config/config.h"
#include "config/config_inner.h"
#include "store/file.h"
#include "json/json_locate.h"
#include "json/yaml.h"
#include <errno.h>
#include <stdio.h>

#define API_VERSION "config.trainer.kubeflow.org/v1alpha1"
#define KIND        "Configuration"
#define POD_NS      "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

static int set_gate(struct ty_config *c, struct ty_str name, bool on, struct ty_err *err)
{
    static const char *const known[] = { "TrainJobStatus", "AllAlpha", "AllBeta" };
    if (ty_str_is(name, "TrainJobStatus") || ty_str_is(name, "AllAlpha")) {
        c->status_said = true;
        c->settings.status_gate = on; /* TrainJobStatus is the only alpha gate */
        return 0;
    }
    if (ty_str_is(name, "AllBeta"))
        return 0;
    const char *near = ty_str_nearest(name, known, 3);
    return ty_fail(err, -EINVAL, "unknown feature gate \"%.*s\"%s%s%s", TY_ARG(name),
                   near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

/* "TrainJobStatus=true,AllBeta=false" */
static int read_gates(struct ty_config *c, struct ty_str list, struct ty_err *err)
{
    while (list.n) {
        struct ty_str one, name;
        list = ty_str_cut(list, ',', &one);
        struct ty_str word = ty_str_cut(one, '=', &name);
        bool on = ty_str_is(word, "true");
        if (!on && !ty_str_is(word, "false"))
            return ty_fail(err, -EINVAL, "--feature-gates: \"%.*s\" is not NAME=true or NAME=false",
                           TY_ARG(one));
        if (set_gate(c, ty_str_trim(name), on, err) < 0)
            return ty_wrap(err, "--feature-gates");
    }
    return 0;
}

/* ---- errors: one line each ---- */

struct mistakes {
    struct ty_arena *a;
    const char *file;
    const struct ty_json *doc;
    struct ty_strlist lines; /* "FILE:LINE:COL: path: what is wrong (hint)" */
};

/* The schema engine's message "a.b in body must be of type integer" repeats the path. */
static const char *trim_detail(const struct ty_field_err *e)
{
    size_t n = strlen(e->path);
    bool twice = strncmp(e->detail, e->path, n) == 0 &&
                 ty_str_starts(ty_str(e->detail + n), TY_LIT(" in body "));

    return twice ? e->detail + n + strlen(" in body ") : e->detail;
}

static void add_mistakes(struct mistakes *m, const struct ty_errs *errs, const char *prefix)
{
    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        const struct ty_json *at = e->at && e->at->line ? e->at : ty_json_locate(m->doc, e->path);
        struct ty_field_err said = *e;
        ty_auto_buf text = { 0 };
        if (strcmp(e->path, "<nil>") == 0)
            continue; /* the note about unchecked rules: there are none */
        said.detail = trim_detail(e);
        if (e->why == TY_UNKNOWN)
            ty_buf_printf(&text, "%s: unknown field", e->path);
        else
            ty_errs_print(&text, &said);
        ty_strlist_add(m->a, &m->lines,
                       ty_arena_printf(m->a, "%s:%u:%u: %s%.*s%s%s%s", m->file, at->line, at->col,
                                       prefix, TY_ARG(ty_buf_str(&text)), e->hint ? " (" : "",
                                       e->hint ? e->hint : "", e->hint ? ")" : ""));
    }
}

/* As many lines as fit into the error; the last one says how many are omitted. */
static int fail_with(const struct mistakes *m, struct ty_err *err)
{
    char more[48];
    size_t room = sizeof(err->text) - sizeof(more), shown = 1;
    ty_auto_buf text = { 0 };

    ty_buf_cstr(&text, m->lines.v[0]);
    while (shown < m->lines.n && text.n + strlen(m->lines.v[shown]) + 1 < room)
        ty_buf_printf(&text, "\n%s", m->lines.v[shown++]);
    snprintf(more, sizeof(more), "\nand %zu more", m->lines.n - shown);
    return ty_fail(err, -EINVAL, "%.*s%s", TY_ARG(ty_buf_str(&text)),
                   shown < m->lines.n ? more : "");
}

/* Exactly one document of our kind. */
static int check_kind(const char *file, const struct ty_yaml_docs *docs, struct ty_err *err)
{
    if (docs->n != 1)
        return ty_fail(err, -EINVAL, "%s: one document was expected, not %zu", file, docs->n);
    const struct ty_json *doc = docs->v[0];
    if (!ty_json_is(doc, TY_JSON_OBJECT))
        return ty_fail(err, -EINVAL, "%s:%u: a " KIND " was expected here", file, doc->line);
    struct ty_str version = ty_json_str_at(doc, "apiVersion"), kind = ty_json_str_at(doc, "kind");
    if (!ty_str_is(version, API_VERSION) || !ty_str_is(kind, KIND))
        return ty_fail(err, -EINVAL,
                       "%s:%u: apiVersion %.*s, kind %.*s: " API_VERSION ", " KIND " was expected",
                       file, doc->line, TY_ARG(version.n ? version : TY_LIT("(none)")),
                       TY_ARG(kind.n ? kind : TY_LIT("(none)")));
    return 0;
}

static void decode_gates(struct mistakes *m, struct ty_config *c)
{
    ty_each_member (gate, ty_json_get(m->doc, "featureGates")) {
        struct ty_err err = { 0 };
        if (set_gate(c, gate->key, ty_json_is(gate->value, TY_JSON_BOOL) && gate->value->b, &err) <
            0)
            ty_strlist_add(m->a, &m->lines,
                           ty_arena_printf(m->a, "%s:%u:%u: %s", m->file, gate->value->line,
                                           gate->value->col, err.text));
    }
}

/* Checks the types, reads the values and checks their ranges: a field of a wrong type stays at its
 * default, so that all others are still checked. */
static int decode_doc(struct ty_arena *a, const char *file, struct ty_json *doc,
                      struct ty_config *c, struct ty_err *err)
{
    struct mistakes m = { .a = a, .file = file, .doc = doc };
    struct ty_errs shape = { .arena = a }, values = { .arena = a };

    ty_schema_validate(&ty_config_schema, doc, NULL, NULL, NULL, &shape);
    ty_schema_prune(a, &ty_config_schema, doc, NULL, &shape);
    ty_config_decode(a, doc, c, &shape);
    add_mistakes(&m, &shape, "");
    decode_gates(&m, c);
    ty_config_validate(c, doc, &values);
    add_mistakes(&m, &values, "invalid configuration: ");
    return m.lines.n ? fail_with(&m, err) : 0;
}

int ty_config_parse(struct ty_arena *a, const char *name, struct ty_str text,
                    const char *gates_text, struct ty_config *ret, struct ty_err *err)
{
    struct ty_config c = ty_config_default;
    c.settings = ty_settings_default;
    if (name) {
        struct ty_yaml_docs docs = { 0 };
        int r = ty_yaml_parse(a, name, text, NULL, &docs, err);
        if (r == 0)
            r = check_kind(name, &docs, err);
        if (r == 0)
            r = decode_doc(a, name, docs.v[0], &c, err);
        if (r < 0)
            return r;
    }
    if (gates_text && read_gates(&c, ty_str(gates_text), err) < 0)
        return err->code;
    *ret = c;
    return 0;
}

int ty_config_read(struct ty_arena *a, const char *file, const char *gates_text,
                   struct ty_config *ret, struct ty_err *err)
{
    struct ty_str text = { 0 };
    if (file && ty_file_read(a, file, -1, &text, err) < 0)
        return ty_wrap(err, "%s", file);
    return ty_config_parse(a, file, text, gates_text, ret, err);
}

int ty_config_workers(const struct ty_config *c, const char *kind)
{
    for (size_t i = 0; i < c->n_workers; i++)
        if (ty_str_is(c->workers[i].kind, kind))
            return c->workers[i].n;
    return 0;
}

const char *ty_config_namespace(struct ty_arena *a, const char *file)
{
    struct ty_str text = { 0 };
    struct ty_err err = { 0 };
    if (ty_file_read(a, file ? file : POD_NS, -1, &text, &err) < 0)
        return ty_settings_default.operator_ns;
    text = ty_str_trim(text);
    return text.n ? ty_arena_cstr(a, text) : ty_settings_default.operator_ns;
}
