/* Checks the values of a configuration with correct types: v2.3.0's checks in its order, then
 * ours. */
#include "base/time.h"
#include "config/config_inner.h"
#include "net/bind_address.h"
#include "json/json_locate.h"

struct config_checker {
    const struct ty_json *doc;
    struct ty_errs *errs;
};

static void add_error(const struct config_checker *c, const struct ty_field_path *path,
                      const char *value, const char *detail)
{
    struct ty_field_err *e = ty_errs_add(c->errs, path, TY_INVALID, value, "%s", detail);
    e->at = ty_json_locate(c->doc, e->path);
}

static const char *as_int(const struct config_checker *c, int64_t v)
{
    return ty_arena_printf(c->errs->arena, "%lld", (long long)v);
}

static void check_port(const struct config_checker *c, const char *section, int port)
{
    if (port < 1 || port > 65535)
        add_error(c, TY_KEY(TY_KEY(NULL, section), "port"), as_int(c, port),
                  "must be between 1 and 65535");
}

static void check_rate(const struct config_checker *c, const char *section, double qps, int burst)
{
    if (qps < 0)
        add_error(c, TY_KEY(TY_KEY(NULL, section), "qps"),
                  ty_arena_printf(c->errs->arena, "%g", qps), "must be greater than or equal to 0");
    if (burst < 0)
        add_error(c, TY_KEY(TY_KEY(NULL, section), "burst"), as_int(c, burst),
                  "must be greater than or equal to 0");
}

static void check_workers(const struct config_checker *c, const struct ty_config *config)
{
    for (size_t i = 0; i < config->n_workers; i++)
        if (config->workers[i].n < 1)
            add_error(c,
                      TY_MAPKEY(TY_KEY(TY_KEY(NULL, "controller"), "groupKindConcurrency"),
                                config->workers[i].kind),
                      as_int(c, config->workers[i].n), "must be greater than 0");
}

static const char *as_seconds(const struct config_checker *c, int64_t ms)
{
    return ty_arena_printf(c->errs->arena, "%gs", (double)ms / 1000);
}

/* One of the durations is invalid and already reported: its default is compared with nothing. */
static bool durations_are_odd(const struct ty_json *doc)
{
    static const char *const paths[] = { "leaderElection.leaseDuration",
                                         "leaderElection.renewDeadline",
                                         "leaderElection.retryPeriod" };
    int64_t n = 0;

    for (size_t i = 0; i < 3; i++) {
        struct ty_str s = ty_json_str_at(doc, paths[i]);
        if (s.n && !ty_time_parse_duration(s, &n) && !ty_str_parse_i64(s, &n))
            return true;
    }
    return false;
}

/* The checks of client-go's leader election, with which v2.3.0 fails at its start. */
static void check_election(const struct config_checker *c, const struct ty_config *config)
{
    const struct ty_field_path *at = TY_KEY(NULL, "leaderElection");
    struct ty_str lock = ty_json_str_at(c->doc, "leaderElection.resourceLock");
    if (!config->elect)
        return;
    if (lock.n && !ty_str_is(lock, "leases"))
        add_error(c, TY_KEY(at, "resourceLock"),
                  ty_json_text(c->errs->arena, ty_json_at(c->doc, "leaderElection.resourceLock")).p,
                  "must be leases");
    if (durations_are_odd(c->doc))
        return;
    if (config->lease_ms < 1000)
        add_error(c, TY_KEY(at, "leaseDuration"), as_seconds(c, config->lease_ms),
                  "must be at least 1s");
    if (config->lease_ms <= config->renew_ms)
        add_error(c, TY_KEY(at, "leaseDuration"), as_seconds(c, config->lease_ms),
                  "leaseDuration must be greater than renewDeadline");
    if (config->renew_ms * 10 <= config->retry_ms * 12)
        add_error(c, TY_KEY(at, "renewDeadline"), as_seconds(c, config->renew_ms),
                  "renewDeadline must be greater than retryPeriod*JitterFactor (1.2)");
}

static void check_address(const struct config_checker *c, const char *section, const char *key,
                          const char *text)
{
    const char *host = NULL;
    int port = 0;
    const char *detail = ty_bind_address_parse(c->errs->arena, text, &host, &port);

    if (detail)
        add_error(c, TY_KEY(TY_KEY(NULL, section), key),
                  ty_arena_printf(c->errs->arena, "\"%s\"", text), detail);
}

static void check_ours(const struct config_checker *c, const struct ty_config *config)
{
    const struct ty_json *word = ty_json_get(c->doc, "runtimeProtection");
    struct ty_str s = ty_json_as_str(word);
    if (s.n && !ty_str_is(s, "finalizer") && !ty_str_is(s, "snapshot"))
        add_error(c, TY_KEY(NULL, "runtimeProtection"), ty_json_text(c->errs->arena, word).p,
                  "must be snapshot or finalizer");
    if (config->certs && config->cert_dir)
        add_error(c, TY_KEY(TY_KEY(NULL, "webhook"), "certDir"), config->cert_dir,
                  "cannot be used while certManagement.enable is true: the certificates are either "
                  "yours or the operator's");
}

void ty_config_validate(const struct ty_config *config, const struct ty_json *doc,
                        struct ty_errs *errs)
{
    struct config_checker c = { doc, errs };
    check_port(&c, "webhook", config->webhook_port);
    check_rate(&c, "clientConnection", config->client_qps, config->client_burst);
    check_workers(&c, config);
    check_port(&c, "statusServer", config->settings.status_port);
    check_rate(&c, "statusServer", config->status_qps, config->status_burst);
    check_election(&c, config);
    check_address(&c, "metrics", "bindAddress", config->metrics_address);
    check_address(&c, "health", "healthProbeBindAddress", config->health_address);
    check_ours(&c, config);
}
