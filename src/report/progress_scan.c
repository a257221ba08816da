/* Numbers, pairs and percents in a line of text. */
#include "report/progress_scan.h"

bool ty_progress_scan_integer(const char **at, int64_t *ret)
{
    const char *p = *at;
    int64_t v = 0;

    while (ty_progress_is_digit(*p) && p - *at < 16)
        v = v * 10 + (*p++ - '0');
    if (p == *at || p - *at > 15)
        return false;
    *at = p;
    *ret = v;
    return true;
}

bool ty_progress_scan_pair(const char **at, int64_t *ret_step, int64_t *ret_total)
{
    const char *p = *at;
    int64_t step = 0, total = 0;

    if (!ty_progress_scan_integer(&p, &step))
        return false;
    p = ty_progress_skip_spaces(p);
    if (*p == '/')
        p = ty_progress_skip_spaces(p + 1);
    else if (strncmp(p, "of ", 3) == 0)
        p = ty_progress_skip_spaces(p + 3);
    else
        return false;
    if (!ty_progress_scan_integer(&p, &total) || total <= 0 || step > total || *p == '.' ||
        *p == '/')
        return false;
    *at = p;
    *ret_step = step;
    *ret_total = total;
    return true;
}

const char *ty_progress_scan_back(const char *text, const char *end)
{
    const char *p = end;

    while (p > text && (ty_progress_is_digit(p[-1]) || (p[-1] == '.' && p < end)))
        p--;
    while (p < end && *p == '.')
        p++;
    return p;
}

int ty_progress_scan_percent(const char *text, const char *sign, const char **ret_begin)
{
    const char *p = ty_progress_scan_back(text, sign);
    int64_t v = 0;

    *ret_begin = p;
    if (p > text && (ty_progress_is_alpha(p[-1]) || p[-1] == '-' || p[-1] == '/'))
        return -1;
    return ty_progress_scan_integer(&p, &v) && v <= 100 ? (int)v : -1;
}

static bool word_at(const char *text, const char *p, const char *word)
{
    size_t n = strlen(word);

    return strncasecmp(p, word, n) == 0 && !ty_progress_is_alpha(p[n]) &&
           (p == text || !ty_progress_is_alpha(p[-1]));
}

bool ty_progress_scan_after(const char *text, const char *word, int64_t *ret_step,
                            int64_t *ret_total)
{
    for (const char *p = text; *p; p++) {
        if (!word_at(text, p, word))
            continue;
        const char *q = p + strlen(word);
        while (*q && q - p < 24 && strchr(" :=[(#", *q))
            q++;
        if (ty_progress_scan_pair(&q, ret_step, ret_total))
            return true;
        if (ty_progress_scan_integer(&q, ret_step) && *q != '.' && *q != '/' && *q != '%') {
            *ret_total = -1;
            return true;
        }
    }
    return false;
}

int ty_progress_percent_of(double part)
{
    return part <= 0 ? 0 : part >= 1 ? 100 : (int)(part * 100);
}
