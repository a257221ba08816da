/* Checks a pod template and reports all fields that this machine cannot honor. An error: the
 * program would not run as intended. A warning: it runs, but the field has no effect. */
#include "engine/preflight/preflight.h"

#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_plan.h"
#include "engine/preflight/preflight_inner.h"

static void add_finding(struct ty_preflight *x, const struct ty_field_path *at, bool error,
                        const char *fmt, va_list ap) TY_PRINTF(4, 0);
static void add_finding(struct ty_preflight *x, const struct ty_field_path *at, bool error,
                        const char *fmt, va_list ap)
{
    struct ty_preflight_findings *out = x->out;
    struct ty_preflight_finding *f = ty_new(out->arena, struct ty_preflight_finding);

    f->path = ty_errs_path_text(out->arena, at);
    f->text = ty_arena_vprintf(out->arena, fmt, ap);
    f->error = error;
    ty_append(out->first, out->last, f);
    out->n_errors += error;
}

void ty_preflight_error(struct ty_preflight *x, const struct ty_field_path *at, const char *fmt,
                        ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_finding(x, at, true, fmt, ap);
    va_end(ap);
}

void ty_preflight_warn(struct ty_preflight *x, const struct ty_field_path *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_finding(x, at, false, fmt, ap);
    va_end(ap);
}

bool ty_preflight_has_warning(const struct ty_preflight *x, const char *text)
{
    for (const struct ty_preflight_finding *f = x->out->first; f; f = f->next)
        if (strcmp(f->text, text) == 0)
            return true;
    return false;
}

struct ty_str ty_preflight_value(struct ty_preflight *x, const struct ty_json *v)
{
    return ty_json_is(v, TY_JSON_STRING) ? ty_json_as_str(v) : ty_json_text(x->out->arena, v);
}

static bool is_bool(const struct ty_json *v, bool b)
{
    return ty_json_is(v, TY_JSON_BOOL) && v->b == b;
}

/* Fields that ask for something no process of this machine can have. */
static void check_impossible(struct ty_preflight *x, const struct ty_field_path *at)
{
    static const char *const unless_false[] = { "hostPID", "hostIPC", "shareProcessNamespace" };
    static const char *const cluster[] = { "ephemeralContainers", "resourceClaims",
                                           "readinessGates" };
    const struct ty_json *spec = x->pod.spec;
    struct ty_str class = ty_json_str_at(spec, "runtimeClassName");
    struct ty_str os = ty_json_str_at(spec, "os.name");

    for (size_t i = 0; i < TY_COUNT(unless_false); i++)
        if (is_bool(ty_json_get(spec, unless_false[i]), true))
            ty_preflight_error(x, TY_KEY(at, unless_false[i]), "%s=true has no local equivalent",
                               unless_false[i]);
    if (is_bool(ty_json_get(spec, "hostUsers"), false))
        ty_preflight_error(x, TY_KEY(at, "hostUsers"), "hostUsers=false has no local equivalent");
    if (class.n)
        ty_preflight_error(x, TY_KEY(at, "runtimeClassName"),
                           "runtimeClassName=%.*s has no local equivalent", TY_ARG(class));
    if (os.n && !ty_str_is(os, "linux"))
        ty_preflight_error(x, TY_KEY(TY_KEY(at, "os"), "name"),
                           "os.name=%.*s has no local equivalent", TY_ARG(os));
    for (size_t i = 0; i < TY_COUNT(cluster); i++)
        if (ty_json_len(ty_json_get(spec, cluster[i])))
            ty_preflight_error(x, TY_KEY(at, cluster[i]), "not available without a cluster");
}

/* Hints to a scheduler and a registry that are not here; `usual` is what saying nothing means. */
static void check_without_effect(struct ty_preflight *x, const struct ty_field_path *at)
{
    static const struct {
        const char *key, *usual;
    } fields[] = {
        { "affinity", NULL },
        { "topologySpreadConstraints", NULL },
        { "tolerations", NULL },
        { "priorityClassName", NULL },
        { "priority", NULL },
        { "preemptionPolicy", NULL },
        { "schedulerName", "default-scheduler" },
        { "imagePullSecrets", NULL },
        { "dnsPolicy", "ClusterFirst" },
        { "dnsConfig", NULL },
        { "enableServiceLinks", NULL },
        { "overhead", NULL },
        { "serviceAccountName", NULL },
        { "serviceAccount", NULL },
        { "automountServiceAccountToken", NULL },
        { "hostNetwork", NULL },
        { "nodeName", NULL },
    };

    for (size_t i = 0; i < TY_COUNT(fields); i++) {
        const struct ty_json *v = ty_json_get(x->pod.spec, fields[i].key);
        bool empty = !v || v->type == TY_JSON_NULL || is_bool(v, false) ||
                     (v->type >= TY_JSON_ARRAY && !v->n);
        if (!empty && !(fields[i].usual && ty_str_is(ty_json_as_str(v), fields[i].usual)))
            ty_preflight_warn(x, TY_KEY(at, fields[i].key), "has no effect here");
    }
}

static void check_aliases(struct ty_preflight *x, const struct ty_field_path *at)
{
    if (!x->pod.host->mounts && ty_json_len(ty_json_get(x->pod.spec, "hostAliases")))
        ty_preflight_warn(x, TY_KEY(at, "hostAliases"),
                          "has no effect here: a pod cannot have an /etc/hosts of its own");
}

static void check_node_selector(struct ty_preflight *x, const struct ty_field_path *at)
{
    const struct ty_field_path *here = TY_KEY(at, "nodeSelector");

    ty_each_member (m, ty_json_get(x->pod.spec, "nodeSelector")) {
        struct ty_str want = ty_json_as_str(m->value);
        const struct ty_json *have = ty_json_find(x->pod.host->labels, m->key);
        bool os = ty_str_is(m->key, "kubernetes.io/os") && ty_str_is(want, "linux");
        if (!os && (!have || !ty_str_eq(ty_json_as_str(have), want)))
            ty_preflight_error(x, TY_MAPKEY(here, m->key), "no host label %.*s=%.*s",
                               TY_ARG(m->key), TY_ARG(want));
    }
}

static void check_containers(struct ty_preflight *x, const struct ty_field_path *at)
{
    static const char *const lists[] = { "initContainers", "containers" };
    const struct ty_json *spec = x->pod.spec;

    if (!ty_json_len(ty_json_get(spec, "containers")))
        ty_preflight_error(x, TY_KEY(at, "containers"), "at least one container is required");
    for (size_t l = 0; l < 2; l++) {
        const struct ty_json *list = ty_json_get(spec, lists[l]);
        const struct ty_field_path *here = TY_KEY(at, lists[l]);
        size_t i = 0;
        ty_each_item (c, list) {
            struct ty_str name = ty_json_str_at(*c, "name");
            const struct ty_field_path *one = TY_IDX(here, i);
            if (ty_pod_container(spec, name) != *c)
                ty_preflight_error(x, TY_KEY(one, "name"), "%.*s is the name of another container",
                                   TY_ARG(name));
            ty_preflight_check_container(x, *c, l == 0, one);
            i++;
        }
    }
}

void ty_preflight_check_template(struct ty_preflight *x, const struct ty_json *pod_template,
                                 const struct ty_field_path *at)
{
    const struct ty_field_path *spec_at = TY_KEY(at, "spec");

    x->pod.pod = pod_template;
    x->pod.spec = ty_json_get(pod_template, "spec");
    check_impossible(x, spec_at);
    check_without_effect(x, spec_at);
    check_aliases(x, spec_at);
    check_node_selector(x, spec_at);
    ty_preflight_check_security(x, ty_json_get(x->pod.spec, "securityContext"), false,
                                TY_KEY(spec_at, "securityContext"));
    ty_preflight_check_limits(x, ty_json_get(x->pod.spec, "resources"),
                              TY_KEY(spec_at, "resources"));
    ty_preflight_check_volumes(x, spec_at);
    check_containers(x, spec_at);
}

void ty_preflight_list_pods(const struct ty_json *jobset, struct ty_preflight_findings *ret)
{
    ty_each_item (it, ty_json_at(jobset, "spec.replicatedJobs")) {
        struct ty_preflight_pods *p = ty_new(ret->arena, struct ty_preflight_pods);
        const struct ty_json *spec = ty_json_at(*it, "template.spec");
        p->job = ty_json_cstr_at(ret->arena, jobset, "metadata.name");
        p->rjob = ty_json_cstr_at(ret->arena, *it, "name");
        p->replicas = p->pods = 1;
        ty_json_int_at(*it, "replicas", &p->replicas);
        if (!ty_json_int_at(spec, "completions", &p->pods))
            ty_json_int_at(spec, "parallelism", &p->pods);
        p->indexed = !ty_str_is(ty_json_str_at(spec, "completionMode"), "NonIndexed");
        ty_append(ret->pods, ret->last_pods, p);
    }
}
