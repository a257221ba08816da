/* Reads the configuration with the same tables that read TrainJobs: unknown fields and wrong types
 * are found by the schema engine, and told with their place. */
#include "control/config.h"
#include "control/config_inner.h"
#include "store/file.h"
#include "json/place.h"
#include "json/yaml.h"
#include <errno.h>

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

/* "FILE:LINE:COL: path: what is wrong (hint)" */
static int first_mistake(const char *file, const struct ty_json *doc, const struct ty_errs *errs,
                         struct ty_err *err)
{
    const struct ty_field_err *e = errs->first;
    const struct ty_json *at = e->at && e->at->line ? e->at : ty_place_of(doc, e->path);
    ty_auto_buf text = { 0 };
    if (e->why == TY_UNKNOWN)
        ty_buf_printf(&text, "%s: unknown field", e->path);
    else
        ty_field_err_print(&text, e);
    return ty_fail(err, -EINVAL, "%s:%u:%u: %.*s%s%s%s", file, at->line, at->col,
                   TY_ARG(ty_buf_str(&text)), e->hint ? " (" : "", e->hint ? e->hint : "",
                   e->hint ? ")" : "");
}

/* One document of our kind, strictly. */
static int check_shape(struct ty_arena *a, const char *file, const struct ty_docs *docs,
                       struct ty_err *err)
{
    if (docs->n != 1)
        return ty_fail(err, -EINVAL, "%s: one document was expected, not %zu", file, docs->n);
    struct ty_json *doc = docs->v[0];
    if (!ty_json_is(doc, TY_JSON_OBJECT))
        return ty_fail(err, -EINVAL, "%s:%u: a " KIND " was expected here", file, doc->line);
    struct ty_str version = ty_json_str_at(doc, "apiVersion"), kind = ty_json_str_at(doc, "kind");
    if (!ty_str_is(version, API_VERSION) || !ty_str_is(kind, KIND))
        return ty_fail(err, -EINVAL, "%s:%u: %.*s %.*s is not " API_VERSION " " KIND, file,
                       doc->line, TY_ARG(version), TY_ARG(kind));
    struct ty_errs errs = { .arena = a };
    ty_schema_validate(&ty_config_schema, doc, NULL, NULL, NULL, &errs);
    ty_schema_prune(a, &ty_config_schema, doc, NULL, &errs);
    return errs.n ? first_mistake(file, doc, &errs, err) : 0;
}

/* What a file with the right shape says. */
static int take(struct ty_arena *a, const char *file, const struct ty_json *doc,
                struct ty_config *c, struct ty_err *err)
{
    struct ty_errs errs = { .arena = a };
    ty_config_fill(a, doc, c, &errs);
    if (errs.n)
        return first_mistake(file, doc, &errs, err);
    ty_each_member (m, ty_json_get(doc, "featureGates"))
        if (set_gate(c, m->key, ty_json_is(m->value, TY_JSON_BOOL) && m->value->b, err) < 0)
            return ty_wrap(err, "%s:%u:%u", file, m->value->line, m->value->col);
    ty_config_validate(c, doc, &errs);
    if (!errs.n)
        return 0;
    const struct ty_json *at = errs.first->at;
    return ty_fail(err, -EINVAL, "%s:%u:%u: invalid configuration: %s", file, at->line, at->col,
                   ty_errs_text(a, &errs));
}

int ty_config_parse(struct ty_arena *a, const char *name, struct ty_str text,
                    const char *gates_text, struct ty_config *ret, struct ty_err *err)
{
    struct ty_config c = ty_config_default;
    c.settings = ty_settings_default;
    if (name) {
        struct ty_docs docs = { 0 };
        int r = ty_yaml_read(a, name, text, NULL, &docs, err);
        if (r == 0)
            r = check_shape(a, name, &docs, err);
        if (r == 0)
            r = take(a, name, docs.v[0], &c, err);
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
    return text.n ? ty_arena_strndup(a, text.p, text.n) : ty_settings_default.operator_ns;
}
