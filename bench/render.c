/* TrainJobs in a second: how fast a torch TrainJob and its runtime become child objects, on one
 * core. "plan" is the pass over objects in memory, as in the operator; "text" also parses both from
 * JSON, admits the TrainJob, and prints the children, as `render` does. Prints the median of the
 * rounds in CPU time, which does not depend on the load of the machine. */
#include <stdio.h>
#include <time.h>

#include "testdata.h"
#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"

#define ROUNDS    41
#define PER_ROUND 500
#define TARGET    10000

static const struct ty_json *get_runtime(void *ctx, const struct ty_kind *kind,
                                         struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    return kind == &ty_kind_clustertrainingruntime ? ctx : NULL;
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct ty_json *read_object(struct ty_arena *a, struct ty_str text)
{
    struct ty_err err = { 0 };
    struct ty_json *v = ty_json_parse(a, text, NULL, &err);

    if (!v) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return v;
}

struct bench {
    struct ty_pipeline pipeline;
    struct ty_str runtime_text, job_text;
    const struct ty_json *runtime, *job; /* for "plan" */
    size_t children, bytes;
};

static struct ty_trainjob_reconcile one_pass(struct bench *b, struct ty_arena *a,
                                             const struct ty_json *job, const struct ty_view *view)
{
    static const unsigned char entropy[TY_ENTROPY] = { 1 };
    struct ty_trainjob_reconcile_in in = {
        .pipeline = &b->pipeline, .view = view, .job = job, .now_s = 1794700000, .entropy = entropy
    };
    struct ty_trainjob_reconcile pass;

    ty_trainjob_reconcile(a, &in, &pass);
    if (pass.err.code < 0) {
        fprintf(stderr, "%s\n", pass.err.text);
        exit(1);
    }
    return pass;
}

static void plan_once(struct bench *b, struct ty_arena *a)
{
    struct ty_view view = { .get = get_runtime };

    memcpy(&view.ctx, &b->runtime, sizeof(view.ctx)); /* borrowed, never written */
    struct ty_trainjob_reconcile pass = one_pass(b, a, b->job, &view);
    b->children = 0;
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        b->children++;
}

static void text_once(struct bench *b, struct ty_arena *a)
{
    struct ty_json *runtime = read_object(a, b->runtime_text);
    struct ty_json *job = read_object(a, b->job_text);
    struct ty_view view = { .ctx = runtime, .get = get_runtime };
    struct ty_admission_request in = { .pipeline = &b->pipeline,
                                       .view = &view,
                                       .op = TY_ADMISSION_CREATE,
                                       .obj = job,
                                       .now_s = 1794700000 };
    struct ty_admission_response verdict;
    ty_auto_buf out = { 0 };

    ty_admission_handle(a, &in, &verdict);
    if (verdict.message) {
        fprintf(stderr, "%s\n", verdict.message);
        exit(1);
    }
    struct ty_trainjob_reconcile pass = one_pass(b, a, job, &view);
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        ty_json_print(&out, w->obj);
    b->bytes = out.n;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double per_second(struct bench *b, void (*once)(struct bench *, struct ty_arena *))
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    double rates[ROUNDS];

    for (int r = 0; r < ROUNDS; r++) {
        double start = cpu_seconds();
        for (int i = 0; i < PER_ROUND; i++) {
            ty_arena_reset(a);
            once(b, a);
        }
        rates[r] = PER_ROUND / (cpu_seconds() - start);
    }
    qsort(rates, ROUNDS, sizeof(rates[0]), by_value);
    return rates[ROUNDS / 2];
}

int main(void)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct bench b = { .runtime_text = testdata_text(a, "bench/testdata/runtime.json"),
                       .job_text = testdata_text(a, "bench/testdata/trainjob.json") };
    struct ty_json *job = read_object(a, b.job_text);
    struct ty_err err = { 0 };

    if (ty_pipeline_init(&b.pipeline, NULL, NULL, NULL, &err) < 0)
        return 1;
    ty_schema_default(a, &ty_schema_TrainJob, job);
    b.job = job;
    b.runtime = read_object(a, b.runtime_text);
    double plan = per_second(&b, plan_once), text = per_second(&b, text_once);
    printf("render, plan: %9.0f a second, %.1f us each, %zu children (target %d: %s)\n", plan,
           1e6 / plan, b.children, TARGET, plan >= TARGET ? "met" : "MISSED");
    printf("render, text: %9.0f a second, %.1f us each, %zu bytes out (target %d: %s)\n", text,
           1e6 / text, b.bytes, TARGET, text >= TARGET ? "met" : "MISSED");
    return 0;
}
