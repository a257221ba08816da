/* Values of names that stand for secrets: PASSWORD=…, "api_key": "…", --token …, Authorization: ….
 * Logs of training are full of other tokens ("pad_token=<pad>", "tokens/s: 12"), so the last part
 * of a name counts, and a value must look like one. */
#include "report/mask_secrets_inner.h"

#include <strings.h>

enum secret_rule {
    ANY_VALUE,
    NO_PATH = 1,  /* PWD=/home/me */
    VARIABLE = 2, /* the name is in capitals, as variables are: "forward_pass=3" is another thing */
    PROSE = 4,    /* also in sentences: password "hunter2", the password is hunter2 */
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
    bool said;      /* "the password is …" */
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

/* The length of a quote at i with what escapes it, 0 if there is none. JSON in JSON has one
 * backslash before it, JSON in that has three, and so on. */
static size_t quote_at(const struct ty_mask *m, size_t i)
{
    enum { ESCAPES = 7 };
    size_t n = 0;

    while (n <= ESCAPES && char_at(m, i + n) == '\\')
        n++;
    char c = char_at(m, i + n);
    return (n & (n + 1)) == 0 && (c == '"' || c == '\'') ? n + 1 : 0;
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* Up to the closing quote (not included), or the end of the line, from behind the opening quote of
 * this length. Quotes inside the value have more backslashes than those around it, and a backslash
 * at its end has a power of two of them. */
static size_t quoted_end(const struct ty_mask *m, size_t i, size_t length)
{
    char quote = m->text.p[i - 1];
    size_t slashes = 0;

    for (; i < m->text.n && !ends_line(m->text.p[i]); i++) {
        bool closes = m->text.p[i] == quote && slashes + 1 >= length;
        if (closes && (slashes + 1 - length) % (2 * length) == 0)
            return i + 1 - length;
        slashes = m->text.p[i] == '\\' ? slashes + 1 : 0;
    }
    return i;
}

static size_t find_end(const struct ty_mask *m, size_t i, const char *ends)
{
    while (i < m->text.n && !ends_line(m->text.p[i]) &&
           (m->text.p[i] == '\0' || !strchr(ends, m->text.p[i])))
        i++;
    return i;
}

/* Up to what ends a value without quotes: of a header only a quote or the line does. Sentences do
 * not end at "&". The end of other values is measured once: "key=key=key=…" has many. */
static size_t plain_end(struct ty_mask *m, size_t i, bool header, bool said)
{
    if (header || said)
        return find_end(m, i, header ? "\"'" : " \t\"'<>");
    if (m->value_end <= i)
        m->value_end = find_end(m, i, " \t,;&|)]}\"'<>");
    return m->value_end;
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
    return quoted_end(m, end + quote, quote);
}

/* Behind "is" or "was" at `i`; 0: neither is there. */
static size_t skip_verb(const struct ty_mask *m, size_t i)
{
    static const char *const verbs[] = { "is", "was" };

    for (size_t k = 0; k < TY_COUNT(verbs); k++) {
        size_t n = strlen(verbs[k]);
        if (m->text.n - i <= n || memcmp(m->text.p + i, verbs[k], n) != 0)
            continue;
        n += char_at(m, i + n) == ':';
        if (skip_blanks(m, i + n) > i + n)
            return skip_blanks(m, i + n);
    }
    return 0;
}

/* The value in a sentence, at `i` behind the name: invalid password "hunter2", password is hunter2
 */
static bool find_in_prose(const struct ty_mask *m, size_t i, struct secret_value *ret)
{
    size_t said = quote_at(m, i) == 1 ? 0 : skip_verb(m, i);

    ret->said = said > 0;
    ret->from = said ? said : i;
    return said || quote_at(m, i) == 1;
}

/* Finds where the value of the name that ends at `i` begins, at its quote if it has one. */
static bool find_start(const struct ty_mask *m, size_t name, size_t i,
                       const struct secret_name *kind, struct secret_value *ret)
{
    size_t quote = quote_at(m, i), blank = i + quote, at = skip_blanks(m, blank);
    size_t assignment = assignment_at(m, name, at), item = skip_blanks(m, at + 1);
    bool option = name > 1 && char_at(m, name - 1) == '-' && char_at(m, name - 2) == '-';

    *ret = (struct secret_value){ .quoted = quote > 0, .assigned = true, .from = at };
    if (assignment) {
        ret->assigned = char_at(m, at) != ':';
        ret->from = skip_blanks(m, at + assignment);
        return true;
    }
    if (quote && char_at(m, at) == ',' && quote_at(m, item)) {
        ret->from = item; /* ['mysql', '--password', '…'], as Python prints a command */
        return true;
    }
    if (at == blank)
        return false;
    if (option && char_at(m, at) != '-')
        return true; /* --password hunter2 */
    return kind->rule == PROSE && !quote && find_in_prose(m, at, ret);
}

static bool find_value(struct ty_mask *m, size_t name, size_t i, const struct secret_name *kind,
                       struct secret_value *ret)
{
    bool header = kind->least == 0;
    size_t end = 0;

    if (!find_start(m, name, i, kind, ret))
        return false;
    size_t quote = quote_at(m, ret->from);
    ret->from += quote;
    if (quote)
        end = quoted_end(m, ret->from, quote);
    else
        end = plain_end(m, ret->from, header, ret->said);
    if (!quote && !header)
        end = wrapped_end(m, ret->from, end);
    ret->n = end - ret->from;
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

/* As keys and tokens have. Longer ones are no words of a log, and need not be looked through. */
static bool has_digit(struct ty_str v)
{
    enum { LONG = 256 };

    if (v.n > LONG)
        return true;
    for (size_t i = 0; i < v.n; i++)
        if (v.p[i] >= '0' && v.p[i] <= '9')
            return true;
    return false;
}

/* "REDIS_" of REDIS_PASS */
static bool is_variable(struct ty_str head)
{
    for (size_t i = 0; i < head.n; i++)
        if (head.p[i] >= 'a' && head.p[i] <= 'z')
            return false;
    return head.n > 0 && is_separator(head.p[head.n - 1]);
}

/* "Bearer " of an Authorization header: the scheme is shown. */
static size_t scheme_of(struct ty_str value)
{
    size_t n = 0;

    while (n < value.n && is_name(value.p[n]))
        n++;
    return n > 0 && n + 1 < value.n && value.p[n] == ' ' ? n + 1 : 0;
}

/* What such a name may have without being a secret: null, a path, a word of a sentence. */
static bool is_harmless(const struct secret_name *kind, const struct secret_value *v,
                        struct ty_str value)
{
    return value.n < kind->least || is_nothing(value) ||
           (kind->rule == NO_PATH && strchr("/~.", value.p[0])) ||
           (v->said && ty_mask_is_ordinary(value));
}

/* "unexpected token: identifier" is prose; "token=…" and "hf_token: …" are not. */
static bool looks_secret(const struct secret_name *kind, struct ty_str head,
                         const struct secret_value *v, struct ty_str value)
{
    if (is_harmless(kind, v, value))
        return false;
    if (kind->rule == VARIABLE)
        return v->assigned && is_variable(head) && (kind->least == 1 || has_digit(value));
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
