/* Any text: masking it twice changes nothing more, the result is bounded, and a token that stands
 * as a word anywhere in it does not survive. */
#include "report/mask_secrets.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_mask(struct ty_str text, struct ty_buf *once)
{
    ty_auto_buf twice = { 0 };

    ty_mask_secrets(text, once);
    check(once->n <= text.n + text.n / 2 + 3);
    ty_mask_secrets(ty_buf_str(once), &twice);
    check(ty_str_eq(ty_buf_str(once), ty_buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] = " ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8";
    struct ty_str text = { (const char *)data, size };
    ty_auto_buf once = { 0 }, planted = { 0 }, masked = { 0 };

    check_mask(text, &once);
    ty_buf_put(&planted, text.p, size / 2);
    ty_buf_printf(&planted, "%s ", token);
    ty_buf_put(&planted, text.p + size / 2, size - size / 2);
    check_mask(ty_buf_str(&planted), &masked);
    check(!ty_str_contains(ty_buf_str(&masked), ty_str(token)));
    return 0;
}
