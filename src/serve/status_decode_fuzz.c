/* A decoded report, encoded and decoded again, is the same. */
#include "serve/status_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *once = NULL, *twice = NULL;

    if (size > 65536 ||
        ty_status_decode(a, (struct ty_str){ (const char *)data, size }, &once) < 0 || !once)
        return 0;
    struct ty_json *again = ty_json_object(a);
    ty_json_set(a, again, "trainerStatus", once);
    if (ty_status_decode(a, ty_json_text(a, again), &twice) < 0 || !ty_json_eq(once, twice))
        abort();
    return 0;
}
