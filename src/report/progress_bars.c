/* Parses progress bars, the unambiguous forms. */
#include "report/progress_bars.h"

#include "report/progress.h"
#include "report/progress_metrics.h"
#include "report/progress_scan.h"

/* "00:12", "1:02:03"; -1 for "?" */
static int64_t clock_time(const char *p)
{
    int64_t total = 0, part = 0;
    int parts = 0;

    while (ty_progress_scan_integer(&p, &part) && part < 100000000) {
        total = total * 60 + part;
        parts++;
        if (*p != ':')
            return parts > 1 ? total : -1;
        p++;
    }
    return -1;
}

/* The words before a bar say which epoch it is of. Lightning counts epochs from 0 and names the
 * last one; people who write a description themselves count from 1. */
static void bar_epoch(const char *before, bool lightning, struct ty_progress *ret)
{
    int64_t epoch = -1, last = -1;
    char text[24];

    if (!ty_progress_scan_after(before, "epoch", &epoch, &last))
        return;
    int n = snprintf(text, sizeof(text), "%lld", (long long)epoch);
    ty_progress_metric_add(ret, "epoch", 5, text, (size_t)n);
    if (last < 0 || (!lightning && epoch < 1))
        return;
    double done = (double)(lightning ? epoch : epoch - 1), all = (double)(last + lightning);
    ret->percent = ty_progress_percent_of((done + ty_progress_fraction(ret)) / all);
    ret->step = ret->total = ret->eta_s = -1; /* they are of the epoch */
}

/* " 45/100 [00:10<00:12,  4.5it/s, loss=0.3]": what follows the bar itself. */
static void bar_rest(const char *p, struct ty_progress *ret)
{
    const char *open = NULL;

    p = ty_progress_skip_spaces(p);
    if (!ty_progress_scan_pair(&p, &ret->step, &ret->total))
        ret->step = ret->total = -1; /* "1.2M/5M": the percent is enough */
    open = strchr(p, '[');
    if (!open)
        return;
    const char *left = strchr(open, '<');
    if (left)
        ret->eta_s = clock_time(left + 1);
    const char *comma = strchr(open, ',');
    if (comma)
        ty_progress_metrics_scan(comma + 1, true, ret);
}

bool ty_progress_bar_tqdm(char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_PROGRESS_NONE;
    char *sign = strstr(text, "%|");
    const char *begin = NULL;

    if (!sign)
        return false;
    p.percent = ty_progress_scan_percent(text, sign, &begin);
    const char *bar_end = strchr(sign + 2, '|');
    if (p.percent < 0 || !bar_end)
        return false;
    bar_rest(bar_end + 1, &p);
    bool lightning = strstr(bar_end, "v_num=") != NULL;
    text[begin - text] = '\0';
    bar_epoch(text, lightning, &p);
    *ret = p;
    return true;
}

bool ty_progress_bar_open(const char *text, struct ty_progress *ret)
{
    const char *it = strstr(text, "it [");
    const char *p = it ? ty_progress_scan_back(text, it) : NULL;
    struct ty_progress found = TY_PROGRESS_NONE;

    if (!p || !ty_progress_scan_integer(&p, &found.step) || p != it || clock_time(it + 4) < 0)
        return false;
    const char *comma = strchr(it, ',');
    if (comma)
        ty_progress_metrics_scan(comma + 1, true, &found);
    *ret = found;
    return true;
}

bool ty_progress_bar_keras(const char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_PROGRESS_NONE;
    const char *at = ty_progress_skip_spaces(text);

    if (!ty_progress_scan_pair(&at, &p.step, &p.total) || *at != ' ')
        return false;
    if (strncmp(at, " [=", 3) != 0 && strncmp(at, " [>", 3) != 0 && strncmp(at, " [.", 3) != 0 &&
        strncmp(at, " ━", 4) != 0)
        return false;
    const char *eta = strstr(at, "ETA: ");
    if (eta && clock_time(eta + 5) >= 0)
        p.eta_s = clock_time(eta + 5);
    else if (eta && !(eta += 5, ty_progress_scan_integer(&eta, &p.eta_s) && *eta == 's'))
        p.eta_s = -1;
    p.percent = ty_progress_percent_of(ty_progress_fraction(&p));
    ty_progress_metrics_scan(at, false, &p);
    *ret = p;
    return true;
}
