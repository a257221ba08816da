/* Finds in the end of a log the traceback with the error, and the lines worth showing.
 *
 * A launcher such as torchrun prints forty lines of its own after its child's last output. They are
 * distinguished from the program's: a traceback that ends in the launcher's own error is not the
 * reason, and where one of the program's is found, the lines shown end with it. */
#include "report/failure_summary_tail.h"

#include "base/text.h"
#include "report/failure_summary.h"

enum { SHOWN_BYTES = 400 }; /* of one line */

struct tail_reader {
    struct ty_arena *arena;
    struct ty_str *lines;
    size_t n;
    struct ty_str error;
    size_t end;          /* line of the program's error; SIZE_MAX none */
    size_t report;       /* where the launcher's own words begin; SIZE_MAX none */
    int64_t rank;        /* root cause by torchrun's table; -1 unknown */
    struct ty_str cause; /* its word on that: "Signal 9 (SIGKILL) received by PID 7"; or empty */
    struct ty_str exit;  /* "1 (pid: 71)" */
};

static void split_lines(struct tail_reader *t, struct ty_str log)
{
    size_t n = 1;

    for (size_t i = 0; i < log.n; i++)
        n += log.p[i] == '\n';
    t->lines = ty_new_n(t->arena, struct ty_str, n);
    for (struct ty_str line; log.p;) {
        log = ty_str_cut(log, '\n', &line);
        while (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        const char *over = line.n ? memrchr(line.p, '\r', line.n) : NULL;
        if (over) /* only what a terminal would still show */
            line = (struct ty_str){ over + 1, line.n - (size_t)(over + 1 - line.p) };
        char *clean = ty_arena_alloc(t->arena, SHOWN_BYTES + 1, 1);
        size_t got = ty_text_clean(line, clean, SHOWN_BYTES);
        while (got && clean[got - 1] == ' ')
            got--;
        t->lines[t->n++] = (struct ty_str){ clean, got };
        clean[got] = '\0';
    }
    while (t->n && t->lines[t->n - 1].n == 0)
        t->n--;
}

/* "[rank1]: " or "[default0]:", as torchrun marks lines of its children; may be empty. */
static struct ty_str rank_prefix(struct ty_str line)
{
    size_t i = 1, digits = 0;

    if (line.n < 4 || line.p[0] != '[')
        return (struct ty_str){ line.p, 0 };
    for (; i < line.n && line.p[i] != ']'; i++)
        digits += line.p[i] >= '0' && line.p[i] <= '9';
    if (i + 1 >= line.n || line.p[i + 1] != ':' || digits == 0 || i > 40)
        return (struct ty_str){ line.p, 0 };
    return (struct ty_str){ line.p, i + 2 };
}

/* The line without that mark. "[rank1]:   File" keeps its indentation less one. */
static struct ty_str without_prefix(struct ty_str line)
{
    size_t n = rank_prefix(line).n;

    if (n && n < line.n && line.p[n] == ' ')
        n++;
    return (struct ty_str){ line.p + n, line.n - n };
}

/* The line that ends the traceback which begins at `from`; SIZE_MAX if it is cut off. Lines of
 * other ranks may come in between. */
static size_t traceback_end(const struct tail_reader *t, size_t from)
{
    struct ty_str who = rank_prefix(t->lines[from]);

    for (size_t i = from + 1; i < t->n; i++) {
        if (!ty_str_eq(rank_prefix(t->lines[i]), who))
            continue;
        struct ty_str b = without_prefix(t->lines[i]);
        if (b.n && b.p[0] != ' ')
            return i;
    }
    return SIZE_MAX;
}

/* "  rank      : 1 (local_rank: 1)" */
static bool report_field(struct ty_str line, const char *name, struct ty_str *ret)
{
    struct ty_str key, value = ty_str_cut(ty_str_trim(line), ':', &key);

    if (!value.p || !ty_str_is(ty_str_trim(key), name))
        return false;
    *ret = ty_str_trim(value);
    return true;
}

/* torchrun's table names the rank that failed first. */
static void read_report(struct tail_reader *t)
{
    bool root = false;
    struct ty_str rank;

    for (size_t i = 0; i < t->n; i++) {
        root |= ty_str_starts(t->lines[i], TY_LIT("Root Cause"));
        if (!root)
            continue;
        if (report_field(t->lines[i], "rank", &rank)) {
            ty_str_cut(rank, ' ', &rank);
            if (!ty_str_parse_i64(rank, &t->rank))
                t->rank = -1;
        }
        report_field(t->lines[i], "exitcode", &t->exit);
        report_field(t->lines[i], "traceback", &t->cause);
    }
}

static bool of_launcher(struct ty_str error)
{
    return ty_str_contains(error, TY_LIT("ChildFailedError")) ||
           ty_str_starts(error, TY_LIT("subprocess.CalledProcessError"));
}

static bool is_rank(struct ty_str who, int64_t rank)
{
    char want[40];
    int n = snprintf(want, sizeof(want), "[rank%lld]:", (long long)rank);

    return rank >= 0 && ty_str_eq(who, (struct ty_str){ want, (size_t)n });
}

static bool of_elastic(struct ty_str line)
{
    return ty_str_contains(line, TY_LIT("torch/distributed/elastic")) ||
           ty_str_contains(line, TY_LIT("torch.distributed.elastic"));
}

/* The launcher's own traceback begins at `i`; what it logged right before belongs to it. */
static void note_report(struct tail_reader *t, size_t i)
{
    while (i > 0 && of_elastic(t->lines[i - 1]))
        i--;
    t->report = i;
}

/* The last traceback of the program, or of the rank that torchrun names. */
static void find_error(struct tail_reader *t)
{
    bool named = false;

    t->end = t->report = SIZE_MAX;
    for (size_t i = 0; i < t->n; i++) {
        if (!ty_str_is(without_prefix(t->lines[i]), "Traceback (most recent call last):"))
            continue;
        size_t end = traceback_end(t, i);
        if (end == SIZE_MAX)
            continue;
        if (of_launcher(without_prefix(t->lines[end]))) {
            note_report(t, i);
            continue;
        }
        bool root = is_rank(rank_prefix(t->lines[i]), t->rank);
        if (named && !root)
            continue;
        named |= root;
        t->end = end;
        t->error = without_prefix(t->lines[end]);
    }
}

/* No traceback, but torchrun says how its child died. */
static void error_of_report(struct tail_reader *t)
{
    struct ty_str code;

    if (t->error.n || t->rank < 0)
        return;
    struct ty_str said = { "", 0 };
    if (t->report != SIZE_MAX && t->report > 0)
        said = without_prefix(t->lines[t->report - 1]); /* the last that was not the launcher's */
    ty_str_cut(t->exit, ' ', &code);
    const char *text =
        ty_str_starts(t->cause, TY_LIT("Signal"))
            ? ty_arena_printf(t->arena, "rank %lld: %.*s", (long long)t->rank, TY_ARG(t->cause))
            : ty_arena_printf(t->arena, "rank %lld failed with exit code %.*s%s%.*s",
                              (long long)t->rank, TY_ARG(code), said.n ? ": " : "", TY_ARG(said));
    t->error = ty_str(text);
}

void ty_failure_summary_tail(struct ty_arena *a, struct ty_str log, struct ty_failure_tail *ret)
{
    struct tail_reader t = { .arena = a, .rank = -1 };
    size_t to, from;

    split_lines(&t, log);
    read_report(&t);
    find_error(&t);
    error_of_report(&t);
    to = t.n;
    if (t.report != SIZE_MAX && t.report > 0 && (t.end == SIZE_MAX || t.report > t.end))
        to = t.report;
    if (t.end != SIZE_MAX && t.end + TY_TAIL_LINES < to)
        to = t.end + 1;
    from = to > TY_TAIL_LINES ? to - TY_TAIL_LINES : 0;
    *ret = (struct ty_failure_tail){ .error = t.error, .n = to - from, .hidden = t.n - to };
    ret->lines = ty_new_n(a, const char *, ret->n + 1);
    for (size_t i = from; i < to; i++)
        ret->lines[i - from] = t.lines[i].p;
}
