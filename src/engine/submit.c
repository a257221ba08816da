/* Submits objects to the engine after the preflight check: what this machine cannot run is reported
 * before anything starts. */
#include <errno.h>

#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/host.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_restarts.h"
#include "engine/preflight/preflight.h"
#include "trainer/trainjob_reconcile.h"

#define NAMESPACE "default"
#define RUN_MAX   ((size_t)128 << 20)
#define OWN_NAME  "trainer.kubeflow.org/trainjob-controller"

/* The store, and what a first pass would add to it: a job's own Secrets and ConfigMaps. */
struct submit_view {
    struct ty_engine *e;
    const struct ty_desired_object *want;
};

static const struct ty_json *ahead_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                       struct ty_str name)
{
    struct submit_view *v = ctx;

    for (const struct ty_desired_object *w = v->want; w; w = w->next)
        if (w->kind == kind && ty_str_eq(ty_json_str_at(w->obj, "metadata.name"), name))
            return w->obj;
    return ty_local_get(v->e->store, v->e->pass, kind, ns, name);
}

static struct ty_preflight_finding *add_error(struct ty_preflight_findings *f, const char *path,
                                              struct ty_str text)
{
    struct ty_preflight_finding *it = ty_new(f->arena, struct ty_preflight_finding);

    *it = (struct ty_preflight_finding){ .path = path,
                                         .text = ty_arena_cstr(f->arena, text),
                                         .error = true };
    ty_append(f->first, f->last, it);
    f->n_errors++;
    return it;
}

static void add_errors(struct ty_preflight_findings *f, const struct ty_errs *errs)
{
    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        ty_auto_buf text = { 0 };
        ty_errs_print(&text, e);
        struct ty_preflight_finding *it = add_error(f, "JobSet", ty_buf_str(&text));
        it->field = ty_arena_strdup(f->arena, e->path);
        it->value = e->at ? ty_json_text(f->arena, e->at).p : NULL;
    }
}

/* ---- what is too large: every arena here is made for objects and runs within these bounds ---- */

/* Its text has more than TY_OBJECT_MAX bytes. */
static size_t size_of(const struct ty_json *v)
{
    ty_auto_buf text = { .ceiling = TY_OBJECT_MAX };

    ty_json_print(&text, v);
    return text.full ? SIZE_MAX : text.n;
}

static int check_size(const struct ty_json *obj, const struct ty_kind *kind, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(obj, "metadata.name");

    if (size_of(obj) <= TY_OBJECT_MAX)
        return 0;
    return ty_fail(err, -EFBIG, "%s %.*s: Request entity too large: limit is %zu bytes", kind->kind,
                   (int)(name.n < 253 ? name.n : 253), name.p, TY_OBJECT_MAX);
}

static size_t count_at(const struct ty_json *v, const char *path)
{
    int64_t n = 1;

    return ty_json_int_at(v, path, &n) && n > 0 ? (size_t)n : 1;
}

/* Every Job and every pod is a copy of its template. Returns the replicated job with which they
 * become too large, and its number of pods; NULL: they are not. */
static const struct ty_json *find_excess(const struct ty_json *jobset, size_t *ret_pods)
{
    size_t sum = 0, bytes = 0;

    ty_each_item (it, ty_json_at(jobset, "spec.replicatedJobs")) {
        size_t pods = count_at(*it, "template.spec.parallelism");
        if (__builtin_mul_overflow(count_at(*it, "replicas"), pods, ret_pods) ||
            __builtin_mul_overflow(*ret_pods, size_of(*it), &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum) || sum > RUN_MAX)
            return *it;
    }
    return NULL;
}

static bool has_excess(struct ty_engine *e, const struct ty_json *job, const struct ty_json *jobset,
                       struct ty_preflight_findings *ret)
{
    size_t pods = 0;
    const struct ty_json *rjob = find_excess(jobset, &pods);
    bool own = ty_json_at(job, "spec.trainer.numNodes") != NULL;

    if (!rjob)
        return false;
    const char *text = ty_arena_printf(
        e->pass, "%zu pod%s of job \"%.*s\" would together be larger than %zu MiB", pods,
        pods == 1 ? "" : "s", TY_ARG(ty_json_str_at(rjob, "name")), RUN_MAX >> 20);
    add_error(ret, own ? "spec.trainer.numNodes" : "spec.runtimeRef", ty_str(text))->in_trainjob =
        true;
    return true;
}

/* The controller ignores jobs with another manager (MultiKueue dispatches them): such a job would
 * never end here. */
static bool managed_by_other(struct ty_engine *e, const struct ty_json *job,
                             struct ty_preflight_findings *ret)
{
    struct ty_str who = ty_json_str_at(job, "spec.managedBy");

    if (!who.n || ty_str_is(who, OWN_NAME))
        return false;
    struct ty_str name = ty_json_str_at(job, "metadata.name");
    const char *text = ty_arena_printf(e->pass, "TrainJob %.*s is managed by %.*s; not run",
                                       TY_ARG(name), TY_ARG(who));
    struct ty_preflight_finding *it = add_error(ret, "spec.managedBy", ty_str(text));
    it->in_trainjob = true;
    it->job = ty_arena_cstr(ret->arena, name);
    return true;
}

/* Says so before training runs on the CPUs of a machine with GPUs. */
static void check_unused_gpus(struct ty_engine *e, const struct ty_json *jobset,
                              struct ty_preflight_findings *ret)
{
    const struct ty_host *host = &e->o.host;
    size_t n = 0;

    while (host->gpus && host->gpus[n])
        n++;
    if (!n || ty_preflight_gpus(e->pass, jobset, host) > 0)
        return;
    struct ty_preflight_finding *it = ty_new(ret->arena, struct ty_preflight_finding);
    it->path = "spec.trainer.resourcesPerNode";
    it->note = true;
    it->text =
        ty_arena_printf(ret->arena,
                        "trainjob/%.*s asks for no GPU and sees none of this machine's %zu: set "
                        "spec.trainer.resourcesPerNode, for example {limits: {%s: 1}}",
                        TY_ARG(ty_json_str_at(jobset, "metadata.name")), n, host->gpu_resource);
    ty_append(ret->first, ret->last, it);
}

static void check_jobset(struct ty_engine *e, struct ty_json *jobset,
                         const struct ty_desired_object *want, struct ty_preflight_findings *ret)
{
    struct submit_view submit_view = { e, want };
    struct ty_view view = { .ctx = &submit_view, .get = ahead_get };
    struct ty_errs errs = { .arena = e->pass };
    size_t n_claims = 0;
    const struct ty_json *const *claims = ty_engine_claims(e, &n_claims);

    /* As it is written, so that what a cluster refuses is refused whatever restarts here. */
    struct ty_json *written = ty_json_copy(e->pass, jobset, 0);
    ty_jobset_default(e->pass, written);
    ty_jobset_validate(e->pass, written, &errs);
    ty_jobset_restarts(e->pass, jobset, e->o.restarts);
    ty_jobset_default(e->pass, jobset);
    ty_jobset_validate_claims(jobset, claims, n_claims, &errs);
    add_errors(ret, &errs);
    if (errs.n == 0)
        ty_preflight_jobset(jobset,
                            ty_host_for_job(e, e->pass,
                                            ty_json_str_at(jobset, "metadata.namespace"),
                                            ty_json_str_at(jobset, "metadata.name")),
                            &view, ret);
    check_unused_gpus(e, jobset, ret);
    ty_preflight_list_pods(jobset, ret);
}

/* Names the TrainJob in the findings that do not yet have one: those of its JobSet. */
static void name_job(struct ty_preflight_findings *ret, const struct ty_json *job)
{
    const char *name = ty_json_cstr_at(ret->arena, job, "metadata.name");

    for (struct ty_preflight_finding *it = ret->first; it; it = it->next)
        if (!it->job)
            it->job = name;
}

static int check_trainjob(struct ty_engine *e, const struct ty_json *job,
                          struct ty_preflight_findings *ret, struct ty_err *err)
{
    struct ty_trainjob_reconcile pass;

    if (managed_by_other(e, job, ret))
        return 0;
    if (ty_engine_desired(e, job, &pass, err) < 0)
        return err->code;
    if (pass.err.code < 0)
        return ty_fail(err, pass.err.code, "%s", pass.err.text);
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        if (check_size(w->obj, w->kind, err) < 0)
            return err->code;
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        if (w->kind == &ty_kind_jobset && !has_excess(e, job, w->obj, ret))
            check_jobset(e, ty_json_copy(e->pass, w->obj, 0), pass.want, ret);
    name_job(ret, job);
    return 0;
}

static struct ty_json *prepare_copy(struct ty_engine *e, const struct ty_json *obj)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_json *copy = ty_json_copy(e->pass, obj, 0);
    struct ty_json *meta = ty_json_ensure_object(e->pass, copy, "metadata");

    if (kind && kind->namespaced && ty_json_str_at(meta, "namespace").n == 0)
        ty_json_set(e->pass, meta, "namespace", ty_json_cstr(e->pass, NAMESPACE));
    if (kind == &ty_kind_trainjob) /* the status of a job that was exported from a cluster does not
                                      apply here */
        ty_json_del(copy, TY_LIT("status"));
    return copy;
}

static int store_all(struct ty_engine *e, const struct ty_json *const *objs, size_t n, bool jobs,
                     struct ty_err *err)
{
    int r = 0;

    for (size_t i = 0; i < n && r == 0; i++)
        if (ty_kind_of(objs[i]) && (ty_kind_of(objs[i]) == &ty_kind_trainjob) == jobs)
            r = ty_local_create(e->store, e->pass, prepare_copy(e, objs[i]), err);
    return r;
}

int ty_engine_submit(struct ty_engine *e, const struct ty_json *const *objs, size_t n,
                     struct ty_preflight_findings *ret_findings, struct ty_err *err)
{
    int r = 0;

    ty_arena_reset(e->pass);
    for (size_t i = 0; i < n && r == 0; i++)
        if (ty_kind_of(objs[i]))
            r = check_size(objs[i], ty_kind_of(objs[i]), err);
    if (r == 0)
        r = store_all(e, objs, n, false, err);
    for (size_t i = 0; i < n && r == 0; i++)
        if (ty_kind_of(objs[i]) == &ty_kind_trainjob)
            r = check_trainjob(e, prepare_copy(e, objs[i]), ret_findings, err);
    if (r < 0)
        return r;
    if (ret_findings->n_errors)
        return ty_fail(err, -ENOTSUP, "%zu finding%s: not everything here can run on this machine",
                       ret_findings->n_errors, ret_findings->n_errors == 1 ? "" : "s");
    return store_all(e, objs, n, true, err);
}
