/* The runtime of a TrainJob: its snapshot if it exists, so that a later change or deletion of the
 * runtime does not affect a job that has started (docs/spec/trainer.md 4.1, 4.2). */
#include "trainer/runtime_resolve.h"

#include <errno.h>

#include "trainer/child.h"
#include "json/yaml.h"

#define GROUP       "trainer.kubeflow.org"
#define NAMES_SHOWN 16

const struct ty_kind *ty_runtime_kind(const struct ty_trainjob *job)
{
    if (!ty_str_is(job->ref_group, GROUP))
        return NULL;
    if (ty_str_is(job->ref_kind, "TrainingRuntime"))
        return &ty_kind_trainingruntime;
    if (ty_str_is(job->ref_kind, "ClusterTrainingRuntime"))
        return &ty_kind_clustertrainingruntime;
    return NULL;
}

char *ty_runtime_unsupported(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_arena_printf(a, "unsupported runtime: %.*s%s%.*s", TY_ARG(job->ref_kind),
                           job->ref_group.n ? "." : "", TY_ARG(job->ref_group));
}

static struct ty_str runtime_ns(const struct ty_trainjob *job, const struct ty_kind *kind)
{
    return kind->namespaced ? job->ns : (struct ty_str){ 0 };
}

const char *ty_runtime_hint(struct ty_arena *a, struct ty_str typed, const char *const *names,
                            size_t n)
{
    ty_auto_buf b = { 0 };

    if (n == 0)
        return NULL;
    const char *near = ty_str_nearest(typed, names, n);
    if (near)
        ty_buf_printf(&b, "did you mean \"%s\"? ", near);
    ty_buf_cstr(&b, "there are: ");
    for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
        ty_buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
    if (n > NAMES_SHOWN)
        ty_buf_printf(&b, " and %zu more", n - NAMES_SHOWN);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

const char *ty_runtime_suggestions(struct ty_arena *a, const struct ty_trainjob *job,
                                   const struct ty_view *view)
{
    const struct ty_kind *kind = ty_runtime_kind(job);
    const char *names[TY_RUNTIME_NAMES];

    if (!kind || !view || !view->names)
        return NULL;
    size_t n = view->names(view->ctx, a, kind, runtime_ns(job, kind), names, TY_RUNTIME_NAMES);
    return ty_runtime_hint(a, job->ref_name, names, n);
}

const struct ty_json *ty_runtime_live(const struct ty_trainjob *job, const struct ty_view *view)
{
    const struct ty_kind *kind = ty_runtime_kind(job);

    return kind ? ty_plan_view_get(view, kind, runtime_ns(job, kind), job->ref_name) : NULL;
}

static const char *read_error(struct ty_arena *a, const struct ty_view *view,
                              const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    const char *why = view && view->unread ? view->unread(view->ctx, kind, ns, name) : NULL;

    return why ? ty_arena_printf(a, "%s \"%.*s\" cannot be read: %s", kind->kind, TY_ARG(name), why)
               : NULL;
}

const char *ty_runtime_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                  const struct ty_view *view)
{
    const struct ty_kind *kind = ty_runtime_kind(job);

    return kind ? read_error(a, view, kind, runtime_ns(job, kind), job->ref_name) : NULL;
}

static const char *snapshot_name(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_child_name(a, TY_CHILD_SNAPSHOT, job->name);
}

const char *ty_runtime_snapshot_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                           const struct ty_view *view)
{
    return read_error(a, view, &ty_kind_configmap, job->ns, ty_str(snapshot_name(a, job)));
}

static bool owned_by(const struct ty_json *obj, const struct ty_trainjob *job)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");

    ty_each_item (o, owners)
        if (ty_json_true_at(*o, "controller"))
            return ty_str_eq(ty_json_str_at(*o, "uid"), job->uid);
    return false;
}

static const char *name_or_any(struct ty_arena *a, struct ty_str s)
{
    return s.n ? ty_arena_cstr(a, s) : "<any>";
}

/* The snapshot must be of the runtime that the job references. */
static int check_identity(struct ty_arena *a, const struct ty_trainjob *job,
                          const struct ty_json *runtime, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(runtime, "metadata.name");
    struct ty_str kind = ty_json_str_at(runtime, "kind"), group = { 0 };
    struct ty_str version = ty_str_cut(ty_json_str_at(runtime, "apiVersion"), '/', &group);

    if (!version.p)
        group = (struct ty_str){ "", 0 }; /* "v1": the core group has no name */
    if (ty_str_eq(name, job->ref_name) && (!job->ref_kind.n || ty_str_eq(kind, job->ref_kind)) &&
        (!job->ref_group.n || ty_str_eq(group, job->ref_group)))
        return 0;
    return ty_fail(err, -EINVAL,
                   "the snapshot refers to the wrong runtime: expecting a runtime with name, api "
                   "group and kind of \"%.*s\", \"%s\", \"%s\" but found runtime with name, api "
                   "group and kind of \"%.*s\", \"%.*s\", \"%.*s\"",
                   TY_ARG(job->ref_name), name_or_any(a, job->ref_group),
                   name_or_any(a, job->ref_kind), TY_ARG(name), TY_ARG(group), TY_ARG(kind));
}

int ty_runtime_snapshot_parse(struct ty_arena *a, struct ty_str text, struct ty_yaml_docs *ret,
                              struct ty_err *err)
{
    return ty_yaml_parse(a, "runtime", text, &(struct ty_json_limits){ .plain = true }, ret, err);
}

static int read_snapshot(struct ty_arena *a, const struct ty_trainjob *job,
                         const struct ty_json *map, const struct ty_json **ret_runtime,
                         struct ty_err *err)
{
    const struct ty_json *text = ty_json_at(map, "data.runtime");
    struct ty_yaml_docs docs = { 0 };
    struct ty_err why = { 0 };

    if (!owned_by(map, job))
        return ty_fail(err, -EEXIST, "a snapshot configmap exists but is owned by another object");
    if (!text)
        return ty_fail(err, -EINVAL, "snapshot ConfigMap missing \"runtime\" data key");
    /* YAML in the ConfigMap, but JSON in the operator's cache, because every pass parses it. */
    struct ty_json *json = ty_json_as_str(text).n && text->s[0] == '{'
                               ? ty_json_parse(a, ty_json_as_str(text), NULL, NULL)
                               : NULL;
    int r = json ? 0 : ty_runtime_snapshot_parse(a, ty_json_as_str(text), &docs, &why);
    if (json)
        docs = (struct ty_yaml_docs){ .v = &json, .n = 1 };
    if (r == 0 && (docs.n != 1 || !ty_json_is(docs.v[0], TY_JSON_OBJECT)))
        r = ty_fail(&why, -EINVAL, "not one object");
    if (r == 0) /* a ConfigMap has no schema: types are not checked yet */
        r = ty_schema_decode(&ty_schema_TrainingRuntime, docs.v[0], &why);
    if (r < 0)
        return ty_fail(err, -EINVAL, "unable to unmarshal the snapshot: %s", why.text);
    r = check_identity(a, job, docs.v[0], err);
    if (r == 0)
        *ret_runtime = docs.v[0];
    return r;
}

int ty_runtime_snapshot_load(struct ty_arena *a, const struct ty_trainjob *job,
                             const struct ty_view *view, const struct ty_json **ret_runtime,
                             struct ty_err *err)
{
    const struct ty_json *map =
        ty_plan_view_get(view, &ty_kind_configmap, job->ns, ty_str(snapshot_name(a, job)));

    if (!map)
        return TY_NOT_FOUND;
    int r = read_snapshot(a, job, map, ret_runtime, err);
    if (r < 0)
        return ty_wrap(err, "%s: invalid runtime snapshot",
                       ty_str_is(job->ref_kind, "TrainingRuntime")
                           ? "unable to get runtime snapshot"
                           : "getting runtime snapshot");
    return r;
}

/* The runtime as typed clients would write it, without fields that the API server sets (B19). */
static struct ty_str snapshot_text(struct ty_arena *a, const struct ty_json *runtime,
                                   const struct ty_view *view)
{
    struct ty_str known =
        view->snapshot ? view->snapshot(view->ctx, runtime) : (struct ty_str){ 0 };
    struct ty_yaml_style style = { .sorted = true };
    ty_auto_buf text = { 0 };

    if (known.n)
        return known;
    struct ty_json *copy = ty_schema_normalize(a, &ty_schema_TrainingRuntime, runtime);
    ty_json_del(ty_json_get(copy, "metadata"), TY_LIT("managedFields"));
    ty_yaml_print(&text, copy, &style);
    return ty_arena_str(a, ty_buf_str(&text));
}

static struct ty_json *make_snapshot(struct ty_arena *a, const struct ty_trainjob *job,
                                     const struct ty_json *runtime, const struct ty_view *view)
{
    struct ty_json *obj = ty_plan_child_new(a, job, &ty_kind_configmap, snapshot_name(a, job));

    ty_json_set(a, ty_json_ensure_object(a, obj, "data"), "runtime",
                ty_json_str(a, snapshot_text(a, runtime, view)));
    return obj;
}

static int not_found(const struct ty_trainjob *job, struct ty_err *err)
{
    bool cluster = ty_str_is(job->ref_kind, "ClusterTrainingRuntime");

    return ty_fail(err, -ENOENT, "%s: %.*s." GROUP " \"%.*s\" not found",
                   cluster ? "not found ClusterTrainingRuntime specified in TrainJob"
                           : "TrainingRuntime specified in TrainJob is not found",
                   TY_ARG(job->ref_kind), TY_ARG(job->ref_name));
}

int ty_runtime_resolve(struct ty_arena *a, const struct ty_trainjob *job,
                       const struct ty_view *view, const struct ty_json **ret_runtime,
                       struct ty_json **ret_snapshot, struct ty_err *err)
{
    *ret_snapshot = NULL;
    int r = ty_runtime_snapshot_load(a, job, view, ret_runtime, err);
    if (r != TY_NOT_FOUND)
        return r;
    const struct ty_json *runtime = ty_runtime_live(job, view);
    if (!runtime) {
        const char *why = ty_runtime_read_error(a, job, view);
        return why ? ty_fail(err, -EAGAIN, "%s", why) : not_found(job, err);
    }
    *ret_runtime = runtime;
    *ret_snapshot = make_snapshot(a, job, runtime, view);
    return 0;
}
