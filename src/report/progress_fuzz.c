/* Any line: what is read from it is in bounds, reading twice gives the same, and merging keeps it
 * so.
 */
#include "report/progress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_progress(const struct ty_progress *p)
{
    check(p->percent >= -1 && p->percent <= 100);
    check(p->step >= -1 && p->total >= -1 && p->total != 0 && p->eta_s >= -1);
    check(p->total < 0 || p->step <= p->total);
    check(p->n_metrics <= TY_PROGRESS_METRICS);
    for (size_t i = 0; i < p->n_metrics; i++) {
        check(memchr(p->metrics[i].name, 0, TY_PROGRESS_METRIC_MAX) && p->metrics[i].name[0]);
        check(memchr(p->metrics[i].value, 0, TY_PROGRESS_METRIC_MAX) && p->metrics[i].value[0]);
    }
}

static bool same(const struct ty_progress *a, const struct ty_progress *b)
{
    return a->percent == b->percent && a->step == b->step && a->total == b->total &&
           a->eta_s == b->eta_s && a->n_metrics == b->n_metrics;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ty_str rest = { (const char *)data, size }, line;
    struct ty_progress now = TY_PROGRESS_NONE;

    while (rest.p) {
        struct ty_progress once, twice;
        rest = ty_str_cut(rest, '\n', &line);
        if (!ty_progress_parse(line, &once))
            continue;
        check_progress(&once);
        check(once.percent >= 0 || once.step >= 0 || once.n_metrics > 0);
        check(ty_progress_parse(line, &twice) && same(&once, &twice));
        ty_progress_merge(&now, &once);
        check_progress(&now);
        double part = ty_progress_fraction(&now);
        check(part <= 1 && (part >= 0 || (part < 0 && now.percent < 0)));
    }
    return 0;
}
