/* Masks credentials by pattern, in passes over the text until nothing changes any more: a mask can
 * hide what kept a pattern from being seen, such as a slash in front of "user:password@". Each pass
 * is linear. It looks at the bytes before a position in what it has written, as the next pass would
 * see them. */
#include "report/mask_secrets.h"

#include <strings.h>

#include "base/base64.h"
#include "report/mask_secrets_inner.h"

enum { PASSES = 3 }; /* real logs need two; a text that needs more is masked as a whole */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_upper(c) || is_digit(c) || (c >= 'a' && c <= 'z');
}

/* The characters of tokens: base64url. */
static bool is_word(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static struct ty_str rest_of(const struct ty_mask *m)
{
    return (struct ty_str){ m->text.p + m->at, m->text.n - m->at };
}

bool ty_mask_is_stars(struct ty_str s)
{
    size_t i = 0;

    while (i < s.n && s.p[i] == '*')
        i++;
    return i == s.n;
}

void ty_mask_copy(struct ty_mask *m, size_t n)
{
    ty_buf_put(m->out, m->text.p + m->at, n);
    m->at += n;
}

void ty_mask_hide(struct ty_mask *m, size_t n)
{
    if (ty_mask_is_stars((struct ty_str){ m->text.p + m->at, n })) {
        ty_mask_copy(m, n);
        return;
    }
    ty_buf_cstr(m->out, "***");
    m->at += n;
    m->changed = true;
}

/* ---- tokens that can be told by their beginning ---- */

enum token_flags { UPPER = 1, DIGIT = 2 };

/* Real ones are longer; these are the lengths below which words of a log are more likely. */
static const struct token_kind {
    const char *prefix;
    unsigned body; /* at least so many characters follow */
    unsigned flags;
} tokens[] = {
    { "hf_", 20, 0 },       { "api_org_", 20, 0 },    { "ghp_", 20, 0 },
    { "gho_", 20, 0 },      { "ghu_", 20, 0 },        { "ghs_", 20, 0 },
    { "ghr_", 20, 0 },      { "github_pat_", 20, 0 }, { "glpat-", 16, 0 },
    { "AKIA", 16, UPPER },  { "ASIA", 16, UPPER },    { "AIza", 30, 0 },
    { "ya29.", 20, 0 },     { "GOCSPX-", 20, 0 },     { "xoxa-", 10, DIGIT },
    { "xoxb-", 10, DIGIT }, { "xoxe-", 10, DIGIT },   { "xoxp-", 10, DIGIT },
    { "xoxr-", 10, DIGIT }, { "xoxs-", 10, DIGIT },   { "xapp-", 10, DIGIT },
    { "sk-", 20, DIGIT },   { "sk_live_", 16, 0 },    { "nvapi-", 20, 0 },
    { "dckr_pat_", 16, 0 }, { "npm_", 30, 0 },        { "pypi-", 30, DIGIT },
    { "wandb_v1_", 20, 0 }, { "r8_", 30, DIGIT },     { "gsk_", 30, DIGIT },
    { "xai-", 30, DIGIT },  { "pplx-", 30, DIGIT },   { "lsv2_pt_", 20, DIGIT },
    { "dapi", 32, DIGIT },  { "SG.", 20, 0 },         { "hvs.", 20, 0 },
    { "hvb.", 20, 0 },      { "sk_test_", 16, 0 },    { "rk_live_", 16, 0 },
    { "whsec_", 20, 0 },    { "shpat_", 20, 0 },      { "sq0atp-", 20, 0 },
    { "sq0csp-", 20, 0 },   { "dop_v1_", 30, 0 },     { "lin_api_", 20, 0 },
    { "gldt-", 16, 0 },     { "glrt-", 16, 0 },       { "AGE-SECRET-KEY-1", 20, UPPER },
};

static bool is_token(const struct token_kind *k, struct ty_str rest)
{
    size_t n = strlen(k->prefix), end = n + k->body;
    bool digit = false;

    if (rest.n < end || memcmp(rest.p, k->prefix, n) != 0)
        return false;
    for (size_t i = n; i < end; i++) {
        char c = rest.p[i];
        if (k->flags & UPPER ? !is_upper(c) && !is_digit(c) : !is_word(c))
            return false;
        digit = digit || is_digit(c);
    }
    return digit || !(k->flags & DIGIT);
}

/* The end of the run of word characters from here. Runs are measured once: prefixes may occur at
 * many places of one. */
static size_t run_end(struct ty_mask *m, size_t from)
{
    if (m->run_end <= from) {
        m->run_end = from;
        while (m->run_end < m->text.n && is_word(m->text.p[m->run_end]))
            m->run_end++;
    }
    return m->run_end;
}

/* A JSON Web Token: {" in base64url, a period, and more than a file's extension. */
static bool is_jwt(struct ty_mask *m)
{
    enum { PART = 10 };
    struct ty_str rest = rest_of(m);
    size_t n = 0, dot = 0;

    if (!ty_str_starts(rest, TY_LIT("eyJ")))
        return false;
    dot = run_end(m, m->at) - m->at;
    if (dot < PART || dot >= rest.n || rest.p[dot] != '.')
        return false;
    while (n < PART && dot + 1 + n < rest.n && is_word(rest.p[dot + 1 + n]))
        n++;
    return n == PART;
}

static bool mask_token(struct ty_mask *m)
{
    struct ty_str rest = rest_of(m);
    bool found = is_jwt(m), dots = found;
    size_t n = 0;

    for (size_t i = 0; i < TY_COUNT(tokens) && !found; i++) {
        found = is_token(&tokens[i], rest);
        dots = found && strchr(tokens[i].prefix, '.');
    }
    if (!found)
        return false;
    /* To the end of the word: what follows must not become the beginning of another. */
    while (n < rest.n && (is_word(rest.p[n]) || (dots && rest.p[n] == '.')))
        n++;
    ty_mask_hide(m, n);
    return true;
}

/* ---- "Bearer TOKEN" and "Basic USER" without their header ---- */

static bool mask_bearer(struct ty_mask *m)
{
    enum { LEAST = 16 };
    static const char word[] = "bearer ";
    size_t n = sizeof(word) - 1, end = n;
    struct ty_str rest = rest_of(m);

    if (rest.n < n || strncasecmp(rest.p, word, n) != 0)
        return false;
    while (end < rest.n && (is_word(rest.p[end]) || strchr("./+~=", rest.p[end])) && rest.p[end])
        end++;
    if (end - n < LEAST)
        return false;
    ty_mask_copy(m, n);
    ty_mask_hide(m, end - n);
    return true;
}

static bool is_base64(char c)
{
    return is_alnum(c) || c == '+' || c == '/';
}

/* Whether the digits of base64 are of "user:password". In parts, up to the colon: the password may
 * be a token of thousands of characters. The padding may be missing, as it is if the text was cut.
 */
static bool is_base64_user(struct ty_str digits)
{
    enum { PART = 512 }; /* whole groups of four */

    for (size_t at = 0; at < digits.n; at += PART) {
        size_t n = digits.n - at < PART ? digits.n - at : PART;
        char part[PART];
        memset(part, '=', sizeof(part));
        n -= n % 4 == 1; /* one digit is no byte */
        memcpy(part, digits.p + at, n);
        ty_auto_arena *a = ty_arena_new(1 << 14);
        struct ty_str user = ty_base64_decode(a, (struct ty_str){ part, (n + 3) / 4 * 4 });
        for (size_t i = 0; i < user.n; i++)
            if ((unsigned char)user.p[i] < ' ')
                return false;
        if (user.n && memchr(user.p, ':', user.n))
            return true;
    }
    return false;
}

/* "Basic dXNlcjpwYXNz" without its header: "user:password" in base64, and no other word. */
static bool mask_basic(struct ty_mask *m)
{
    enum { LEAST = 16 }; /* without padding a shorter one is a word: "Basic Options" */
    static const char word[] = "basic ";
    size_t n = sizeof(word) - 1, end = n;
    struct ty_str rest = rest_of(m);

    if (rest.n < n || strncasecmp(rest.p, word, n) != 0)
        return false;
    while (end < rest.n && is_base64(rest.p[end]))
        end++;
    struct ty_str digits = { rest.p + n, end - n };
    while (end < rest.n && rest.p[end] == '=')
        end++;
    if ((digits.n < LEAST && (end - n) % 4 != 0) || !is_base64_user(digits))
        return false;
    ty_mask_copy(m, n);
    ty_mask_hide(m, end - n);
    return true;
}

/* ---- user information of URLs ---- */

static bool ends_url_user(char c)
{
    return (unsigned char)c <= ' ' || strchr("/?#\"'`<>\\", c);
}

/* The end of "user:password" of a URL whose rest was cut off, "@" included; 0: it is a host, maybe
 * with a port. */
static size_t cut_url_user(struct ty_str rest, size_t from)
{
    size_t end = from, colon = 0;

    while (end < rest.n && !ends_url_user(rest.p[end])) {
        if (rest.p[end] == ':' && !colon)
            colon = end;
        end++;
    }
    bool whole = end < rest.n && (unsigned char)rest.p[end] > ' '; /* a path or a quote follows */
    if (!colon || whole || rest.p[from] == '[')
        return 0;
    for (size_t i = colon + 1; i < end; i++)
        if (rest.p[i] < '0' || rest.p[i] > '9')
            return end;
    return 0;
}

/* At "://". Names alone are shown ("ssh://git@host"), but with http they are tokens. */
static bool mask_url_user(struct ty_mask *m)
{
    struct ty_str rest = rest_of(m), before = ty_buf_str(m->out);
    bool colon = ty_str_ends(before, TY_LIT("http")) || ty_str_ends(before, TY_LIT("https"));
    size_t from = 3, at = 0;

    if (!ty_str_starts(rest, TY_LIT("://")))
        return false;
    for (size_t i = from; i < rest.n && !ends_url_user(rest.p[i]); i++)
        if (rest.p[i] == '@')
            at = i; /* the last one: passwords may have others */
    if (at == 0)
        at = cut_url_user(rest, from);
    for (size_t i = from; i < at && !colon; i++)
        colon = rest.p[i] == ':';
    if (at <= from || !colon)
        return false;
    ty_mask_copy(m, from);
    ty_mask_hide(m, at - from);
    return true;
}

/* ---- private keys ---- */

static size_t find(struct ty_str s, size_t from, struct ty_str what)
{
    const char *p = from < s.n ? memmem(s.p + from, s.n - from, what.p, what.n) : NULL;

    return p ? (size_t)(p - s.p) : SIZE_MAX;
}

/* At "-----BEGIN ": up to the dashes of its END line, or of the text. Certificates are public. */
static bool mask_pem(struct ty_mask *m)
{
    enum { LABEL = 64 };
    struct ty_str rest = rest_of(m), head = { rest.p, rest.n < LABEL ? rest.n : LABEL };
    size_t n = rest.n, end = 0;

    if (!ty_str_starts(rest, TY_LIT("-----BEGIN ")) ||
        find(head, 0, TY_LIT("PRIVATE KEY")) == SIZE_MAX)
        return false;
    end = find(rest, 11, TY_LIT("-----END "));
    if (end != SIZE_MAX) {
        n = find(rest, end + 9, TY_LIT("-----"));
        n = n == SIZE_MAX ? rest.n : n + 5;
    }
    ty_mask_hide(m, n);
    return true;
}

/* ---- passes ---- */

/* What begins here, if it is a credential. */
static bool mask_here(struct ty_mask *m)
{
    char c = m->text.p[m->at], last = m->out->n ? m->out->p[m->out->n - 1] : ' ';
    bool word = is_alnum(c) && !is_alnum(last) && last != '_';

    ty_mask_command(m, word, last);
    if (c == ':')
        return mask_url_user(m);
    if (c == '-')
        return mask_pem(m) || ty_mask_argument(m, last);
    if (word && (mask_token(m) || mask_bearer(m) || mask_basic(m)))
        return true;
    return (word || c == '_') && ty_mask_value(m);
}

/* True if the text changed. */
static bool mask_pass(struct ty_str text, struct ty_buf *out)
{
    struct ty_mask m = { .text = text, .out = out };

    while (m.at < text.n)
        if (!mask_here(&m))
            ty_mask_copy(&m, 1);
    return m.changed;
}

void ty_mask_secrets(struct ty_str text, struct ty_buf *out)
{
    ty_auto_buf a = { 0 }, b = { 0 };
    struct ty_buf *now = &a, *next = &b;
    bool changed = mask_pass(text, now);

    for (int i = 1; changed && i < PASSES; i++) {
        struct ty_buf *done = now;
        next->n = 0;
        changed = mask_pass(ty_buf_str(now), next);
        now = next;
        next = done;
    }
    if (changed)
        ty_buf_cstr(out, "***");
    else
        ty_buf_add(out, ty_buf_str(now));
}
