/* Values of names that stand for secrets: PASSWORD=…, "api_key": "…", --token …, Authorization: ….
 * Logs of training are full of other tokens ("pad_token=<pad>", "tokens/s: 12"), so the last part
 * of a name counts, and a value must look like one. */
#include "report/mask_secrets_inner.h"

#include <strings.h>

enum secret_rule {
    ANY_VALUE,
    NO_PATH = 1,  /* PWD=/home/me */
    VARIABLE = 2, /* the name is in capitals, as variables are: "forward_pass=3" is another thing */
    PROSE = 4,    /* also if only blanks are between: password "hunter2" */
};

/* Suffixes of names, in lower case and without separators. */
static const struct secret_name {
    const char *suffix;
    size_t least; /* characters of the value; 0: it is a header */
    enum secret_rule rule;
} names[] = {
    { "password", 1, PROSE },       { "passwords", 1, ANY_VALUE },
    { "passwd", 1, PROSE },         { "passphrase", 1, PROSE },
    { "secret", 1, ANY_VALUE },     { "secretkey", 1, ANY_VALUE },
    { "accesskey", 1, ANY_VALUE },  { "privatekey", 1, ANY_VALUE },
    { "apikey", 1, ANY_VALUE },     { "accountkey", 1, ANY_VALUE },
    { "storagekey", 1, ANY_VALUE }, { "authkey", 1, ANY_VALUE },
    { "signingkey", 1, ANY_VALUE }, { "encryptionkey", 1, ANY_VALUE },
    { "token", 8, ANY_VALUE },      { "signature", 20, ANY_VALUE },
    { "sig", 20, ANY_VALUE },       { "authorization", 0, ANY_VALUE },
    { "dbpass", 1, ANY_VALUE },     { "pass", 1, VARIABLE },
    { "pwd", 1, NO_PATH },          { "credential", 8, NO_PATH },
    { "credentials", 8, NO_PATH },  { "cookie", 0, ANY_VALUE },
    { "auth", 12, NO_PATH },        { "dockerconfigjson", 8, ANY_VALUE },
    { "dockercfg", 8, ANY_VALUE },  { "key", 16, VARIABLE },
};

/* What stands before "token" when it is one of a vocabulary. */
static const char *const vocabulary[] = { "pad",   "eos", "bos",  "unk",  "sep",     "cls",
                                          "mask",  "end", "stop", "next", "special", "start",
                                          "image", "per", "last", "max",  "new",     "num" };

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static bool is_separator(char c)
{
    return c == '_' || c == '-' || c == '.';
}

/* Whether the name ends so, case and separators aside; *ret_head is what precedes it. */
static bool ends_with(struct ty_str name, const char *suffix, struct ty_str *ret_head)
{
    size_t n = strlen(suffix);

    while (n > 0 && name.n > 0) {
        char c = name.p[name.n - 1];
        name.n--;
        if (is_separator(c))
            continue;
        if ((c | 0x20) != suffix[n - 1])
            return false;
        n--;
    }
    *ret_head = name;
    return n == 0;
}

static const struct secret_name *find_name(struct ty_str name, struct ty_str *ret_head)
{
    /* "token." at the end of a sentence is no name of its own. */
    if (is_separator(name.p[name.n - 1]))
        return NULL;
    for (size_t i = 0; i < TY_COUNT(names); i++)
        if (ends_with(name, names[i].suffix, ret_head))
            return &names[i];
    return NULL;
}

static bool is_vocabulary(struct ty_str head)
{
    struct ty_str before = { 0 };

    for (size_t i = 0; i < TY_COUNT(vocabulary); i++)
        if (ends_with(head, vocabulary[i], &before))
            return true;
    return false;
}

/* ---- from the name to its value ---- */

struct secret_value {
    size_t from, n; /* in the text */
    bool quoted;    /* the name was: an object's member */
    bool assigned;  /* by '=' */
};

static char char_at(const struct ty_mask *m, size_t i)
{
    return i < m->text.n ? m->text.p[i] : '\0';
}

static size_t skip_blanks(const struct ty_mask *m, size_t i)
{
    while (char_at(m, i) == ' ' || char_at(m, i) == '\t')
        i++;
    return i;
}

/* The length of a quote at i, which may be escaped, as JSON in JSON is: 0, 1 or 2. */
static size_t quote_at(const struct ty_mask *m, size_t i)
{
    size_t escaped = char_at(m, i) == '\\';
    char c = char_at(m, i + escaped);

    return c == '"' || c == '\'' ? 1 + escaped : 0;
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* Up to the closing quote (not included), or the end of the line. */
static size_t quoted_end(const struct ty_mask *m, size_t i, char quote, bool escaped)
{
    for (; i < m->text.n && !ends_line(m->text.p[i]); i++) {
        bool slash = m->text.p[i] == '\\';
        if (escaped ? slash && char_at(m, i + 1) == quote : m->text.p[i] == quote)
            return i;
        i += slash && !escaped && i + 1 < m->text.n && !ends_line(m->text.p[i + 1]);
    }
    return i;
}

/* Up to what ends a value without quotes; of a header only a quote or the line does. */
static size_t plain_end(const struct ty_mask *m, size_t i, bool header)
{
    const char *ends = header ? "\"'" : " \t,;&|)]}\"'<>";

    while (i < m->text.n && !ends_line(m->text.p[i]) &&
           (m->text.p[i] == '\0' || !strchr(ends, m->text.p[i])))
        i++;
    return i;
}

/* What stands between a name and its value, from `i` on: how many bytes, 0: none does. */
static size_t assignment_at(const struct ty_mask *m, size_t name, size_t i)
{
    char c = char_at(m, i), next = char_at(m, i + 1);

    if (c == ':' || c == '=')
        return 1 + (next == '=' || next == '>');
    if (c == '%' && next == '3' && (char_at(m, i + 2) | 0x20) == 'd')
        return 3;                                               /* in a URL */
    return c == '>' && name > 0 && char_at(m, name - 1) == '<'; /* <password>…</password> */
}

/* b'…', ['…', SecretStr('…: the value goes on to the closing quote. */
static size_t wrapped_end(const struct ty_mask *m, size_t from, size_t end)
{
    size_t quote = quote_at(m, end);
    bool opened = end > from && strchr("([{", m->text.p[end - 1]) && m->text.p[end - 1];

    if (quote == 0 || (!opened && (end - from > 2 || end == from || !is_name(m->text.p[from]))))
        return end;
    return quoted_end(m, end + quote, char_at(m, end + quote - 1), quote == 2);
}

/* Finds the value of the name that ends at `i`. */
static bool find_value(const struct ty_mask *m, size_t name, size_t i,
                       const struct secret_name *kind, struct secret_value *ret)
{
    bool option = name > 1 && char_at(m, name - 1) == '-' && char_at(m, name - 2) == '-';
    size_t quote = quote_at(m, i), blank = 0, assignment = 0;

    i += quote;
    blank = i;
    i = skip_blanks(m, i);
    assignment = assignment_at(m, name, i);
    *ret = (struct secret_value){ .quoted = quote > 0,
                                  .assigned = assignment && char_at(m, i) != ':' };
    bool prose = kind->rule == PROSE && !quote && i > blank && quote_at(m, i) == 1;
    if (assignment) {
        i = skip_blanks(m, i + assignment);
    } else if (quote && char_at(m, i) == ',' && quote_at(m, skip_blanks(m, i + 1))) {
        i = skip_blanks(m, i + 1); /* ['mysql', '--password', '…'], as Python prints a command */
        ret->assigned = true;
    } else if (prose || (option && i > blank && char_at(m, i) != '-')) {
        ret->assigned = true; /* invalid password "hunter2", --password hunter2 */
    } else {
        return false;
    }
    quote = quote_at(m, i);
    ret->from = i + quote;
    ret->n = quote ? quoted_end(m, ret->from, char_at(m, ret->from - 1), quote == 2)
                   : plain_end(m, i, kind->least == 0);
    if (!quote && kind->least > 0)
        ret->n = wrapped_end(m, ret->from, ret->n);
    ret->n -= ret->from;
    return ret->n > 0;
}

static bool is_nothing(struct ty_str v)
{
    static const char *const words[] = { "None",  "null",      "nil", "true",
                                         "false", "undefined", "yes", "no" };

    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (v.n == strlen(words[i]) && strncasecmp(v.p, words[i], v.n) == 0)
            return true;
    return false;
}

static bool has_digit(struct ty_str v)
{
    for (size_t i = 0; i < v.n; i++)
        if (v.p[i] >= '0' && v.p[i] <= '9')
            return true;
    return false;
}

static bool in_capitals(struct ty_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] >= 'a' && name.p[i] <= 'z')
            return false;
    return true;
}

/* "Bearer " of an Authorization header: the scheme is shown. */
static size_t scheme_of(struct ty_str value)
{
    size_t n = 0;

    while (n < value.n && is_name(value.p[n]))
        n++;
    return n > 0 && n + 1 < value.n && value.p[n] == ' ' ? n + 1 : 0;
}

/* "unexpected token: identifier" is prose; "token=…" and "hf_token: …" are not. */
static bool looks_secret(const struct secret_name *kind, struct ty_str head,
                         const struct secret_value *v, struct ty_str value)
{
    if (value.n < kind->least || is_nothing(value))
        return false;
    if (kind->rule == NO_PATH && strchr("/~.", value.p[0]))
        return false;
    if (kind->rule == VARIABLE)
        return v->assigned && head.n > 0 && is_separator(head.p[head.n - 1]) && in_capitals(head) &&
               (kind->least == 1 || has_digit(value));
    if (kind->least < 8) /* words that mean nothing else */
        return true;
    if (is_vocabulary(head))
        return false;
    return v->assigned || v->quoted || head.n > 0 || has_digit(value);
}

bool ty_mask_value(struct ty_mask *m)
{
    struct secret_value v;
    struct ty_str head = { 0 };
    size_t end = m->at;

    if (m->at < m->name_end)
        return false;
    while (end < m->text.n && is_name(m->text.p[end]))
        end++;
    m->name_end = end;
    const struct secret_name *kind =
        find_name((struct ty_str){ m->text.p + m->at, end - m->at }, &head);
    if (!kind || !find_value(m, m->at, end, kind, &v))
        return false;
    struct ty_str value = { m->text.p + v.from, v.n };
    if (!looks_secret(kind, head, &v, value))
        return false;
    size_t scheme = kind->least == 0 ? scheme_of(value) : 0;
    if (ty_mask_is_stars((struct ty_str){ value.p + scheme, value.n - scheme }))
        return false; /* and the name may have a token in it */
    ty_mask_copy(m, v.from + scheme - m->at);
    ty_mask_hide(m, v.n - scheme);
    return true;
}
