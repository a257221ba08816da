/* Checks that the CRDs exist and have every field of this program: the API server silently drops
 * fields that a CRD does not have. */
#include "advise/doctor.h"

#include <errno.h>

#include "api/crd.h"
#include "base/strlist.h"
#include "store/kube/kube_kinds.h"

#define APPLY_CRDS "trainyard crds | kubectl apply --server-side --force-conflicts -f -"
#define JOBSET     "0.12"

/* The schema of this version of a CRD, if it is served; else NULL. */
static const struct ty_json *served_schema(const struct ty_json *crd, const char *version)
{
    const struct ty_json *v =
        ty_json_find_item(ty_json_at(crd, "spec.versions"), "name", ty_str(version), NULL);

    return ty_json_true_at(v, "served") ? ty_json_at(v, "schema.openAPIV3Schema") : NULL;
}

/* Fields of our CRDs that v2.3.0's lack, besides ML policies (tests/doctor compares them with the
 * released ones). */
static const char *const additions[] = {
    "spec.ttlSecondsAfterFinished",
    "spec.podTemplateOverrides",
    "spec.podSpecOverrides",
    "spec.labels",
    "spec.annotations",
    "spec.mlPolicy.torch.numProcPerNode",
    "spec.mlPolicy.torch.elasticPolicy",
};

static bool is_policy_of_ours(struct ty_str path)
{
    const struct ty_str head = TY_LIT("spec.mlPolicy.");

    if (!ty_str_starts(path, head))
        return false;
    struct ty_str name = { path.p + head.n, path.n - head.n };
    const struct ty_field *f = ty_schema_field(&ty_schema_MLPolicy, name);
    return f && ty_schema_is_policy(f) && (f->flags & TY_F_OURS);
}

static bool is_addition(const char *path)
{
    if (is_policy_of_ours(ty_str(path)))
        return true;
    for (size_t i = 0; i < TY_COUNT(additions); i++)
        if (strcmp(path, additions[i]) == 0)
            return true;
    return false;
}

struct lack {
    struct ty_arena *a;
    bool released; /* ignore fields that v2.3.0's lack, too */
};

static const char *missing_property(const struct lack *l, const struct ty_json *ours,
                                    const struct ty_json *theirs, const struct ty_field_path *at);

static const char *missing_member(const struct lack *l, const struct ty_json *ours,
                                  const struct ty_json *theirs, const struct ty_field_path *at)
{
    const struct ty_json *have = ty_json_get(theirs, "properties");

    if (ty_json_true_at(theirs, "x-kubernetes-preserve-unknown-fields"))
        return NULL;
    ty_each_member (m, ty_json_get(ours, "properties")) {
        const struct ty_json *inner = ty_json_find(have, m->key);
        const struct ty_field_path *here = TY_KEYS(at, m->key);
        const char *path =
            inner ? missing_property(l, m->value, inner, here) : ty_errs_path_text(l->a, here);
        if (path && !(l->released && is_addition(path)))
            return path;
    }
    return NULL;
}

/* Descends into items of lists and maps, which are not part of the path. */
static const char *missing_property(const struct lack *l, const struct ty_json *ours,
                                    const struct ty_json *theirs, const struct ty_field_path *at)
{
    static const char *const inside[] = { "items", "additionalProperties" };
    const char *path = missing_member(l, ours, theirs, at);

    for (size_t i = 0; !path && i < 2; i++) {
        const struct ty_json *o = ty_json_get(ours, inside[i]), *t = ty_json_get(theirs, inside[i]);
        if (ty_json_is(o, TY_JSON_OBJECT) && ty_json_is(t, TY_JSON_OBJECT))
            path = missing_property(l, o, t, at);
    }
    return path;
}

static const struct ty_cluster_object *find_crd(const struct ty_doctor_in *in, struct ty_arena *a,
                                                const struct ty_kind *kind)
{
    const char *name = ty_arena_printf(a, "%s.%s", kind->plural, kind->group);

    return ty_cluster_snapshot_find(in->snapshot, &ty_kind_crd, TY_LIT(""), ty_str(name));
}

/* True: it exists, as far as can be known; else the result is added. */
static bool crd_there(const struct ty_doctor_in *in, struct ty_check_results *ret,
                      const char *check, const struct ty_kind *kind, const char *fix)
{
    const struct ty_cluster_object *o = find_crd(in, ret->arena, kind);
    struct ty_check_result *c = NULL;

    if (o && o->r < 0 && o->r != -ENOENT)
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, check, "the CRD of %s cannot be read: %s",
                         kind->plural, o->why);
    else if (!o || o->r < 0)
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, check, "the CRD %s.%s is missing", kind->plural,
                         kind->group);
    else if (!served_schema(ty_cluster_snapshot_parse(ret->arena, o), kind->version))
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, check, "the CRD %s.%s does not serve %s",
                         kind->plural, kind->group, kind->version);
    if (c)
        ty_check_set_fix(ret, c, "%s",
                         c->level == TY_CHECK_LEVEL_WARN ? "ask as a user who may get "
                                                           "customresourcedefinitions"
                                                         : fix);
    return !c;
}

static const char *crd_missing_property(const struct ty_doctor_in *in, struct ty_arena *a,
                                        const struct ty_kind *kind, bool released)
{
    const struct ty_json *crd = ty_cluster_snapshot_parse(a, find_crd(in, a, kind));

    return missing_property(&(struct lack){ a, released }, ty_schema_openapi(a, kind->schema),
                            served_schema(crd, kind->version), NULL);
}

/* Helm deletes CRDs that are templates of a release, unless they have its keep policy. */
static void check_release(const struct ty_doctor_in *in, struct ty_check_results *ret,
                          const struct ty_kind *kind)
{
    const struct ty_json *crd =
        ty_cluster_snapshot_parse(ret->arena, find_crd(in, ret->arena, kind));
    const struct ty_json *notes = ty_json_at(crd, "metadata.annotations");
    struct ty_str name = ty_json_as_str(ty_json_get(notes, "meta.helm.sh/release-name"));
    struct ty_str ns = ty_json_as_str(ty_json_get(notes, "meta.helm.sh/release-namespace"));

    if (!name.n || ty_str_is(ty_json_as_str(ty_json_get(notes, "helm.sh/resource-policy")), "keep"))
        return;
    struct ty_check_result *c =
        ty_check_add(ret, TY_CHECK_LEVEL_WARN, "crds",
                     "the CRD %s.%s belongs to the Helm release %.*s/%.*s: helm uninstall deletes "
                     "it, and with it all %s",
                     kind->plural, kind->group, TY_ARG(ns), TY_ARG(name), kind->plural);
    ty_check_set_fix(
        ret, c,
        "kubectl -n %.*s delete secret -l owner=helm,name=%.*s: Helm forgets the release, "
        "everything stays",
        TY_ARG(ns), TY_ARG(name));
}

/* Checks that one of our CRDs has all fields. v2.3.0's work; fields that they lack are added to
 * *released. */
static bool knows_all(const struct ty_doctor_in *in, struct ty_check_results *ret,
                      const struct ty_kind *kind, struct ty_strlist *released)
{
    const char *path = crd_missing_property(in, ret->arena, kind, false);
    const char *older = path ? crd_missing_property(in, ret->arena, kind, true) : NULL;

    if (older) {
        struct ty_check_result *c =
            ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "crds",
                         "the CRD %s.%s is older than this program: %s and perhaps more is dropped",
                         kind->plural, kind->group, older);
        ty_check_set_fix(ret, c, APPLY_CRDS);
    } else if (path) {
        ty_strlist_add(ret->arena, released,
                       ty_arena_printf(ret->arena, "%s: %s", kind->plural, path));
    }
    return !path;
}

static void note_released(struct ty_check_results *ret, const struct ty_strlist *released)
{
    ty_auto_buf list = { 0 };

    for (size_t i = 0; i < released->n; i++)
        ty_buf_printf(&list, "%s%s", i ? "; " : "", released->v[i]);
    struct ty_check_result *c = ty_check_add(
        ret, TY_CHECK_LEVEL_WARN, "crds",
        "CRDs of Kubeflow Trainer v2.3.0: fields that only trainyard has are dropped (%.*s, ...)",
        TY_ARG(ty_buf_str(&list)));
    ty_check_set_fix(ret, c, "to use these fields: " APPLY_CRDS);
}

void ty_check_crds(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    struct ty_strlist released = { 0 };
    size_t good = 0, n = 0;

    for (const struct ty_kind *const *k = ty_kinds; *k; k++) {
        if (!(*k)->ours)
            continue;
        n++;
        if (!crd_there(in, ret, "crds", *k, APPLY_CRDS))
            continue;
        if (*k == &ty_kind_trainjob) /* one line is enough */
            check_release(in, ret, *k);
        good += knows_all(in, ret, *k, &released);
    }
    if (released.n)
        note_released(ret, &released);
    if (good == n)
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "crds", "%zu CRDs know all fields of this program", n);
}

/* ---- JobSet ---- */

static bool is_jobset(const struct ty_json *deployment)
{
    const struct ty_json *labels = ty_json_at(deployment, "metadata.labels");

    return ty_str_is(ty_json_as_str(ty_json_get(labels, "app.kubernetes.io/part-of")), "jobset") ||
           ty_str_is(ty_json_as_str(ty_json_get(labels, "app.kubernetes.io/name")), "jobset");
}

static bool controller_seen(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    size_t at = 0;

    for (const struct ty_cluster_object *o;
         (o = ty_cluster_snapshot_next(in->snapshot, &ty_kind_deployment, &at));) {
        const struct ty_json *d = ty_cluster_snapshot_parse(ret->arena, o);
        int64_t ready = 0;
        if (!is_jobset(d))
            continue;
        ty_json_int_at(d, "status.availableReplicas", &ready);
        if (ready > 0) {
            ty_check_add(ret, TY_CHECK_LEVEL_OK, "jobset",
                         "the JobSet controller %.*s/%.*s is there", TY_ARG(o->ns),
                         TY_ARG(o->name));
        } else {
            struct ty_check_result *c =
                ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "jobset",
                             "the JobSet controller %.*s/%.*s is not available: no JobSet starts",
                             TY_ARG(o->ns), TY_ARG(o->name));
            ty_check_set_fix(ret, c, "kubectl -n %.*s describe deployment %.*s", TY_ARG(o->ns),
                             TY_ARG(o->name));
        }
        return true;
    }
    return false;
}

void ty_check_jobset(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    static const char fix[] = "install JobSet " JOBSET " (https://jobset.sigs.k8s.io)";
    struct ty_check_result *c;

    if (!crd_there(in, ret, "jobset", &ty_kind_jobset, fix))
        return;
    const char *path = crd_missing_property(in, ret->arena, &ty_kind_jobset, false);
    if (path) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "jobset",
                         "JobSet is older than " JOBSET ": its CRD does not know %s", path);
        ty_check_set_fix(ret, c, "%s", fix);
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "jobset", "the CRD of JobSet " JOBSET " or later");
    }
    if (controller_seen(in, ret))
        return;
    c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "jobset",
                     "no Deployment of the JobSet controller was seen (label %s)", TY_JOBSET_LABEL);
    ty_check_set_fix(ret, c, "%s, unless it runs under another label or outside of the cluster",
                     fix);
}
