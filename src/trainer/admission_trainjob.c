/* The webhooks of TrainJobs: timestamps of patches, strings in numProcPerNode, the validate hooks
 * of all plugins (docs/spec/trainer.md 8.1, 8.2). */
#include <errno.h>

#include "trainer/admission.h"
#include "trainer/plugins/ml.h"
#include "trainer/runtime_resolve.h"
#include "trainer/trainjob_reconcile.h"

/* A stored patch, and its normal form without `time`, in which null is absent. Computed once for
 * each stored patch, however many new ones have the same manager. */
struct stored {
    const struct ty_json *list;
    const struct ty_json **said;
};

static const struct ty_json *without_time(struct ty_arena *a, const struct ty_json *patch)
{
    struct ty_json *said = ty_schema_normalize(a, &ty_schema_RuntimePatch, patch);

    ty_json_del(said, TY_LIT("time"));
    return said;
}

/* The time of the last change of a patch: unchanged patches keep it, changed ones get now. */
static void stamp_patch(struct ty_arena *a, struct ty_json *patch, const struct stored *stored,
                        int64_t now_s)
{
    size_t at = 0;
    const struct ty_json *old =
        ty_json_find_item(stored->list, "manager", ty_json_str_at(patch, "manager"), &at);
    const struct ty_json *old_time = ty_json_get(old, "time");
    struct ty_json *now = ty_json_str(a, ty_time_text(a, now_s));

    if (!ty_json_is(patch, TY_JSON_OBJECT))
        return;
    if (old && !stored->said[at])
        stored->said[at] = without_time(a, old);
    if (old && ty_json_eq(without_time(a, patch), stored->said[at])) {
        if (old_time)
            ty_json_set(a, patch, "time", ty_json_copy(a, old_time, 0));
        else
            ty_json_del(patch, TY_LIT("time"));
    } else if (old || ty_json_str_at(patch, "time").n == 0) {
        ty_json_set(a, patch, "time", now);
    }
}

/* Stored objects must be readable for typed clients: a string is replaced by an absent field and,
 * for cpu or gpu, an annotation. */
static void store_numproc(struct ty_arena *a, struct ty_json *obj)
{
    struct ty_json *trainer = ty_json_at(obj, "spec.trainer");
    struct ty_json *word = ty_json_get(trainer, "numProcPerNode");
    struct ty_numproc n = ty_trainjob_parse_numproc(word);

    if (n.kind == TY_NUMPROC_UNSET || n.kind == TY_NUMPROC_INT)
        return;
    ty_json_del(trainer, TY_LIT("numProcPerNode"));
    if (n.kind == TY_NUMPROC_AUTO) { /* remove the annotation of an earlier value */
        ty_json_del(ty_json_at(obj, "metadata.annotations"), TY_LIT(TY_ANN_NUMPROC));
        return;
    }
    struct ty_json *meta = ty_json_ensure_object(a, obj, "metadata");
    ty_json_put(a, ty_json_ensure_object(a, meta, "annotations"), TY_LIT(TY_ANN_NUMPROC), word);
}

/* Mutation precedes the API server's validation. An object that validation will refuse is not
 * mutated, so that a list of half a million patches costs no more than its parsing. */
static bool worth_changing(const struct ty_json *obj, const struct ty_json *old)
{
    return ty_schema_bounded(&ty_schema_TrainJob, obj) &&
           (!old || ty_schema_bounded(&ty_schema_TrainJob, old));
}

/* Replaces obj.key, an object or a list, by a shallow copy. */
static struct ty_json *copy_member(struct ty_arena *a, struct ty_json *obj, const char *key)
{
    struct ty_json *v = ty_json_get(obj, key);

    if (!v || v->type < TY_JSON_ARRAY)
        return NULL;
    v = ty_json_shallow_copy(a, v);
    ty_json_set(a, obj, key, v);
    return v;
}

/* Copies the parts that are changed below; the rest is shared. */
static struct ty_json *copy_changeable(struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_json *next = ty_json_shallow_copy(a, obj);
    struct ty_json *meta = copy_member(a, next, "metadata"), *spec = copy_member(a, next, "spec");
    struct ty_json *patches = spec ? copy_member(a, spec, "runtimePatches") : NULL;

    if (meta)
        copy_member(a, meta, "annotations");
    if (spec)
        copy_member(a, spec, "trainer");
    ty_each_item (p, patches)
        *p = ty_json_shallow_copy(a, *p);
    return next;
}

int ty_admission_mutate_trainjob(struct ty_arena *a, const struct ty_json *obj,
                                 const struct ty_json *old, int64_t now_s,
                                 struct ty_json **ret_next, struct ty_err *err)
{
    struct stored stored = { .list = ty_json_at(old, "spec.runtimePatches") };
    int r = ty_schema_decode(&ty_schema_TrainJob, obj, err);

    if (r < 0)
        return r;
    struct ty_json *next = copy_changeable(a, obj);
    *ret_next = next;
    if (!worth_changing(obj, old))
        return 0;
    struct ty_json *patches = ty_json_at(next, "spec.runtimePatches");
    stored.said = ty_new_n(a, const struct ty_json *, ty_json_len(stored.list));
    ty_each_item (p, patches)
        stamp_patch(a, *p, &stored, now_s);
    store_numproc(a, next);
    return 0;
}

static void set_denied(struct ty_arena *a, const struct ty_admission_request *in,
                       struct ty_admission_response *v, struct ty_errs *mine)
{
    ty_admission_warn(in, mine, v);
    if (mine->n && !v->message) {
        v->code = 403;
        v->message =
            ty_arena_printf(a,
                            "admission webhook \"validator.trainjob.trainer.kubeflow.org\" "
                            "denied the request: %s",
                            ty_errs_text(a, mine));
    }
    ty_errs_join(&v->errs, mine);
}

/* It is unknown whether the runtime exists: answers 500, not "not found" as v2.3.0 does, because
 * the job may be valid. */
static void cannot_judge(struct ty_arena *a, struct ty_admission_response *v, const char *why)
{
    v->code = 500;
    v->message = ty_arena_printf(a,
                                 "admission webhook \"validator.trainjob.trainer.kubeflow.org\" "
                                 "denied the request: the TrainJob cannot be checked: %s",
                                 why);
}

/* Upstream's messages, including its path `spec.RuntimeRef` for the cluster kind. */
static void runtime_missing(struct ty_arena *a, const struct ty_admission_request *in,
                            const struct ty_trainjob *job, struct ty_errs *errs)
{
    bool cluster = ty_runtime_kind(job) == &ty_kind_clustertrainingruntime;
    struct ty_field_err *e = ty_errs_add(
        errs, TY_KEY(&ty_trainjob_spec_path, cluster ? "RuntimeRef" : "runtimeRef"), TY_INVALID,
        ty_ml_ref_text(a, job),
        "%.*s.trainer.kubeflow.org \"%.*s\" not found: specified %srainingRuntime must be created "
        "before the TrainJob is created",
        TY_ARG(job->ref_kind), TY_ARG(job->ref_name), cluster ? "clusterT" : "t");

    e->at = job->ref;
    e->hint = ty_runtime_suggestions(a, job, in->view);
}

/* The live runtime; on update, if it was deleted, the job's snapshot (B12). */
static const struct ty_json *runtime_for(struct ty_arena *a, const struct ty_admission_request *in,
                                         const struct ty_trainjob *job)
{
    const struct ty_json *runtime = ty_runtime_live(job, in->view);
    struct ty_err err = { 0 };

    if (!runtime && in->op == TY_ADMISSION_UPDATE &&
        ty_runtime_snapshot_load(a, job, in->view, &runtime, &err) != 0)
        return NULL;
    return runtime;
}

static const char *runtime_unread(struct ty_arena *a, const struct ty_admission_request *in,
                                  const struct ty_trainjob *job)
{
    const char *why = ty_runtime_read_error(a, job, in->view);

    return why || in->op != TY_ADMISSION_UPDATE ? why
                                                : ty_runtime_snapshot_read_error(a, job, in->view);
}

static void check_job(struct ty_arena *a, const struct ty_admission_request *in,
                      const struct ty_trainjob *job, const struct ty_trainjob *old,
                      const struct ty_json *runtime, struct ty_errs *errs,
                      struct ty_warnings *warnings)
{
    struct ty_plan_in plan_in = {
        .pipeline = in->pipeline, .settings = in->settings, .view = in->view, .runtime = runtime
    };
    const struct ty_json *labels = ty_json_at(runtime, "metadata.labels");
    struct ty_plan plan;
    struct ty_err err = { 0 };

    if (ty_str_is(ty_json_as_str(ty_json_find(labels, TY_LIT("trainer.kubeflow.org/support"))),
                  "deprecated"))
        ty_warnings_add(warnings, "Referenced %.*s \"%.*s\" " TY_ADMISSION_DEPRECATED,
                        TY_ARG(job->ref_kind), TY_ARG(job->ref_name));
    if (ty_plan_init(a, job, &plan_in, &plan, &err) < 0) {
        /* The runtime may have changed in the meantime: a stored TrainJob can still be relabeled,
         * or have its finalizers removed. */
        bool stored = old && ty_plan_init(a, old, &plan_in, &plan, &(struct ty_err){ 0 }) < 0;
        ty_errs_add(errs, &ty_trainjob_spec_path, TY_FORBIDDEN, NULL, "%s", err.text)->warn_only =
            stored;
        return;
    }
    ty_pipeline_validate(&plan, job, old, errs, warnings);
}

void ty_admission_validate_trainjob(struct ty_arena *a, const struct ty_admission_request *in,
                                    struct ty_admission_response *ret)
{
    struct ty_trainjob job, old;
    struct ty_errs errs = { .arena = a };

    /* The API server has refused it already, unless the stored object exceeds the bound, too; skip
     * the work for other callers. */
    if (!in->all && !ty_schema_bounded(&ty_schema_TrainJob, in->obj)) {
        ty_warnings_add(&ret->warnings,
                        "not checked: a list or text is longer than the schema allows");
        return;
    }

    ty_trainjob_parse(&job, in->obj);
    ty_trainjob_parse(&old, in->old);
    if (!ty_runtime_kind(&job)) {
        const char *text = ty_runtime_unsupported(a, &job);
        struct ty_field_err *e =
            ty_errs_add(&errs, &ty_trainjob_ref_path, TY_INVALID, NULL, "%s", text);
        e->at = job.ref;
        e->hint = "use kind ClusterTrainingRuntime or TrainingRuntime, apiGroup "
                  "trainer.kubeflow.org";
        if (!ret->message) { /* upstream's message, without a path */
            ret->code = 403;
            ret->message = ty_arena_printf(
                a,
                "admission webhook \"validator.trainjob.trainer.kubeflow.org\" denied the "
                "request: %s",
                text);
        }
        set_denied(a, in, ret, &errs);
        return;
    }
    const struct ty_json *runtime = runtime_for(a, in, &job);
    const char *why = runtime ? NULL : runtime_unread(a, in, &job);
    if (why) {
        cannot_judge(a, ret, why);
        return;
    }
    if (runtime)
        check_job(a, in, &job, in->op == TY_ADMISSION_UPDATE ? &old : NULL, runtime, &errs,
                  &ret->warnings);
    else
        runtime_missing(a, in, &job, &errs);
    set_denied(a, in, ret, &errs);
}
