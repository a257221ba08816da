/* Any end of a log: what is shown of it is whole lines without controls, and few of them; ranks and
 * the place of the error are within bounds, and evidence has words. */
#include "report/failure_summary_tail.h"

#include <stdlib.h>

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
    struct ty_failure_tail_in in = { .log = { (const char *)data, size } };
    struct ty_failure_tail t;

    if (size > TY_TAIL_BYTES)
        return 0;
    in.procs = (int64_t)(size % 4); /* what the caller knows may be wrong */
    in.first_rank = (int64_t)(size % 7);
    ty_failure_summary_tail(a, &in, &t);
    check(t.n <= TY_TAIL_LINES && t.n_ranks <= TY_TAIL_RANKS);
    check(t.at == SIZE_MAX || t.at <= size);
    check(t.weight == TY_EVIDENCE_NONE || t.error.n > 0);
    check_text(t.error);
    for (size_t i = 0; i < t.n_ranks; i++)
        check(t.ranks[i] >= 0);
    for (size_t i = 0; i < t.n; i++)
        check_text(ty_str(t.lines[i]));
    return 0;
}
