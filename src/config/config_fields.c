/* Two tables of all fields of the configuration: the schema, by which the file is checked, and the
 * member of struct ty_config that stores the value. A new field is a line in each. */
#include "base/time.h"
#include "config/config_inner.h"

/* ---- the schema: v2.3.0's fields, and ours ---- */

static const struct ty_schema string = { .type = TY_T_STRING };
static const struct ty_schema boolean = { .type = TY_T_BOOLEAN };
static const struct ty_schema number = { .type = TY_T_NUMBER };
static const struct ty_schema int32 = { .type = TY_T_INTEGER, .format = "int32" };
static const struct ty_schema strings = { .type = TY_T_ARRAY, .items = &string };
static const struct ty_schema gates = { .type = TY_T_MAP, .items = &boolean };
static const struct ty_schema concurrency = { .type = TY_T_MAP, .items = &int32 };

#define OBJECT(name, ...)                                                                          \
    static const struct ty_field name##_fields[] = { __VA_ARGS__, { 0 } };                         \
    static const struct ty_schema name = { .type = TY_T_OBJECT, .fields = name##_fields }
#define FIELD(key, of)                                                                             \
    {                                                                                              \
        .name = key, .schema = &(of)                                                               \
    }

OBJECT(webhook, FIELD("port", int32), FIELD("host", string), FIELD("certDir", string));
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
OBJECT(client, FIELD("qps", number), FIELD("burst", int32));
OBJECT(status_server, FIELD("port", int32), FIELD("qps", number), FIELD("burst", int32));
OBJECT(tls, FIELD("minVersion", string), FIELD("cipherSuites", strings),
       FIELD("nextProtos", strings));
OBJECT(failure_summary, FIELD("enable", boolean));
OBJECT(plugins, FIELD("enabledPlugins", strings), FIELD("disabledPlugins", strings));

static const struct ty_field fields[] = {
    FIELD("apiVersion", string),
    FIELD("kind", string),
    FIELD("webhook", webhook),
    FIELD("leaderElection", leader_election),
    FIELD("metrics", metrics),
    FIELD("health", health),
    FIELD("controller", controller),
    FIELD("certManagement", certs),
    FIELD("clientConnection", client),
    FIELD("statusServer", status_server),
    FIELD("featureGates", gates),
    FIELD("tls", tls),
    FIELD("plugins", plugins),
    FIELD("runtimeProtection", string),
    FIELD("failureSummary", failure_summary),
    { 0 },
};
const struct ty_schema ty_config_schema = { .type = TY_T_OBJECT, .fields = fields };

/* ---- where values are stored ---- */

#define ROW(path, type, member, live)                                                              \
    {                                                                                              \
        path, offsetof(struct ty_config, member), TY_CONFIG_##type, live                           \
    }
/* A live field is read at each use; sockets and clients were built from the others. */
const struct ty_config_row ty_config_rows[] = {
    ROW("webhook.port", INT, webhook_port, false),
    ROW("webhook.host", TEXT, webhook_host, false),
    ROW("webhook.certDir", TEXT, cert_dir, false),
    ROW("leaderElection.leaderElect", BOOL, elect, false),
    ROW("leaderElection.leaseDuration", DURATION, lease_ms, false),
    ROW("leaderElection.renewDeadline", DURATION, renew_ms, false),
    ROW("leaderElection.retryPeriod", DURATION, retry_ms, false),
    ROW("leaderElection.resourceName", TEXT, lease_name, false),
    ROW("leaderElection.resourceNamespace", TEXT, lease_ns, false),
    ROW("metrics.bindAddress", TEXT, metrics_address, false),
    ROW("metrics.secureServing", BOOL, metrics_secure, false),
    ROW("metrics.auth.enabled", BOOL, metrics_auth, true),
    ROW("health.healthProbeBindAddress", TEXT, health_address, false),
    ROW("health.readinessEndpointName", TEXT, readiness, true),
    ROW("health.livenessEndpointName", TEXT, liveness, true),
    ROW("controller.groupKindConcurrency", WORKERS, workers, true),
    ROW("certManagement.enable", BOOL, certs, false),
    ROW("certManagement.webhookServiceName", TEXT, settings.webhook_service, false),
    ROW("certManagement.webhookSecretName", TEXT, settings.webhook_secret, false),
    ROW("clientConnection.qps", NUMBER, client_qps, false),
    ROW("clientConnection.burst", INT, client_burst, false),
    ROW("statusServer.port", INT, settings.status_port, false),
    ROW("statusServer.qps", NUMBER, status_qps, false),
    ROW("statusServer.burst", INT, status_burst, false),
    ROW("featureGates.TrainJobStatus", BOOL, settings.status_gate, false),
    ROW("tls.minVersion", TEXT, tls_min, false),
    ROW("tls.cipherSuites", WORDS, ciphers, false),
    ROW("tls.nextProtos", WORDS, protos, false),
    ROW("plugins.enabledPlugins", WORDS, enabled, false),
    ROW("plugins.disabledPlugins", WORDS, disabled, false),
    ROW("runtimeProtection", PROTECTION, finalizer, true),
    ROW("failureSummary.enable", BOOL, failure_summary, false),
    { 0 },
};

const struct ty_config ty_config_default = {
    .webhook_port = 9443,
    .certs = true,
    .lease_ms = 15000,
    .renew_ms = 10000,
    .retry_ms = 2000,
    .lease_name = "trainer.kubeflow.org",
    .metrics_address = ":8443",
    .metrics_secure = true,
    .health_address = ":8081",
    .readiness = "readyz",
    .liveness = "healthz",
    .client_burst = 100,
    .status_qps = 5,
    .status_burst = 10,
};

/* ---- values ---- */

static void fill_workers(struct ty_arena *a, const struct ty_json *map, struct ty_config *c)
{
    struct ty_config_workers *list = ty_new_n(a, struct ty_config_workers, ty_json_len(map) + 1);
    c->workers = list;
    c->n_workers = ty_json_len(map);
    ty_each_member (m, map)
        *list++ =
            (struct ty_config_workers){ m->key,
                                        ty_json_is(m->value, TY_JSON_INT) ? (int)m->value->i : 1 };
}

static void fill_words(struct ty_arena *a, const struct ty_json *list, struct ty_strlist *ret)
{
    *ret = (struct ty_strlist){ 0 };
    ty_each_item (it, list) {
        struct ty_str s = ty_json_as_str(*it);
        if (!s.p)
            continue; /* not a string: the schema reports it */
        ty_strlist_add(a, ret, ty_arena_cstr(a, s));
    }
}

/* A number without a unit is still refused, by the schema (5) or here ("5"), with the right
 * spelling; other fields are compared with it as seconds, which is what was meant. */
static void bare_seconds(const struct ty_json *v, const char *path, int64_t seconds,
                         int64_t *ret_ms, struct ty_errs *errs)
{
    struct ty_field_err *e = errs->first;

    while (e && !(e->why == TY_TYPE_INVALID && strcmp(e->path, path) == 0))
        e = e->next;
    if (!e) {
        e = ty_errs_add(errs, TY_KEY(NULL, path), TY_INVALID, ty_json_text(errs->arena, v).p,
                        "a duration needs a unit");
        e->at = v;
    }
    e->hint = ty_arena_printf(errs->arena, "did you mean \"%llds\"?", (long long)seconds);
    if (seconds && seconds < INT64_MAX / 1000)
        *ret_ms = seconds * 1000;
}

static void fill_duration(const struct ty_json *v, const char *path, int64_t *ret_ms,
                          struct ty_errs *errs)
{
    int64_t ns = 0, seconds = 0;
    struct ty_str s = ty_json_as_str(v);
    bool bare = ty_json_is(v, TY_JSON_INT) ? (seconds = v->i) >= 0
                                           : ty_str_parse_i64(s, &seconds) && seconds > 0;

    if (bare) {
        bare_seconds(v, path, seconds, ret_ms, errs);
    } else if (ty_json_is(v, TY_JSON_STRING) && (!ty_time_parse_duration(s, &ns) || ns < 0)) {
        ty_errs_add(errs, TY_KEY(NULL, path), TY_INVALID, ty_json_text(errs->arena, v).p,
                    "a duration such as 15s or 1m30s was expected")
            ->at = v;
    } else if (ns) {
        *ret_ms = ns / 1000000;
    }
}

static double number_of(struct ty_arena *a, const struct ty_json *v)
{
    if (ty_json_is(v, TY_JSON_INT))
        return (double)v->i;
    return strtod(ty_arena_strndup(a, v->s, v->n), NULL);
}

/* Whether the value has the type of the row; if not, the schema has reported it. Durations check
 * themselves. */
static bool fits(enum ty_config_type type, const struct ty_json *v)
{
    static const enum ty_json_type types[] = {
        [TY_CONFIG_INT] = TY_JSON_INT,        [TY_CONFIG_BOOL] = TY_JSON_BOOL,
        [TY_CONFIG_TEXT] = TY_JSON_STRING,    [TY_CONFIG_WORDS] = TY_JSON_ARRAY,
        [TY_CONFIG_WORKERS] = TY_JSON_OBJECT, [TY_CONFIG_PROTECTION] = TY_JSON_STRING,
    };

    if (type == TY_CONFIG_NUMBER)
        return ty_json_is(v, TY_JSON_INT) || ty_json_is(v, TY_JSON_NUMBER);
    return type == TY_CONFIG_DURATION || ty_json_is(v, types[type]);
}

static void fill_row(struct ty_arena *a, const struct ty_config_row *row, const struct ty_json *v,
                     struct ty_config *c, struct ty_errs *errs)
{
    void *at = (char *)c + row->at;
    struct ty_str s = ty_json_as_str(v);
    switch (row->type) {
    case TY_CONFIG_INT:
        *(int *)at = (int)v->i;
        return;
    case TY_CONFIG_NUMBER:
        *(double *)at = number_of(a, v);
        return;
    case TY_CONFIG_BOOL:
        *(bool *)at = v->b;
        return;
    case TY_CONFIG_TEXT:
        if (s.n)
            *(const char **)at = ty_arena_cstr(a, s);
        return;
    case TY_CONFIG_DURATION:
        fill_duration(v, row->path, at, errs);
        return;
    case TY_CONFIG_WORDS:
        fill_words(a, v, at);
        return;
    case TY_CONFIG_WORKERS:
        fill_workers(a, v, c);
        return;
    case TY_CONFIG_PROTECTION:
        *(bool *)at = ty_str_is(s, "finalizer");
        return;
    }
}

void ty_config_decode(struct ty_arena *a, const struct ty_json *doc, struct ty_config *c,
                      struct ty_errs *errs)
{
    for (const struct ty_config_row *row = ty_config_rows; row->path; row++) {
        const struct ty_json *v = ty_json_at(doc, row->path);
        if (v && !ty_json_is(v, TY_JSON_NULL) && fits(row->type, v))
            fill_row(a, row, v, c, errs);
    }
    if (!ty_json_at(doc, "certManagement.enable"))
        c->certs = !c->cert_dir;
}
