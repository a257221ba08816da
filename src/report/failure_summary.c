/* Keeps the failures of an attempt, and finds the one that the others followed from. */
#include "report/failure_summary.h"

#include <signal.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "report/failure_summary_inner.h"
#include "report/failure_symptoms.h"
#include "report/log_arrivals.h"

enum { LONG_MS = 10000 }; /* torchrun alone takes 5 s to see that a process ended */

struct ty_failure_summary *ty_failure_summary_new(void)
{
    struct ty_failure_summary *v = ty_xalloc(calloc(1, sizeof(*v)));
    return v;
}

static void failure_done(struct ty_container_failure *f)
{
    free(f->node);
    free(f->container);
    free(f->what);
    free(f->error);
    free(f->tail);
    free(f->hint);
}

static void remove_failure(struct ty_failure_summary *v, size_t i)
{
    failure_done(&v->kept[i]);
    memmove(&v->kept[i], &v->kept[i + 1], (v->n - i - 1) * sizeof(v->kept[0]));
    v->n--;
}

static void remove_leaver(struct ty_failure_summary *v, size_t i)
{
    free(v->left[i].node);
    free(v->left[i].container);
    memmove(&v->left[i], &v->left[i + 1], (v->n_left - i - 1) * sizeof(v->left[0]));
    v->n_left--;
}

static void clear_attempt(struct ty_failure_summary *v)
{
    while (v->n)
        remove_failure(v, v->n - 1);
    while (v->n_left)
        remove_leaver(v, v->n_left - 1);
    v->more = 0;
    ty_map_done(&v->stopped);
    v->stopped = (struct ty_map){ 0 };
}

void ty_failure_summary_free(struct ty_failure_summary *v)
{
    if (!v)
        return;
    clear_attempt(v);
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

static size_t index_of(const struct ty_failure_summary *v, const char *node, const char *container)
{
    size_t i = 0;

    while (i < v->n && (strcmp(v->kept[i].node, node) != 0 ||
                        (container && strcmp(v->kept[i].container, container) != 0)))
        i++;
    return i;
}

const char *ty_failure_summary_error(const struct ty_failure_summary *v, const char *node,
                                     const char *container)
{
    size_t i = index_of(v, node, container);

    return i < v->n && v->kept[i].error[0] ? v->kept[i].error : NULL;
}

/* Others fail soon after an error that they follow from, unless they wait for a timeout. If the
 * first to fail by itself did so much later, a process that was stopped had survived its error. */
static int score_in_time(const struct ty_failure_summary *v, const struct ty_container_failure *f)
{
    const struct ty_container_failure *first = NULL;

    for (size_t i = 0; i < v->n && !first; i++) /* in the order of time */
        if (!v->kept[i].stopped)
            first = &v->kept[i];
    if (!f->stopped || f->peer || !first || first->timed_out || first->at_ms - f->at_ms < LONG_MS)
        return f->score;
    return f->score == TY_SCORE_STOPPED_OWN ? TY_SCORE_SURVIVED
           : f->score == TY_SCORE_SURVIVED  ? TY_SCORE_OLD
                                            : f->score;
}

const struct ty_container_failure *ty_failure_summary_culprit(const struct ty_failure_summary *v)
{
    const struct ty_container_failure *best = NULL;
    int most = 0;

    for (size_t i = 0; v && i < v->n; i++) {
        int score = score_in_time(v, &v->kept[i]);
        if (best && score <= most)
            continue;
        best = &v->kept[i];
        most = score;
    }
    return best;
}

bool ty_failure_summary_is_bystander(const struct ty_container_failure *culprit,
                                     const struct ty_container_failure *f)
{
    return f != culprit && f->stopped && !f->peer && f->at_ms < culprit->at_ms;
}

/* ---- evidence ---- */

/* When the byte of the log arrived; the exit's time if that is not known. */
static int64_t arrival_of(const struct ty_ended_container *end, size_t offset)
{
    if (offset == SIZE_MAX || end->n_arrive == 0)
        return end->ended_ms;
    return ty_log_arrivals_find(end->arrive, end->n_arrive, (int64_t)offset);
}

/* Nobody asks a process to end with one of these. */
static bool is_crash(const struct ty_ended_container *end)
{
    int sig = end->sig ? end->sig : end->code > 128 && end->code < 128 + 65 ? end->code - 128 : 0;

    return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGABRT ||
           sig == SIGKILL || (!end->sig && (end->code == 126 || end->code == 127));
}

static bool failed_itself(const struct ty_ended_container *end)
{
    return !end->stopped &&
           (end->code != 0 || end->sig || end->never || end->forced || end->lost || end->oom);
}

/* An error of a process that was stopped, by what it did after that. */
static int score_of_stopped(const struct ty_failure_tail *tail, bool late)
{
    if (late)
        return TY_SCORE_LATE;
    if (tail->weight != TY_EVIDENCE_OWN)
        return 4 * (int)tail->weight;
    return tail->lived ? TY_SCORE_SURVIVED : TY_SCORE_STOPPED_OWN;
}

/* TY_SCORE_NONE: no failure. */
static int score_of(const struct ty_ended_container *end, const struct ty_failure_tail *tail,
                    int64_t at_ms)
{
    bool late = end->stop_ms > 0 && at_ms >= end->stop_ms;

    if (!end->stopped && (end->never || end->forced || end->lost || end->oom))
        return TY_SCORE_OWN;
    if (end->stopped) {
        if (tail->weight < TY_EVIDENCE_PEER || (late && tail->weight == TY_EVIDENCE_PEER) ||
            (late && (end->asked || ty_str_starts(tail->error, TY_LIT("KeyboardInterrupt")))))
            return TY_SCORE_NONE;
        return score_of_stopped(tail, late);
    }
    if (tail->weight == TY_EVIDENCE_NONE)
        return is_crash(end) ? TY_SCORE_OWN : TY_SCORE_EXIT;
    return 4 * (int)tail->weight;
}

/* ---- words ---- */

/* The last line of the log says what an exit code means, and knows better: bash exits with 127
 * when a variable is unbound, too, and mpirun with 132 when a program is missing. */
static bool is_explained(const struct ty_ended_container *end, const struct ty_failure_tail *tail)
{
    bool agrees = (end->code == 126 || end->code == 127) &&
                  (ty_str_contains(tail->error, TY_LIT("not found")) ||
                   ty_str_contains(tail->error, TY_LIT("o such file")) ||
                   ty_str_contains(tail->error, TY_LIT("enied")));

    return tail->error.n && tail->weight == TY_EVIDENCE_NONE && !agrees && !end->never &&
           !end->forced && !end->lost && !end->oom && !end->sig;
}

/* "ValueError: boom (exit code 1)" */
static char *what_of(const struct ty_ended_container *end, const struct ty_failure_tail *tail)
{
    ty_auto_buf b = { 0 };

    ty_buf_printf(&b, "%.*s", TY_ARG(tail->error));
    if (tail->error.n && !end->stopped)
        ty_buf_cstr(&b, " (");
    if (!end->stopped && is_explained(end, tail))
        ty_buf_printf(&b, "exit code %d", end->code);
    else if (!end->stopped)
        ty_failure_summary_exit_text(end, &b);
    if (tail->error.n && !end->stopped)
        ty_buf_chr(&b, ')');
    return take_text(&b);
}

static char *tail_of(const struct ty_failure_tail *tail)
{
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < tail->n; i++)
        ty_buf_printf(&b, "    %s\n", tail->lines[i]);
    if (tail->hidden)
        ty_buf_printf(&b, "    … and %zu more line%s%s\n", tail->hidden,
                      tail->hidden == 1 ? "" : "s",
                      tail->many ? ", of its launcher and other processes" : "");
    return take_text(&b);
}

/* "attempt 1: node-0-1 (rank 3) failed first: exit code 3, after 0.1 s" */
static void close_attempt(struct ty_failure_summary *v)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);
    ty_auto_buf b = { 0 };

    if (f && v->n_before == TY_FAILURE_ATTEMPTS)
        v->more_before++;
    if (f && v->n_before < TY_FAILURE_ATTEMPTS) {
        ty_buf_printf(&b, "attempt %lld: ", (long long)v->attempt + 1);
        ty_failure_summary_first(v, true, false, &b);
        v->before[v->n_before++] = take_text(&b);
    }
    clear_attempt(v);
}

/* ---- adding ---- */

/* Makes room for a failure with this score: the least of the last goes. */
static bool make_room(struct ty_failure_summary *v, int score)
{
    size_t least = 0;

    if (v->n < TY_FAILURES_KEPT)
        return true;
    v->more++;
    for (size_t i = 1; i < v->n; i++)
        if (v->kept[i].score <= v->kept[least].score)
            least = i;
    if (v->kept[least].score >= score)
        return false;
    remove_failure(v, least);
    return true;
}

static void add_failure(struct ty_failure_summary *v, const struct ty_ended_container *end)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
    struct ty_failure_tail_in in = { .log = end->log,
                                     .first_rank = end->first_rank,
                                     .procs = end->procs,
                                     .code = end->stopped || end->sig ? 0 : end->code };
    struct ty_failure_tail tail;

    ty_failure_summary_tail(a, &in, &tail);
    int64_t at_ms = arrival_of(end, tail.at);
    int score = score_of(end, &tail, at_ms);
    if (score == TY_SCORE_NONE || !make_room(v, score))
        return;
    size_t i = v->n++;
    for (; i > 0 && (v->kept[i - 1].at_ms > at_ms ||
                     (v->kept[i - 1].at_ms == at_ms && strcmp(v->kept[i - 1].node, end->node) > 0));
         i--)
        v->kept[i] = v->kept[i - 1];
    v->kept[i] = (struct ty_container_failure){
        .node = ty_xalloc(strdup(end->node)),
        .container = ty_xalloc(strdup(end->container)),
        .what = what_of(end, &tail),
        .error = ty_xalloc_cstr(tail.error),
        .tail = tail_of(&tail),
        .hint = end->hint ? ty_xalloc(strdup(end->hint)) : NULL,
        .n_ranks = tail.n_ranks,
        .score = score,
        .peer = tail.weight == TY_EVIDENCE_PEER,
        .timed_out = tail.weight == TY_EVIDENCE_PEER && ty_failure_symptom_timeout(tail.error),
        .refusal = tail.weight == TY_EVIDENCE_PEER ? ty_failure_symptom_refusal(tail.error)
                                                   : TY_REFUSAL_NONE,
        .stopped = end->stopped,
        .first_rank = end->first_rank,
        .procs = end->procs,
        .heard = tail.heard,
        .began_ms = end->began_ms ? end->began_ms : at_ms,
        .at_ms = at_ms,
        .ended_ms = end->ended_ms,
        .restarts = end->restarts
    };
    memcpy(v->kept[i].ranks, tail.ranks, sizeof(tail.ranks));
    if (v->kept[i].n_ranks == 0 && end->procs == 1)
        v->kept[i].ranks[v->kept[i].n_ranks++] = end->first_rank;
}

/* Keeps the first of those that ended well. */
static void add_leaver(struct ty_failure_summary *v, const struct ty_ended_container *end)
{
    size_t i = v->n_left;

    for (; i > 0 && v->left[i - 1].ended_ms > end->ended_ms; i--)
        ;
    if (i == TY_FAILURES_KEPT)
        return;
    if (v->n_left == TY_FAILURES_KEPT)
        remove_leaver(v, v->n_left - 1);
    memmove(&v->left[i + 1], &v->left[i], (v->n_left - i) * sizeof(v->left[0]));
    v->n_left++;
    v->left[i] = (struct ty_failure_leaver){ .node = ty_xalloc(strdup(end->node)),
                                             .container = ty_xalloc(strdup(end->container)),
                                             .ended_ms = end->ended_ms,
                                             .rank = end->procs == 1 ? end->first_rank : -1 };
}

void ty_failure_summary_add(struct ty_failure_summary *v, const struct ty_ended_container *end)
{
    if (end->attempt < v->attempt || (end->sidecar && !end->never))
        return; /* a late exit of an earlier attempt */
    if (end->attempt > v->attempt) {
        close_attempt(v);
        v->attempt = end->attempt;
    }
    if (end->stopped && !end->asked)
        ty_map_put(&v->stopped, ty_str(end->node), v);
    size_t i = index_of(v, end->node, end->container);
    if (i < v->n && !end->stopped)
        remove_failure(v, i); /* made good, or failed once more: the last time counts */
    else if (i < v->n)
        return; /* the next run of one that had failed */
    if (failed_itself(end) || (end->stopped && end->log.n))
        add_failure(v, end);
    else if (!end->stopped)
        add_leaver(v, end);
}

bool ty_failure_summary_any(const struct ty_failure_summary *v)
{
    return v && v->n > 0;
}

const char *ty_failure_summary_node(const struct ty_failure_summary *v)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);
    int64_t rank = -1;
    const struct ty_failure_leaver *left = ty_failure_summary_leaver(v);
    const char *silent = f && !left ? ty_failure_summary_silent(v, &rank) : NULL;

    return left ? left->node : silent ? silent : f ? f->node : NULL;
}

int64_t ty_failure_summary_rank(const struct ty_failure_summary *v)
{
    const struct ty_container_failure *f = ty_failure_summary_culprit(v);
    const struct ty_failure_leaver *left = ty_failure_summary_leaver(v);
    int64_t rank = -1;

    if (left)
        return left->rank;
    if (f && ty_failure_summary_silent(v, &rank))
        return rank;
    return f && f->n_ranks == 1 ? f->ranks[0] : -1;
}
