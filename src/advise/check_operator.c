/* Checks that exactly one operator is installed, runs and leads. */
#include "advise/doctor.h"

#include <errno.h>

#include "base/time.h"
#include "store/kube/kube_kinds.h"

#define UPSTREAM "trainer-controller-manager" /* in the name of the released manager's image */
#define SLACK_S  5                            /* clock skew */

struct ty_str ty_check_operator_image(const struct ty_json *deployment)
{
    const struct ty_json *containers = ty_json_at(deployment, "spec.template.spec.containers");
    return ty_json_str_at(ty_json_item(containers, 0), "image");
}

bool ty_check_operator_is_upstream(struct ty_str image)
{
    return ty_str_contains(image, TY_LIT(UPSTREAM));
}

static bool is_manager(const struct ty_json *deployment)
{
    const struct ty_json *labels = ty_json_at(deployment, "metadata.labels");
    struct ty_str name = ty_json_as_str(ty_json_get(labels, "app.kubernetes.io/name"));
    struct ty_str component = ty_json_as_str(ty_json_get(labels, "app.kubernetes.io/component"));

    return ty_str_is(component, "manager") &&
           (ty_str_is(name, "trainer") || ty_str_is(name, "kubeflow-trainer") ||
            ty_str_is(name, "trainyard"));
}

/* By its name, else by its labels: a Helm release may use another name. */
const struct ty_cluster_object *ty_check_operator_find(const struct ty_doctor_in *in,
                                                       struct ty_arena *a)
{
    const struct ty_cluster_object *named = ty_cluster_snapshot_find(
        in->snapshot, &ty_kind_deployment, ty_str(in->ns), TY_LIT(TY_TRAINER));
    size_t at = 0;

    if (named && named->r != -ENOENT)
        return named;
    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(in->snapshot, &ty_kind_deployment, &at));)
        if (is_manager(ty_cluster_snapshot_parse(a, o)))
            return o;
    return named;
}

static void check_there(const struct ty_doctor_in *in, struct ty_check_results *ret,
                        const struct ty_cluster_object *o)
{
    const struct ty_json *d = ty_cluster_snapshot_parse(ret->arena, o);
    struct ty_str image = ty_check_operator_image(d);
    int64_t ready = 0, wanted = 1;
    struct ty_check_result *c;

    ty_json_int_at(d, "status.availableReplicas", &ready);
    ty_json_int_at(d, "spec.replicas", &wanted);
    if (ready < 1) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "operator",
                         "Deployment %.*s/%.*s is not available: 0 of %lld ready", TY_ARG(o->ns),
                         TY_ARG(o->name), (long long)wanted);
        ty_check_set_fix(ret, c, "kubectl -n %.*s describe deployment %.*s", TY_ARG(o->ns),
                         TY_ARG(o->name));
    } else if (ty_check_operator_is_upstream(image)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "operator",
                         "Kubeflow Trainer's own manager runs as %.*s/%.*s (%.*s), not this "
                         "operator",
                         TY_ARG(o->ns), TY_ARG(o->name), TY_ARG(image));
        ty_check_set_fix(ret, c, "trainyard adopt says what a switch would do");
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "operator",
                     "%lld of %lld operators ready in %.*s (%.*s)", (long long)ready,
                     (long long)wanted, TY_ARG(o->ns), TY_ARG(image));
    }
    if (!ty_str_is(o->ns, in->ns)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "operator", "it was looked for in %s", in->ns);
        ty_check_set_fix(ret, c, "trainyard doctor -n %.*s", TY_ARG(o->ns));
    }
}

static void check_deployment(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    const struct ty_cluster_object *o = ty_check_operator_find(in, ret->arena);
    struct ty_check_result *c;

    if (o && o->r == 0) {
        check_there(in, ret, o);
    } else if (o && o->r < 0 && o->r != -ENOENT) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "operator",
                         "Deployment %s/" TY_TRAINER " cannot be read: %s", in->ns, o->why);
        ty_check_set_fix(ret, c, "ask as a user who may get deployments");
    } else {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "operator",
                         "there is no Deployment %s/" TY_TRAINER ": nobody looks after TrainJobs",
                         in->ns);
        ty_check_set_fix(ret, c,
                         "trainyard install | kubectl apply --server-side -f - (or name its "
                         "namespace with -n)");
    }
}

/* A second operator, in any namespace, writes the same objects. */
static void check_alone(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    ty_auto_buf names = { 0 };
    size_t at = 0, n = 0;

    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(in->snapshot, &ty_kind_deployment, &at));) {
        const struct ty_json *d = ty_cluster_snapshot_parse(ret->arena, o);
        int64_t wanted = 1;
        ty_json_int_at(d, "spec.replicas", &wanted);
        if (!is_manager(d) || wanted == 0)
            continue;
        ty_buf_printf(&names, "%s%.*s/%.*s", n ? ", " : "", TY_ARG(o->ns), TY_ARG(o->name));
        n++;
    }
    if (n < 2)
        return;
    struct ty_check_result *c =
        ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "alone", "%zu managers of TrainJobs: %.*s", n,
                     TY_ARG(ty_buf_str(&names)));
    ty_check_set_fix(ret, c, "kubectl scale --replicas=0 all but one");
}

struct holders {
    size_t n; /* held leases */
    struct ty_buf names;
};

static void check_lease(const struct ty_doctor_in *in, struct ty_check_results *ret,
                        const struct ty_cluster_object *o, struct holders *h)
{
    const struct ty_json *lease = ty_cluster_snapshot_parse(ret->arena, o);
    struct ty_str holder = ty_json_str_at(lease, "spec.holderIdentity");
    int64_t renewed = 0, lasts = 15;
    struct ty_check_result *c;

    ty_json_int_at(lease, "spec.leaseDurationSeconds", &lasts);
    ty_time_parse(ty_json_str_at(lease, "spec.renewTime"), &renewed);
    if (holder.n && renewed + lasts + SLACK_S >= in->now_s) {
        ty_buf_printf(&h->names, "%s%.*s (namespace %.*s)", h->n++ ? ", " : "", TY_ARG(holder),
                      TY_ARG(o->ns));
        return;
    }
    if (!ty_str_is(o->ns, in->ns))
        return; /* left by an operator that was moved */
    c = holder.n ? ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "lease",
                                "Lease %.*s/" TY_TRAINER_LEASE " is stale: %.*s last renewed it "
                                "%lld s ago",
                                TY_ARG(o->ns), TY_ARG(holder), (long long)(in->now_s - renewed))
                 : ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "lease",
                                "nobody holds Lease %.*s/" TY_TRAINER_LEASE, TY_ARG(o->ns));
    ty_check_set_fix(ret, c, "no operator leads: kubectl -n %s logs deploy/" TY_TRAINER, in->ns);
}

static bool is_installed(const struct ty_doctor_in *in, struct ty_arena *a)
{
    const struct ty_cluster_object *o = ty_check_operator_find(in, a);

    return o && o->r == 0;
}

static void check_leases(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    const struct ty_cluster_object *t =
        ty_cluster_snapshot_list_error(in->snapshot, &ty_kind_lease);
    struct holders h = { 0 };
    size_t at = 0, found = 0;
    struct ty_check_result *c;

    if (t) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "lease", "leases cannot be listed: %s", t->why);
        ty_check_set_fix(ret, c, "ask as a user who may list leases");
        return;
    }
    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(in->snapshot, &ty_kind_lease, &at)); found++)
        check_lease(in, ret, o, &h);
    if (!found && is_installed(in, ret->arena)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "lease",
                         "there is no Lease " TY_TRAINER_LEASE
                         ": no operator has led yet, or leaderElection is off");
        ty_check_set_fix(ret, c, "kubectl -n %s logs deploy/" TY_TRAINER, in->ns);
    }
    if (h.n == 1)
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "lease", "%.*s leads", TY_ARG(ty_buf_str(&h.names)));
    if (h.n > 1) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "alone", "%zu managers lead at once: %.*s", h.n,
                         TY_ARG(ty_buf_str(&h.names)));
        ty_check_set_fix(ret, c, "stop all but one: two managers undo each other's writes");
    }
    ty_buf_done(&h.names);
}

void ty_check_operator(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    check_deployment(in, ret);
    check_alone(in, ret);
    check_leases(in, ret);
}
