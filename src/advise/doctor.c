/* Which objects the checks need, and the order of the checks. */
#include "advise/doctor.h"

#include <errno.h>

#include "store/kube/kube_kinds.h"

const struct ty_kind ty_kind_server = {
    .group = "", .version = "v1", .kind = "Version", .plural = "versions", .singular = "version"
};

const struct ty_doctor_webhook ty_doctor_webhooks[2] = {
    { &ty_kind_mutatingwebhook, "defaulter.trainer.kubeflow.org" },
    { &ty_kind_validatingwebhook, "validator.trainer.kubeflow.org" },
};

static ty_doctor_fn *const checks[] = { ty_check_server,   ty_check_crds,
                                        ty_check_jobset,   ty_check_webhooks,
                                        ty_check_operator, ty_check_failure_summary,
                                        ty_check_runtimes };

bool ty_doctor_webhook_service(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                               struct ty_str *ret_ns, struct ty_str *ret_name)
{
    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *hook = ty_cluster_snapshot_get(
            a, s, ty_doctor_webhooks[i].kind, TY_LIT(""), ty_str(ty_doctor_webhooks[i].name));
        const struct ty_json *first = ty_json_item(ty_json_get(hook, "webhooks"), 0);
        *ret_ns = ty_json_str_at(first, "clientConfig.service.namespace");
        *ret_name = ty_json_str_at(first, "clientConfig.service.name");
        if (ret_ns->n && ret_name->n)
            return true;
    }
    return false;
}

/* ---- queries ---- */

static size_t first_step(struct ty_arena *a, const struct ty_doctor_in *in,
                         struct ty_cluster_query **ret)
{
    struct ty_str ns = ty_str(in->ns);
    const struct ty_cluster_query wants[] = {
        { .kind = &ty_kind_server, .name = TY_LIT("version"), .path = "/version" },
        { .kind = &ty_kind_crd, .name = TY_LIT("trainjobs.trainer.kubeflow.org") },
        { .kind = &ty_kind_crd, .name = TY_LIT("trainingruntimes.trainer.kubeflow.org") },
        { .kind = &ty_kind_crd, .name = TY_LIT("clustertrainingruntimes.trainer.kubeflow.org") },
        { .kind = &ty_kind_crd, .name = TY_LIT("jobsets.jobset.x-k8s.io") },
        { .kind = &ty_kind_crd, .name = TY_LIT("podgroups.scheduling.x-k8s.io") },
        { .kind = &ty_kind_crd, .name = TY_LIT("podgroups.scheduling.volcano.sh") },
        { .kind = ty_doctor_webhooks[0].kind, .name = ty_str(ty_doctor_webhooks[0].name) },
        { .kind = ty_doctor_webhooks[1].kind, .name = ty_str(ty_doctor_webhooks[1].name) },
        { .kind = &ty_kind_deployment, .ns = ns, .name = TY_LIT(TY_TRAINER) },
        { .kind = &ty_kind_deployment, .labels = TY_TRAINER_LABEL },
        { .kind = &ty_kind_deployment, .labels = TY_JOBSET_LABEL },
        { .kind = &ty_kind_deployment, .labels = "app.kubernetes.io/name=jobset" },
        { .kind = &ty_kind_configmap, .ns = ns, .name = TY_LIT(TY_TRAINER_CONFIG) },
        { .kind = &ty_kind_lease, .fields = "metadata.name=" TY_TRAINER_LEASE },
        { .kind = &ty_kind_clustertrainingruntime },
        { .kind = &ty_kind_trainingruntime },
    };
    size_t n = TY_COUNT(wants);

    *ret = ty_new_n(a, struct ty_cluster_query, n);
    memcpy(*ret, wants, sizeof(wants));
    return n;
}

/* The objects that the webhook configurations refer to. */
static size_t second_step(struct ty_arena *a, const struct ty_doctor_in *in,
                          struct ty_cluster_query **ret)
{
    struct ty_str ns, name, summary = TY_LIT(TY_TRAINER_SUMMARY);
    size_t n = 3;

    *ret = ty_new_n(a, struct ty_cluster_query, 5);
    if (ty_check_failure_summary_enabled(a, in)) {
        (*ret)[3] = (struct ty_cluster_query){ .kind = &ty_kind_clusterrole, .name = summary };
        (*ret)[4] =
            (struct ty_cluster_query){ .kind = &ty_kind_clusterrolebinding, .name = summary };
        n = 5;
    }
    if (!ty_doctor_webhook_service(a, in->snapshot, &ns, &name)) {
        memmove(*ret, *ret + 3, 2 * sizeof(**ret));
        return n - 3;
    }
    (*ret)[0] = (struct ty_cluster_query){ .kind = &ty_kind_service, .ns = ns, .name = name };
    (*ret)[1] = (struct ty_cluster_query){
        .kind = &ty_kind_endpointslice,
        .ns = ns,
        .labels = ty_arena_printf(a, "kubernetes.io/service-name=%.*s", TY_ARG(name)),
    };
    (*ret)[2] = (struct ty_cluster_query){ .kind = &ty_kind_secret,
                                           .ns = ns,
                                           .name = TY_LIT(TY_TRAINER_SECRET) };
    return n;
}

size_t ty_doctor_queries(struct ty_arena *a, const struct ty_doctor_in *in, int step,
                         struct ty_cluster_query **ret)
{
    return step == 0 ? first_step(a, in, ret) : second_step(a, in, ret);
}

/* ---- all checks ---- */

void ty_doctor_check(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_server, TY_LIT(""), TY_LIT("version"));

    if (!o || o->r == -EAGAIN) {
        struct ty_check_result *c =
            ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "server", "%s does not answer: %s", in->server,
                         o ? o->why : "nobody asked");
        ty_check_set_fix(ret, c, "look at the kubeconfig's server and whether it can be reached");
        return;
    }
    for (size_t i = 0; i < TY_COUNT(checks); i++)
        checks[i](in, ret);
}
