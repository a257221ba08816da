/* For tests: what is read of a line, as one string. */
#ifndef TY_REPORT_PROGRESS_TESTING_H
#define TY_REPORT_PROGRESS_TESTING_H

#include "base/testing.h"
#include "report/progress.h"

/* "45% 45/100 eta=12 loss=0.3": all that was read, in one string to compare. */
static inline void assert_progress(const char *line, const char *want)
{
    struct ty_progress p;
    char got[512] = "nothing";
    size_t n = 0;

    if (ty_progress_parse(ty_str(line), &p)) {
        if (p.percent >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%d%% ", p.percent);
        if (p.step >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%lld/%lld ", (long long)p.step,
                                  (long long)p.total);
        if (p.eta_s >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "eta=%lld ", (long long)p.eta_s);
        for (size_t i = 0; i < p.n_metrics; i++)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%s=%s ", p.metrics[i].name,
                                  p.metrics[i].value);
        got[n ? n - 1 : 0] = '\0';
    }
    if (strcmp(got, want) != 0)
        fail_msg("%s\n  got  %s\n  want %s", line, got, want);
}

#endif
