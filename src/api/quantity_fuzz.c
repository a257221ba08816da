/* Property: what is printed is read as the same value and printed as the same text again. */
#include "api/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 24);
    struct ty_quantity q, again;

    if (!ty_quantity_parse((struct ty_str){ (const char *)data, size }, &q))
        return 0;
    struct ty_str text = ty_quantity_text(a, q);
    if (!ty_quantity_parse(text, &again) || ty_quantity_cmp(q, again) != 0 ||
        !ty_str_eq(text, ty_quantity_text(a, again)))
        abort();
    if (q.nano != 0 && (ty_quantity_value(q) > 0) != (q.nano > 0))
        abort();
    struct ty_quantity sum = ty_quantity_add(q, ty_quantity_mul(q, -1));
    if (sum.nano != 0 || ty_quantity_mul(again, 2).nano != ty_quantity_add(again, q).nano)
        abort();
    return 0;
}
