/* Turns the objects of an installation into a list to delete, and evaluates what was read from the
 * cluster. */
#include "cli/install/uninstall.h"
#include <errno.h>

#include "advise/doctor.h"
#include "cli/install/catalog.h"
#include "cli/install/install.h"
#include "store/kube/kube_kinds.h"

#define FINALIZER "trainer.kubeflow.org/resource-in-use"

/* Webhook configurations first: with failurePolicy Fail and no server behind them, no TrainJob
 * could be written. The Deployment and its RBAC come before the Lease and the Secret, which
 * terminating pods would otherwise create again. CRDs last: their deletion waits for their
 * objects. */
static const char *const order[] = {
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "Deployment",
    "ClusterRoleBinding",
    "RoleBinding",
    "ClusterRole",
    "Role",
    "ServiceAccount",
    "ServiceMonitor",
    "PodDisruptionBudget",
    "NetworkPolicy",
    "Service",
    "ConfigMap",
    "Lease",
    "Secret",
    "ClusterTrainingRuntime",
    "CustomResourceDefinition",
};

/* The fields that kubectl delete reads. */
static struct ty_json *object_reference(struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_json *ref = ty_json_object(a);
    struct ty_str ns = ty_json_str_at(obj, "metadata.namespace");

    ty_json_set(a, ref, "apiVersion", ty_json_str(a, ty_json_str_at(obj, "apiVersion")));
    ty_json_set(a, ref, "kind", ty_json_str(a, ty_json_str_at(obj, "kind")));
    struct ty_json *meta = ty_json_ensure_object(a, ref, "metadata");
    ty_json_set(a, meta, "name", ty_json_str(a, ty_json_str_at(obj, "metadata.name")));
    if (ns.n)
        ty_json_set(a, meta, "namespace", ty_json_str(a, ns));
    return ref;
}

/* The Lease: the operator creates it, no manifest contains it. */
static struct ty_json *lease_object(struct ty_arena *a, const char *ns)
{
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_ensure_object(a, obj, "metadata");

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, "coordination.k8s.io/v1"));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "Lease"));
    ty_json_set(a, meta, "name", ty_json_cstr(a, TY_TRAINER_LEASE));
    ty_json_set(a, meta, "namespace", ty_json_cstr(a, ns));
    return obj;
}

struct ty_json *ty_uninstall_list(struct ty_arena *a, const struct ty_uninstall *s)
{
    struct ty_install in = {
        .ns = s->ns,
        .image = "trainyard",
        .version = TY_VERSION,
        .replicas = 1,
        .crds = s->crds,
        .no_user_roles = !s->crds, /* users need the roles to delete their remaining TrainJobs */
        .monitor = s->monitor,
        .failure_summary = s->failure_summary
    };
    struct ty_json *list = ty_json_array(a);

    for (size_t i = 0; (s->runtimes || s->crds) && ty_catalog_files[i].name; i++)
        ty_strlist_add(a, &in.runtimes, ty_catalog_files[i].name);
    struct ty_json *all = ty_install_list(a, &in);
    ty_json_push(a, all, lease_object(a, s->ns));
    for (size_t i = 0; i < TY_COUNT(order); i++) {
        if (s->crds && strcmp(order[i], ty_kind_clustertrainingruntime.kind) == 0)
            continue; /* deleted with their CRD; kubectl would refuse a kind that is not served */
        ty_each_item (it, all)
            if (ty_str_is(ty_json_str_at(*it, "kind"), order[i]))
                ty_json_push(a, list, object_reference(a, *it));
    }
    return list;
}

/* ---- the cluster ---- */

size_t ty_uninstall_wants(struct ty_arena *a, struct ty_cluster_query **ret)
{
    const struct ty_cluster_query wants[] = {
        { .kind = ty_doctor_webhooks[0].kind, .name = ty_str(ty_doctor_webhooks[0].name) },
        { .kind = ty_doctor_webhooks[1].kind, .name = ty_str(ty_doctor_webhooks[1].name) },
        { .kind = &ty_kind_deployment, .fields = "metadata.name=" TY_TRAINER },
        { .kind = &ty_kind_lease, .fields = "metadata.name=" TY_TRAINER_LEASE, .meta = true },
        { .kind = &ty_kind_trainjob, .meta = true },
        { .kind = &ty_kind_trainingruntime, .meta = true },
        { .kind = &ty_kind_clustertrainingruntime, .meta = true },
    };

    *ret = ty_arena_alloc(a, sizeof(wants), _Alignof(struct ty_cluster_query));
    memcpy(*ret, wants, sizeof(wants));
    return TY_COUNT(wants);
}

static const char *text_of(struct ty_arena *a, struct ty_str s)
{
    return s.n ? ty_arena_cstr(a, s) : NULL;
}

/* A kind that is not served has no objects: no error. */
static const char *find_unread(struct ty_arena *a, const struct ty_cluster_snapshot *snapshot)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_trainjob, &ty_kind_trainingruntime,
                                                   &ty_kind_clustertrainingruntime };

    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        const struct ty_cluster_object *trouble =
            ty_cluster_snapshot_list_error(snapshot, kinds[i]);
        if (trouble && trouble->r != -ENOENT)
            return ty_arena_strdup(a, trouble->why);
    }
    return NULL;
}

/* After an interrupted removal the webhooks are gone, as they come first; the Lease comes late. */
static void find_spaces(struct ty_arena *a, struct ty_cluster_snapshot *snapshot,
                        struct ty_strlist *ret)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_deployment, &ty_kind_lease };

    for (size_t i = 0; i < 2 && !ret->n; i++) {
        size_t at = 0;
        for (const struct ty_cluster_object *o;
             (o = ty_cluster_snapshot_next(snapshot, kinds[i], &at));)
            ty_strlist_add(a, ret, ty_arena_cstr(a, o->ns));
    }
}

static const char *find_upstream(struct ty_arena *a, struct ty_cluster_snapshot *snapshot)
{
    size_t at = 0;

    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(snapshot, &ty_kind_deployment, &at));) {
        struct ty_str image = ty_check_operator_image(ty_cluster_snapshot_parse(a, o));
        if (ty_check_operator_is_upstream(image))
            return ty_arena_printf(a, "%.*s/%.*s (%.*s)", TY_ARG(o->ns), TY_ARG(o->name),
                                   TY_ARG(image));
    }
    return NULL;
}

static void count_jobs(struct ty_cluster_snapshot *snapshot, struct ty_uninstall_facts *ret)
{
    struct ty_str last = { 0 };
    size_t at = 0;

    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(snapshot, &ty_kind_trainjob, &at));) {
        ret->job_spaces += !ret->jobs || !ty_str_eq(o->ns, last); /* sorted by namespace */
        ret->jobs++;
        last = o->ns;
    }
}

static void add_held(struct ty_arena *a, const struct ty_cluster_object *o, const char *cluster,
                     struct ty_strlist *ret)
{
    const struct ty_json *list = ty_json_at(ty_cluster_snapshot_parse(a, o), "metadata.finalizers");
    const char *in = o->ns.n ? ty_arena_printf(a, " -n %.*s", TY_ARG(o->ns)) : "";
    size_t i = 0;

    ty_each_item (it, list) {
        if (ty_str_is(ty_json_as_str(*it), FINALIZER))
            ty_strlist_add(
                a, ret,
                ty_arena_printf(a,
                                "kubectl%s patch %s %.*s%s --type=json -p='[{\"op\":\"test\","
                                "\"path\":\"/metadata/finalizers/%zu\",\"value\":\"%s\"},"
                                "{\"op\":\"remove\",\"path\":\"/metadata/finalizers/%zu\"}"
                                "]'",
                                cluster ? cluster : "", o->kind->singular, TY_ARG(o->name), in, i,
                                FINALIZER, i));
        i++;
    }
}

static bool in_catalog(struct ty_str name)
{
    for (const struct ty_embedded *e = ty_catalog_files; e->name; e++)
        if (ty_str_is(name, e->name))
            return true;
    return false;
}

static void find_held(struct ty_arena *a, struct ty_cluster_snapshot *snapshot,
                      const struct ty_uninstall *s, struct ty_strlist *ret)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_clustertrainingruntime,
                                                   &ty_kind_trainingruntime };

    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        for (const struct ty_cluster_object *o;
             (o = ty_cluster_snapshot_next(snapshot, kinds[i], &at));)
            if (s->crds || (s->runtimes && i == 0 && in_catalog(o->name)))
                add_held(a, o, s->at, ret);
    }
}

void ty_uninstall_inspect(struct ty_arena *a, struct ty_cluster_snapshot *snapshot,
                          const struct ty_uninstall *s, struct ty_uninstall_facts *ret)
{
    struct ty_str ns, name;

    *ret = (struct ty_uninstall_facts){ 0 };
    ret->unread = find_unread(a, snapshot);
    count_jobs(snapshot, ret);
    find_spaces(a, snapshot, &ret->spaces);
    ret->upstream = find_upstream(a, snapshot);
    find_held(a, snapshot, s, &ret->held);
    if (ty_doctor_webhook_service(a, snapshot, &ns, &name))
        ret->hook_ns = text_of(a, ns);
    for (size_t i = 0; i < 2 && !ret->release; i++) {
        const struct ty_json *hook =
            ty_cluster_snapshot_get(a, snapshot, ty_doctor_webhooks[i].kind, TY_LIT(""),
                                    ty_str(ty_doctor_webhooks[i].name));
        const struct ty_json *notes = ty_json_at(hook, "metadata.annotations");
        ret->release = text_of(a, ty_json_as_str(ty_json_get(notes, "meta.helm.sh/release-name")));
        ret->rel_ns =
            text_of(a, ty_json_as_str(ty_json_get(notes, "meta.helm.sh/release-namespace")));
    }
}
