/* The cost of an admission review, for every list and map of a TrainJob or a runtime: n items in
 * it, and nothing else of size. usage: bench-admission [N...]
 *   without N   milliseconds for a megabyte, each path with about a megabyte, the slowest first
 *   with N      each path with N items, and its name on stdout: tools/cost counts the instructions
 *               of measured() for N and 2N, and checks that they grow linearly */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api/schema.h"
#include "controller/cache.h"
#include "serve/webhook.h"
#include "trainer/trainjob_reconcile.h"

#define PATHS_MAX 4096
#define SAME_MAX  4
#define DEPTH_MAX 40
#define MEGABYTE  1000000.0
#define SHOWN     12

/* A path from an object's root to one of its lists or maps. */
struct way {
    const struct ty_field *field[DEPTH_MAX]; /* NULL: an item of the list, a value of the map */
    size_t n;
};

struct cases {
    struct ty_arena *a;
    struct way *v;
    size_t n;
};

enum op { MUTATE_CREATE, MUTATE_UPDATE, VALIDATE_CREATE, VALIDATE_UPDATE, RENDER, CACHE, OPS };
static const char *const op_names[] = { "mutate create",   "mutate update", "validate create",
                                        "validate update", "render",        "cache" };

/* ---- every list and map of a schema ---- */

/* Types occur many times (a pod has three lists of containers): a few of each are enough. */
static bool is_known_type(const struct cases *c, const struct way *way)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += c->v[i].field[c->v[i].n - 1] == way->field[way->n - 1];
    return n >= SAME_MAX;
}

static void find_lists(struct cases *c, const struct ty_schema *s, struct way *way)
{
    if (way->n == DEPTH_MAX || c->n == PATHS_MAX)
        return;
    if (s->type == TY_T_ARRAY || s->type == TY_T_MAP) {
        if (is_known_type(c, way))
            return;
        c->v[c->n++] = *way;
        way->field[way->n++] = NULL;
        find_lists(c, s->items, way);
        way->n--;
    }
    for (const struct ty_field *f = s->type == TY_T_OBJECT ? s->fields : NULL; f && f->name; f++) {
        way->field[way->n++] = f;
        find_lists(c, f->schema, way);
        way->n--;
    }
}

static struct cases cases_of(struct ty_arena *a, const struct ty_schema *root)
{
    struct cases c = { .a = a, .v = ty_new_n(a, struct way, PATHS_MAX) };
    struct way way = { .n = 0 };

    find_lists(&c, root, &way);
    return c;
}

static const char *way_text(struct ty_arena *a, const struct way *way)
{
    ty_auto_buf out = { 0 };

    for (size_t i = 0; i < way->n; i++)
        if (way->field[i])
            ty_buf_printf(&out, "%s%s", out.n ? "." : "", way->field[i]->name);
        else
            ty_buf_cstr(&out, "[]");
    return ty_arena_printf(a, "%.*s", (int)out.n, out.p);
}

/* ---- an object with n items at the end of a path ---- */

static struct ty_json *make_scalar(struct ty_arena *a, enum ty_schema_type type, size_t i)
{
    switch (type) {
    case TY_T_INTEGER:
    case TY_T_NUMBER:
    case TY_T_INT_OR_STRING:
        return ty_json_int(a, (int64_t)i + 1);
    case TY_T_QUANTITY:
        return ty_json_cstr(a, "1");
    case TY_T_BOOLEAN:
        return ty_json_bool(a, true);
    case TY_T_TIME:
        return ty_json_cstr(a, "2026-01-02T03:04:05Z");
    case TY_T_STRING:
        return ty_json_strf(a, "k%zu", i);
    case TY_T_OBJECT:
    case TY_T_MAP:
    case TY_T_ANY:
        return ty_json_object(a);
    case TY_T_ARRAY:
        break;
    }
    return ty_json_array(a);
}

/* An item that differs from its neighbors in its keys, or its name. */
static struct ty_json *make_item(struct ty_arena *a, const struct ty_schema *list, size_t i)
{
    static const char *const usual[] = { "name", "manager", "key", NULL };
    const char *const *keys = list->list_keys ? list->list_keys : usual;
    struct ty_json *v = make_scalar(a, list->items->type, i);

    for (; list->items->type == TY_T_OBJECT && *keys; keys++) {
        const struct ty_field *f = ty_schema_field(list->items, ty_str(*keys));
        if (f && f->schema->type < TY_T_ANY)
            ty_json_set(a, v, *keys, make_scalar(a, f->schema->type, i));
    }
    return v;
}

static struct ty_json *make_items(struct ty_arena *a, const struct ty_schema *list, size_t n)
{
    struct ty_json *v = make_scalar(a, list->type, 0);

    if (list->type == TY_T_ARRAY) {
        for (size_t i = 0; i < n; i++)
            ty_json_push(a, v, make_item(a, list, i));
        return v;
    }
    v->members =
        ty_new_n(a, struct ty_json_member, n + 1); /* not by put, which searches for each key */
    v->n = v->cap = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        v->members[i] =
            (struct ty_json_member){ ty_str(ty_arena_printf(a, "k%zu", i)), make_item(a, list, i) };
    return v;
}

/* The first item of a list on the path, created if the base has none; `node` is its schema. */
static struct ty_json *step_into(struct ty_arena *a, struct ty_json *list,
                                 const struct ty_schema *of)
{
    struct ty_json *v = ty_json_item(list, 0);

    if (v || list->type != TY_JSON_ARRAY)
        return v;
    v = make_scalar(a, of->type, 0);
    if (ty_schema_field(of, TY_LIT("name")))
        ty_json_set(a, v, "name", ty_json_cstr(a, "node"));
    if (ty_schema_field(of, TY_LIT("manager")))
        ty_json_set(a, v, "manager", ty_json_cstr(a, "example.org/m"));
    ty_json_push(a, list, v);
    return v;
}

/* False: the path cannot be followed (a value of a map). */
static bool fill_path(struct ty_arena *a, struct ty_json *obj, const struct way *way, size_t n)
{
    const struct ty_schema *s = NULL;

    for (size_t i = 0; i < way->n; i++) {
        const struct ty_field *f = way->field[i];
        bool last = i + 1 == way->n;
        if (!f) {
            obj = step_into(a, obj, s->items);
            s = s->items;
            if (!obj || last)
                return false;
            continue;
        }
        s = f->schema;
        if (last) {
            ty_json_set(a, obj, f->name, make_items(a, s, n));
            return true;
        }
        if (!ty_json_get(obj, f->name))
            ty_json_set(a, obj, f->name, make_scalar(a, s->type, 0));
        obj = ty_json_get(obj, f->name);
    }
    return false;
}

/* ---- the review ---- */

static const char base_job[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{"
    "\"name\":\"resnet\",\"namespace\":\"team-a\",\"uid\":\"u\"},\"spec\":{\"runtimeRef\":{"
    "\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":\"TrainingRuntime\",\"name\":\"rt\"}}}";
static const char base_runtime[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainingRuntime\",\"metadata\":{"
    "\"name\":\"rt\",\"namespace\":\"team-a\",\"uid\":\"r\"},\"spec\":{\"mlPolicy\":{\"numNodes\":"
    "1,"
    "\"torch\":{}},\"podGroupPolicy\":{\"coscheduling\":{}},\"template\":{\"spec\":{"
    "\"replicatedJobs\":[{\"name\":\"node\",\"template\":{"
    "\"metadata\":{\"labels\":{\"trainer.kubeflow.org/trainjob-ancestor-step\":\"trainer\"}},"
    "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"node\",\"image\":\"i\"}]}}}}}]}"
    "}}}";

struct bench {
    struct ty_pipeline pipeline;
    struct ty_view view;
    const struct ty_json *runtime;
    struct ty_cache *cache;
    struct ty_arena *a;
};

static const struct ty_json *get_object(void *ctx, const struct ty_kind *kind,
                                        struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    const struct bench *b = ctx;

    return kind == &ty_kind_trainingruntime ? b->runtime : NULL;
}

static int64_t now_s(void *ctx TY_UNUSED)
{
    return 1767323045;
}

/* One call is counted; the arena's blocks are part of the cost. */
__attribute__((noinline)) static int measured(struct bench *b, enum op op, const char *path,
                                              struct ty_str text)
{
    const unsigned char entropy[TY_ENTROPY] = { 1 };
    ty_auto_arena *a = ty_arena_new_input((size_t)512 << 20, NULL);
    struct ty_webhook w = {
        .pipeline = &b->pipeline, .settings = &ty_settings_default, .view = &b->view, .now_s = now_s
    };
    struct ty_json *answer = NULL;

    if (op == CACHE) {
        const struct ty_json *obj = ty_json_parse(a, text, NULL, NULL);
        ty_cache_put(b->cache, ty_kind_of(obj), obj);
        return 200;
    }
    if (op != RENDER)
        return ty_webhook_review(&w, a, ty_str(path), text, &answer);
    struct ty_trainjob_reconcile_in in = { .pipeline = &b->pipeline,
                                           .settings = &ty_settings_default,
                                           .view = &b->view,
                                           .job = ty_json_parse(a, text, NULL, NULL),
                                           .now_s = now_s(NULL),
                                           .entropy = entropy };
    struct ty_trainjob_reconcile pass;
    ty_trainjob_reconcile(a, &in, &pass);
    for (const struct ty_desired_object *want = pass.want; want; want = want->next)
        ty_json_text(a, want->obj);
    return 200;
}

static struct ty_str build_review(struct ty_arena *a, const struct ty_json *obj, enum op op)
{
    bool update = op == MUTATE_UPDATE || op == VALIDATE_UPDATE;
    struct ty_str text = ty_json_text(a, obj);
    const char *kind = ty_json_str_at(obj, "kind").p;

    return ty_str(ty_arena_printf(
        a,
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u\",\"kind\":{\"group\":\"trainer.kubeflow.org\",\"version\":\"v1alpha1\","
        "\"kind\":\"%s\"},\"operation\":\"%s\",\"object\":%s%s%s}}",
        *kind == 'T' && ty_str_is(ty_json_str_at(obj, "kind"), "TrainJob") ? "TrainJob"
                                                                           : "TrainingRuntime",
        update ? "UPDATE" : "CREATE", text.p, update ? ",\"oldObject\":" : "",
        update ? text.p : ""));
}

struct result {
    const char *name;
    double ms_per_mb;
};

/* A path of a TrainJob, or of a runtime (validated itself, and as the runtime of a plain TrainJob).
 */
struct subject {
    const struct way *way;
    bool runtime;
    size_t n;
};

/* Its name, or NULL if the path does not apply to this operation. */
static const char *run_subject(struct bench *b, const struct subject *s, enum op op,
                               double *ret_ms_per_mb)
{
    static const char *const paths[] = {
        "/mutate-trainer-kubeflow-org-v1alpha1-trainjob",
        "/validate-trainer-kubeflow-org-v1alpha1-trainjob",
        "/validate-trainer-kubeflow-org-v1alpha1-trainingruntime"
    };
    ty_auto_arena *a = ty_arena_new((size_t)2 << 30);
    struct ty_json *job = ty_json_parse(a, ty_str(base_job), NULL, NULL);
    struct ty_json *runtime = ty_json_parse(a, ty_str(base_runtime), NULL, NULL);
    struct timespec begin, end;

    if (s->runtime && op <= MUTATE_UPDATE)
        return NULL;
    if (!fill_path(a, s->runtime ? runtime : job, s->way, s->n))
        return NULL;
    b->runtime = runtime;
    const struct ty_json *asked = s->runtime && op != RENDER ? runtime : job;
    struct ty_str text = op < RENDER ? build_review(a, asked, op) : ty_json_text(a, asked);
    const char *path = paths[op <= MUTATE_UPDATE ? 0 : s->runtime ? 2 : 1];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    int code = measured(b, op, path, text);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double ms =
        (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
    size_t bytes = text.n + (op == RENDER ? ty_json_text(a, runtime).n : 0);
    *ret_ms_per_mb = ms / ((double)bytes / MEGABYTE);
    return ty_arena_printf(b->a, "%s %s %s %d", op_names[op], s->runtime ? "runtime" : "trainjob",
                           way_text(a, s->way), code);
}

static int slowest_first(const void *x, const void *y)
{
    double a = ((const struct result *)x)->ms_per_mb, b = ((const struct result *)y)->ms_per_mb;

    return (a < b) - (a > b);
}

static void run_all(struct bench *b, size_t n, bool quiet, struct result *results, size_t *ret_n)
{
    const struct ty_schema *const roots[] = { &ty_schema_TrainJob, &ty_schema_TrainingRuntime };

    for (size_t k = 0; k < 2; k++) {
        struct cases c = cases_of(b->a, roots[k]);
        for (size_t i = 0; i < c.n; i++)
            for (enum op op = 0; op < OPS; op++) {
                double ms = 0;
                struct subject s = { .way = &c.v[i], .runtime = k == 1, .n = n };
                const char *name = run_subject(b, &s, op, &ms);
                if (!name)
                    continue;
                if (quiet)
                    printf("%s\n", name);
                else
                    results[(*ret_n)++] = (struct result){ name, ms };
            }
    }
}

int main(int argc, char **argv)
{
    struct bench b = { .a = ty_arena_new((size_t)1 << 30) };
    struct result *results = calloc(2 * PATHS_MAX * OPS, sizeof(*results));
    size_t n = 0;

    if (!results || ty_pipeline_init(&b.pipeline, NULL, NULL, NULL, NULL) < 0)
        return 1;
    b.cache = ty_cache_new();
    b.view = (struct ty_view){ .ctx = &b, .get = get_object };
    for (int i = 1; i < argc; i++)
        run_all(&b, (size_t)strtoul(argv[i], NULL, 10), true, NULL, NULL);
    if (argc == 1) {
        run_all(&b, 20000, false, results, &n);
        qsort(results, n, sizeof(*results), slowest_first);
        printf("%zu ways through admission, rendering and the cache, 20,000 items each; ms a "
               "megabyte:\n",
               n);
        for (size_t i = 0; i < n && i < SHOWN; i++)
            printf("%8.1f  %s\n", results[i].ms_per_mb, results[i].name);
        printf("%8.1f  median\n", n ? results[n / 2].ms_per_mb : 0);
    }
    free(results);
    ty_cache_free(b.cache);
    ty_arena_free(b.a);
    return 0;
}
