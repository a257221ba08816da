/* Any YAML as V1 jobs, and any text as a batch script. Properties: a conversion ends with a
 * sentence or with objects; the same input gives the same objects; they have no field that their
 * schema does not know; the pair reads back equal from YAML; and the door refuses only what the
 * user wrote, never what the converter adds. What it lets in is rendered. */
#include "cli/install/catalog.h"
#include "convert/convert.h"
#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW 1767323045

static void require(bool good)
{
    if (!good)
        abort();
}

/* ---- admission and rendering ---- */

struct fuzz_input {
    struct ty_arena *arena;
    const struct ty_json *runtime; /* NULL: the job names one of the catalog */
    struct ty_json *builtin;
};

static const struct ty_json *get_runtime(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                         struct ty_str name)
{
    struct fuzz_input *w = ctx;
    (void)ns;
    if (kind == &ty_kind_trainingruntime)
        return w->runtime;
    if (kind != &ty_kind_clustertrainingruntime)
        return NULL;
    if (!w->builtin)
        w->builtin = ty_catalog_get(w->arena, name);
    return w->builtin;
}

/* What no V1 field is copied to. Numbers and names that are made of V1's must be right as well. */
static const char *const ours[] = {
    "apiVersion",
    "kind",
    "spec.runtimeRef",
    "spec.managedBy",
    "spec.suspend",
    "spec.activeDeadlineSeconds",
    "spec.trainer.numNodes",
    "spec.trainer.numProcPerNode",
    "spec.mlPolicy",
    "spec.podGroupPolicy",
    "spec.runtimePatches[0].manager",
    "spec.template.spec.network",
    "spec.template.spec.successPolicy",
    "spec.template.spec.failurePolicy",
    "spec.template.spec.ttlSecondsAfterFinished",
    NULL,
};

static bool is_admitted(struct fuzz_input *w, const struct ty_pipeline *pipeline,
                        const struct ty_view *view, struct ty_json *obj)
{
    struct ty_admission_request in = { .pipeline = pipeline,
                                       .view = view,
                                       .op = TY_ADMISSION_CREATE,
                                       .obj = obj,
                                       .now_s = NOW,
                                       .all = true,
                                       .strict = true };
    struct ty_admission_response v;
    ty_admission_handle(w->arena, &in, &v);
    for (const struct ty_field_err *e = v.errs.first; e; e = e->next)
        for (const char *const *path = ours; *path; path++)
            if (strncmp(e->path, *path, strlen(*path)) == 0) {
                fprintf(stderr, "%s: %s %s\n", e->path, e->value ? e->value : "", e->detail);
                require(false);
            }
    return !v.message;
}

static void check_door(struct ty_arena *a, const struct ty_convert_result *x)
{
    static const unsigned char entropy[TY_ENTROPY] = { 1, 2, 3 };
    struct fuzz_input w = { .arena = a };
    struct ty_view view = { .ctx = &w, .get = get_runtime };
    struct ty_pipeline pipeline;
    struct ty_json *job = ty_json_copy(a, x->job, 0), *runtime = NULL;
    struct ty_trainjob_reconcile pass;
    require(ty_pipeline_init(&pipeline, NULL, NULL, NULL, NULL) == 0);
    if (x->runtime) {
        runtime = ty_json_copy(a, x->runtime, 0);
        if (!is_admitted(&w, &pipeline, &view, runtime))
            return;
        w.runtime = runtime;
    }
    if (!is_admitted(&w, &pipeline, &view, job))
        return;
    struct ty_trainjob_reconcile_in in = {
        .pipeline = &pipeline, .view = &view, .job = job, .now_s = NOW, .entropy = entropy
    };
    ty_trainjob_reconcile(a, &in, &pass);
    if (pass.err.code < 0)
        fprintf(stderr, "%s\n", pass.err.text);
    require(pass.err.code == 0);
    bool elsewhere = ty_str_is(ty_json_str_at(job, "spec.managedBy"), "kueue.x-k8s.io/multikueue");
    require(elsewhere == (pass.want == NULL));
}

/* ---- the objects ---- */

static void check_object(struct ty_arena *a, const struct ty_json *obj, const struct ty_kind *kind)
{
    ty_auto_buf text = { 0 };
    struct ty_yaml_docs docs = { 0 };
    struct ty_errs unknown = { .arena = a };
    if (!obj)
        return;
    require(ty_kind_of(obj) == kind);
    ty_yaml_print(&text, obj, NULL);
    require(ty_yaml_parse(a, "object", ty_buf_str(&text), NULL, &docs, NULL) == 0);
    require(docs.n == 1 && ty_json_eq(docs.v[0], obj));
    ty_schema_prune(a, kind->schema, ty_json_copy(a, obj, 0), NULL, &unknown);
    require(unknown.n == 0);
}

static void check_done(struct ty_arena *a, int r, const struct ty_convert_result *x,
                       const struct ty_convert_result *y)
{
    require((r < 0) == (x->bad != NULL) && (r < 0) == (x->job == NULL));
    require(!x->bad == !y->bad && !x->runtime == !y->runtime);
    require(!x->bad || *x->bad->text);
    require(!x->job || ty_json_eq(x->job, y->job));
    require(!x->runtime || ty_json_eq(x->runtime, y->runtime));
    const struct ty_convert_note *n = x->warnings, *m = y->warnings;
    for (; n && m; n = n->next, m = m->next)
        require(*n->text && strcmp(n->path, m->path) == 0 && strcmp(n->text, m->text) == 0);
    require(!n && !m);
    check_object(a, x->job, &ty_kind_trainjob);
    check_object(a, x->runtime, &ty_kind_trainingruntime);
    if (x->job)
        check_door(a, x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ty_json_limits limits = { .bytes = 1 << 15, .depth = 64 };
    const struct ty_convert_opts opts = { .gang = size % 3, .split_script = true };
    struct ty_str text = { (const char *)data, size };
    struct ty_convert_result x, y;
    struct ty_yaml_docs docs = { 0 };
    if (size > limits.bytes)
        return 0;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    if (ty_convert_is_sbatch(text)) {
        int r = ty_convert_sbatch(a, "job.sh", text, &x);
        ty_convert_sbatch(a, "job.sh", text, &y);
        check_done(a, r, &x, &y);
        return 0;
    }
    if (ty_yaml_parse(a, "input", text, &limits, &docs, NULL) < 0)
        return 0;
    for (size_t i = 0; i < docs.n && i < 4; i++) {
        int r = ty_convert(a, docs.v[i], &opts, &x);
        ty_convert(a, docs.v[i], &opts, &y);
        check_done(a, r, &x, &y);
    }
    return 0;
}
