/* Stops a run, and ends its loop when the engine has nothing left to do. */
#include "cli/run/run_stop.h"

#include <malloc.h>
#include <signal.h>

#define SETTLED_MS     250 /* first malloc_trim; shorter runs need none */
#define SETTLED_MAX_MS 60000

static const char *why_of(int sig)
{
    switch (sig) {
    case SIGINT:
        return "interrupted (SIGINT)";
    case SIGHUP:
        return "the terminal was closed (SIGHUP)";
    default:
        return "terminated (SIGTERM)";
    }
}

/* A closed terminal may send SIGHUP twice, from the kernel and from the shell, and nobody can read
 * that a second one would end the grace period: it does not. */
static void on_signal(uv_signal_t *h, int sig)
{
    struct ty_run_ctx *r = h->data;

    if (sig == SIGHUP && r->interrupts)
        return;
    r->interrupts++;
    ty_run_view_note(&r->view, TY_MSG_NOTE, "%s: %s",
                     sig == SIGINT   ? "interrupted"
                     : sig == SIGHUP ? "hung up"
                                     : "terminated",
                     r->interrupts == 1 ? "stopping; once more to stop at once"
                                        : "stopping at once");
    ty_run_output_stopping(&r->output);
    ty_engine_stop(r->engine, r->interrupts > 1, why_of(sig));
}

static void on_timeout(uv_timer_t *h)
{
    struct ty_run_ctx *r = h->data;

    r->timed_out = true;
    ty_run_view_note(&r->view, TY_MSG_ERROR, "the time is over (--timeout %s): stopping", r->limit);
    ty_run_output_stopping(&r->output);
    ty_engine_stop(r->engine, false,
                   ty_arena_printf(r->cli->arena, "out of time (--timeout %s)", r->limit));
}

/* Returns free heap to the kernel at doubling intervals: with thousands of pods, starting takes
 * seconds. */
static void on_startup_done(uv_timer_t *h)
{
    uint64_t next = uv_timer_get_repeat(h) * 2;

    malloc_trim(0);
    uv_timer_set_repeat(h, next < SETTLED_MAX_MS ? next : SETTLED_MAX_MS);
}

static void on_turn(uv_check_t *h)
{
    struct ty_run_ctx *r = h->data;

    if (ty_engine_done(r->engine))
        uv_stop(&r->loop);
}

/* Under nohup SIGHUP is ignored from the start, and stays so. */
static bool is_ignored(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
           now.sa_handler == SIG_IGN;
}

void ty_run_stop_watch(struct ty_run_ctx *r)
{
    uv_signal_init(&r->loop, &r->sigint);
    uv_signal_init(&r->loop, &r->sigterm);
    uv_signal_init(&r->loop, &r->sighup);
    uv_check_init(&r->loop, &r->check);
    uv_timer_init(&r->loop, &r->timeout);
    uv_timer_init(&r->loop, &r->settled);
    uv_timer_start(&r->settled, on_startup_done, SETTLED_MS, SETTLED_MS);
    r->sigint.data = r->sigterm.data = r->sighup.data = r->check.data = r->timeout.data = r;
    uv_signal_start(&r->sigint, on_signal, SIGINT);
    uv_signal_start(&r->sigterm, on_signal, SIGTERM);
    if (!is_ignored(SIGHUP))
        uv_signal_start(&r->sighup, on_signal, SIGHUP);
    uv_check_start(&r->check, on_turn);
    if (r->limit_ms)
        uv_timer_start(&r->timeout, on_timeout, (uint64_t)r->limit_ms, 0);
}
