/* Reads tracebacks and other last words. Several processes write to one log: lines with different
 * marks are different streams, and tracebacks of processes without a mark may be interleaved.
 *
 *   Traceback (most recent call last):      opens
 *     File "a.py", line 1, in f             frames: indented
 *   KeyError: 'lr'                          closes: a finding, the root of a chain
 *                                           (blank)
 *   During handling of the above …          the next traceback belongs to the same finding
 */
#include "report/failure_findings.h"

#include <ctype.h>
#include <strings.h>

#include "report/failure_launchers.h"
#include "report/progress.h"

enum {
    STREAMS = 32,  /* that are told apart */
    OTHERS = 10,   /* lines of other processes after a last word of one without a mark */
    LIVED_ON = 50, /* lines after the last word of all: it was none */
    COUNTED = 3,   /* bare steps ("step 7") after a traceback: training has gone on */
    MESSAGE = 12,  /* lines that belong to an error in the log of a C++ library */
};

struct log_stream {
    struct ty_str mark;
    int open;         /* tracebacks that have begun */
    bool ignored;     /* the next one is Python's note about a destructor */
    bool aside;       /* the next one is of a thread or of a child of the process */
    bool logged;      /* the line before was a logger's, about an error */
    bool caught;      /* so the traceback that is open was caught */
    size_t steps;     /* bare ones after `last` */
    bool join;        /* the next one continues the chain of `last` */
    bool nested;      /* and it is the root of that */
    size_t last;      /* finding, SIZE_MAX none */
    size_t since;     /* ordinary lines after it */
    bool trained;     /* training has gone on after it */
    size_t message;   /* so many more lines may belong to an error that a library logs */
    bool terminating; /* "terminate called", its what() comes next */
};

struct findings_reader {
    struct ty_failure_findings *to;
    struct log_stream streams[STREAMS];
    size_t n_streams;
    const struct ty_failure_line *line;
    size_t i;
};

static struct log_stream *stream_of(struct findings_reader *r, struct ty_str mark)
{
    size_t i = 0;

    while (i < r->n_streams && !ty_str_eq(r->streams[i].mark, mark))
        i++;
    if (i == STREAMS)
        return &r->streams[STREAMS - 1];
    if (i == r->n_streams)
        r->streams[r->n_streams++] = (struct log_stream){ .mark = mark, .last = SIZE_MAX };
    return &r->streams[i];
}

bool ty_failure_findings_exception(struct ty_str b)
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

static bool is_header(struct ty_str b)
{
    return ty_str_ends(b, TY_LIT("Traceback (most recent call last):")) &&
           !ty_str_contains(b, TY_LIT("traceback :"));
}

/* The oldest finding makes room: what a process died of is among its last words. */
static struct ty_failure_finding *finding_new(struct findings_reader *r)
{
    struct ty_failure_findings *to = r->to;

    /* Set by the only caller. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (to->n == TY_FAILURE_FINDINGS) {
        memmove(&to->v[0], &to->v[1], (TY_FAILURE_FINDINGS - 1) * sizeof(to->v[0]));
        to->n--;
        for (size_t i = 0; i < r->n_streams; i++)
            if (r->streams[i].last != SIZE_MAX)
                r->streams[i].last = r->streams[i].last ? r->streams[i].last - 1 : SIZE_MAX;
    }
    return &to->v[to->n++];
}

/* A later traceback of the same process shows that it survived the one before; so does another word
 * after lines in between: a library may abort while Python exits. Without a mark the later one can
 * be of another process: then only many lines in between show it. */
static void supersede(struct findings_reader *r, struct log_stream *s, bool traceback)
{
    struct ty_failure_finding *f = s->last != SIZE_MAX ? &r->to->v[s->last] : NULL;

    if (!f)
        return;
    f->after = s->since;
    if (r->to->many && s->mark.n == 0)
        f->survived = s->since > OTHERS;
    else
        f->survived = s->since > 0 || (traceback && !f->aside && !f->crash);
}

static struct ty_failure_finding *add_finding(struct findings_reader *r, struct log_stream *s,
                                              struct ty_str error, bool traceback)
{
    supersede(r, s, traceback);
    struct ty_failure_finding *f = finding_new(r);
    *f = (struct ty_failure_finding){ .error = error,
                                      .symptom = ty_failure_symptom(error),
                                      .rank = r->line->mark.rank,
                                      .local = r->line->mark.local,
                                      .stream = s->mark,
                                      .aside = s->aside,
                                      .logged = traceback && s->caught,
                                      .line = r->i,
                                      .end = r->i };
    s->last = r->to->n - 1;
    s->since = s->steps = 0;
    s->trained = s->aside = false;
    return f;
}

static void close_traceback(struct findings_reader *r, struct log_stream *s)
{
    struct ty_failure_finding *f = s->last != SIZE_MAX ? &r->to->v[s->last] : NULL;

    s->open--;
    if (s->ignored) {
        s->ignored = false;
    } else if (s->join && f) {
        if (s->nested) {
            f->error = r->line->body;
            f->symptom = ty_failure_symptom(f->error);
            f->line = r->i;
        }
        f->end = r->i;
    } else {
        add_finding(r, s, r->line->body, true);
    }
    s->join = s->nested = false;
}

static void read_traceback_line(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = r->line->body;

    if (b.n == 0 || b.p[0] == ' ' || b.p[0] == '|' || b.p[0] == '+')
        return;
    if (ty_failure_findings_exception(b) || s->mark.n)
        close_traceback(r, s);
}

/* "terminate called after throwing an instance of 'std::runtime_error'", then "  what():  boom" */
static bool read_terminate(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = r->line->body, t = ty_str_trim(b);

    if (ty_str_starts(b, TY_LIT("terminate called"))) {
        add_finding(r, s, b, false)->crash = true;
        s->terminating = true;
        return true;
    }
    if (!s->terminating || !ty_str_starts(t, TY_LIT("what():")) || s->last == SIZE_MAX)
        return false;
    struct ty_failure_finding *f = &r->to->v[s->last];
    f->end = f->line = r->i;
    f->error = ty_str_trim((struct ty_str){ t.p + 7, t.n - 7 });
    f->symptom = ty_failure_symptom(f->error);
    s->terminating = false;
    return true;
}

/* Last words of programs that are not Python's. */
static bool read_last_word(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = r->line->body;
    static const char *const starts[] = { "Fatal Python error: ", "panic: ", "fatal error: ",
                                          "FATAL: " };

    for (size_t i = 0; i < TY_COUNT(starts); i++)
        if (ty_str_starts(b, ty_str(starts[i]))) {
            add_finding(r, s, b, false)->crash = true;
            return true;
        }
    if ((ty_str_contains(b, TY_LIT("Assertion `")) && ty_str_contains(b, TY_LIT("' failed"))) ||
        ty_str_contains(b, TY_LIT("*** MPI_ERR_"))) {
        const char *at = memmem(b.p, b.n, "*** ", 4);
        add_finding(r, s, at ? (struct ty_str){ at + 4, b.n - (size_t)(at + 4 - b.p) } : b, false)
            ->crash = true;
        return true;
    }
    /* absl's FATAL: "F1117 17:33:43.123456  2190 client.h:80] Terminating process because …" */
    const char *words = b.n > 6 && b.p[0] == 'F' && isdigit((unsigned char)b.p[1]) &&
                                isdigit((unsigned char)b.p[4]) && b.p[5] == ' '
                            ? memmem(b.p, b.n, "] ", 2)
                            : NULL;
    if (words)
        add_finding(r, s, (struct ty_str){ words + 2, b.n - (size_t)(words + 2 - b.p) }, false)
            ->crash = true;
    return words != NULL;
}

static bool says_something(struct ty_str b)
{
    for (size_t i = 0; i < b.n; i++)
        if (isalnum((unsigned char)b.p[i]))
            return true;
    return false;
}

/* "Exception in thread Thread-1 (f):", "Process SpawnProcess-1:" */
static bool is_aside(struct ty_str b)
{
    return ty_str_starts(b, TY_LIT("Exception in thread ")) ||
           (ty_str_starts(b, TY_LIT("Process ")) && ty_str_ends(b, TY_LIT(":")));
}

/* Lines that a process writes because it ends, after the traceback, too. Trackers print the last
 * metrics once more. */
static bool is_farewell(struct ty_str b)
{
    return ty_str_starts(b, TY_LIT("wandb:")) || ty_str_contains(b, TY_LIT("resource_tracker"));
}

/* A step of the training. */
static bool is_progress(struct ty_str b)
{
    struct ty_progress p = TY_PROGRESS_NONE;

    return !is_farewell(b) && ty_progress_parse(b, &p) && (p.step >= 0 || p.percent >= 0);
}

/* "step 7", "Epoch: 3": alone it may be anything, several of them are a loop. */
static bool is_bare_step(struct ty_str b)
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

/* "ERROR:root:cache miss", "2026-11-17 23:05:34 [WARNING] retrying": of Python's logging */
static bool is_logged(struct ty_str b)
{
    static const char *const levels[] = { "ERROR", "WARNING", "CRITICAL" };

    for (size_t i = 0; i < TY_COUNT(levels); i++)
        if (ty_str_contains(b, ty_str(levels[i])))
            return true;
    return false;
}

/* All lines of the stream are of one process. */
static bool alone(const struct ty_failure_findings *f, const struct log_stream *s)
{
    return !f->many || s->mark.n > 0;
}

static void read_line(struct findings_reader *r)
{
    struct log_stream *s = stream_of(r, r->line->mark.text);
    struct ty_str b = r->line->body;

    if (is_header(b)) {
        s->caught = s->logged;
        s->logged = false;
        s->open++;
        s->nested = ty_str_starts(b, TY_LIT("Original "));
        s->join |= s->nested;
        return;
    }
    if (s->open > 0) {
        read_traceback_line(r, s);
        return;
    }
    s->logged = is_logged(b);
    if (ty_str_starts(b, TY_LIT("Exception ignored in"))) {
        s->ignored = true;
    } else if (is_aside(b)) {
        s->aside = true;
    } else if (ty_str_starts(b, TY_LIT("During handling of the above exception")) ||
               ty_str_starts(b, TY_LIT("The above exception was the direct cause"))) {
        s->join = s->last != SIZE_MAX;
    } else if (read_terminate(r, s) || read_last_word(r, s)) {
        s->message = MESSAGE;
    } else if (ty_failure_launchers_line(b)) {
        s->message = ty_failure_launchers_error(b) ? MESSAGE : s->message;
    } else if (s->message > 0) {
        s->message--;
    } else if (says_something(b)) {
        s->since += !is_farewell(b);
        s->steps += is_bare_step(b);
        s->trained |= is_progress(b) || s->steps >= COUNTED;
        r->to->last = r->i;
        if (s->mark.n == 0)
            r->to->plain = r->i;
    }
}

/* The launcher's traceback begins at `i`; what it logged right before belongs to it. */
static size_t find_report(const struct ty_failure_log *log)
{
    size_t header = SIZE_MAX;

    for (size_t i = 0; i < log->n; i++) {
        struct ty_str b = log->lines[i].body;
        if (is_header(b))
            header = i;
        if (header == SIZE_MAX || !ty_failure_findings_exception(b) ||
            ty_failure_symptom(b) != TY_SYMPTOM_LAUNCHER)
            continue;
        while (header > 0 && ty_failure_launchers_line(log->lines[header - 1].body))
            header--;
        return header;
    }
    return SIZE_MAX;
}

void ty_failure_findings_read(const struct ty_failure_log *log, int64_t procs,
                              struct ty_failure_findings *ret)
{
    struct findings_reader r = { .to = ret };

    ret->n = ret->n_children = 0;
    ret->last = ret->plain = SIZE_MAX;
    ret->report = find_report(log);
    ty_failure_launchers_read(log, ret);
    ret->many = procs > 1 || (procs == 0 && (ret->n_children > 0 || ret->report != SIZE_MAX));
    for (r.i = 0; r.i < log->n && r.i < ret->report; r.i++) {
        r.line = &log->lines[r.i];
        read_line(&r);
    }
    for (size_t i = 0; i < r.n_streams; i++)
        if (r.streams[i].last != SIZE_MAX) {
            ret->v[r.streams[i].last].after = r.streams[i].since;
            ret->v[r.streams[i].last].survived =
                r.streams[i].since > LIVED_ON ||
                (alone(ret, &r.streams[i]) && r.streams[i].trained);
        }
}
