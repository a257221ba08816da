/* Checks that the API server reaches the webhooks and trusts their certificate. */
#include "advise/doctor.h"

#include <errno.h>

#include "base/base64.h"
#include "net/certs.h"
#include "store/kube/kube_kinds.h"

#define DAY_S     ((int64_t)24 * 3600)
#define SOON_DAYS 30 /* the operator renews 90 days ahead: it has failed to */
#define REPAIR                                                                                     \
    "the operator puts it right by itself: look at its log (kubectl -n %.*s logs "                 \
    "deploy/" TY_TRAINER ")"

/* Applies missing objects and leaves the Deployment as it is. Not forced: changes of other managers
 * are reported as conflicts, and stay. */
static void fix_missing(const struct ty_doctor_in *in, struct ty_check_results *ret,
                        struct ty_check_result *c)
{
    const struct ty_cluster_object *o = ty_check_operator_find(in, ret->arena);
    bool there = o && o->r == 0;
    const struct ty_json *d = there ? ty_cluster_snapshot_parse(ret->arena, o) : NULL;
    struct ty_str ns = there ? o->ns : ty_str(in->ns), image = ty_check_operator_image(d);
    int64_t replicas = 0;

    if (ty_check_operator_is_upstream(image)) {
        ty_check_set_fix(ret, c, "apply Kubeflow Trainer's manifests again: its manager runs here");
        return;
    }
    ty_json_int_at(d, "spec.replicas", &replicas);
    const char *count =
        replicas > 0 ? ty_arena_printf(ret->arena, " --replicas %lld", (long long)replicas) : "";
    ty_check_set_fix(
        ret, c,
        "trainyard install -n %.*s --image %.*s%s --no-crds --no-runtimes | kubectl apply "
        "--server-side -f - (a conflict that it reports is a change of yours, which stays; "
        "a kubeflow-trainer-config that you applied yourself is reset: apply it again)",
        TY_ARG(ns), TY_ARG(image.n ? image : TY_LIT("IMAGE")), count);
}

/* ---- the configurations ---- */

static bool check_configuration(const struct ty_doctor_in *in, const struct ty_doctor_webhook *h,
                                struct ty_check_results *ret)
{
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, h->kind, TY_LIT(""), ty_str(h->name));
    const struct ty_json *obj = ty_cluster_snapshot_parse(ret->arena, o);
    struct ty_check_result *c;

    if (o && o->r < 0 && o->r != -ENOENT) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "webhooks", "%s %s cannot be read: %s",
                         h->kind->kind, h->name, o->why);
        ty_check_set_fix(ret, c, "ask as a user who may get %s", h->kind->plural);
        return false;
    }
    if (!obj || !ty_json_len(ty_json_get(obj, "webhooks"))) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "webhooks",
                         "%s %s is missing: TrainJobs are not checked and not defaulted",
                         h->kind->kind, h->name);
        fix_missing(in, ret, c);
        return false;
    }
    ty_each_item (it, ty_json_get(obj, "webhooks")) {
        if (ty_json_str_at(*it, "clientConfig.caBundle").n)
            continue;
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "webhooks",
                         "webhook %.*s has no caBundle: the API server does not believe it",
                         TY_ARG(ty_json_str_at(*it, "name")));
        ty_check_set_fix(ret, c, REPAIR, TY_ARG(ty_str(in->ns)));
        return false;
    }
    return true;
}

/* ---- the Service ---- */

static size_t ready_endpoints(const struct ty_doctor_in *in, struct ty_arena *a)
{
    size_t at = 0, n = 0;

    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(in->snapshot, &ty_kind_endpointslice, &at));)
        ty_each_item (it, ty_json_get(ty_cluster_snapshot_parse(a, o), "endpoints")) {
            const struct ty_json *ready = ty_json_at(*it, "conditions.ready");
            n += !ready || ty_json_true_at(*it, "conditions.ready"); /* unset means ready */
        }
    return n;
}

static void check_service(const struct ty_doctor_in *in, struct ty_check_results *ret,
                          struct ty_str ns, struct ty_str name)
{
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_service, ns, name);
    const struct ty_json *service = ty_cluster_snapshot_parse(ret->arena, o);
    struct ty_check_result *c = NULL;

    if (o && o->r < 0 && o->r != -ENOENT) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "endpoints",
                         "Service %.*s/%.*s cannot be read: %s", TY_ARG(ns), TY_ARG(name), o->why);
        ty_check_set_fix(ret, c, "ask as a user who may get services");
    } else if (!service) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "endpoints",
                         "the webhooks' Service %.*s/%.*s is missing", TY_ARG(ns), TY_ARG(name));
        fix_missing(in, ret, c);
    } else if (ty_str_is(ty_json_str_at(service, "spec.type"), "ExternalName")) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "endpoints", "the webhooks go to %.*s",
                     TY_ARG(ty_json_str_at(service, "spec.externalName")));
    } else if (ty_cluster_snapshot_list_error(in->snapshot, &ty_kind_endpointslice)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "endpoints", "endpoints cannot be listed: %s",
                         ty_cluster_snapshot_list_error(in->snapshot, &ty_kind_endpointslice)->why);
        ty_check_set_fix(ret, c, "ask as a user who may list endpointslices");
    } else if (!ready_endpoints(in, ret->arena)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "endpoints",
                         "Service %.*s/%.*s has no endpoints: no TrainJob can be created",
                         TY_ARG(ns), TY_ARG(name));
        ty_check_set_fix(ret, c,
                         "kubectl -n %.*s get pods -l app.kubernetes.io/name=trainer: "
                         "is an operator ready?",
                         TY_ARG(ns));
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "endpoints", "%zu operators answer the webhooks",
                     ready_endpoints(in, ret->arena));
    }
}

/* ---- the certificate ---- */

static void check_until(const struct ty_doctor_in *in, struct ty_check_results *ret,
                        struct ty_str cert, struct ty_str ns)
{
    struct ty_err err = { 0 };
    int64_t until = 0, days;
    struct ty_check_result *c;

    if (ty_certs_expiry(cert, &until, &err) < 0) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "certificate", "the webhooks' certificate: %s",
                         err.text);
        ty_check_set_fix(ret, c,
                         "kubectl -n %.*s delete secret " TY_TRAINER_SECRET
                         ": the operator makes a new one",
                         TY_ARG(ns));
        return;
    }
    days = (until - in->now_s) / DAY_S;
    if (until > in->now_s + SOON_DAYS * DAY_S) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "certificate",
                     "the webhooks' certificate is good for %lld days", (long long)days);
        return;
    }
    if (until > in->now_s)
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "certificate",
                         "the webhooks' certificate ends in %lld days, and nobody has renewed it",
                         (long long)days);
    else
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "certificate",
                         "the webhooks' certificate ended %lld days ago: no TrainJob can be "
                         "created",
                         (long long)-days);
    ty_check_set_fix(ret, c, REPAIR, TY_ARG(ns));
}

/* The first webhook whose caBundle does not verify the served certificate. */
static bool check_bundles(const struct ty_doctor_in *in, struct ty_check_results *ret,
                          const struct ty_pem *pem, struct ty_str ns, struct ty_str name)
{
    const char *host = ty_arena_printf(ret->arena, "%.*s.%.*s.svc", TY_ARG(name), TY_ARG(ns));

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *obj =
            ty_cluster_snapshot_get(ret->arena, in->snapshot, ty_doctor_webhooks[i].kind,
                                    TY_LIT(""), ty_str(ty_doctor_webhooks[i].name));
        ty_each_item (it, ty_json_get(obj, "webhooks")) {
            struct ty_err err = { 0 };
            struct ty_str ca =
                ty_base64_decode(ret->arena, ty_json_str_at(*it, "clientConfig.caBundle"));
            int64_t until = in->now_s, then = in->now_s;
            /* Its expiry has a line of its own. */
            if (ty_certs_expiry(pem->cert, &until, NULL) == 0 && until <= then)
                then = until - 1;
            if (ty_certs_check(pem, ca, host, then, &err) == 0)
                continue;
            struct ty_check_result *c =
                ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "certificate",
                             "webhook %.*s: its caBundle does not match the certificate in Secret "
                             "%.*s/" TY_TRAINER_SECRET ": %s",
                             TY_ARG(ty_json_str_at(*it, "name")), TY_ARG(ns), err.text);
            ty_check_set_fix(ret, c, REPAIR, TY_ARG(ns));
            return false;
        }
    }
    return true;
}

static void check_certificate(const struct ty_doctor_in *in, struct ty_check_results *ret,
                              struct ty_str ns, struct ty_str name)
{
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_secret, ns, TY_LIT(TY_TRAINER_SECRET));
    const struct ty_json *data = ty_json_get(ty_cluster_snapshot_parse(ret->arena, o), "data");
    struct ty_pem pem = {
        .cert = ty_base64_decode(ret->arena, ty_json_as_str(ty_json_get(data, "tls.crt"))),
        .key = ty_base64_decode(ret->arena, ty_json_as_str(ty_json_get(data, "tls.key"))),
    };

    if (o && o->r == 0 && pem.cert.n) {
        if (check_bundles(in, ret, &pem, ns, name))
            check_until(in, ret, pem.cert, ns);
        return;
    }
    struct ty_check_result *c = ty_check_add(
        ret, TY_CHECK_LEVEL_WARN, "certificate",
        "the webhooks' certificate was not looked into: Secret %.*s/" TY_TRAINER_SECRET " %s",
        TY_ARG(ns),
        o && o->r < 0 && o->r != -ENOENT ? "may not be read"
        : o && o->r == 0                 ? "is empty"
                                         : "is missing");
    ty_check_set_fix(ret, c,
                     "nothing, if the certificate comes from elsewhere (webhook.certDir); "
                     "else ask as a user who may get it, or start the operator");
}

void ty_check_webhooks(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    struct ty_str ns, name;
    bool good = true;

    for (size_t i = 0; i < 2; i++)
        good = check_configuration(in, &ty_doctor_webhooks[i], ret) && good;
    if (good)
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "webhooks", "both webhook configurations are there");
    if (!ty_doctor_webhook_service(ret->arena, in->snapshot, &ns, &name))
        return; /* by URL, or missing: reported above */
    check_service(in, ret, ns, name);
    check_certificate(in, ret, ns, name);
}
