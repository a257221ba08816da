/* Encodes and decodes ExecCredential for exec plugins. */
#include "store/kube/kube_exec.h"

#include <errno.h>

#include "base/base64.h"
#include "base/time.h"
#include "store/kube/kubeconfig_inner.h"
#include "json/json.h"

static struct ty_json *cluster_info(struct ty_arena *a, const struct ty_kubeconfig *c)
{
    struct ty_json *v = ty_json_object(a);
    struct ty_str ca = c->ca.data;
    ty_json_set(a, v, "server", ty_json_cstr(a, c->server));
    if (c->tls_name)
        ty_json_set(a, v, "tls-server-name", ty_json_cstr(a, c->tls_name));
    if (c->insecure)
        ty_json_set(a, v, "insecure-skip-tls-verify", ty_json_bool(a, true));
    if (c->proxy && c->proxy[0])
        ty_json_set(a, v, "proxy-url", ty_json_cstr(a, c->proxy));
    if (c->ca.file && ty_kubeconfig_read_file(a, c->ca.file, &ca, NULL) < 0)
        ca.n = 0; /* the plugin works without it, or reports an error */
    if (ca.n)
        ty_json_set(a, v, "certificate-authority-data", ty_json_str(a, ty_base64_encode(a, ca)));
    if (c->exec_config.n)
        ty_json_set(a, v, "config", ty_json_parse(a, c->exec_config, NULL, NULL));
    return v;
}

struct ty_str ty_kube_exec_info(struct ty_arena *a, const struct ty_kubeconfig *config,
                                bool interactive)
{
    struct ty_json *v = ty_json_object(a), *spec = ty_json_object(a);
    ty_json_set(a, v, "kind", ty_json_cstr(a, "ExecCredential"));
    ty_json_set(a, v, "apiVersion", ty_json_cstr(a, config->exec->api_version));
    ty_json_set(a, v, "spec", spec);
    if (config->exec->cluster_info)
        ty_json_set(a, spec, "cluster", cluster_info(a, config));
    ty_json_set(a, spec, "interactive", ty_json_bool(a, interactive));
    return ty_json_text(a, v);
}

static int check_exec_credential(const struct ty_kube_exec *exec, const struct ty_json *v,
                                 struct ty_err *err)
{
    struct ty_str version = ty_json_str_at(v, "apiVersion");
    if (!ty_str_is(ty_json_str_at(v, "kind"), "ExecCredential"))
        return ty_fail(err, -EPROTO, "it did not print an ExecCredential");
    if (!ty_str_is(version, exec->api_version))
        return ty_fail(err, -EPROTO, "it printed apiVersion %.*s, kubeconfig says %s",
                       TY_ARG(version), exec->api_version);
    if (!ty_json_is(ty_json_get(v, "status"), TY_JSON_OBJECT))
        return ty_fail(err, -EPROTO, "its ExecCredential has no status");
    return 0;
}

int ty_kube_cred_parse(struct ty_arena *a, const struct ty_kube_exec *exec, struct ty_str said,
                       struct ty_kube_cred *ret, struct ty_err *err)
{
    struct ty_kube_cred c = { .expires_s = INT64_MAX };
    struct ty_json *v = ty_json_parse(a, said, NULL, err);
    if (!v)
        return ty_wrap(err, "it did not print JSON");
    int r = check_exec_credential(exec, v, err);
    if (r < 0)
        return r;
    struct ty_str token = ty_json_str_at(v, "status.token");
    struct ty_str until = ty_json_str_at(v, "status.expirationTimestamp");
    c.cert = ty_json_str_at(v, "status.clientCertificateData");
    c.key = ty_json_str_at(v, "status.clientKeyData");
    if (token.n)
        c.token = ty_arena_cstr(a, token);
    if ((c.cert.n > 0) != (c.key.n > 0))
        return ty_fail(err, -EPROTO, "it gave only one of clientCertificateData, clientKeyData");
    if (!c.token && !c.cert.n)
        return ty_fail(err, -EPROTO, "it gave neither a token nor a client certificate");
    if (until.n && !ty_time_parse(until, &c.expires_s))
        return ty_fail(err, -EPROTO, "its expirationTimestamp is not a time: %.*s", TY_ARG(until));
    *ret = c;
    return 0;
}
