/* The host table: translates names and JSON text into edits of the plan. */
#include "plugin_host/extern_host.h"
#include <errno.h>

static const char *copy(const struct trainyard_plan *p, struct ty_str s)
{
    return ty_arena_cstr(p->plan->arena, s);
}

static const char *job_name(const struct trainyard_plan *p)
{
    return copy(p, p->job->name);
}

static const char *job_namespace(const struct trainyard_plan *p)
{
    return copy(p, p->job->ns);
}

static const char *job_uid(const struct trainyard_plan *p)
{
    return copy(p, p->job->uid);
}

static const char *meta_word(const struct trainyard_plan *p, const char *map, const char *key)
{
    const struct ty_json *v =
        ty_json_get(ty_json_get(ty_json_get(p->job->obj, "metadata"), map), key);
    return ty_json_is(v, TY_JSON_STRING) ? copy(p, ty_json_as_str(v)) : NULL;
}

static const char *job_annotation(const struct trainyard_plan *p, const char *key)
{
    return meta_word(p, "annotations", key);
}

static const char *job_label(const struct trainyard_plan *p, const char *key)
{
    return meta_word(p, "labels", key);
}

static const char *job_json(const struct trainyard_plan *p)
{
    return ty_json_text(p->plan->arena, p->job->obj).p;
}

static const char *runtime_name(const struct trainyard_plan *p)
{
    return copy(p, p->plan->runtime_name);
}

static const char *policy_json(const struct trainyard_plan *p, const char *name)
{
    const struct ty_json *policy = ty_plan_policy(p->plan, name);
    return policy ? ty_json_text(p->plan->arena, policy).p : NULL;
}

static int64_t num_nodes(const struct trainyard_plan *p)
{
    return p->plan->trainer ? p->plan->trainer->count : 0;
}

static int64_t num_gpus(const struct trainyard_plan *p)
{
    return ty_plan_gpus(p->plan);
}

static const char *trainer_job(const struct trainyard_plan *p)
{
    return p->plan->trainer ? copy(p, p->plan->trainer->name) : NULL;
}

static size_t num_jobs(const struct trainyard_plan *p)
{
    return p->plan->n_sets;
}

static const char *job_at(const struct trainyard_plan *p, size_t i)
{
    return i < p->plan->n_sets ? copy(p, p->plan->sets[i].name) : NULL;
}

/* The replicated job that an edit names; TRAINYARD_OK and *ret_set, or the error. */
static int find_set(const struct trainyard_plan *p, const char *job, struct ty_podset **ret_set)
{
    if (!p->edit)
        return TRAINYARD_NOT_NOW;
    struct ty_podset *set = job ? ty_plan_find_podset(p->edit, ty_str(job)) : p->edit->trainer;
    if (!set)
        return TRAINYARD_NO_SUCH_PLACE;
    *ret_set = set;
    return TRAINYARD_OK;
}

static int find_container(const struct trainyard_plan *p, const char *job, const char *container,
                          struct ty_json **ret_container)
{
    struct ty_podset *set = NULL;
    int r = find_set(p, job, &set);
    if (r)
        return r;
    struct ty_json *c = ty_plan_podset_any_container(set, ty_str(container ? container : TY_NODE));
    if (!c)
        return TRAINYARD_NO_SUCH_PLACE;
    *ret_container = c;
    return TRAINYARD_OK;
}

static int set_env(struct trainyard_plan *p, const char *job, const char *container,
                   const char *name, const char *value)
{
    struct ty_json *c = NULL;
    int r = find_container(p, job, container, &c);
    if (r)
        return r;
    if (!name || !*name || strchr(name, '=') || !value)
        return TRAINYARD_BAD_VALUE;
    struct ty_arena *a = p->edit->arena;
    ty_plan_env(p->edit, c, ty_arena_strdup(a, name), "%s", value);
    return TRAINYARD_OK;
}

static int add_port(struct trainyard_plan *p, const char *job, const char *container, int port)
{
    struct ty_json *c = NULL;
    int r = find_container(p, job, container, &c);
    if (r)
        return r;
    if (port < 1 || port > 65535)
        return TRAINYARD_BAD_VALUE;
    ty_plan_port(p->edit, c, port);
    return TRAINYARD_OK;
}

static int set_pod_word(struct trainyard_plan *p, const char *job, const char *map, const char *key,
                        const char *value)
{
    struct ty_podset *set = NULL;
    int r = find_set(p, job, &set);
    if (r)
        return r;
    if (!key || !*key || !value)
        return TRAINYARD_BAD_VALUE;
    struct ty_arena *a = p->edit->arena;
    struct ty_json *v = ty_json_strf(a, "%s", value);
    v->origin = p->edit->origin;
    ty_json_set(a, ty_json_ensure_object(a, set->pod_meta, map), ty_arena_strdup(a, key), v);
    return TRAINYARD_OK;
}

static int set_pod_label(struct trainyard_plan *p, const char *job, const char *key,
                         const char *value)
{
    return set_pod_word(p, job, "labels", key, value);
}

static int set_pod_annotation(struct trainyard_plan *p, const char *job, const char *key,
                              const char *value)
{
    return set_pod_word(p, job, "annotations", key, value);
}

/* The kind of an object that need not be in the kind tables. */
static const struct ty_kind *kind_for(struct ty_arena *a, const struct ty_json *obj)
{
    const struct ty_kind *known = ty_kind_of(obj);
    if (known)
        return known;
    struct ty_str version, group = { 0 }, api = ty_json_str_at(obj, "apiVersion");
    version = ty_str_cut(api, '/', &group);
    if (!version.p) { /* the core group: "v1" */
        version = api;
        group = (struct ty_str){ 0 };
    }
    struct ty_kind *k = ty_new(a, struct ty_kind);
    struct ty_str name = ty_json_str_at(obj, "kind");
    char *singular = ty_arena_cstr(a, name);
    for (char *c = singular; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + 'a' - 'A');
    k->kind = ty_arena_cstr(a, name);
    k->group = ty_arena_strndup(a, group.p, group.n);
    k->version = ty_arena_strndup(a, version.p, version.n);
    k->singular = singular;
    k->plural = ty_arena_printf(a, "%ss", singular);
    k->namespaced = true;
    return k;
}

static int add_child(struct trainyard_plan *p, const char *json)
{
    if (!p->edit || !p->building)
        return TRAINYARD_NOT_NOW;
    if (!json)
        return TRAINYARD_BAD_VALUE;
    struct ty_arena *a = p->edit->arena;
    size_t n = strlen(json);
    struct ty_json *obj =
        ty_json_parse(a, (struct ty_str){ ty_arena_strndup(a, json, n), n }, NULL, NULL);
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    if (!name.n || !ty_json_str_at(obj, "kind").n || !ty_json_str_at(obj, "apiVersion").n)
        return TRAINYARD_BAD_VALUE;
    ty_json_set_origin(obj, p->edit->origin);
    struct ty_json *child =
        ty_plan_child(p->edit, p->job, kind_for(a, obj), ty_arena_cstr(a, name));
    struct ty_json *meta = ty_json_get(child, "metadata");
    ty_each_member (m, ty_json_get(obj, "metadata"))
        if (ty_str_is(m->key, "labels") || ty_str_is(m->key, "annotations"))
            ty_json_put(a, meta, m->key, m->value);
    ty_each_member (m, obj)
        if (!ty_json_find(child, m->key))
            ty_json_put(a, child, m->key, m->value);
    return TRAINYARD_OK;
}

static const char *live_json(const struct trainyard_plan *p, const char *kind, const char *ns,
                             const char *name)
{
    const struct ty_kind *k = ty_kind_by_name(ty_str(kind));
    const struct ty_json *obj = k ? ty_plan_live_object(p->plan, k, ty_str(ns), name) : NULL;
    return obj ? ty_json_text(p->plan->arena, obj).p : NULL;
}

static void report_error(const struct trainyard_plan *p, const char *path, const char *value,
                         const char *detail)
{
    if (!p->errs)
        return;
    struct ty_arena *a = p->errs->arena;
    struct ty_field_err *e =
        ty_errs_add(p->errs, NULL, TY_INVALID, ty_arena_printf(a, "\"%s\"", value ? value : ""),
                    "%s", detail ? detail : "");
    e->path = ty_arena_strdup(a, path ? path : "");
}

static void report_warning(const struct trainyard_plan *p, const char *text)
{
    if (p->warnings)
        ty_warnings_add(p->warnings, "%s", text);
}

static int fail(const struct trainyard_plan *p, const char *text)
{
    if (p->err)
        ty_fail(p->err, -EINVAL, "%s", text);
    return -1;
}

const struct trainyard_host ty_extern_host = {
    .abi = TRAINYARD_PLUGIN_ABI,
    .size = sizeof(struct trainyard_host),
    .job_name = job_name,
    .job_namespace = job_namespace,
    .job_uid = job_uid,
    .job_annotation = job_annotation,
    .job_label = job_label,
    .job_json = job_json,
    .runtime_name = runtime_name,
    .policy_json = policy_json,
    .num_nodes = num_nodes,
    .num_gpus = num_gpus,
    .trainer_job = trainer_job,
    .num_jobs = num_jobs,
    .job_at = job_at,
    .set_env = set_env,
    .add_port = add_port,
    .set_pod_label = set_pod_label,
    .set_pod_annotation = set_pod_annotation,
    .add_child = add_child,
    .live_json = live_json,
    .report_error = report_error,
    .report_warning = report_warning,
    .fail = fail,
};
