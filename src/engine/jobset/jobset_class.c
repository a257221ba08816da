/* Converts character classes. POSIX brackets have no escapes, so a class is parsed into a set and
 * printed with its special characters at positions where they are literal. */
#include "engine/jobset/jobset_class.h"

#include <ctype.h>

/* As the functions of ctype.h, which in the C locale are those of Go's regexp for ASCII. */
typedef int kind_fn(int c);

static int is_word(int c)
{
    return isalnum(c) || c == '_';
}

static int is_perl_space(int c)
{
    return isspace(c) && c != '\v';
}

static int is_ascii(int c)
{
    return c >= 0;
}

static void add_kind(struct ty_regex_class *set, kind_fn *is, bool want)
{
    for (int c = 0; c < 128; c++)
        if ((is(c) != 0) == want)
            set->has[c] = true;
}

static int hex_value(int c)
{
    return isdigit(c) ? c - '0' : (c | 32) - 'a' + 10;
}

static int at_or(struct ty_str in, size_t at)
{
    return at < in.n ? (unsigned char)in.p[at] : -1;
}

/* "\x41" and "\x{41}", at the x. -1: not ASCII or not a number. */
static int read_hex(struct ty_str in, size_t *at)
{
    bool brace = at_or(in, *at + 1) == '{';
    size_t i = *at + (brace ? 2 : 1), digits = 0;
    int v = 0;

    for (; isxdigit(at_or(in, i)) && digits < (brace ? 6 : 2); i++, digits++)
        v = v * 16 + hex_value(at_or(in, i));
    if (digits == 0 || (brace ? at_or(in, i) != '}' : digits != 2) || v >= 128)
        return -1;
    *at = i + (brace ? 1 : 0);
    return v;
}

/* One character after a backslash, at its place behind it; -1: it stands for none. */
static int read_escaped_char(struct ty_str in, size_t *at)
{
    static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
    int c = at_or(in, *at);
    const char *named = c > 0 ? strchr(names, c) : NULL;

    if (c == 'x')
        return read_hex(in, at);
    if (c < 0 || c >= 128 || (isalnum(c) && !named))
        return -1;
    ++*at;
    return named ? values[named - names] : c;
}

size_t ty_jobset_class_escape(struct ty_str in, size_t at, struct ty_regex_class *ret_set,
                              const char **ret_why)
{
    static const struct {
        char name;
        kind_fn *is;
    } kinds[] = { { 'd', isdigit }, { 's', is_perl_space }, { 'w', is_word } };
    size_t place = at + 1;
    int c = at_or(in, place);

    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        if (c < 0 || (c | 32) != kinds[i].name)
            continue;
        add_kind(ret_set, kinds[i].is, true);
        ret_set->negated = c == kinds[i].name - 32; /* \D, \S, \W */
        return place + 1;
    }
    c = read_escaped_char(in, &place);
    if (c <= 0) {
        *ret_why = "this escape is not supported";
        return at;
    }
    ret_set->has[c] = true;
    return place;
}

/* "[:alpha:]" or "[:^alpha:]" inside a class. */
static size_t read_named(struct ty_str in, size_t at, struct ty_regex_class *set,
                         const char **ret_why)
{
    static const struct {
        const char *name;
        kind_fn *is;
    } kinds[] = {
        { "alnum", isalnum }, { "alpha", isalpha },   { "ascii", is_ascii }, { "blank", isblank },
        { "cntrl", iscntrl }, { "digit", isdigit },   { "graph", isgraph },  { "lower", islower },
        { "print", isprint }, { "punct", ispunct },   { "space", isspace },  { "upper", isupper },
        { "word", is_word },  { "xdigit", isxdigit },
    };
    bool without = at_or(in, at + 2) == '^';
    struct ty_str rest = { in.p + at + 2 + without, in.n - at - 2 - without }, name;
    struct ty_str after = ty_str_cut(rest, ':', &name);

    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        if (!ty_str_is(name, kinds[i].name) || after.n == 0 || after.p[0] != ']')
            continue;
        add_kind(set, kinds[i].is, !without);
        return (size_t)(after.p - in.p) + 1;
    }
    *ret_why = "no class of this name";
    return at;
}

/* An end of a range: a character or an escape for one. -1: none. */
static int read_end(struct ty_str in, size_t *at)
{
    int c = at_or(in, *at);

    if (c >= 128)
        return -1;
    if (c == '\\') {
        ++*at;
        return read_escaped_char(in, at);
    }
    ++*at;
    return c;
}

static size_t read_range(struct ty_str in, size_t at, struct ty_regex_class *set,
                         const char **ret_why)
{
    int low = read_end(in, &at), high = low;

    if (at_or(in, at) == '-' && at_or(in, at + 1) != ']' && at_or(in, at + 1) >= 0) {
        at++;
        high = read_end(in, &at);
    }
    if (low < 0 || high < low)
        *ret_why = low >= 0 && high >= 0 ? "a range is the wrong way round"
                                         : "only ASCII characters are supported in a class";
    for (int c = low; !*ret_why && c <= high; c++)
        set->has[c] = true;
    return at;
}

size_t ty_jobset_class_parse(struct ty_str in, size_t at, struct ty_regex_class *ret_set,
                             const char **ret_why)
{
    size_t start = at++;
    bool first = true;

    if (at_or(in, at) == '^') {
        ret_set->negated = true;
        at++;
    }
    for (; !*ret_why && (at_or(in, at) != ']' || first); first = false) {
        int c = at_or(in, at), next = at_or(in, at + 1);
        if (c < 0) {
            *ret_why = "a class has no end";
        } else if (c == '[' && next == ':') {
            at = read_named(in, at, ret_set, ret_why);
        } else if (c == '\\' && next > 0 && strchr("dswDSW", next)) {
            struct ty_regex_class one = { 0 };
            at = ty_jobset_class_escape(in, at, &one, ret_why);
            for (int i = 0; i < 128; i++)
                ret_set->has[i] |= one.has[i] != one.negated;
        } else {
            at = read_range(in, at, ret_set, ret_why);
        }
    }
    return *ret_why ? start : at + 1;
}

static void print_one(struct ty_buf *out, int c)
{
    if (strchr(".[{()*+?^$|\\", c))
        ty_buf_chr(out, '\\');
    ty_buf_chr(out, (char)c);
}

/* ] only counts at the beginning, ^ anywhere else, - at the end, and [ before none of . = : */
static void print_bracket(const struct ty_regex_class *set, struct ty_buf *out)
{
    static const char special[] = "]^-[", last[] = "[^-";

    if (set->has[']'])
        ty_buf_chr(out, ']');
    for (int c = 1; c < 128; c++)
        if (set->has[c] && !strchr(special, c))
            ty_buf_chr(out, (char)c);
    for (const char *p = last; *p; p++)
        if (set->has[(unsigned char)*p])
            ty_buf_chr(out, *p);
}

void ty_jobset_class_print(const struct ty_regex_class *set, struct ty_buf *out)
{
    int n = 0, only = 0;

    for (int c = 1; c < 128; c++) {
        n += set->has[c];
        only = set->has[c] ? c : only;
    }
    if (n == 0) { /* never, or always */
        ty_buf_cstr(out, set->negated ? "(.|\n)" : "(\\'.)");
    } else if (n == 1 && !set->negated) {
        print_one(out, only);
    } else if (n == 2 && !set->negated && set->has['^'] && set->has['-']) {
        ty_buf_cstr(out, "[-^]"); /* the other way round it would be a negation */
    } else {
        ty_buf_cstr(out, set->negated ? "[^" : "[");
        print_bracket(set, out);
        ty_buf_chr(out, ']');
    }
}
