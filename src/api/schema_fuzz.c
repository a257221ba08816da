/* Any JSON through all functions of the tables, as objects of each trainer kind. Properties:
 * pruning, defaulting and normalization are idempotent, and a valid object stays valid when it is
 * stored again unchanged. */
#include "api/kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ty_schema *s, const struct ty_json *input)
{
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    struct ty_errs unknown = { .arena = a }, first = { .arena = a }, again = { .arena = a };
    struct ty_json *v = ty_json_copy(a, input, 0), *twice;

    ty_schema_prune(a, s, v, NULL, &unknown);
    ty_schema_default(a, s, v);
    twice = ty_json_copy(a, v, 0);
    unknown.n = 0;
    ty_schema_prune(a, s, twice, NULL, &unknown);
    ty_schema_default(a, s, twice);
    if (unknown.n != 0 || !ty_json_eq(v, twice))
        abort();

    struct ty_json *n = ty_schema_normalize(a, s, v);
    if (!ty_json_eq(n, ty_schema_normalize(a, s, n)))
        abort();

    ty_schema_validate(s, v, NULL, NULL, NULL, &first);
    ty_schema_validate(s, v, twice, NULL, NULL, &again);
    if (first.n == 0 && again.n != 0)
        abort();
    (void)ty_errs_text(a, &first);
    struct ty_err err;
    (void)ty_schema_decode(s, v, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    const struct ty_json_limits limits = { .bytes = 65536, .depth = 64 };
    struct ty_json *v =
        ty_json_parse(a, (struct ty_str){ (const char *)data, size }, &limits, NULL);

    if (!v)
        return 0;
    check(&ty_schema_TrainJob, v);
    check(&ty_schema_TrainingRuntime, v);
    check(&ty_schema_JobSet, v);
    return 0;
}
