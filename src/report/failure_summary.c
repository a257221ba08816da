/* Records the failures of each attempt in order, and prints them. */
#include "report/failure_summary.h"

#include <signal.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "report/failure_summary_tail.h"

enum { KEPT = 64, FOLLOWERS = 6, ATTEMPTS = 32 };

struct container_failure {
    char *node, *container;
    char *what;  /* in words */
    char *error; /* of a traceback; empty: none */
    char *tail;  /* whole lines, indented */
    int64_t began_ms, ended_ms;
    int restarts;
};

struct ty_failure_summary {
    int64_t attempt;
    struct container_failure kept[KEPT]; /* of this attempt, in the order of their ends */
    size_t n, more;                      /* more: failed, too, but only counted */
    size_t stopped;                      /* ended because they were not needed any more */
    char *before[ATTEMPTS];              /* the first failure of each attempt before, in words */
    size_t n_before, more_before;
};

struct ty_failure_summary *ty_failure_summary_new(void)
{
    struct ty_failure_summary *v = ty_xalloc(calloc(1, sizeof(*v)));
    return v;
}

static void failure_done(struct container_failure *f)
{
    free(f->node);
    free(f->container);
    free(f->what);
    free(f->error);
    free(f->tail);
}

static void remove_failure(struct ty_failure_summary *v, size_t i)
{
    failure_done(&v->kept[i]);
    memmove(&v->kept[i], &v->kept[i + 1], (v->n - i - 1) * sizeof(v->kept[0]));
    v->n--;
}

void ty_failure_summary_free(struct ty_failure_summary *v)
{
    if (!v)
        return;
    while (v->n)
        remove_failure(v, v->n - 1);
    for (size_t i = 0; i < v->n_before; i++)
        free(v->before[i]);
    free(v);
}

static char *take_text(struct ty_buf *b)
{
    ty_buf_chr(b, '\0');
    char *text = b->p;
    *b = (struct ty_buf){ 0 };
    return text;
}

void ty_failure_summary_duration(int64_t ms, struct ty_buf *out)
{
    long long s = (long long)(ms < 0 ? 0 : ms) / 1000;

    if (ms < 10000)
        ty_buf_printf(out, "%lld.%lld s", s, (long long)(ms < 0 ? 0 : ms) / 100 % 10);
    else if (s < 60)
        ty_buf_printf(out, "%lld s", s);
    else if (s < 3600)
        ty_buf_printf(out, "%lld min %lld s", s / 60, s % 60);
    else
        ty_buf_printf(out, "%lld h %lld min", s / 3600, s / 60 % 60);
}

static void print_bytes(struct ty_buf *out, int64_t n)
{
    static const char *const units[] = { "", "Ki", "Mi", "Gi", "Ti" };
    size_t u = 0;

    while (u < 4 && n % 1024 == 0 && n >= 1024) {
        n /= 1024;
        u++;
    }
    ty_buf_printf(out, "%lld%s", (long long)n, units[u]);
}

static void print_signal(struct ty_buf *out, int sig)
{
    const char *name = sigabbrev_np(sig);
    const char *words = sig == SIGSEGV   ? "segmentation fault"
                        : sig == SIGBUS  ? "bus error"
                        : sig == SIGABRT ? "aborted"
                        : sig == SIGILL  ? "illegal instruction"
                        : sig == SIGFPE  ? "arithmetic error"
                                         : NULL;

    if (words)
        ty_buf_printf(out, "%s (SIG%s)", words, name);
    else if (name)
        ty_buf_printf(out, "killed by signal %d (SIG%s)", sig, name);
    else
        ty_buf_printf(out, "killed by signal %d", sig);
}

static void print_code(struct ty_buf *out, int code)
{
    const char *name = code > 128 && code < 128 + 65 ? sigabbrev_np(code - 128) : NULL;

    ty_buf_printf(out, "exit code %d", code);
    if (code == 127)
        ty_buf_cstr(out, ": command not found");
    else if (code == 126)
        ty_buf_cstr(out, ": command cannot be executed");
    else if (name) /* what a shell makes of a child that died so */
        ty_buf_printf(out, ": something in it died of SIG%s", name);
}

void ty_failure_summary_exit_text(const struct ty_ended_container *end, struct ty_buf *out)
{
    if (end->never)
        ty_buf_printf(out, "could not start: %s", end->never);
    else if (end->forced)
        ty_buf_printf(out, "ended by trainyard: %s", end->forced);
    else if (end->oom && end->memory_limit > 0) {
        ty_buf_cstr(out, "out of memory: killed at its limit of ");
        print_bytes(out, end->memory_limit);
    } else if (end->oom)
        ty_buf_cstr(out, "out of memory: killed by the kernel");
    else if (end->sig)
        print_signal(out, end->sig);
    else
        print_code(out, end->code);
}

static size_t index_of(const struct ty_failure_summary *v, const char *node, const char *container)
{
    size_t i = 0;

    while (i < v->n &&
           (strcmp(v->kept[i].node, node) != 0 || strcmp(v->kept[i].container, container) != 0))
        i++;
    return i;
}

const char *ty_failure_summary_error(const struct ty_failure_summary *v, const char *node,
                                     const char *container)
{
    size_t i = index_of(v, node, container);

    return i < v->n && v->kept[i].error && v->kept[i].error[0] ? v->kept[i].error : NULL;
}

/* "node-0-1: exit code 3, after 0.1 s" */
static void close_attempt(struct ty_failure_summary *v)
{
    ty_auto_buf b = { 0 };

    if (v->n && v->n_before == ATTEMPTS)
        v->more_before++;
    if (v->n && v->n_before < ATTEMPTS) {
        const struct container_failure *f = &v->kept[0];
        ty_buf_printf(&b, "attempt %lld: %s failed first: %s, after ", (long long)v->attempt + 1,
                      f->node, f->what);
        ty_failure_summary_duration(f->ended_ms - f->began_ms, &b);
        v->before[v->n_before++] = take_text(&b);
    }
    while (v->n)
        remove_failure(v, v->n - 1);
    v->more = v->stopped = 0;
}

/* "ValueError: boom (exit code 1)" */
static char *what_of(const struct ty_ended_container *end, const struct ty_failure_tail *tail)
{
    ty_auto_buf b = { 0 };

    if (tail->error.n)
        ty_buf_printf(&b, "%.*s (", TY_ARG(tail->error));
    ty_failure_summary_exit_text(end, &b);
    if (tail->error.n)
        ty_buf_chr(&b, ')');
    return take_text(&b);
}

static char *tail_of(const struct ty_failure_tail *tail)
{
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < tail->n; i++)
        ty_buf_printf(&b, "    %s\n", tail->lines[i]);
    if (tail->hidden)
        ty_buf_printf(&b, "    … and %zu more lines, the launcher's report about it\n",
                      tail->hidden);
    return take_text(&b);
}

static void add_failure(struct ty_failure_summary *v, const struct ty_ended_container *end)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
    struct ty_failure_tail tail;

    if (v->n == KEPT) {
        v->more++;
        return;
    }
    ty_failure_summary_tail(a, end->log, &tail);
    v->kept[v->n++] =
        (struct container_failure){ .node = ty_xalloc(strdup(end->node)),
                                    .container = ty_xalloc(strdup(end->container)),
                                    .what = what_of(end, &tail),
                                    .error = ty_xalloc_cstr(tail.error),
                                    .tail = tail_of(&tail),
                                    .began_ms = end->began_ms ? end->began_ms : end->ended_ms,
                                    .ended_ms = end->ended_ms,
                                    .restarts = end->restarts };
}

void ty_failure_summary_add(struct ty_failure_summary *v, const struct ty_ended_container *end)
{
    if (end->attempt < v->attempt)
        return; /* a late exit of an earlier attempt */
    if (end->attempt > v->attempt) {
        close_attempt(v);
        v->attempt = end->attempt;
    }
    if (end->stopped) {
        v->stopped++;
        return;
    }
    size_t i = index_of(v, end->node, end->container);
    if (i < v->n)
        remove_failure(v, i); /* made good, or failed once more: the last time counts */
    if (end->code != 0 || end->sig || end->never || end->forced || end->oom)
        add_failure(v, end);
}

bool ty_failure_summary_any(const struct ty_failure_summary *v)
{
    return v && v->n > 0;
}

const char *ty_failure_summary_node(const struct ty_failure_summary *v)
{
    return ty_failure_summary_any(v) ? v->kept[0].node : NULL;
}

static void put_headline(const struct ty_failure_summary *v, size_t running, struct ty_buf *out)
{
    if (!ty_failure_summary_any(v))
        return;
    const struct container_failure *f = &v->kept[0];
    bool main = strncmp(f->node, f->container, strlen(f->container)) == 0;
    bool alone = v->n == 1 && !v->more && !v->stopped && !running;
    ty_buf_cstr(out, f->node);
    if (!main)
        ty_buf_printf(out, " (container %s)", f->container);
    ty_buf_printf(out, " failed%s: %s, after ", alone ? "" : " first", f->what);
    ty_failure_summary_duration(f->ended_ms - f->began_ms, out);
    if (v->attempt > 0)
        ty_buf_printf(out, ", in attempt %lld", (long long)v->attempt + 1);
    if (f->restarts > 0)
        ty_buf_printf(out, ", its start number %d", f->restarts + 1);
}

static void print_followers(const struct ty_failure_summary *v, struct ty_buf *out)
{
    size_t shown = v->n - 1 < FOLLOWERS ? v->n - 1 : FOLLOWERS;
    size_t rest = v->n - 1 - shown + v->more;

    for (size_t i = 1; i <= shown; i++) {
        ty_buf_printf(out, "%s failed ", v->kept[i].node);
        ty_failure_summary_duration(v->kept[i].ended_ms - v->kept[0].ended_ms, out);
        ty_buf_printf(out, " later: %s\n", v->kept[i].what);
    }
    if (rest)
        ty_buf_printf(out, "%zu more failed after that\n", rest);
}

void ty_failure_summary_print(const struct ty_failure_summary *v, size_t running,
                              struct ty_buf *out)
{
    if (!ty_failure_summary_any(v))
        return;
    put_headline(v, running, out);
    ty_buf_chr(out, '\n');
    ty_buf_cstr(out, v->kept[0].tail);
    print_followers(v, out);
    if (running)
        ty_buf_printf(out, "%zu other%s still ran and %s stopped\n", running,
                      running == 1 ? "" : "s", running == 1 ? "is" : "are");
    if (v->stopped)
        ty_buf_printf(out, "%zu other%s stopped by trainyard because of it\n", v->stopped,
                      v->stopped == 1 ? " was" : "s were");
    for (size_t i = 0; i < v->n_before; i++)
        ty_buf_printf(out, "%s\n", v->before[i]);
    if (v->more_before)
        ty_buf_printf(out, "%zu more attempts failed\n", v->more_before);
}
