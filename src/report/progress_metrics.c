/* Parses training metrics: a name and a number, in words or as a dict. */
#include "report/progress_metrics.h"

#include <ctype.h>

#include "base/arena.h"
#include "report/progress.h"
#include "report/progress_scan.h"

static const char *skip_digits(const char *p)
{
    while (ty_progress_is_digit(*p))
        p++;
    return p;
}

/* Behind "e-05", or where it would be. */
static const char *skip_exponent(const char *p)
{
    const char *digits = p + 1;

    if (*p != 'e' && *p != 'E')
        return p;
    digits += *digits == '-' || *digits == '+';
    return ty_progress_is_digit(*digits) ? skip_digits(digits) : p;
}

/* "nan" or "inf" as a whole word */
static bool is_not_finite(const char *p)
{
    return (strncmp(p, "nan", 3) == 0 || strncmp(p, "inf", 3) == 0) &&
           !ty_progress_is_alpha(p[3]) && !ty_progress_is_digit(p[3]);
}

/* The length of a number as programs print measures; 0 if it is none. */
static size_t number_length(const char *p)
{
    const char *begin = p + (*p == '-' || *p == '+'), *whole = skip_digits(begin);
    const char *end = *whole == '.' ? skip_digits(whole + 1) : whole;

    if (is_not_finite(begin))
        return (size_t)(begin + 3 - p);
    if (end - begin == (*whole == '.'))
        return 0; /* no digit at all */
    return (size_t)(skip_exponent(end) - p);
}

void ty_progress_metric_add(struct ty_progress *to, const char *name, size_t name_n,
                            const char *value, size_t value_n)
{
    size_t i = 0;

    if (name_n == 0 || name_n >= TY_PROGRESS_METRIC_MAX || value_n == 0 ||
        value_n >= TY_PROGRESS_METRIC_MAX)
        return;
    while (i < to->n_metrics && (strlen(to->metrics[i].name) != name_n ||
                                 memcmp(to->metrics[i].name, name, name_n) != 0))
        i++;
    if (i == TY_PROGRESS_METRICS)
        return;
    to->n_metrics += i == to->n_metrics;
    to->metrics[i] = (struct ty_progress_metric){ .name = "" };
    memcpy(to->metrics[i].name, name, name_n);
    memcpy(to->metrics[i].value, value, value_n);
}

/* Names that are measures of training wherever they stand. */
static bool is_metric_name(const char *name, size_t n)
{
    static const char *const names[] = { "acc",       "accuracy",   "val_acc", "val_accuracy",
                                         "lr",        "mae",        "mse",     "rmse",
                                         "auc",       "f1",         "ppl",     "bleu",
                                         "reward",    "perplexity", "wer",     "learning_rate",
                                         "grad_norm", "throughput" };
    char low[TY_PROGRESS_METRIC_MAX];

    if (n >= sizeof(low))
        return false;
    for (size_t i = 0; i <= n; i++)
        low[i] = i < n ? (char)tolower((unsigned char)name[i]) : '\0';
    if (strstr(low, "loss"))
        return true;
    for (size_t i = 0; i < TY_COUNT(names); i++)
        if (strcmp(low, names[i]) == 0)
            return true;
    return false;
}

static size_t name_length(const char *p)
{
    size_t n = 0;

    while (ty_progress_is_alpha(p[n]) ||
           (n > 0 && (ty_progress_is_digit(p[n]) || p[n] == '/' || p[n] == '.' || p[n] == '-')))
        n++;
    return n;
}

/* "loss 0.5", but not "loss 5%", "loss 1/10", "at 12:30", "lr 3x" */
static bool goes_on(char c)
{
    return ty_progress_is_alpha(c) || c == '%' || c == '/' || c == ':';
}

void ty_progress_metrics_scan(const char *p, bool any, struct ty_progress *to)
{
    while (*p) {
        const char *name = p;
        size_t n = name_length(p);
        if (n == 0) {
            p++;
            continue;
        }
        p += n;
        const char *value = ty_progress_skip_spaces(p);
        bool equals = *value == '=';
        if (equals || *value == ':')
            value = ty_progress_skip_spaces(value + 1);
        size_t value_n = number_length(value);
        if (value_n == 0 || goes_on(value[value_n]))
            continue;
        if (is_metric_name(name, n) || (any && equals && strncmp(name, "v_num", 5) != 0))
            ty_progress_metric_add(to, name, n, value, value_n);
        p = value + value_n;
    }
}

/* One 'name': value of a dict; true if it was a number. */
static bool dict_entry(const char **at, struct ty_progress *to, bool *seen)
{
    const char *name = ty_progress_skip_spaces(*at);
    char quote = *name;
    const char *end = quote == '\'' || quote == '"' ? strchr(name + 1, quote) : NULL;

    if (!end || *ty_progress_skip_spaces(end + 1) != ':')
        return false;
    const char *value = ty_progress_skip_spaces(ty_progress_skip_spaces(end + 1) + 1);
    char around = *value == '\'' || *value == '"' ? *value++ : '\0';
    size_t n = number_length(value);
    const char *p = value + n;
    if (n == 0 || (around && *p != around))
        return false;
    size_t name_n = (size_t)(end - name - 1);
    struct ty_str key = { name + 1, name_n };
    *seen |= is_metric_name(key.p, key.n) || ty_str_is(key, "epoch") ||
             ty_str_starts(key, TY_LIT("eval_"));
    ty_progress_metric_add(to, name + 1, name_n, value, n);
    *at = p + (around != 0);
    return true;
}

bool ty_progress_metrics_dict(const char *text, struct ty_progress *ret)
{
    struct ty_progress p = TY_PROGRESS_NONE;
    const char *at = strchr(text, '{');
    bool seen = false;

    if (!at)
        return false;
    for (at++; dict_entry(&at, &p, &seen); at = ty_progress_skip_spaces(at) + 1)
        if (*ty_progress_skip_spaces(at) != ',')
            break;
    if (*ty_progress_skip_spaces(at) != '}' || !seen)
        return false;
    *ret = p;
    return true;
}

/* One "DATA-MEASURE:NUMBER"; of cross-validation "NUMBER+NUMBER", the second is the deviation. */
static bool round_entry(const char **at, struct ty_progress *to)
{
    const char *name = *at, *p = name;
    bool dash = false;

    for (; ty_progress_is_alpha(*p) || ty_progress_is_digit(*p) || strchr("-@.", *p); p++) {
        if (!*p)
            return false;
        dash |= *p == '-' && p > name;
    }
    const char *value = p + 1;
    size_t n = *p == ':' ? number_length(value) : 0;
    if (n == 0 || !dash)
        return false;
    const char *end = value + n;
    if (*end == '+')
        end += 1 + number_length(end + 1);
    if (*end && *end != ' ')
        return false;
    ty_progress_metric_add(to, name, (size_t)(p - name), value, n);
    *at = ty_progress_skip_spaces(end);
    return true;
}

bool ty_progress_metrics_rounds(const char *text, struct ty_progress *ret)
{
    for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '[')) {
        struct ty_progress p = TY_PROGRESS_NONE;
        const char *at = open + 1;
        if (!ty_progress_scan_integer(&at, &p.step) || at[0] != ']' || at[1] != ' ')
            continue;
        at = ty_progress_skip_spaces(at + 1);
        while (*at && round_entry(&at, &p))
            ;
        if (*at || p.n_metrics == 0)
            continue;
        *ret = p;
        return true;
    }
    return false;
}
