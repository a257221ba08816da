/* Chooses among the findings in a log the one that its container failed of.
 *
 *   log --> lines --> findings (tracebacks …) --> rank of each --> the one with most evidence;
 *                     children (torchrun, mpirun)                  of several the first
 */
#include <signal.h>

#include "report/failure_launchers.h"
#include "report/failure_lines.h"
#include "report/failure_summary_tail_inner.h"

static void take(struct ty_tail_reader *t, enum ty_failure_evidence weight, struct ty_str error,
                 size_t line)
{
    t->ret->weight = weight;
    t->ret->error = error;
    t->ret->at = line < t->log.n ? t->log.lines[line].offset : SIZE_MAX;
    t->ret->n_ranks = 0;
    t->ret->lived = false;
}

/* ---- evidence ---- */

static enum ty_failure_evidence weight_of(const struct ty_failure_finding *f)
{
    return f->symptom == TY_SYMPTOM_PEER      ? TY_EVIDENCE_PEER
           : f->symptom == TY_SYMPTOM_STOPPED ? TY_EVIDENCE_STOPPED
           : f->wordy                         ? TY_EVIDENCE_EXIT
                                              : TY_EVIDENCE_OWN;
}

/* Python exits with 1 after a traceback. A process that wrote more, and then exited with another
 * code, had survived it; so had one that wrote much more and did not exit with 1, or said why. */
static bool is_survived(const struct ty_tail_reader *t, const struct ty_failure_finding *f)
{
    bool alone = !t->found.many && !t->found.n_children && t->found.report == SIZE_MAX;
    int code = alone ? t->in->code : 0;

    for (size_t i = 0; i < t->found.n_children; i++)
        if (ty_failure_tail_is_of_child(f, &t->found.children[i]))
            code = t->found.children[i].code;
    bool why =
        t->found.last != SIZE_MAX && ty_failure_lines_explain(t->log.lines[t->found.last].body);
    return f->survived || (f->wordy && (code != 1 || why)) ||
           (f->after > 0 && code > 1 && !f->crash);
}

/* It exited with 1, and no line has its mark. */
static bool may_be_silent(const struct ty_tail_reader *t, const struct ty_failure_child *c)
{
    return c->rank >= 0 && c->sig == 0 && c->code == 1 && !c->error.n &&
           !ty_failure_tail_is_claimed(t, c);
}

static size_t count_unmarked_exits(const struct ty_tail_reader *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->found.n_children; i++)
        n += may_be_silent(t, &t->found.children[i]);
    return n;
}

static bool is_unmarked_traceback(const struct ty_failure_finding *f)
{
    return f->rank < 0 && !f->crash && !ty_failure_tail_is_interrupt(f);
}

/* torchrun reports a process for each traceback without a mark: nobody survived one, however much
 * was written after it. A full tail may lack tracebacks. */
static void keep_reported(struct ty_tail_reader *t)
{
    size_t n = 0, failed = count_unmarked_exits(t);

    for (size_t i = 0; i < t->found.n; i++)
        n += is_unmarked_traceback(&t->found.v[i]);
    for (size_t i = 0; i < t->found.n && n <= failed && t->in->log.n < TY_TAIL_BYTES; i++)
        if (is_unmarked_traceback(&t->found.v[i]))
            t->found.v[i].survived = t->found.v[i].wordy = false;
}

static bool is_own_unmarked(const struct ty_failure_finding *f)
{
    return !f->survived && f->rank < 0 && !f->crash && weight_of(f) == TY_EVIDENCE_OWN;
}

/* A process dies of one traceback. If there are more without a mark than processes, those that
 * another error of a process's own follows were survived. */
static void drop_surplus(struct ty_tail_reader *t)
{
    size_t n = 0, own = 0;

    for (size_t i = 0; i < t->found.n; i++) {
        n += !t->found.v[i].survived && t->found.v[i].rank < 0 && !t->found.v[i].crash;
        own += is_own_unmarked(&t->found.v[i]);
    }
    for (size_t i = 0; t->in->procs > 1 && n > (size_t)t->in->procs && own > 1; i++)
        if (is_own_unmarked(&t->found.v[i])) {
            t->found.v[i].survived = true;
            n--;
            own--;
        }
}

/* torchrun reports the processes that failed. If there are more tracebacks without a mark, the
 * last ones are theirs: who printed the others lived on until torchrun ended it. */
static void drop_unreported(struct ty_tail_reader *t)
{
    size_t failed = 0, own = 0;
    struct ty_str last = { NULL, 0 };

    for (size_t i = 0; t->found.report != SIZE_MAX && i < t->found.n_children; i++)
        failed += !t->found.children[i].sig && t->found.children[i].code == 1;
    for (size_t i = 0; i < t->found.n; i++)
        if (is_own_unmarked(&t->found.v[i])) {
            own++;
            last = t->found.v[i].error;
        }
    for (size_t i = 0; failed > 0 && i < t->found.n && own > failed; i++)
        if (is_own_unmarked(&t->found.v[i]) && !ty_str_eq(t->found.v[i].error, last)) {
            t->found.v[i].survived = true;
            own--;
        }
}

/* Those that somebody may have died of. */
static size_t count_unmarked_tracebacks(const struct ty_tail_reader *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->found.n; i++)
        n += is_unmarked_traceback(&t->found.v[i]) && !t->found.v[i].survived;
    return n;
}

/* torchrun reports as many processes as there are tracebacks without a mark: each of them left one,
 * whichever it is. */
static void hear_reported(struct ty_tail_reader *t)
{
    bool each = count_unmarked_tracebacks(t) == count_unmarked_exits(t);

    for (size_t i = 0; i < t->found.n_children && each; i++) {
        int64_t local = t->found.children[i].rank - t->in->first_rank;
        if (may_be_silent(t, &t->found.children[i]) && local >= 0 && local < 64)
            t->ret->heard |= (uint64_t)1 << local;
    }
}

/* How many steps of the training followed the finding. Those after the last traceback are not
 * counted if somebody died of that: a process may print its steps when it exits. */
static size_t steps_after(const struct ty_tail_reader *t, const struct ty_failure_finding *f,
                          bool died)
{
    size_t end = t->found.steps;

    for (size_t i = 0; i < t->found.n && died; i++)
        if (is_unmarked_traceback(&t->found.v[i]))
            end = t->found.v[i].steps;
    return end - f->steps;
}

/* There are more tracebacks without a mark than processes, each of which can have died of one, and
 * training went on after the first: a process survived that. All processes count, not only those
 * that torchrun reports to have failed by themselves: a victim, too, prints its traceback, and may
 * then be ended by SIGTERM before it exits. Of a node's processes often one prints its steps for
 * all, to a stream with a mark that torchrun reads now and then: a few lines may be late. */
static void drop_trained(struct ty_tail_reader *t)
{
    size_t n = count_unmarked_tracebacks(t), died = (size_t)t->in->procs;

    for (size_t i = 0; t->in->procs > 1 && i < t->found.n && n > died; i++) {
        struct ty_failure_finding *f = &t->found.v[i];
        if (!is_own_unmarked(f) || ty_failure_tail_is_interrupt(f) ||
            steps_after(t, f, died > 0) < (f->logged ? 1 : TY_FAILURE_COUNTED))
            continue;
        f->survived = true;
        n--;
    }
}

static void choose_finding(struct ty_tail_reader *t)
{
    for (size_t i = 0; i < t->found.n; i++) {
        struct ty_failure_finding *f = &t->found.v[i];
        ty_failure_tail_find_rank(t, f);
        f->survived = is_survived(t, f);
    }
    keep_reported(t);
    drop_trained(t);
    drop_surplus(t);
    drop_unreported(t);
    for (size_t i = 0; i < t->found.n; i++) {
        const struct ty_failure_finding *f = &t->found.v[i];
        if (f->survived || weight_of(f) <= t->ret->weight)
            continue;
        take(t, weight_of(f), f->error, f->line);
        t->ret->lived = f->logged || (f->after > 0 && (!t->found.many || f->stream.n > 0));
        t->end = f->end;
    }
    for (size_t i = 0; i < t->found.n; i++) {
        int64_t local = t->found.v[i].rank - t->in->first_rank;
        if (t->found.v[i].rank >= 0 && local >= 0 && local < 64)
            t->ret->heard |= (uint64_t)1 << local;
    }
    for (size_t i = 0; i < t->found.n; i++) /* once all findings have their rank */
        if (t->found.v[i].end == t->end && !t->ret->n_ranks)
            ty_failure_tail_add_ranks(t, &t->found.v[i]);
    hear_reported(t);
}

/* "rank 3: Signal 9 (SIGKILL) received by PID 7", "rank 3 failed with exit code 3" */
static struct ty_str child_text(struct ty_tail_reader *t, const struct ty_failure_child *c)
{
    struct ty_str last = { "", 0 };
    const char *name = c->sig ? sigabbrev_np(c->sig) : NULL;

    if (c->said.n && !ty_str_starts(c->said, TY_LIT("Signal")))
        return c->said;
    if (c->said.n)
        return ty_str(
            ty_arena_printf(t->arena, "rank %lld: %.*s", (long long)c->rank, TY_ARG(c->said)));
    if (c->sig)
        return ty_str(ty_arena_printf(t->arena, "a process was killed by signal %d (SIG%s)", c->sig,
                                      name ? name : "?"));
    for (size_t i = t->found.last; i != SIZE_MAX; i--) { /* what it said last, if that is known */
        const struct ty_failure_line *line = &t->log.lines[i];
        if (line->mark.local >= 0 ? line->mark.local == c->local : t->found.n_children == 1) {
            if (line->body.n && line->body.p[0] != ' ') /* a frame says nothing */
                last = line->body;
            break;
        }
    }
    if (c->rank < 0)
        return ty_str(ty_arena_printf(t->arena, "a process failed with exit code %d", c->code));
    return ty_str(ty_arena_printf(t->arena, "rank %lld failed with exit code %d%s%.*s",
                                  (long long)c->rank, c->code, last.n ? ": " : "", TY_ARG(last)));
}

/* What a launcher says of a child that left no words of its own. */
static void choose_child(struct ty_tail_reader *t, const struct ty_failure_child *c)
{
    enum ty_failure_evidence weight = c->sig == SIGTERM ? TY_EVIDENCE_STOPPED
                                      : c->sig          ? TY_EVIDENCE_OWN
                                                        : TY_EVIDENCE_EXIT;

    if (ty_str_starts(c->said, TY_LIT("MPI_ABORT")) || ty_str_starts(c->said, TY_LIT("Abort(")))
        weight = TY_EVIDENCE_OWN;
    if (c->error.n)
        weight =
            ty_failure_symptom(c->error) == TY_SYMPTOM_PEER ? TY_EVIDENCE_PEER : TY_EVIDENCE_OWN;
    if ((!c->sig && !c->code && !c->said.n) || weight <= t->ret->weight)
        return;
    take(t, weight, c->error.n ? c->error : child_text(t, c), c->line);
    ty_failure_tail_add_rank(t, c->rank >= 0 ? c->rank : ty_failure_tail_silent_rank(t));
    t->end = SIZE_MAX;
}

static void choose_children(struct ty_tail_reader *t, bool root)
{
    for (size_t i = 0; i < t->found.n_children; i++) {
        const struct ty_failure_child *c = &t->found.children[i];
        bool spoke = c->root != root || ty_failure_tail_is_claimed(t, c);
        for (size_t k = 0; k < t->found.n && !spoke; k++)
            spoke = !t->found.v[k].survived && ty_failure_tail_may_be_of_child(&t->found.v[k], c);
        if (!spoke)
            choose_child(t, c);
    }
}

/* More children failed than there are tracebacks without a mark: one of them left none. */
static void choose_silent(struct ty_tail_reader *t)
{
    size_t failed = count_unmarked_exits(t), spoke = 0, last = t->found.plain;

    for (size_t i = 0; i < t->found.n; i++)
        spoke += is_unmarked_traceback(&t->found.v[i]);
    if (failed <= spoke || t->ret->weight >= TY_EVIDENCE_EXIT || t->in->log.n >= TY_TAIL_BYTES)
        return; /* a full tail may lack tracebacks */
    struct ty_str words = last == SIZE_MAX ? TY_LIT("") : t->log.lines[last].body;
    take(t, TY_EVIDENCE_EXIT,
         ty_str(ty_arena_printf(t->arena, "a process failed with exit code 1%s%.*s",
                                words.n ? ": " : "", TY_ARG(words))),
         last);
    for (size_t i = 0; i < t->found.n_children && failed <= TY_TAIL_RANKS; i++)
        if (may_be_silent(t, &t->found.children[i]))
            ty_failure_tail_add_rank(t, t->found.children[i].rank);
    t->end = last;
}

/* A command that the program started, or a launcher's child without a word. */
static size_t launcher_error(const struct ty_tail_reader *t)
{
    for (size_t i = t->found.report; i < t->log.n; i++)
        if (ty_failure_lines_exception(t->log.lines[i].body))
            return i;
    return SIZE_MAX;
}

static void choose_last_line(struct ty_tail_reader *t)
{
    size_t i = t->found.last, launcher = launcher_error(t);

    if (t->ret->weight == TY_EVIDENCE_NONE && launcher != SIZE_MAX) {
        struct ty_str error = t->log.lines[launcher].body;
        bool child = ty_str_contains(error, TY_LIT("ChildFailedError"));
        take(t, child ? TY_EVIDENCE_NONE : TY_EVIDENCE_EXIT, error, launcher);
        return;
    }
    if (t->ret->weight != TY_EVIDENCE_NONE)
        return;
    size_t line = 0;
    struct ty_str notice = ty_failure_launchers_notice(t->arena, &t->log, &line);
    if (notice.n) {
        take(t, TY_EVIDENCE_NONE, notice, line);
        t->end = line;
        return;
    }
    if (i == SIZE_MAX || !ty_failure_lines_explain(t->log.lines[i].body))
        return;
    bool peer = ty_failure_symptom(t->log.lines[i].body) == TY_SYMPTOM_PEER;
    take(t, peer ? TY_EVIDENCE_PEER : TY_EVIDENCE_NONE, t->log.lines[i].body, i);
    ty_failure_tail_add_rank(t, t->in->procs == 1 ? t->in->first_rank : -1);
}

/* ---- the lines to show ---- */

/* Those that end with the error, and what follows it if that is little and of no other process. */
static void choose_lines(struct ty_tail_reader *t)
{
    size_t to = t->log.n, from = 0;

    if (t->found.report != SIZE_MAX && t->found.report > 0)
        to = t->found.report;
    if (t->end != SIZE_MAX && (t->end + TY_TAIL_LINES < to || t->found.n > 1) && t->end < to)
        to = t->end + 1;
    from = to > TY_TAIL_LINES ? to - TY_TAIL_LINES : 0;
    t->ret->n = to - from;
    t->ret->hidden = t->log.n - to;
    t->ret->many = t->found.many || t->found.n_children || t->found.report != SIZE_MAX;
    t->ret->lines = ty_new_n(t->arena, const char *, t->ret->n + 1);
    for (size_t i = from; i < to; i++)
        t->ret->lines[i - from] = t->log.lines[i].text.p;
}

/* ---- the bytes to read ---- */

static struct ty_str last_bytes(struct ty_str log, size_t n)
{
    return log.n > n ? (struct ty_str){ log.p + log.n - n, n } : log;
}

bool ty_failure_summary_tail_is_short(struct ty_str log)
{
    struct ty_str first;

    if (log.n < TY_TAIL_BYTES)
        return false;
    ty_str_cut(last_bytes(log, TY_TAIL_BYTES), '\n', &first);
    return first.n > TY_TAIL_BYTES / 8;
}

struct ty_str ty_failure_summary_tail_part(struct ty_str log)
{
    size_t before = log.n > TY_TAIL_BYTES ? log.n - TY_TAIL_BYTES : 0;
    const char *line = before ? memrchr(log.p, '\n', before) : NULL;

    if (!line || !ty_failure_summary_tail_is_short(log))
        return last_bytes(log, TY_TAIL_BYTES);
    return last_bytes(log, log.n - (size_t)(line - log.p) + TY_TAIL_BYTES);
}

void ty_failure_summary_tail(struct ty_arena *a, const struct ty_failure_tail_in *in,
                             struct ty_failure_tail *ret)
{
    struct ty_tail_reader *t = ty_new(a, struct ty_tail_reader);

    *t = (struct ty_tail_reader){ .arena = a, .in = in, .ret = ret, .end = SIZE_MAX };
    *ret = (struct ty_failure_tail){ .at = SIZE_MAX, .error = { "", 0 } };
    ty_failure_log_read(a, in->log, &t->log);
    ty_failure_findings_read(&t->log, in->procs, &t->found);
    choose_finding(t);
    choose_children(t, true);
    choose_children(t, false);
    choose_silent(t);
    choose_last_line(t);
    choose_lines(t);
}
