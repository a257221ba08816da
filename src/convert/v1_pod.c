/* Converts a role's pod template: each field goes to spec.trainer, a runtime patch or the runtime,
 * whichever is possible first. */
#include "convert/v1.h"

/* ---- reading ---- */

/* The kubelet uses the last of several entries; a TrainJob refuses a second one. */
static void drop_overwritten(struct ty_v1_conversion *c, struct ty_json *env,
                             const struct ty_field_path *at)
{
    for (size_t i = 0, was = 0; i < ty_json_len(env); was++) {
        struct ty_str name = ty_json_str_at(env->items[i], "name");
        bool again = false;
        for (size_t j = i + 1; name.n && j < env->n; j++)
            again |= ty_str_eq(ty_json_str_at(env->items[j], "name"), name);
        if (again) {
            ty_v1_warn(c, env->items[i], TY_IDX(at, was),
                       "not carried over: %.*s is set again later in the list", TY_ARG(name));
            ty_json_remove(env, i);
        } else {
            i++;
        }
    }
}

/* For all containers but the one that trains: its list is read by ty_v1_user_env. */
static void drop_overwritten_of(struct ty_v1_conversion *c, const struct ty_v1_role *r,
                                const char *key, const struct ty_field_path *spec)
{
    const struct ty_field_path *list = TY_KEY(spec, key);
    size_t i = 0;
    ty_each_item (it, ty_json_get(ty_json_get(r->pod, "spec"), key)) {
        const struct ty_field_path *here = TY_KEY(TY_IDX(list, i++), "env");
        if (*it != r->main)
            drop_overwritten(c, ty_json_get(*it, "env"), here);
    }
}

static bool is_second_env(const struct ty_field_err *e)
{
    return e->why == TY_DUPLICATE && ty_str_contains(ty_str(e->path), TY_LIT(".env["));
}

/* Removes the path from the API server's "PATH in body must be …", because the note has it already.
 */
static const char *error_sentence(const struct ty_field_err *e)
{
    const char *body = e->detail ? strstr(e->detail, " in body ") : NULL;
    if (body && strncmp(e->detail, e->path, (size_t)(body - e->detail)) == 0)
        return body + strlen(" in body ");
    if (e->detail && *e->detail)
        return e->detail;
    return e->why == TY_DUPLICATE  ? "is given twice"
           : e->why == TY_REQUIRED ? "a value is required"
                                   : "this value cannot be used";
}

/* The first error of the template, with the API server's message. */
static void check_schema(struct ty_v1_conversion *c, struct ty_v1_role *r,
                         const struct ty_field_path *at)
{
    struct ty_errs unknown = { .arena = c->arena }, errs = { .arena = c->arena };
    ty_schema_prune(c->arena, &ty_schema_PodTemplateSpec, r->pod, at, &unknown);
    for (const struct ty_field_err *e = unknown.first; e; e = e->next)
        ty_v1_warn(c, e->at, TY_KEY(NULL, e->path),
                   "not carried over: pods have no such field%s%s%s", e->hint ? " (" : "",
                   e->hint ? e->hint : "", e->hint ? ")" : "");
    ty_schema_validate(&ty_schema_PodTemplateSpec, r->pod, NULL, at, at, &errs);
    const struct ty_field_err *e = errs.first;
    while (e && is_second_env(e)) /* the last one counts */
        e = e->next;
    if (e)
        ty_v1_error(c, e->at, TY_KEY(NULL, e->path), "%s", error_sentence(e));
}

static void find_main(struct ty_v1_conversion *c, struct ty_v1_role *r,
                      const struct ty_field_path *containers)
{
    const struct ty_json *list = ty_json_at(r->pod, "spec.containers");
    if (!ty_json_len(list)) {
        ty_v1_error(c, r->spec, containers, "there is no container");
        return;
    }
    r->main =
        c->main ? ty_json_find_item(list, "name", ty_str(c->main), &r->main_at) : list->items[0];
    if (!r->main && c->main == c->kind->main && c->kind->or_first)
        r->main = list->items[0];
    if (!r->main) {
        ty_v1_error(c, list, containers, "a %s trains in the container named %s: there is none",
                    c->kind->kind, c->main);
        return;
    }
    if (!ty_json_str_at(r->main, "image").n)
        ty_v1_error(c, r->main, TY_KEY(TY_IDX(containers, r->main_at), "image"),
                    "an image is needed");
    size_t i = 0;
    ty_each_item (it, list) {
        const struct ty_field_path *here = TY_KEY(TY_IDX(containers, i), "name");
        if (i++ != r->main_at && ty_str_is(ty_json_str_at(*it, "name"), "node"))
            ty_v1_error(c, *it, here,
                        "the container that trains is named node in a TrainJob: rename this one");
    }
}

/* Updates references to the main container, which is renamed. */
static void rename_refs(struct ty_v1_conversion *c, struct ty_json *v, struct ty_str was)
{
    ty_each_item (it, v)
        rename_refs(c, *it, was);
    ty_each_member (m, v) {
        if (ty_str_is(m->key, "containerName") && ty_str_eq(ty_json_as_str(m->value), was))
            m->value = ty_json_cstr(c->arena, "node");
        else
            rename_refs(c, m->value, was);
    }
}

/* V1 treats null as absent; kubectl writes `creationTimestamp: null`. */
static void drop_nulls(struct ty_json *v)
{
    ty_each_item (it, v)
        drop_nulls(*it);
    for (size_t i = 0; ty_json_is(v, TY_JSON_OBJECT) && i < v->n;) {
        drop_nulls(v->members[i].value);
        if (v->members[i].value->type != TY_JSON_NULL || !ty_json_del(v, v->members[i].key))
            i++;
    }
}

void ty_v1_check_pod(struct ty_v1_conversion *c, struct ty_v1_role *r)
{
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_field_path *at = TY_KEY(TY_KEY(specs, r->key), "template");
    const struct ty_json *template = ty_json_get(r->spec, "template");
    if (!ty_json_is(template, TY_JSON_OBJECT)) {
        ty_v1_error(c, template ? template : r->spec, at, "a pod template is needed");
        return;
    }
    r->pod = ty_json_copy(c->arena, template, 0);
    drop_nulls(r->pod);
    check_schema(c, r, at);
    if (!c->out->bad)
        find_main(c, r, TY_KEY(TY_KEY(at, "spec"), "containers"));
    if (c->out->bad)
        return;
    rename_refs(c, r->pod, ty_json_str_at(r->main, "name"));
    drop_overwritten_of(c, r, "containers", TY_KEY(at, "spec"));
    drop_overwritten_of(c, r, "initContainers", TY_KEY(at, "spec"));
}

int64_t ty_v1_port(const struct ty_v1_conversion *c, const struct ty_v1_role *role)
{
    const struct ty_json *port = NULL;
    int64_t n = c->kind->port;
    if (role && c->kind->port_name)
        port = ty_json_find_item(ty_json_get(role->main, "ports"), "name",
                                 ty_str(c->kind->port_name), NULL);
    ty_json_int_at(port, "containerPort", &n);
    return n;
}

/* ---- the main container ---- */

static void to_trainer(struct ty_v1_conversion *c, const struct ty_json *v,
                       const struct ty_field_path *at)
{
    bool resources = ty_str_is(at->key, "resources"), image = ty_str_is(at->key, "image");
    bool direct = c->set->trainer && !(c->mpi && (resources || image));
    struct ty_json *to = direct ? c->trainer : ty_v1_container(c, c->set);
    struct ty_str key = direct && resources ? TY_LIT("resourcesPerNode") : at->key;
    ty_json_put(c->arena, to, key, ty_json_copy(c->arena, v, 0));
}

static void take_env(struct ty_v1_conversion *c, const struct ty_json *v,
                     const struct ty_field_path *at)
{
    ty_v1_user_env(c, c->set, v, at);
}

static struct ty_json *patch_container(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    struct ty_json *spec = ty_json_ensure_object(c->arena, ty_v1_patch(c, set), "spec");
    struct ty_json *list = ty_json_ensure_array(c->arena, spec, "containers");
    if (!list->n) {
        struct ty_json *main = ty_json_object(c->arena);
        ty_json_set(c->arena, main, "name", ty_json_cstr(c->arena, "node"));
        ty_json_push(c->arena, list, main);
    }
    return list->items[0];
}

/* A patch mounts each volume once; a pod may mount it at several paths. */
static bool mounts_twice(const struct ty_json *mounts)
{
    size_t i = 0, first = 0;
    ty_each_item (it, mounts) {
        ty_json_find_item(mounts, "name", ty_json_str_at(*it, "name"), &first);
        if (first != i++)
            return true;
    }
    return false;
}

static void to_patched_container(struct ty_v1_conversion *c, const struct ty_json *v,
                                 const struct ty_field_path *at)
{
    struct ty_json *to = mounts_twice(v) ? ty_v1_container(c, c->set) : patch_container(c, c->set);
    ty_json_put(c->arena, to, at->key, ty_json_copy(c->arena, v, 0));
}

static void to_container(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    ty_json_put(c->arena, ty_v1_container(c, c->set), at->key, ty_json_copy(c->arena, v, 0));
}

/* The port of rank 0 in a torch runtime is not configurable; other ports are kept. */
static void take_ports(struct ty_v1_conversion *c, const struct ty_json *v,
                       const struct ty_field_path *at)
{
    struct ty_json *kept = ty_json_array(c->arena);
    size_t i = 0;
    ty_each_item (it, v) {
        const struct ty_field_path *here = TY_IDX(at, i++);
        if (c->kind == &ty_v1_pytorch && ty_str_is(ty_json_str_at(*it, "name"), c->kind->port_name))
            ty_v1_warn(c, *it, here, "not carried over: rank 0 listens on %d, MASTER_PORT says so",
                       TY_V1_PORT);
        else
            ty_json_push(c->arena, kept, ty_json_copy(c->arena, *it, 0));
    }
    if (kept->n)
        ty_json_set(c->arena, ty_v1_container(c, c->set), "ports", kept);
}

static const struct ty_v1_field main_rows[] = {
    { "name", NULL, NULL }, /* becomes node */
    { "image", to_trainer, NULL },
    { "command", to_trainer, NULL },
    { "args", to_trainer, NULL },
    { "env", take_env, NULL },
    { "resources", to_trainer, NULL },
    { "volumeMounts", to_patched_container, NULL },
    { "securityContext", to_patched_container, NULL },
    { "workingDir", to_container, NULL },
    { "envFrom", to_container, NULL },
    { "ports", take_ports, NULL },
    { "lifecycle", to_container, NULL },
    { "livenessProbe", to_container, NULL },
    { "readinessProbe", to_container, NULL },
    { "startupProbe", to_container, NULL },
    { "imagePullPolicy", to_container, NULL },
    { "terminationMessagePath", to_container, NULL },
    { "terminationMessagePolicy", to_container, NULL },
    { "stdin", to_container, NULL },
    { "stdinOnce", to_container, NULL },
    { "tty", to_container, NULL },
    { "volumeDevices", to_container, NULL },
    { "resizePolicy", to_container, NULL },
    { "restartPolicy", to_container, NULL },
    { "restartPolicyRules", to_container, NULL },
    { NULL, NULL, NULL },
};

/* ---- the pod ---- */

static void to_patch(struct ty_v1_conversion *c, const struct ty_json *v,
                     const struct ty_field_path *at)
{
    struct ty_json *spec = ty_json_ensure_object(c->arena, ty_v1_patch(c, c->set), "spec");
    ty_json_put(c->arena, spec, at->key, ty_json_copy(c->arena, v, 0));
}

static void to_pod(struct ty_v1_conversion *c, const struct ty_json *v,
                   const struct ty_field_path *at)
{
    ty_json_put(c->arena, ty_v1_pod(c, c->set), at->key, ty_json_copy(c->arena, v, 0));
}

static void take_containers(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    size_t i = 0;
    ty_v1_convert_fields(c, c->set->role->main, TY_IDX(at, c->set->role->main_at), main_rows);
    ty_each_item (it, v)
        if (i++ != c->set->role->main_at)
            ty_json_push(c->arena,
                         ty_json_ensure_array(c->arena, ty_v1_pod(c, c->set), "containers"),
                         ty_json_copy(c->arena, *it, 0));
}

/* An older spelling of serviceAccountName, which wins if both are given. */
static void old_account(struct ty_v1_conversion *c, const struct ty_json *v,
                        const struct ty_field_path *at)
{
    const struct ty_json *name =
        ty_v1_get(ty_json_get(c->set->role->pod, "spec"), "serviceAccountName");
    if (!name)
        to_patch(c, v, TY_KEY(at->up, "serviceAccountName"));
    else if (!ty_json_eq(name, v))
        ty_v1_warn(c, v, at, "not carried over: serviceAccountName says something else");
}

static const struct ty_v1_field pod_rows[] = {
    { "containers", take_containers, NULL },
    { "initContainers", to_pod, NULL },
    { "volumes", to_patch, NULL },
    { "nodeSelector", to_patch, NULL },
    { "affinity", to_patch, NULL },
    { "tolerations", to_patch, NULL },
    { "serviceAccountName", to_patch, NULL },
    { "imagePullSecrets", to_patch, NULL },
    { "securityContext", to_patch, NULL },
    { "schedulingGates", to_patch, NULL },
    { "terminationGracePeriodSeconds", to_patch, NULL },
    { "priorityClassName", to_pod, NULL },
    { "priority", to_pod, NULL },
    { "preemptionPolicy", to_pod, NULL },
    { "schedulerName", to_pod, NULL },
    { "runtimeClassName", to_pod, NULL },
    { "hostNetwork", to_pod, NULL },
    { "hostIPC", to_pod, NULL },
    { "hostPID", to_pod, NULL },
    { "hostUsers", to_pod, NULL },
    { "hostAliases", to_pod, NULL },
    { "dnsPolicy", to_pod, NULL },
    { "dnsConfig", to_pod, NULL },
    { "topologySpreadConstraints", to_pod, NULL },
    { "shareProcessNamespace", to_pod, NULL },
    { "automountServiceAccountToken", to_pod, NULL },
    { "enableServiceLinks", to_pod, NULL },
    { "overhead", to_pod, NULL },
    { "resourceClaims", to_pod, NULL },
    { "resources", to_pod, NULL },
    { "activeDeadlineSeconds", to_pod, NULL },
    { "nodeName", to_pod, NULL },
    { "readinessGates", to_pod, NULL },
    { "os", to_pod, NULL },
    { "restartPolicy", NULL, "V1 overwrites it with the role's restartPolicy" },
    { "hostname", NULL, "JobSet gives pods their names" },
    { "subdomain", NULL, "JobSet gives pods their names" },
    { "setHostnameAsFQDN", NULL, "JobSet gives pods their names" },
    { "hostnameOverride", NULL, "JobSet gives pods their names" },
    { "serviceAccount", old_account, NULL },
    { "ephemeralContainers", NULL, "no template may hold them" },
    { NULL, NULL, NULL },
};

/* ---- its metadata ---- */

static void to_meta(struct ty_v1_conversion *c, const struct ty_json *v,
                    const struct ty_field_path *at)
{
    struct ty_json *meta = ty_json_ensure_object(c->arena, ty_v1_patch(c, c->set), "metadata");
    if (ty_json_len(v))
        ty_json_put(c->arena, meta, at->key, ty_json_copy(c->arena, v, 0));
}

static const struct ty_v1_field meta_rows[] = {
    { "labels", to_meta, NULL },
    { "annotations", to_meta, NULL },
    { "name", NULL, "JobSet gives pods their names" },
    { "generateName", NULL, "JobSet gives pods their names" },
    { "namespace", NULL, "pods are where their job is" },
    { "finalizers", NULL, "pods of a JobSet have those of their Job" },
    { "ownerReferences", NULL, "pods of a JobSet belong to their Job" },
    { NULL, NULL, NULL },
};
static const struct ty_v1_field template_rows[] = {
    { "metadata", NULL, NULL },
    { "spec", NULL, NULL },
    { NULL, NULL, NULL },
};

void ty_v1_convert_pod(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    const struct ty_v1_role *r = set->role;
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_field_path *at = TY_KEY(TY_KEY(specs, r->key), "template");
    if (!r->main)
        return; /* the warning was given already */
    c->set = set;
    ty_v1_convert_fields(c, r->pod, at, template_rows);
    ty_v1_convert_fields(c, ty_json_get(r->pod, "metadata"), TY_KEY(at, "metadata"), meta_rows);
    ty_v1_convert_fields(c, ty_json_get(r->pod, "spec"), TY_KEY(at, "spec"), pod_rows);
    ty_v1_scan(c, set, ty_json_get(r->pod, "spec"), TY_KEY(at, "spec"));
}
