/* Reads progress out of a line: first the forms that are sure (bars), then words. */
#include "engine/progress.h"

#include <ctype.h>

#include "base/text.h"

enum { LINE_MAX_BYTES = 1024 };

static bool alpha(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

/* An integer of at most 15 digits. */
static bool integer(const char **at, int64_t *ret)
{
    const char *p = *at;
    int64_t v = 0;

    while (digit(*p) && p - *at < 16)
        v = v * 10 + (*p++ - '0');
    if (p == *at || p - *at > 15)
        return false;
    *at = p;
    *ret = v;
    return true;
}

/* "10/50", "10 of 50"; *at is moved only then. */
static bool pair(const char **at, int64_t *ret_step, int64_t *ret_total)
{
    const char *p = *at;
    int64_t step = 0, total = 0;

    if (!integer(&p, &step))
        return false;
    p = spaces(p);
    if (*p == '/')
        p = spaces(p + 1);
    else if (strncmp(p, "of ", 3) == 0)
        p = spaces(p + 3);
    else
        return false;
    if (!integer(&p, &total) || total <= 0 || step > total || *p == '.' || *p == '/')
        return false;
    *at = p;
    *ret_step = step;
    *ret_total = total;
    return true;
}

/* ---- metrics ---- */

/* The length of a number as programs print measures; 0 if it is none. */
static size_t measure(const char *p)
{
    const char *q = p + (*p == '-' || *p == '+');
    size_t digits = 0;

    if (strncmp(q, "nan", 3) == 0 || strncmp(q, "inf", 3) == 0)
        return alpha(q[3]) || digit(q[3]) ? 0 : (size_t)(q + 3 - p);
    for (; digit(*q); q++)
        digits++;
    if (*q == '.')
        for (q++; digit(*q); q++)
            digits++;
    if (digits == 0)
        return 0;
    if ((*q == 'e' || *q == 'E') && (digit(q[1]) || ((q[1] == '-' || q[1] == '+') && digit(q[2]))))
        for (q += 2; digit(*q);)
            q++;
    return (size_t)(q - p);
}

static void add_metric(struct ty_progress *to, const char *name, size_t name_n, const char *value,
                       size_t value_n)
{
    size_t i = 0;

    if (name_n == 0 || name_n >= TY_METRIC_MAX || value_n == 0 || value_n >= TY_METRIC_MAX)
        return;
    while (i < to->n_metrics && (strlen(to->metrics[i].name) != name_n ||
                                 memcmp(to->metrics[i].name, name, name_n) != 0))
        i++;
    if (i == TY_PROGRESS_METRICS)
        return;
    to->n_metrics += i == to->n_metrics;
    to->metrics[i] = (struct ty_metric){ .name = "" };
    memcpy(to->metrics[i].name, name, name_n);
    memcpy(to->metrics[i].value, value, value_n);
}

/* Names that are measures of training wherever they stand. */
static bool known(const char *name, size_t n)
{
    static const char *const names[] = { "acc",       "accuracy",   "val_acc", "val_accuracy",
                                         "lr",        "mae",        "mse",     "rmse",
                                         "auc",       "f1",         "ppl",     "bleu",
                                         "reward",    "perplexity", "wer",     "learning_rate",
                                         "grad_norm", "throughput" };
    char low[TY_METRIC_MAX];

    if (n >= sizeof(low))
        return false;
    for (size_t i = 0; i <= n; i++)
        low[i] = i < n ? (char)tolower((unsigned char)name[i]) : '\0';
    if (strstr(low, "loss"))
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(low, names[i]) == 0)
            return true;
    return false;
}

/* "loss 0.31", "loss: 0.31", "loss=0.31"; names that are not known only where `any`, with "=". */
static void metrics_in(const char *p, bool any, struct ty_progress *to)
{
    while (*p) {
        const char *name = p;
        while (alpha(*p) || (p > name && (digit(*p) || *p == '/' || *p == '.' || *p == '-')))
            p++;
        size_t n = (size_t)(p - name);
        if (n == 0) {
            p++;
            continue;
        }
        const char *value = spaces(p);
        bool equals = *value == '=';
        if (equals || *value == ':')
            value = spaces(value + 1);
        size_t value_n = measure(value);
        char after = value[value_n];
        if (value_n == 0 || alpha(after) || after == '%' || after == '/' || after == ':')
            continue;
        if (known(name, n) || (any && equals && strncmp(name, "v_num", 5) != 0))
            add_metric(to, name, n, value, value_n);
        p = value + value_n;
    }
}

/* One 'name': value of a dict; true if it was a number. */
static bool dict_entry(const char **at, struct ty_progress *to, bool *seen)
{
    const char *name = spaces(*at);
    char quote = *name;
    const char *end = quote == '\'' || quote == '"' ? strchr(name + 1, quote) : NULL;

    if (!end || *spaces(end + 1) != ':')
        return false;
    const char *value = spaces(spaces(end + 1) + 1);
    char around = *value == '\'' || *value == '"' ? *value++ : '\0';
    size_t n = measure(value);
    const char *p = value + n;
    if (n == 0 || (around && *p != around))
        return false;
    size_t name_n = (size_t)(end - name - 1);
    struct ty_str key = { name + 1, name_n };
    *seen |= known(key.p, key.n) || ty_str_is(key, "epoch") || ty_str_starts(key, TY_LIT("eval_"));
    add_metric(to, name + 1, name_n, value, n);
    *at = p + (around != 0);
    return true;
}

/* A whole line that is a dict of numbers and names at least one measure of training. */
static bool dict(const char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_NO_PROGRESS;
    const char *at = strchr(text, '{');
    bool seen = false;

    if (!at)
        return false;
    for (at++; dict_entry(&at, &p, &seen); at = spaces(at) + 1)
        if (*spaces(at) != ',')
            break;
    if (*spaces(at) != '}' || !seen)
        return false;
    *ret = p;
    return true;
}

/* ---- bars ---- */

/* "00:12", "1:02:03"; -1 for "?" */
static int64_t clock_time(const char *p)
{
    int64_t total = 0, part = 0;
    int parts = 0;

    while (integer(&p, &part) && part < 100000000) {
        total = total * 60 + part;
        parts++;
        if (*p != ':')
            return parts > 1 ? total : -1;
        p++;
    }
    return -1;
}

/* Where the number that ends before `end` begins; end itself if there is none. */
static const char *number_before(const char *text, const char *end)
{
    const char *p = end;

    while (p > text && (digit(p[-1]) || (p[-1] == '.' && p < end)))
        p--;
    while (p < end && *p == '.')
        p++;
    return p;
}

/* The percent that ends at `sign`; -1 if it is none. */
static int percent_at(const char *text, const char *sign, const char **ret_begin)
{
    const char *p = number_before(text, sign);
    int64_t v = 0;

    *ret_begin = p;
    if (p > text && (alpha(p[-1]) || p[-1] == '-' || p[-1] == '/'))
        return -1;
    return integer(&p, &v) && v <= 100 ? (int)v : -1;
}

static bool word_at(const char *text, const char *p, const char *word)
{
    size_t n = strlen(word);

    return strncasecmp(p, word, n) == 0 && !alpha(p[n]) && (p == text || !alpha(p[-1]));
}

/* The pair after a word such as "step": "step 10/50", "Step [10/50]", "step: 10 of 50". Without a
 * total *ret_total is -1. */
static bool pair_after(const char *text, const char *word, int64_t *ret_step, int64_t *ret_total)
{
    for (const char *p = text; *p; p++) {
        if (!word_at(text, p, word))
            continue;
        const char *q = p + strlen(word);
        while (*q && q - p < 24 && strchr(" :=[(#", *q))
            q++;
        if (pair(&q, ret_step, ret_total))
            return true;
        if (integer(&q, ret_step) && *q != '.' && *q != '/' && *q != '%') {
            *ret_total = -1;
            return true;
        }
    }
    return false;
}

static int percent_of(double part)
{
    return part <= 0 ? 0 : part >= 1 ? 100 : (int)(part * 100);
}

/* The words before a bar say which epoch it is of. Lightning counts epochs from 0 and names the
 * last one; people who write a description themselves count from 1. */
static void bar_epoch(const char *before, bool lightning, struct ty_progress *ret)
{
    int64_t epoch = -1, last = -1;
    char text[24];

    if (!pair_after(before, "epoch", &epoch, &last))
        return;
    int n = snprintf(text, sizeof(text), "%lld", (long long)epoch);
    add_metric(ret, "epoch", 5, text, (size_t)n);
    if (last < 0 || (!lightning && epoch < 1))
        return;
    double done = (double)(lightning ? epoch : epoch - 1), all = (double)(last + lightning);
    ret->percent = percent_of((done + ty_progress_part(ret)) / all);
    ret->step = ret->total = ret->eta_s = -1; /* they are of the epoch */
}

/* " 45/100 [00:10<00:12,  4.5it/s, loss=0.3]": what follows the bar itself. */
static void bar_rest(const char *p, struct ty_progress *ret)
{
    const char *open = NULL;

    p = spaces(p);
    if (!pair(&p, &ret->step, &ret->total))
        ret->step = ret->total = -1; /* "1.2M/5M": the percent is enough */
    open = strchr(p, '[');
    if (!open)
        return;
    const char *left = strchr(open, '<');
    if (left)
        ret->eta_s = clock_time(left + 1);
    const char *comma = strchr(open, ',');
    if (comma)
        metrics_in(comma + 1, true, ret);
}

static bool tqdm(char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_NO_PROGRESS;
    char *sign = strstr(text, "%|");
    const char *begin = NULL;

    if (!sign)
        return false;
    p.percent = percent_at(text, sign, &begin);
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

/* "45it [00:10, 4.5it/s, loss=0.3]": no total, hence no percent. */
static bool tqdm_open(const char *text, struct ty_progress *ret)
{
    const char *it = strstr(text, "it [");
    const char *p = it ? number_before(text, it) : NULL;
    struct ty_progress found = TY_NO_PROGRESS;

    if (!p || !integer(&p, &found.step) || p != it || clock_time(it + 4) < 0)
        return false;
    const char *comma = strchr(it, ',');
    if (comma)
        metrics_in(comma + 1, true, &found);
    *ret = found;
    return true;
}

/* "10/50 [=====>....] - ETA: 3s - loss: 0.31", "10/50 ━━━━━━ 3s 20ms/step - loss: 0.31" */
static bool keras(const char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_NO_PROGRESS;
    const char *at = spaces(text);

    if (!pair(&at, &p.step, &p.total) || *at != ' ')
        return false;
    if (strncmp(at, " [=", 3) != 0 && strncmp(at, " [>", 3) != 0 && strncmp(at, " [.", 3) != 0 &&
        strncmp(at, " ━", 4) != 0)
        return false;
    const char *eta = strstr(at, "ETA: ");
    if (eta && clock_time(eta + 5) >= 0)
        p.eta_s = clock_time(eta + 5);
    else if (eta && !(eta += 5, integer(&eta, &p.eta_s) && *eta == 's'))
        p.eta_s = -1;
    p.percent = percent_of(ty_progress_part(&p));
    metrics_in(at, false, &p);
    *ret = p;
    return true;
}

/* ---- words ---- */

static bool telling(const char *word, size_t n, bool before)
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
    while (word > text && alpha(word[-1]))
        word--;
    size_t n = 0;
    while (alpha(right[n]))
        n++;
    return telling(word, (size_t)(left - word), true) || telling(right, n, false);
}

static void percent_alone(const char *text, struct ty_progress *p)
{
    for (const char *sign = strchr(text, '%'); sign && p->percent < 0;
         sign = strchr(sign + 1, '%')) {
        const char *begin = NULL;
        int v = percent_at(text, sign, &begin);
        if (v >= 0 && percent_counts(text, begin, sign))
            p->percent = v;
    }
}

/* An epoch that is named with no measure beside it has only begun. */
static void words(const char *text, struct ty_progress *p)
{
    static const char *const names[] = { "step",      "steps", "global_step",
                                         "iteration", "iter",  "batch" };
    int64_t epoch = -1, epochs = -1;

    metrics_in(text, false, p);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && p->step < 0; i++)
        if (!pair_after(text, names[i], &p->step, &p->total))
            p->step = p->total = -1;
    double part = ty_progress_part(p);
    if (!pair_after(text, "epoch", &epoch, &epochs))
        epoch = epochs = -1;
    if (epochs > 0) {
        double within = part >= 0 ? part : p->n_metrics ? 1 : 0;
        p->percent = percent_of(((double)(epoch > 0 ? epoch - 1 : 0) + within) / (double)epochs);
        if (part < 0) {
            p->step = epoch;
            p->total = epochs;
        } else {
            p->step = p->total = -1; /* of the epoch */
        }
    } else if (part >= 0) {
        p->percent = percent_of(part);
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
           strcasestr(text, "epoch") || strcasestr(text, "step") || strcasestr(text, "iter");
}

bool ty_progress_read(struct ty_str line, struct ty_progress *ret)
{
    struct ty_progress p = TY_NO_PROGRESS;
    char text[LINE_MAX_BYTES + 1];
    size_t n = ty_text_clean(line, text, LINE_MAX_BYTES);

    text[n] = '\0';
    if (!worth_a_look(text, n))
        return false;
    if (!tqdm(text, &p) && !tqdm_open(text, &p) && !keras(text, &p) && !dict(text, &p))
        words(text, &p);
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
        add_metric(now, news->metrics[i].name, strlen(news->metrics[i].name),
                   news->metrics[i].value, strlen(news->metrics[i].value));
}

double ty_progress_part(const struct ty_progress *p)
{
    if (p->step >= 0 && p->total > 0)
        return (double)p->step / (double)p->total;
    return p->percent >= 0 ? p->percent / 100.0 : -1;
}
