/* Prints a failure summary: the culprit, then what followed, then the attempts before. */
#include "report/failure_hint.h"
#include "report/failure_summary_inner.h"

enum {
    FOLLOWERS = 6,  /* that have a line each */
    SOON_MS = 5000, /* a connection that is closed is missed by then, if by anybody */
    SEEN_MS = 1000, /* an exit may be seen later than its effect; clusters tell seconds */
};

void ty_failure_summary_who(const struct ty_container_failure *f, struct ty_buf *out)
{
    bool main = strncmp(f->node, f->container, strlen(f->container)) == 0 ||
                strcmp(f->container, "node") == 0; /* of a launcher that is a node, too */

    ty_buf_cstr(out, f->node);
    for (size_t i = 0; i < f->n_ranks; i++)
        ty_buf_printf(out, "%s%lld",
                      i == 0               ? " (rank "
                      : i + 1 < f->n_ranks ? ", "
                                           : " or ",
                      (long long)f->ranks[i]);
    if (f->n_ranks)
        ty_buf_chr(out, ')');
    if (!main)
        ty_buf_printf(out, " (container %s)", f->container);
}

/* Nodes that were stopped because of it, and have no line of their own; the last of them. */
static size_t count_stopped(const struct ty_failure_summary *v, struct ty_str *ret_last)
{
    const struct ty_container_failure *first = ty_failure_summary_culprit(v);
    const struct ty_map_slot *s = NULL;
    size_t at = 0, n = 0;

    while ((s = ty_map_next(&v->stopped, &at))) {
        struct ty_str node = { s->key, s->n };
        size_t i = 0;
        while (i < v->n && (!ty_str_is(node, v->kept[i].node) ||
                            ty_failure_summary_is_bystander(first, &v->kept[i])))
            i++;
        if (i < v->n)
            continue;
        n++;
        *ret_last = node;
    }
    return n;
}

/* A process that hangs keeps its connections: others wait for it in vain, or their framework cannot
 * connect to it. */
static bool may_hang(const struct ty_failure_summary *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->kept[i].timed_out || v->kept[i].refusal == TY_REFUSAL_OF_FRAMEWORK)
            return true;
    return false;
}

/* Nobody misses anything but a server that refuses the program's connections: it is outside of the
 * job, or one that has not begun. A node that says nothing of it need not hang. */
static bool all_refused(const struct ty_failure_summary *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->kept[i].peer && v->kept[i].refusal != TY_REFUSAL_OF_PROGRAM)
            return false;
    return true;
}

const char *ty_failure_summary_silent(const struct ty_failure_summary *v, int64_t *ret_rank)
{
    const struct ty_container_failure *first = ty_failure_summary_culprit(v);
    struct ty_str node = { NULL, 0 };
    size_t stopped = first ? count_stopped(v, &node) : 0, n = stopped;

    *ret_rank = -1;
    if (!first || !first->peer || v->more || v->n + stopped < 2 || all_refused(v))
        return NULL;
    if (!may_hang(v))
        n = 0; /* those that ran until they were stopped have closed no connection */
    for (size_t k = 0; k < v->n; k++) {
        const struct ty_container_failure *f = &v->kept[k];
        for (int64_t i = 0; f->procs > 1 && i < f->procs && i < 64; i++) {
            if (f->heard >> i & 1 || ty_failure_summary_is_bystander(first, f))
                continue; /* a bystander is counted as one that was stopped */
            n++;
            node = ty_str(f->node);
            *ret_rank = f->first_rank + i;
        }
    }
    return n == 1 ? node.p : NULL;
}

/* Pods of one Job: "node-0-1" and "node-0-12". */
static bool same_job(const char *a, const char *b)
{
    const char *end = strrchr(a, '-'), *other = strrchr(b, '-');

    return end && other && end - a == other - b && strncmp(a, b, (size_t)(end - a)) == 0;
}

const struct ty_failure_leaver *ty_failure_summary_leaver(const struct ty_failure_summary *v)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);
    const struct ty_failure_leaver *found = NULL;
    int64_t rank = -1;

    if (!f || !f->peer || (f->timed_out && ty_failure_summary_silent(v, &rank)))
        return NULL; /* who hangs is to blame for a timeout */
    for (size_t i = 0; i < v->n_left && v->left[i].ended_ms <= f->ended_ms + SEEN_MS; i++) {
        bool long_ago = !f->timed_out && f->at_ms - v->left[i].ended_ms > SOON_MS;
        if (long_ago || !same_job(f->node, v->left[i].node) ||
            strcmp(f->container, v->left[i].container) != 0)
            continue;
        if (found)
            return NULL; /* most have ended well: who is missed is not known */
        found = &v->left[i];
    }
    return found;
}

/* "node-0-1 (rank 3) hung, or was lost without a word" */
static void print_silent(const struct ty_failure_summary *v, struct ty_buf *out)
{
    const struct ty_failure_leaver *left = ty_failure_summary_leaver(v);
    int64_t rank = -1;
    const char *silent = ty_failure_summary_silent(v, &rank), *node = left ? left->node : silent;

    rank = left ? left->rank : rank;
    ty_buf_cstr(out, node ? node : "one");
    if (node && rank >= 0)
        ty_buf_printf(out, " (rank %lld)", (long long)rank);
    ty_buf_cstr(out, left ? " ended with exit code 0 before the others were done"
                          : " hung, or was lost without a word");
}

void ty_failure_summary_first(const struct ty_failure_summary *v, bool over, bool alone,
                              struct ty_buf *out)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);
    int64_t rank = -1;
    bool silent =
        over && (ty_failure_summary_leaver(v) || ty_failure_summary_silent(v, &rank) != NULL);

    if (silent) {
        print_silent(v, out);
        ty_buf_cstr(out, ": ");
    }
    ty_failure_summary_who(f, out);
    ty_buf_printf(out, " %s: %s, after ",
                  silent  ? "lost its peer"
                  : alone ? "failed"
                          : "failed first",
                  f->what);
    ty_failure_summary_duration(f->at_ms - f->began_ms, out);
}

void ty_failure_summary_headline(const struct ty_failure_summary *v, size_t running,
                                 struct ty_buf *out)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);

    if (!f)
        return;
    struct ty_str last;
    bool alone = v->n == 1 && !v->more && !count_stopped(v, &last) && !running;
    ty_failure_summary_first(v, !running, alone, out);
    if (v->attempt > 0)
        ty_buf_printf(out, ", in attempt %lld", (long long)v->attempt + 1);
    if (f->restarts > 0)
        ty_buf_printf(out, ", its start number %d", f->restarts + 1);
}

static void print_follower(const struct ty_container_failure *f, int64_t since_ms,
                           struct ty_buf *out)
{
    ty_failure_summary_who(f, out);
    ty_buf_cstr(out, f->peer ? " lost its peer" : " failed");
    if (since_ms >= 0) { /* else its clock or its launcher is late: nothing to be said */
        ty_buf_chr(out, ' ');
        ty_failure_summary_duration(since_ms, out);
        ty_buf_cstr(out, " later");
    }
    ty_buf_printf(out, ": %s\n", f->what);
}

static void print_followers(const struct ty_failure_summary *v, struct ty_buf *out)
{
    const struct ty_container_failure *first = ty_failure_summary_culprit(v);
    size_t shown = 0, rest = v->more;

    for (size_t i = 0; i < v->n; i++) {
        const struct ty_container_failure *f = &v->kept[i];
        if (f == first || ty_failure_summary_is_bystander(first, f))
            continue;
        if (shown++ < FOLLOWERS)
            print_follower(f, f->at_ms - first->at_ms, out);
        else
            rest++;
    }
    if (rest)
        ty_buf_printf(out, "%zu more failed after that\n", rest);
}

/* What the engine found out, or what is known of the words that stand above, from `begin` on. */
static void print_hint(const struct ty_container_failure *f, size_t begin, struct ty_buf *out)
{
    struct ty_str above = { out->p + begin, out->n - begin };
    const char *hint = f->hint ? f->hint : ty_failure_hint(above);

    if (hint)
        ty_buf_printf(out, "hint: %s\n", hint);
}

/* Why the first to fail has lost its peer. */
static void print_reason(const struct ty_failure_summary *v, bool known, struct ty_buf *out)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);

    if (known || may_hang(v)) {
        ty_buf_cstr(out, "No process shows an error of its own: ");
        print_silent(v, out);
        ty_buf_chr(out, '\n');
    } else {
        ty_buf_printf(out, "Nothing failed before it: what %s lost may be outside of the job\n",
                      f->node);
    }
}

/* Nobody misses anything else: it cannot reach something outside of the job. */
static bool lost_alone(const struct ty_failure_summary *v, const struct ty_container_failure *f)
{
    size_t lost = 0;

    for (size_t i = 0; i < v->n; i++)
        lost += v->kept[i].peer;
    return (lost == 1 || all_refused(v)) && !v->more && !f->stopped && !f->timed_out;
}

/* Those that have no line of their own. */
static void print_others(size_t running, size_t stopped, struct ty_buf *out)
{
    if (running)
        ty_buf_printf(out, "%zu other%s still ran and %s stopped\n", running,
                      running == 1 ? "" : "s", running == 1 ? "is" : "are");
    if (stopped)
        ty_buf_printf(out, "%zu other%s stopped by trainyard because of it\n", stopped,
                      stopped == 1 ? " was" : "s were");
}

static void print_attempts_before(const struct ty_failure_summary *v, struct ty_buf *out)
{
    for (size_t i = 0; i < v->n_before; i++)
        ty_buf_printf(out, "%s\n", v->before[i]);
    if (v->more_before)
        ty_buf_printf(out, "%zu more attempt%s failed\n", v->more_before,
                      v->more_before == 1 ? "" : "s");
}

void ty_failure_summary_print(const struct ty_failure_summary *v, size_t running,
                              struct ty_buf *out)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);

    if (!f)
        return;
    struct ty_str last;
    int64_t rank = -1;
    size_t stopped = count_stopped(v, &last), begin = out->n;
    bool left = ty_failure_summary_leaver(v) != NULL;
    bool silent = !left && ty_failure_summary_silent(v, &rank) != NULL;
    bool of_the_job = left || silent || (v->n + stopped > 1 && !lost_alone(v, f));
    ty_failure_summary_headline(v, running, out);
    ty_buf_chr(out, '\n');
    ty_buf_cstr(out, f->tail);
    print_hint(f, begin, out);
    if (f->peer && !running && of_the_job)
        print_reason(v, left || silent, out);
    print_followers(v, out);
    print_others(running, silent && !running ? 0 : stopped, out); /* the silent one has its line */
    print_attempts_before(v, out);
}
