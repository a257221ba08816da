/* Reads the configuration with the same tables that read TrainJobs: unknown fields and wrong types
 * are found by the schema engine, and told with their place. */
#include "control/config.h"
#include "store/file.h"
#include "json/errs.h"
#include "json/place.h"
#include "json/yaml.h"
#include <errno.h>

#define API_VERSION "config.trainer.kubeflow.org/v1alpha1"
#define KIND        "Configuration"

/* The tables: every field that v2.3.0 knows, so that a file in use is accepted as it is. */
static const struct ty_schema string = { .type = TY_T_STRING };
static const struct ty_schema boolean = { .type = TY_T_BOOLEAN };
static const struct ty_schema number = { .type = TY_T_NUMBER, .has_min = true };
static const struct ty_schema count = { .type = TY_T_INTEGER, .format = "int32", .has_min = true };
static const struct ty_schema port = { .type = TY_T_INTEGER,
                                       .format = "int32",
                                       .has_min = true,
                                       .min = 1,
                                       .has_max = true,
                                       .max = 65535 };
static const struct ty_schema workers = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 1
};
static const struct ty_schema strings = { .type = TY_T_ARRAY, .items = &string };
static const struct ty_schema gates = { .type = TY_T_MAP, .items = &boolean };
static const struct ty_schema concurrency = { .type = TY_T_MAP, .items = &workers };

#define OBJECT(name, ...)                                                                          \
    static const struct ty_field name##_fields[] = { __VA_ARGS__, { 0 } };                         \
    static const struct ty_schema name = { .type = TY_T_OBJECT, .fields = name##_fields }
#define FIELD(key, of)                                                                             \
    {                                                                                              \
        .name = key, .schema = &(of)                                                               \
    }

OBJECT(webhook, FIELD("port", port), FIELD("host", string));
OBJECT(leader_election, FIELD("leaderElect", boolean), FIELD("leaseDuration", string),
       FIELD("renewDeadline", string), FIELD("retryPeriod", string), FIELD("resourceLock", string),
       FIELD("resourceName", string), FIELD("resourceNamespace", string));
OBJECT(auth, FIELD("enabled", boolean));
OBJECT(metrics, FIELD("bindAddress", string), FIELD("secureServing", boolean), FIELD("auth", auth));
OBJECT(health, FIELD("healthProbeBindAddress", string), FIELD("readinessEndpointName", string),
       FIELD("livenessEndpointName", string));
OBJECT(controller, FIELD("groupKindConcurrency", concurrency));
OBJECT(certs, FIELD("enable", boolean), FIELD("webhookServiceName", string),
       FIELD("webhookSecretName", string));
OBJECT(client, FIELD("qps", number), FIELD("burst", count));
OBJECT(status_server, FIELD("port", port), FIELD("qps", number), FIELD("burst", count));
OBJECT(tls, FIELD("minVersion", string), FIELD("cipherSuites", strings),
       FIELD("nextProtos", strings));
OBJECT(plugins, FIELD("enabledPlugins", strings), FIELD("disabledPlugins", strings));
OBJECT(configuration, FIELD("apiVersion", string), FIELD("kind", string), FIELD("webhook", webhook),
       FIELD("leaderElection", leader_election), FIELD("metrics", metrics), FIELD("health", health),
       FIELD("controller", controller), FIELD("certManagement", certs),
       FIELD("clientConnection", client), FIELD("statusServer", status_server),
       FIELD("featureGates", gates), FIELD("tls", tls), FIELD("plugins", plugins),
       FIELD("runtimeProtection", string));

static int set_gate(struct ty_config *c, struct ty_str name, bool on, struct ty_err *err)
{
    static const char *const known[] = { "TrainJobStatus", "AllAlpha", "AllBeta" };
    if (ty_str_is(name, "TrainJobStatus") || ty_str_is(name, "AllAlpha")) {
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

static void read_words(struct ty_arena *a, const struct ty_json *list, struct ty_words *ret)
{
    ty_each_item (it, list) {
        struct ty_str s = ty_json_text_of(*it);
        ty_words_add(a, ret, ty_arena_strndup(a, s.p, s.n));
    }
}

static const char *text_or(struct ty_arena *a, const struct ty_json *doc, const char *path,
                           const char *other)
{
    struct ty_str s = ty_json_str_at(doc, path);
    return s.n ? ty_arena_strndup(a, s.p, s.n) : other;
}

/* What a file with the right shape says. */
static int apply(struct ty_arena *a, const char *file, const struct ty_json *doc,
                 struct ty_config *c, struct ty_err *err)
{
    struct ty_settings *s = &c->settings;
    int64_t p = s->status_port;
    ty_json_int_at(doc, "statusServer.port", &p);
    s->status_port = (int)p;
    s->webhook_service = text_or(a, doc, "certManagement.webhookServiceName", s->webhook_service);
    s->webhook_secret = text_or(a, doc, "certManagement.webhookSecretName", s->webhook_secret);
    ty_each_member (m, ty_json_get(doc, "featureGates"))
        if (set_gate(c, m->key, ty_json_is(m->value, TY_JSON_BOOL) && m->value->b, err) < 0)
            return ty_wrap(err, "%s:%u:%u", file, m->value->line, m->value->col);
    read_words(a, ty_json_at(doc, "plugins.enabledPlugins"), &c->enabled);
    read_words(a, ty_json_at(doc, "plugins.disabledPlugins"), &c->disabled);
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
static int check(struct ty_arena *a, const char *file, const struct ty_docs *docs,
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
    ty_schema_validate(&configuration, doc, NULL, NULL, NULL, &errs);
    ty_schema_prune(a, &configuration, doc, NULL, &errs);
    return errs.n ? first_mistake(file, doc, &errs, err) : 0;
}

int ty_config_parse(struct ty_arena *a, const char *name, struct ty_str text,
                    const char *gates_text, struct ty_config *ret, struct ty_err *err)
{
    struct ty_config c = { .settings = ty_settings_default };
    if (name) {
        struct ty_docs docs = { 0 };
        int r = ty_yaml_read(a, name, text, NULL, &docs, err);
        if (r == 0)
            r = check(a, name, &docs, err);
        if (r == 0)
            r = apply(a, name, docs.v[0], &c, err);
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
