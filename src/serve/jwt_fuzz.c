/* Any token takes little memory. */
#include "serve/jwt.h"

#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 20, NULL);

    ty_jwt_is_plausible(a, (struct ty_str){ (const char *)data, size }, TY_LIT("here"),
                        TY_LIT("ns"), 0);
    if (ty_arena_full(a))
        abort();
    return 0;
}
