/* Any YAML as V1 jobs, and any text as a batch script. Properties: a conversion ends with a
 * sentence or with objects; the same input gives the same objects; they have no field that their
 * schema does not know; and the pair reads back equal from YAML. */
#include "api/kinds.h"
#include "convert/convert.h"
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_object(struct ty_arena *a, const struct ty_json *obj, const struct ty_kind *kind)
{
    ty_auto_buf text = { 0 };
    struct ty_docs docs = { 0 };
    struct ty_errs unknown = { .arena = a };
    if (!obj)
        return;
    check(ty_kind_of(obj) == kind);
    ty_yaml_print(&text, obj, NULL);
    check(ty_yaml_read(a, "object", ty_buf_str(&text), NULL, &docs, NULL) == 0);
    check(docs.n == 1 && ty_json_eq(docs.v[0], obj));
    ty_schema_prune(a, kind->schema, ty_json_copy(a, obj, 0), NULL, &unknown);
    check(unknown.n == 0);
}

static void check_done(struct ty_arena *a, int r, const struct ty_converted *x,
                       const struct ty_converted *y)
{
    check((r < 0) == (x->bad != NULL) && (r < 0) == (x->job == NULL));
    check(!x->bad == !y->bad && !x->runtime == !y->runtime);
    check(!x->bad || *x->bad->text);
    check(!x->job || ty_json_eq(x->job, y->job));
    check(!x->runtime || ty_json_eq(x->runtime, y->runtime));
    for (const struct ty_convert_note *n = x->warnings; n; n = n->next)
        check(n->path && *n->text);
    check_object(a, x->job, &ty_kind_trainjob);
    check_object(a, x->runtime, &ty_kind_trainingruntime);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ty_json_limits limits = { .bytes = 1 << 15, .depth = 64 };
    const struct ty_convert_opts opts = { .gang = size % 3, .split_script = true };
    struct ty_str text = { (const char *)data, size };
    struct ty_converted x, y;
    struct ty_docs docs = { 0 };
    if (size > limits.bytes)
        return 0;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    if (ty_convert_is_sbatch(text)) {
        int r = ty_convert_sbatch(a, "job.sh", text, &x);
        ty_convert_sbatch(a, "job.sh", text, &y);
        check((r < 0) == (x.bad != NULL) && !x.bad == !y.bad);
        return 0;
    }
    if (ty_yaml_read(a, "input", text, &limits, &docs, NULL) < 0)
        return 0;
    for (size_t i = 0; i < docs.n && i < 4; i++) {
        int r = ty_convert(a, docs.v[i], &opts, &x);
        ty_convert(a, docs.v[i], &opts, &y);
        check_done(a, r, &x, &y);
    }
    return 0;
}
