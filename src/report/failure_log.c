/* Splits the end of a log into lines. */
#include "report/failure_log.h"

#include "base/text.h"

enum {
    MARK_BYTES = 40,
    CHAR_BYTES = 4,   /* of UTF-8, at most */
    WORD_BYTES = 128, /* dropped of a line that is too long, at most */
};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number that ends the text, or -1. */
static int64_t last_number(struct ty_str text)
{
    size_t i = text.n;
    int64_t v = -1;

    while (i > 0 && digit(text.p[i - 1]))
        i--;
    return ty_str_parse_i64((struct ty_str){ text.p + i, text.n - i }, &v) ? v : -1;
}

/* One "[…]:" or "[…]<stderr>:" at the start; how many bytes it takes, 0 if there is none. */
static size_t read_mark(struct ty_str line, struct ty_failure_mark *mark)
{
    size_t i = 1, end = 0;

    if (line.n < 4 || line.p[0] != '[')
        return 0;
    while (i < line.n && i <= MARK_BYTES && line.p[i] != ']')
        i++;
    struct ty_str name = { line.p + 1, i - 1 };
    struct ty_str rest = { line.p + i + 1, i < line.n ? line.n - i - 1 : 0 };
    if (i > MARK_BYTES || i >= line.n || !digit(line.p[i - 1]))
        return 0;
    if (ty_str_starts(rest, TY_LIT(":")))
        end = i + 2;
    else if (ty_str_starts(rest, TY_LIT("<stderr>:")) || ty_str_starts(rest, TY_LIT("<stdout>:")))
        end = i + 10;
    else
        return 0;
    if (ty_str_starts(name, TY_LIT("rank")) || memchr(name.p, ',', name.n) || digit(name.p[0]))
        mark->rank = last_number(name);
    else
        mark->local = last_number(name);
    return end;
}

static void find_mark(struct ty_failure_line *line)
{
    struct ty_str rest = line->text;

    line->mark = (struct ty_failure_mark){ .rank = -1, .local = -1 };
    for (size_t n = 1; n;) {
        n = read_mark(rest, &line->mark);
        rest = (struct ty_str){ rest.p + n, rest.n - n };
    }
    line->mark.text = (struct ty_str){ line->text.p, line->text.n - rest.n };
    if (line->mark.text.n && rest.n && rest.p[0] == ' ') /* "[rank1]:   File" */
        rest = (struct ty_str){ rest.p + 1, rest.n - 1 };
    line->body = rest;
}

/* Cuts a long line before the word that does not fit, but not much shorter. Secrets are masked
 * later, by their form, and one without its end has none. */
static size_t cut_words(struct ty_str line)
{
    struct ty_str least = ty_str_head(line, TY_FAILURE_LINE_BYTES - WORD_BYTES);
    const char *rest = line.p + least.n;
    const char *blank = memrchr(rest, ' ', TY_FAILURE_LINE_BYTES + 1 - least.n);

    return blank ? (size_t)(blank - line.p) : least.n;
}

static struct ty_str clean_line(struct ty_arena *a, struct ty_str line)
{
    while (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    const char *over = line.n ? memrchr(line.p, '\r', line.n) : NULL;
    if (over) /* only what a terminal would still show */
        line = (struct ty_str){ over + 1, line.n - (size_t)(over + 1 - line.p) };
    /* A byte becomes at most one: cleaning only removes and replaces. */
    size_t most = TY_FAILURE_LINE_BYTES + CHAR_BYTES, room = line.n < most ? line.n : most;
    char *clean = ty_arena_alloc(a, room + 1, 1);
    size_t got = ty_text_clean(line, clean, room);
    if (got > TY_FAILURE_LINE_BYTES)
        got = cut_words((struct ty_str){ clean, got });
    while (got && clean[got - 1] == ' ')
        got--;
    clean[got] = '\0';
    return (struct ty_str){ clean, got };
}

void ty_failure_log_read(struct ty_arena *a, struct ty_str log, struct ty_failure_log *ret)
{
    const char *start = log.p;
    size_t n = 1;

    for (size_t i = 0; i < log.n; i++)
        n += log.p[i] == '\n';
    *ret = (struct ty_failure_log){ .lines = ty_new_n(a, struct ty_failure_line, n) };
    for (struct ty_str line; log.p;) {
        size_t offset = (size_t)(log.p - start);
        log = ty_str_cut(log, '\n', &line);
        struct ty_failure_line *to = &ret->lines[ret->n++];
        *to = (struct ty_failure_line){ .text = clean_line(a, line), .offset = offset };
        find_mark(to);
    }
    while (ret->n && ret->lines[ret->n - 1].text.n == 0)
        ret->n--;
}
