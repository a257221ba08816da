/* Translates RE2 to POSIX. Callers only need to know whether a pattern matches, so leftmost-first
 * against leftmost-longest makes no difference, lazy repeats are plain ones, and groups need no
 * names. What is left differs in spelling: classes (\d, [\w.]), the dot, anchors. A recursive
 * descent reads the pattern and writes the POSIX extended one beside it. */
#include "engine/jobset/jobset_regex.h"

#include <errno.h>
#include <regex.h>

#include "base/buf.h"
#include "engine/jobset/jobset_class.h"

#define MAX_PATTERN 2048 /* bytes; Go has no limit, a failure message needs less */
#define MAX_DEPTH   100
#define MAX_REPEAT  1000 /* as Go's */
#define MAX_SIZE    5000 /* characters and classes once all repeats are written out */

struct regex_reader {
    struct ty_str in;
    size_t at;
    struct ty_buf *out;
    bool dot_all; /* (?s) */
    bool fold;    /* (?i) */
    unsigned depth;
    struct ty_err *err;
};

static int pattern_error(struct regex_reader *r, const char *what)
{
    return ty_fail(r->err, -EINVAL, "%s at byte %zu of the pattern", what, r->at);
}

static int peek_byte(const struct regex_reader *r)
{
    return r->at < r->in.n ? (unsigned char)r->in.p[r->at] : -1;
}

static bool accept_text(struct regex_reader *r, const char *text)
{
    struct ty_str rest = { r->in.p + r->at, r->in.n - r->at };

    if (!ty_str_starts(rest, ty_str(text)))
        return false;
    r->at += strlen(text);
    return true;
}

static void put_literal(struct regex_reader *r, int c)
{
    if (strchr(".[{()*+?^$|\\", c))
        ty_buf_chr(r->out, '\\');
    ty_buf_chr(r->out, (char)c);
}

/* A character of several bytes must be one thing for a repeat that follows it. */
static void put_rune(struct regex_reader *r)
{
    ty_buf_chr(r->out, '(');
    do
        ty_buf_chr(r->out, r->in.p[r->at++]);
    while ((peek_byte(r) & 0xc0) == 0x80 && peek_byte(r) > 0);
    ty_buf_chr(r->out, ')');
}

/* Of the whole text. GNU's own words for it: its $ can match before a newline inside. */
static void put_anchor(struct regex_reader *r, bool begin)
{
    ty_buf_cstr(r->out, begin ? "\\`" : "\\'");
}

static int read_escape(struct regex_reader *r)
{
    static const char *const same[] = { "\\b", "\\B" }; /* GNU's matcher knows them too */
    struct ty_regex_class set = { 0 };
    const char *why = NULL;

    for (size_t i = 0; i < 2; i++)
        if (accept_text(r, same[i])) {
            ty_buf_cstr(r->out, same[i]);
            return 0;
        }
    if (accept_text(r, "\\A") || accept_text(r, "\\z")) {
        put_anchor(r, r->in.p[r->at - 1] == 'A');
        return 0;
    }
    r->at = ty_jobset_class_escape(r->in, r->at, &set, &why);
    if (why)
        return pattern_error(r, why);
    ty_jobset_class_print(&set, r->out);
    return 0;
}

static int read_class(struct regex_reader *r)
{
    struct ty_regex_class set = { 0 };
    const char *why = NULL;

    r->at = ty_jobset_class_parse(r->in, r->at, &set, &why);
    if (why)
        return pattern_error(r, why);
    ty_jobset_class_print(&set, r->out);
    return 0;
}

static int read_choice(struct regex_reader *r, int64_t *ret_size);

/* After "(?": names are dropped, flags may only stand at the very beginning. */
static int read_group_kind(struct regex_reader *r)
{
    if (accept_text(r, "?:"))
        return 0;
    if (accept_text(r, "?P<") || accept_text(r, "?<")) {
        if (peek_byte(r) == '=' || peek_byte(r) == '!')
            return pattern_error(r, "looking behind is not supported");
        while (peek_byte(r) >= 0 && peek_byte(r) != '>')
            r->at++;
        return accept_text(r, ">") ? 0 : pattern_error(r, "a group's name has no end");
    }
    if (peek_byte(r) == '?')
        return pattern_error(r,
                             "only the flags (?i) and (?s) are supported, at the beginning, and no "
                             "looking ahead");
    return 0;
}

static int read_group(struct regex_reader *r, int64_t *ret_size)
{
    int rc;

    r->at++;
    if (++r->depth > MAX_DEPTH)
        return pattern_error(r, "groups are nested too deep");
    rc = read_group_kind(r);
    if (rc < 0)
        return rc;
    ty_buf_chr(r->out, '(');
    rc = read_choice(r, ret_size);
    if (rc < 0)
        return rc;
    if (!accept_text(r, ")"))
        return pattern_error(r, "a parenthesis is not closed");
    ty_buf_chr(r->out, ')');
    r->depth--;
    return 0;
}

/* "{2}", "{2,}", "{2,5}": false for anything else, where Go takes the brace for itself. */
static bool read_counts(struct regex_reader *r, int64_t *ret_most, struct ty_str *ret_text)
{
    const char *start = r->in.p + r->at;
    const char *end = memchr(start, '}', r->in.n - r->at);
    struct ty_str inner, low, high;
    int64_t a, b;

    if (!end)
        return false;
    inner = (struct ty_str){ start + 1, (size_t)(end - start - 1) };
    high = ty_str_cut(inner, ',', &low);
    if (low.n == 0 || low.n > 6 || high.n > 6 || low.p[0] == '-' || !ty_str_parse_i64(low, &a))
        return false;
    b = a;
    if (high.n > 0 && (high.p[0] == '-' || !ty_str_parse_i64(high, &b)))
        return false;
    *ret_most = b < a ? INT64_MAX : b; /* the wrong way round: more than any limit */
    *ret_text = (struct ty_str){ start, inner.n + 2 };
    return true;
}

/* Does a repeat begin here? Then *ret_most is its count (1: not counted) and *ret_n its length. */
static bool is_repeat(struct regex_reader *r, int64_t *ret_most, size_t *ret_n)
{
    struct ty_str counts = { 0 };
    int c = peek_byte(r);

    *ret_most = 1;
    *ret_n = 1;
    if (c != '{')
        return c == '*' || c == '+' || c == '?';
    if (!read_counts(r, ret_most, &counts))
        return false; /* just a brace */
    *ret_n = counts.n;
    return true;
}

/* A character that stands for itself, the dot, an anchor. */
static void read_char(struct regex_reader *r)
{
    int c = peek_byte(r);

    if (c >= 0x80) {
        put_rune(r);
        return;
    }
    r->at++;
    if (c == '^' || c == '$')
        put_anchor(r, c == '^');
    else if (c == '.')
        ty_buf_cstr(r->out, r->dot_all ? "." : "[^\n]"); /* Go's dot stops at the end of a line */
    else
        put_literal(r, c);
}

/* One thing that a repeat may follow; *ret_repeatable false for anchors. */
static int read_atom(struct regex_reader *r, int64_t *ret_size, bool *ret_repeatable)
{
    int c = peek_byte(r), next = r->at + 1 < r->in.n ? r->in.p[r->at + 1] : 0;
    int64_t most;
    size_t n;

    *ret_size = 1;
    *ret_repeatable = c != '^' && c != '$' && !(c == '\\' && next && strchr("AzbB", next));
    if (is_repeat(r, &most, &n))
        return pattern_error(r, "nothing to repeat");
    if (c == '(')
        return read_group(r, ret_size);
    if (c == '[')
        return read_class(r);
    if (c == '\\')
        return read_escape(r);
    read_char(r);
    return 0;
}

static int read_repeat(struct regex_reader *r, int64_t *size, bool repeatable)
{
    int64_t most;
    size_t n;

    if (!is_repeat(r, &most, &n))
        return 0;
    if (!repeatable)
        return pattern_error(r, "an anchor cannot be repeated");
    if (most > MAX_REPEAT)
        return pattern_error(r, "a repeat count is wrong or above 1000");
    *size *= most > 0 ? most : 1;
    ty_buf_put(r->out, r->in.p + r->at, n);
    r->at += n;
    (void)accept_text(r, "?"); /* lazy: the same answer */
    return is_repeat(r, &most, &n) ? pattern_error(r, "a repeat cannot be repeated") : 0;
}

static int read_choice(struct regex_reader *r, int64_t *ret_size)
{
    *ret_size = 1;
    for (int c = peek_byte(r); c >= 0 && c != ')'; c = peek_byte(r)) {
        int64_t size;
        bool repeatable;
        if (accept_text(r, "|")) {
            ty_buf_chr(r->out, '|');
            continue;
        }
        int rc = read_atom(r, &size, &repeatable);
        if (rc == 0)
            rc = read_repeat(r, &size, repeatable);
        if (rc < 0)
            return rc;
        *ret_size += size;
        if (*ret_size > MAX_SIZE)
            return pattern_error(r, "the repeats make too large an expression");
    }
    return 0;
}

static void read_flags(struct regex_reader *r)
{
    static const char *const forms[] = { "(?i)", "(?s)", "(?is)", "(?si)" };

    for (size_t i = 0; i < TY_COUNT(forms); i++) {
        if (!accept_text(r, forms[i]))
            continue;
        r->fold = strchr(forms[i], 'i') != NULL;
        r->dot_all = strchr(forms[i], 's') != NULL;
        return;
    }
}

/* On 0 *ret_re is to be freed. */
static int compile_pattern(struct ty_arena *a, struct ty_str pattern, regex_t *ret_re,
                           struct ty_err *err)
{
    ty_auto_buf out = { 0 };
    struct regex_reader r = { .in = pattern, .out = &out, .err = err };
    int64_t size;
    int rc;

    if (pattern.n > MAX_PATTERN)
        return ty_fail(err, -EINVAL, "the pattern is longer than %d bytes", MAX_PATTERN);
    if (pattern.n > 0 && memchr(pattern.p, '\0', pattern.n))
        return ty_fail(err, -EINVAL, "the pattern has a NUL in it");
    read_flags(&r);
    ty_buf_chr(&out, '('); /* an empty pattern is fine, an empty POSIX one may not be */
    rc = read_choice(&r, &size);
    if (rc < 0)
        return rc;
    if (r.at < pattern.n)
        return pattern_error(&r, "a parenthesis was not opened");
    ty_buf_chr(&out, ')');
    rc = regcomp(ret_re, ty_arena_cstr(a, ty_buf_str(&out)),
                 REG_EXTENDED | REG_NOSUB | (r.fold ? REG_ICASE : 0));
    if (rc == 0)
        return 0;
    char text[128];
    (void)regerror(rc, ret_re, text, sizeof(text));
    return ty_fail(err, -EINVAL, "%s", text);
}

int ty_jobset_regex_check(struct ty_arena *a, struct ty_str pattern, struct ty_err *err)
{
    regex_t re;
    int rc = compile_pattern(a, pattern, &re, err);

    if (rc == 0)
        regfree(&re);
    return rc;
}

bool ty_jobset_regex_found(struct ty_arena *a, struct ty_str pattern, struct ty_str text)
{
    regex_t re;

    if (compile_pattern(a, pattern, &re, NULL) < 0)
        return false;
    bool found = regexec(&re, ty_arena_cstr(a, text), 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}
