/* Parses the progress in a line: first the unambiguous forms (bars), then words. */
#include "report/progress.h"

#include "base/arena.h"
#include "base/text.h"
#include "report/progress_bars.h"
#include "report/progress_metrics.h"
#include "report/progress_scan.h"

enum { LINE_MAX_BYTES = 1024 };

static bool is_progress_word(const char *word, size_t n, bool before)
{
    static const char *const words[] = { "complete", "completed", "done",     "finished",
                                         "trained",  "processed", "progress", "training" };

    for (size_t i = 0; i < (before ? 8 : 5); i++)
        if (strlen(words[i]) == n && strncasecmp(words[i], word, n) == 0)
            return true;
    return false;
}

/* See the head of progress.h: what stands around a percent decides. */
static bool percent_counts(const char *text, const char *begin, const char *sign)
{
    const char *left = begin, *right = sign + 1;

    while (left > text && strchr(" :=[(", left[-1]))
        left--;
    while (*right && strchr(" ])", *right))
        right++;
    bool first = left == text;
    if (first && (*right == '\0' || (memchr(text, '[', (size_t)(begin - text)) && sign[1] == ']')))
        return true;
    const char *word = left;
    while (word > text && ty_progress_is_alpha(word[-1]))
        word--;
    size_t n = 0;
    while (ty_progress_is_alpha(right[n]))
        n++;
    return is_progress_word(word, (size_t)(left - word), true) || is_progress_word(right, n, false);
}

static void percent_alone(const char *text, struct ty_progress *p)
{
    for (const char *sign = strchr(text, '%'); sign && p->percent < 0;
         sign = strchr(sign + 1, '%')) {
        const char *begin = NULL;
        int v = ty_progress_scan_percent(text, sign, &begin);
        if (v >= 0 && percent_counts(text, begin, sign))
            p->percent = v;
    }
}

/* An epoch that is named with no measure beside it has only begun. */
static void scan_words(const char *text, struct ty_progress *p)
{
    static const char *const names[] = { "step", "steps", "global_step", "iteration",
                                         "iter", "batch", "round" };
    int64_t epoch = -1, epochs = -1;

    ty_progress_metrics_scan(text, false, p);
    for (size_t i = 0; i < TY_COUNT(names) && p->step < 0; i++)
        if (!ty_progress_scan_after(text, names[i], &p->step, &p->total))
            p->step = p->total = -1;
    double part = ty_progress_fraction(p);
    if (!ty_progress_scan_after(text, "epoch", &epoch, &epochs))
        epoch = epochs = -1;
    if (epochs > 0) {
        double within = part >= 0 ? part : p->n_metrics ? 1 : 0;
        p->percent =
            ty_progress_percent_of(((double)(epoch > 0 ? epoch - 1 : 0) + within) / (double)epochs);
        if (part < 0) {
            p->step = epoch;
            p->total = epochs;
        } else {
            p->step = p->total = -1; /* of the epoch */
        }
    } else if (part >= 0) {
        p->percent = ty_progress_percent_of(part);
    } else if (p->n_metrics == 0) {
        p->step = -1; /* "step 3" alone may be anything */
    }
    if (p->percent < 0)
        percent_alone(text, p);
}

/* Cheap enough for every line of a flood: most have nothing of these. */
static bool worth_a_look(const char *text, size_t n)
{
    return memchr(text, '%', n) || memchr(text, '/', n) || memchr(text, '{', n) ||
           memchr(text, '=', n) || strstr(text, "it [") || strcasestr(text, "loss") ||
           strcasestr(text, "epoch") || strcasestr(text, "step") || strcasestr(text, "iter") ||
           strcasestr(text, "round") || strstr(text, "] ");
}

bool ty_progress_parse(struct ty_str line, struct ty_progress *ret)
{
    struct ty_progress p = TY_PROGRESS_NONE;
    char text[LINE_MAX_BYTES + 1];
    size_t n = ty_text_clean(line, text, LINE_MAX_BYTES);

    text[n] = '\0';
    if (!worth_a_look(text, n))
        return false;
    if (!ty_progress_bar_tqdm(text, &p) && !ty_progress_bar_open(text, &p) &&
        !ty_progress_bar_keras(text, &p) && !ty_progress_metrics_dict(text, &p) &&
        !ty_progress_metrics_rounds(text, &p))
        scan_words(text, &p);
    if (p.percent < 0 && p.step < 0 && p.n_metrics == 0)
        return false;
    *ret = p;
    return true;
}

void ty_progress_merge(struct ty_progress *now, const struct ty_progress *news)
{
    if (news->percent >= 0 || news->step >= 0) {
        now->percent = news->percent;
        now->step = news->step;
        now->total = news->total;
        now->eta_s = news->eta_s;
    }
    for (size_t i = 0; i < news->n_metrics; i++)
        ty_progress_metric_add(now, news->metrics[i].name, strlen(news->metrics[i].name),
                               news->metrics[i].value, strlen(news->metrics[i].value));
}

double ty_progress_fraction(const struct ty_progress *p)
{
    if (p->step >= 0 && p->total > 0)
        return (double)p->step / (double)p->total;
    return p->percent >= 0 ? p->percent / 100.0 : -1;
}
