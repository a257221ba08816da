/* Feature gate TrainJobStatus: gives every container of the trainer the URL for its progress
 * reports, a token for that URL and the CA certificate. */
#include <errno.h>

#include "base/base64.h"
#include "trainer/child.h"
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

#define VOLUME "kubeflow-trainer-token"
#define MOUNT  "/var/run/secrets/kubeflow/trainer"

static bool trainjobstatus_applies(const struct ty_plan *plan)
{
    return plan->settings->status_gate;
}

/* The token's audience; the path of the URL is the same under /apis. */
static const char *token_audience(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_trainjob_audience(a, job->ns, job->name);
}

static const char *ca_name(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_child_name(a, TY_CHILD_STATUS_CA, job->name);
}

static struct ty_json *token_volume(struct ty_arena *a, const struct ty_trainjob *job)
{
    struct ty_json *token = ty_json_object(a), *ca = ty_json_object(a);
    struct ty_json *source = ty_json_object(a), *projected = ty_json_object(a);
    struct ty_json *sources = ty_json_ensure_array(a, projected, "sources");

    ty_json_set(a, token, "audience", ty_json_cstr(a, token_audience(a, job)));
    ty_json_set(a, token, "expirationSeconds", ty_json_int(a, 3600));
    ty_json_set(a, token, "path", ty_json_cstr(a, "token"));
    ty_json_set(a, source, "serviceAccountToken", token);
    ty_json_push(a, sources, source);

    ty_json_set(a, ca, "name", ty_json_cstr(a, ca_name(a, job)));
    ty_json_push(a, ty_json_ensure_array(a, ca, "items"), ty_ml_item(a, "ca.crt", "ca.crt", -1));
    source = ty_json_object(a);
    ty_json_set(a, source, "configMap", ca);
    ty_json_push(a, sources, source);
    return ty_ml_volume(a, VOLUME, "projected", projected);
}

static int trainjobstatus_enforce_pod(struct ty_plan *plan, const struct ty_trainjob *job,
                                      struct ty_err *err)
{
    const struct ty_settings *s = plan->settings;

    if (s->status_port <= 0)
        return ty_fail(err, -EINVAL, "missing status server port");
    if (!plan->trainer)
        return 0;
    ty_each_item (it, ty_json_get(plan->trainer->pod, "containers")) {
        ty_plan_env(plan, *it, "KUBEFLOW_TRAINER_SERVER_URL", "https://%s.%s.svc:%d/apis/%s",
                    s->webhook_service, s->operator_ns, s->status_port,
                    token_audience(plan->arena, job));
        ty_plan_env(plan, *it, "KUBEFLOW_TRAINER_SERVER_CA_CERT", "%s", MOUNT "/ca.crt");
        ty_plan_env(plan, *it, "KUBEFLOW_TRAINER_SERVER_TOKEN", "%s", MOUNT "/token");
        ty_plan_mount(plan, *it, VOLUME, MOUNT, true);
    }
    ty_plan_volume(plan, plan->trainer, token_volume(plan->arena, job));
    return 0;
}

/* The bytes of a Secret's value; false if it is absent, empty or not base64. */
static bool secret_value(struct ty_arena *a, const struct ty_json *secret, const char *key,
                         struct ty_str *ret_v)
{
    struct ty_str text = ty_json_as_str(ty_json_get(ty_json_get(secret, "data"), key));

    *ret_v = ty_base64_decode(a, text);
    return ret_v->n > 0;
}

static int trainjobstatus_build(struct ty_plan *plan, const struct ty_trainjob *job,
                                struct ty_err *err)
{
    const struct ty_settings *s = plan->settings;
    struct ty_arena *a = plan->arena;
    const struct ty_json *secret =
        ty_plan_live_object(plan, &ty_kind_secret, ty_str(s->operator_ns), s->webhook_secret);
    struct ty_str ca;

    if (!secret)
        return ty_fail(err, -ENOENT,
                       "failed to look up status server tls secret: Secret \"%s\" not found",
                       s->webhook_secret);
    if (!secret_value(a, secret, "ca.crt", &ca))
        return ty_fail(err, -EINVAL, "failed to find status server ca.crt in tls secret");
    struct ty_json *cm = ty_plan_child(plan, job, &ty_kind_configmap, ca_name(a, job));
    ty_json_set(a, ty_json_ensure_object(a, cm, "data"), "ca.crt", ty_json_str(a, ca));
    ty_json_set_origin(cm, plan->origin);
    return 0;
}

const struct ty_plugin ty_plugin_trainjobstatus = {
    .name = "TrainJobStatus",
    .about = "address, token and CA for progress reports (feature gate TrainJobStatus)",
    .applies = trainjobstatus_applies,
    .enforce_pod = trainjobstatus_enforce_pod,
    .build = trainjobstatus_build,
};
