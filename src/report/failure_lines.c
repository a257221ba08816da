/* Tables of last words. A missing row costs the error's line in the headline: the exit code, and
 * the end of the log below it, are there all the same. */
#include "report/failure_lines.h"

#include <ctype.h>
#include <strings.h>

#include "base/arena.h"
#include "report/progress.h"

/* Lines that begin so. glibc's are all that malloc.c and fortify print before they abort. */
static const char *const crashes[] = {
    "Fatal Python error: ",
    "panic: ",
    "fatal error: ",
    "FATAL: ",
    "free(): ",
    "malloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "realloc(): ",
    "double free or corruption",
    "corrupted size vs. prev_size",
    "corrupted double-linked list",
    "*** stack smashing detected ***",
    "*** buffer overflow detected ***",
};

static struct ty_str from(struct ty_str line, const char *at)
{
    return (struct ty_str){ at, line.n - (size_t)(at - line.p) };
}

/* absl's FATAL: "F1117 17:33:43.123456  2190 client.h:80] Terminating process because …" */
static const char *absl_words(struct ty_str b)
{
    const char *at = b.n > 6 && b.p[0] == 'F' && isdigit((unsigned char)b.p[1]) &&
                             isdigit((unsigned char)b.p[4]) && b.p[5] == ' '
                         ? memmem(b.p, b.n, "] ", 2)
                         : NULL;

    return at ? at + 2 : NULL;
}

bool ty_failure_lines_crash(struct ty_str line, struct ty_str *ret_error)
{
    *ret_error = line;
    for (size_t i = 0; i < TY_COUNT(crashes); i++)
        if (ty_str_starts(line, ty_str(crashes[i])))
            return true;
    if ((ty_str_contains(line, TY_LIT("Assertion `")) &&
         ty_str_contains(line, TY_LIT("' failed"))) ||
        ty_str_contains(line, TY_LIT("*** MPI_ERR_"))) {
        const char *stars = memmem(line.p, line.n, "*** ", 4);
        if (stars)
            *ret_error = from(line, stars + 4);
        return true;
    }
    const char *words = absl_words(line);
    if (words)
        *ret_error = from(line, words);
    return words != NULL;
}

bool ty_failure_lines_panic(struct ty_str line)
{
    return ty_str_starts(line, TY_LIT("thread '")) &&
           ty_str_contains(line, TY_LIT(" panicked at ")) && ty_str_ends(line, TY_LIT(":"));
}

bool ty_failure_lines_frame(struct ty_str line)
{
    return line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t') &&
           ty_str_starts(ty_str_trim(line), TY_LIT("at "));
}

struct ty_str ty_failure_lines_thrown(struct ty_str line)
{
    static const char *const before[] = { "Exception in thread \"", "Caused by: ", "Uncaught ",
                                          "Unhandled exception. " };

    for (size_t i = 0; i < TY_COUNT(before); i++) {
        if (!ty_str_starts(line, ty_str(before[i])))
            continue;
        struct ty_str rest = from(line, line.p + strlen(before[i]));
        const char *quote =
            i == 0 ? memmem(rest.p, rest.n, "\" ", 2) : NULL; /* the thread's name */
        return quote ? from(rest, quote + 2) : rest;
    }
    return line;
}

static size_t skip_digits(struct ty_str s, size_t i)
{
    while (i < s.n && isdigit((unsigned char)s.p[i]))
        i++;
    return i;
}

/* The end of a fraction that begins at i: "0.31", "1.5e-3"; i itself: there is none. */
static size_t fraction_end(struct ty_str s, size_t i)
{
    size_t point = skip_digits(s, i), end = 0;

    if (point == i || point == s.n || s.p[point] != '.')
        return i;
    end = skip_digits(s, point + 1);
    if (end == point + 1)
        return i;
    if (end == s.n || (s.p[end] | 0x20) != 'e')
        return end;
    size_t digits = end + 1;
    digits += digits < s.n && (s.p[digits] == '-' || s.p[digits] == '+');
    size_t exponent = skip_digits(s, digits);
    return exponent > digits ? exponent : end;
}

/* "val_loss: 0.2", "best=0.29" */
static bool is_named_number(struct ty_str s)
{
    size_t i = 0;

    if (s.n == 0 || !isalpha((unsigned char)s.p[0]))
        return false;
    while (i < s.n && (isalnum((unsigned char)s.p[i]) || memchr("_/@.", s.p[i], 4)))
        i++;
    if (i == s.n || !memchr(":=", s.p[i], 2))
        return false;
    while (i < s.n && memchr(":= -", s.p[i], 4))
        i++;
    return i < s.n && isdigit((unsigned char)s.p[i]);
}

/* "mean squared error: 0.31": a fraction and nothing else follows, or the next metric, so it is a
 * metric. Versions and addresses have words or more numbers after them: "error: 3.11 is required".
 */
static bool is_metric(struct ty_str after)
{
    size_t i = 0;

    while (i < after.n && memchr(": =", after.p[i], 3))
        i++;
    size_t end = fraction_end(after, i);
    if (end == i)
        return false;
    end += end < after.n && after.p[end] == '%';
    while (end < after.n && memchr(" \t\r", after.p[end], 3))
        end++;
    if (end + 1 < after.n && after.p[end] == '-' && after.p[end + 1] == ' ') /* Keras */
        end += 2;
    struct ty_str rest = from(after, after.p + end);
    return rest.n == 0 || memchr(",)]}|;", rest.p[0], 6) || is_named_number(rest);
}

static bool contains_in_any_case(struct ty_str line, struct ty_str word)
{
    for (size_t i = 0; i + word.n <= line.n; i++)
        if (strncasecmp(line.p + i, word.p, word.n) == 0 &&
            !is_metric(from(line, line.p + i + word.n)))
            return true;
    return false;
}

bool ty_failure_lines_explain(struct ty_str line)
{
    static const char *const words[] = { "error",           "not found",    "cannot",  "can't",
                                         "could not",       "failed",       "no such", "fatal",
                                         "denied",          "unable",       "unbound", "abort",
                                         "no module named", "not permitted" };

    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (contains_in_any_case(line, ty_str(words[i])))
            return true;
    return false;
}

bool ty_failure_lines_says_something(struct ty_str b)
{
    for (size_t i = 0; i < b.n; i++)
        if (isalnum((unsigned char)b.p[i]))
            return true;
    return false;
}

bool ty_failure_lines_aside(struct ty_str b)
{
    return ty_str_starts(b, TY_LIT("Exception in thread ")) ||
           (ty_str_starts(b, TY_LIT("Process ")) && ty_str_ends(b, TY_LIT(":")));
}

bool ty_failure_lines_farewell(struct ty_str b)
{
    return ty_str_starts(b, TY_LIT("wandb:")) || ty_str_contains(b, TY_LIT("resource_tracker"));
}

bool ty_failure_lines_progress(struct ty_str b)
{
    struct ty_progress p = TY_PROGRESS_NONE;

    return !ty_failure_lines_farewell(b) && ty_progress_parse(b, &p) &&
           (p.step >= 0 || p.percent >= 0);
}

bool ty_failure_lines_bare_step(struct ty_str b)
{
    static const char *const words[] = { "step", "epoch", "iter", "iteration", "batch" };

    for (size_t i = 0; i < TY_COUNT(words); i++) {
        size_t n = strlen(words[i]);
        if (b.n <= n || strncasecmp(b.p, words[i], n) != 0)
            continue;
        while (n < b.n && (b.p[n] == ' ' || b.p[n] == ':' || b.p[n] == '='))
            n++;
        if (n > strlen(words[i]) && n < b.n && isdigit((unsigned char)b.p[n]))
            return true;
    }
    return false;
}

bool ty_failure_lines_logged(struct ty_str b)
{
    static const char *const levels[] = { "ERROR", "WARNING", "CRITICAL" };

    for (size_t i = 0; i < TY_COUNT(levels); i++)
        if (ty_str_contains(b, ty_str(levels[i])))
            return true;
    return false;
}

bool ty_failure_lines_exception(struct ty_str b)
{
    size_t i = 0, part = 0;
    bool dotted = false;

    for (; i < b.n && (isalnum((unsigned char)b.p[i]) || b.p[i] == '_' || b.p[i] == '.'); i++)
        if (b.p[i] == '.') {
            dotted = true;
            part = i + 1;
        }
    if (i == 0 || isdigit((unsigned char)b.p[0]) || part >= i)
        return false;
    if (i < b.n && (b.p[i] != ':' || (i + 1 < b.n && b.p[i + 1] != ' ')))
        return false;
    struct ty_str name = { b.p, i };
    return dotted || isupper((unsigned char)b.p[part]) || ty_str_ends(name, TY_LIT("error"));
}

bool ty_failure_lines_traceback(struct ty_str b)
{
    return ty_str_ends(b, TY_LIT("Traceback (most recent call last):")) &&
           !ty_str_contains(b, TY_LIT("traceback :"));
}
