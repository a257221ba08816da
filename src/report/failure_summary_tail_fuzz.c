/* Any end of a log: what is shown of it is whole lines without controls, and few of them. */
#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_text(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++)
        check((unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    struct ty_failure_tail t;

    if (size > TY_TAIL_BYTES)
        return 0;
    ty_failure_summary_tail(a, (struct ty_str){ (const char *)data, size }, &t);
    check(t.n <= TY_TAIL_LINES);
    check_text(t.error);
    for (size_t i = 0; i < t.n; i++)
        check_text(ty_str(t.lines[i]));
    check(t.n == 0 || t.lines[t.n - 1] != NULL);
    return 0;
}
