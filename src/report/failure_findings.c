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

#include "report/failure_launchers.h"
#include "report/failure_lines.h"

enum {
    STREAMS = 32,  /* that are told apart */
    OTHERS = 10,   /* lines of other processes after a last word of one without a mark */
    LIVED_ON = 50, /* lines after the last word of all: maybe it was none */
    MESSAGE = 12,  /* lines that belong to an error in the log of a C++ library */
};

enum group_state {
    GROUP_NONE,
    GROUP_OPEN, /* "  + Exception Group Traceback", its error comes next */
    GROUP_READ, /* its members come next, and the first of them is the root */
    GROUP_ROOT, /* the root is what it was raised from */
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
    bool panicked;    /* Rust's message comes next */
    bool headed;      /* the line before was the head of a traceback */
    size_t column;    /* where the open traceback begins: in all its lines something is before it */
    enum group_state group;
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

/* The last finding of the stream, or NULL. */
static struct ty_failure_finding *last_of(struct findings_reader *r, const struct log_stream *s)
{
    return s->last != SIZE_MAX ? &r->to->v[s->last] : NULL;
}

static void set_root(struct ty_failure_finding *f, struct ty_str error, size_t line)
{
    f->error = error;
    f->symptom = ty_failure_symptom(error);
    f->line = line;
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
    struct ty_failure_finding *f = last_of(r, s);

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
                                      .steps = r->to->steps,
                                      .line = r->i,
                                      .end = r->i };
    s->last = r->to->n - 1;
    s->since = s->steps = 0;
    s->trained = s->aside = false;
    return f;
}

static void close_traceback(struct findings_reader *r, struct log_stream *s, struct ty_str error)
{
    struct ty_failure_finding *f = last_of(r, s);

    s->open--;
    if (s->ignored) {
        s->ignored = false;
    } else if (s->join && f) {
        if (s->nested)
            set_root(f, error, r->i);
        f->end = r->i;
    } else {
        add_finding(r, s, error, true);
    }
    s->join = s->nested = false;
}

/* Shells and log collectors may put something before every line ("[train] ", a time): if the first
 * frame stands below the head, the error does, too. */
static struct ty_str below_head(struct log_stream *s, struct ty_str b)
{
    struct ty_str rest = b.n > s->column ? (struct ty_str){ b.p + s->column, b.n - s->column }
                                         : (struct ty_str){ "", 0 };

    if (s->headed && !ty_str_starts(rest, TY_LIT("  File \"")))
        s->column = 0; /* only its head shared the line with something */
    s->headed = false;
    return s->column ? rest : b;
}

static void read_traceback_line(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = below_head(s, r->line->body);

    if (b.n == 0 || b.p[0] == ' ' || b.p[0] == '|' || b.p[0] == '+')
        return;
    if (ty_failure_lines_aside(b)) { /* another thread raises meanwhile */
        s->aside = true;
        return;
    }
    if (ty_failure_lines_exception(b) || s->mark.n)
        close_traceback(r, s, b);
}

/* "terminate called after throwing an instance of 'std::runtime_error'", then "  what():  boom" */
static bool read_terminate(struct findings_reader *r, struct log_stream *s)
{
    struct ty_failure_finding *f = last_of(r, s);
    struct ty_str b = r->line->body, t = ty_str_trim(b);

    if (ty_str_starts(b, TY_LIT("terminate called"))) {
        add_finding(r, s, b, false)->crash = true;
        s->terminating = true;
        return true;
    }
    if (!s->terminating || !ty_str_starts(t, TY_LIT("what():")) || !f)
        return false;
    set_root(f, ty_str_trim((struct ty_str){ t.p + 7, t.n - 7 }), r->i);
    f->end = r->i;
    s->terminating = false;
    return true;
}

/* Rust prints its message below: "thread 'main' panicked at src/main.rs:3:5:" */
static bool read_panic(struct findings_reader *r, struct log_stream *s)
{
    bool follows = s->panicked;

    s->panicked = ty_failure_lines_panic(r->line->body);
    if (follows)
        add_finding(r, s, r->line->body, false)->crash = true;
    return follows || s->panicked;
}

/* Last words of programs that are not Python's. */
static bool read_last_word(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str error;

    if (!ty_failure_lines_crash(r->line->body, &error))
        return false;
    add_finding(r, s, error, false)->crash = true;
    return true;
}

/* Java, JavaScript and C# print the frames below the error. A cause is printed last: the root. */
static bool read_frame(struct findings_reader *r, struct log_stream *s)
{
    struct ty_failure_finding *f = last_of(r, s);
    const struct ty_failure_line *above = r->i > 0 ? r->line - 1 : NULL;

    if (!ty_failure_lines_frame(r->line->body) || !above || !ty_str_eq(above->mark.text, s->mark))
        return false;
    struct ty_str error = ty_failure_lines_thrown(above->body);
    if (ty_str_starts(above->body, TY_LIT("Caused by: ")) && f) {
        set_root(f, error, r->i - 1);
    } else if (ty_failure_lines_exception(error)) {
        s->since -= s->since > 0; /* the line above, which was taken for an ordinary one */
        f = add_finding(r, s, error, false);
        f->line = r->i - 1;
    }
    s->aside = false;
    if (f)
        f->end = r->i;
    return true;
}

static bool is_group(struct ty_str error)
{
    return ty_str_contains(error, TY_LIT(" sub-exception"));
}

/* The error of an exception group, and then that of each of its members. The first member that is
 * no group itself is the root; if that lost a peer, the first that did not. */
static void read_group_error(struct findings_reader *r, struct log_stream *s, struct ty_str error)
{
    struct ty_failure_finding *f = last_of(r, s);

    if (s->group == GROUP_OPEN) {
        if (!s->join || !f)
            add_finding(r, s, error, true);
        s->group = s->join ? GROUP_ROOT : GROUP_READ;
        s->join = false;
    } else if (f && s->group == GROUP_READ && !is_group(error) &&
               (is_group(f->error) || f->symptom == TY_SYMPTOM_PEER)) {
        set_root(f, error, r->i);
    }
}

/* A line of an exception group: "  | ValueError: boom", "  +-+---------------- 1 ----------------"
 */
static bool read_group_line(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str t = ty_str_trim(r->line->body);

    if (t.n == 0 || (t.p[0] != '|' && t.p[0] != '+')) {
        s->group = GROUP_NONE;
        return false;
    }
    struct ty_str text = t.n > 2 ? (struct ty_str){ t.p + 2, t.n - 2 } : (struct ty_str){ "", 0 };
    if (t.p[0] == '|' && ty_failure_lines_exception(text))
        read_group_error(r, s, text);
    struct ty_failure_finding *f = last_of(r, s);
    if (f && s->group != GROUP_OPEN)
        f->end = r->i;
    return true;
}

/* All lines of the stream are of one process. */
static bool alone(const struct ty_failure_findings *f, const struct log_stream *s)
{
    return !f->many || s->mark.n > 0;
}

static void open_traceback(struct log_stream *s, struct ty_str head)
{
    s->caught = s->logged;
    s->logged = false;
    if (ty_str_ends(head, TY_LIT("+ Exception Group Traceback (most recent call last):"))) {
        s->group = GROUP_OPEN;
        return;
    }
    s->open++;
    s->headed = s->open == 1;
    s->column = s->headed ? head.n - strlen("Traceback (most recent call last):") : 0;
    s->nested = ty_str_starts(head, TY_LIT("Original "));
    s->join |= s->nested;
}

/* What Python says of the next traceback. */
static bool read_announcement(struct log_stream *s, struct ty_str b)
{
    if (ty_str_starts(b, TY_LIT("Exception ignored in")))
        s->ignored = true;
    else if (ty_failure_lines_aside(b))
        s->aside = true;
    else if (ty_str_contains(b, TY_LIT("During handling of the above exception, another")) ||
             ty_str_contains(b, TY_LIT("The above exception was the direct cause")))
        s->join = s->last != SIZE_MAX;
    else
        return false;
    return true;
}

/* Last words, lines of launchers and of libraries' loggers, and the lines below one of them. */
static bool read_message(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = r->line->body;

    if (read_terminate(r, s) || read_panic(r, s) || read_last_word(r, s))
        s->message = MESSAGE;
    else if (ty_failure_launchers_line(b))
        s->message = ty_failure_launchers_error(b) ? MESSAGE : s->message;
    else if (s->message > 0)
        s->message--;
    else
        return false;
    return true;
}

/* A line of a program that works. */
static void count_line(struct findings_reader *r, struct log_stream *s)
{
    struct ty_str b = r->line->body;

    if (!ty_failure_lines_says_something(b))
        return;
    s->since += !ty_failure_lines_farewell(b);
    bool step = ty_failure_lines_progress(b), bare = ty_failure_lines_bare_step(b);
    s->steps += bare;
    s->trained |= step || s->steps >= TY_FAILURE_COUNTED;
    r->to->steps += step || bare;
    r->to->last = r->i;
    if (s->mark.n == 0)
        r->to->plain = r->i;
}

static void read_line(struct findings_reader *r)
{
    struct log_stream *s = stream_of(r, r->line->mark.text);
    struct ty_str b = r->line->body;

    if (s->group != GROUP_NONE && read_group_line(r, s))
        return;
    if (ty_failure_lines_traceback(b)) {
        open_traceback(s, b);
    } else if (s->open > 0) {
        read_traceback_line(r, s);
    } else {
        s->logged = ty_failure_lines_logged(b);
        if (!read_announcement(s, b) && !read_frame(r, s) && !read_message(r, s))
            count_line(r, s);
    }
}

void ty_failure_findings_read(const struct ty_failure_log *log, int64_t procs,
                              struct ty_failure_findings *ret)
{
    struct findings_reader r = { .to = ret };

    ret->n = ret->n_children = ret->steps = 0;
    ret->last = ret->plain = SIZE_MAX;
    ty_failure_launchers_read(log, ret);
    ret->many = procs > 1 || (procs == 0 && (ret->n_children > 0 || ret->report != SIZE_MAX));
    for (r.i = 0; r.i < log->n && r.i < ret->report; r.i++) {
        r.line = &log->lines[r.i];
        read_line(&r);
    }
    for (size_t i = 0; i < r.n_streams; i++)
        if (r.streams[i].last != SIZE_MAX) {
            struct ty_failure_finding *f = &ret->v[r.streams[i].last];
            f->after = r.streams[i].since;
            f->survived = alone(ret, &r.streams[i]) && r.streams[i].trained;
            f->wordy = r.streams[i].since > LIVED_ON;
        }
}
