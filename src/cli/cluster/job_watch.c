#include "cli/cluster/job_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <uv.h>

#include "base/xalloc.h"
#include "store/kube/reflector.h"

struct ty_job_watch {
    struct ty_job_watch_opts o;
    char *ns, *name;
    struct ty_reflector *reflector;
    bool there, told, refused;
};

static void on_change(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_job_watch *w = ctx;

    w->there = what != TY_REFLECTOR_DELETED;
    w->o.state(w->o.ctx, w->there ? o->json : NULL);
}

static void refuse(struct ty_job_watch *w, const struct ty_kube_response *why)
{
    ty_auto_arena *a = ty_arena_new_input(1 << 20, NULL);
    struct ty_cluster_answer answer = {
        .verb = "watch", .kind = &ty_kind_trainjob, .ns = w->ns, .name = w->name, .sub = ""
    };

    ty_cluster_session_answer(a, why, &answer);
    ty_cluster_session_error(w->o.session, ty_arena_printf(a, "watch TrainJob \"%s\"", w->name),
                             &answer);
    w->refused = true;
    w->o.refused(w->o.ctx);
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms TY_UNUSED)
{
    struct ty_job_watch *w = ctx;

    if (w->refused)
        return;
    if (state == TY_REFLECTOR_FAILED && why->r == -EACCES) {
        refuse(w, why);
    } else if (state == TY_REFLECTOR_FAILED && !w->told) {
        w->told = true;
        ty_cli_msg(w->o.cli, TY_MSG_NOTE, "the cluster does not answer, retrying: %.*s",
                   TY_ARG(why->message));
    } else if (state != TY_REFLECTOR_FAILED) {
        w->told = false;
        if (!w->there)
            w->o.state(w->o.ctx, NULL);
    }
}

struct ty_job_watch *ty_job_watch_new(const struct ty_job_watch_opts *opts)
{
    struct ty_job_watch *w = ty_xalloc(calloc(1, sizeof(*w)));
    ty_auto_arena *a = ty_arena_new_input(1 << 20, NULL);

    w->o = *opts;
    w->ns = ty_xalloc(strdup(opts->ns));
    w->name = ty_xalloc(strdup(opts->name));
    struct ty_reflector_opts want = {
        .which = { .kind = &ty_kind_trainjob,
                   .ns = ty_str(w->ns),
                   .fields = ty_str(ty_arena_printf(a, "metadata.name=%s", w->name)) },
        .changed = on_change,
        .state = on_state,
        .ctx = w
    };
    w->reflector = ty_reflector_new(ty_cluster_session_kube(opts->session), &want);
    return w;
}

void ty_job_watch_free(struct ty_job_watch *w)
{
    if (!w)
        return;
    ty_reflector_free(w->reflector);
    free(w->ns);
    free(w->name);
    free(w);
}

const char *ty_job_watch_over(const struct ty_json *job, struct ty_str *ret_why)
{
    static const char *const ends[] = { "Complete", "Failed" };

    for (size_t i = 0; i < TY_COUNT(ends); i++) {
        const struct ty_json *c =
            ty_json_find_item(ty_json_at(job, "status.conditions"), "type", ty_str(ends[i]), NULL);
        if (!ty_str_is(ty_json_str_at(c, "status"), "True"))
            continue;
        if (ret_why)
            *ret_why = ty_json_str_at(c, "message");
        return ends[i];
    }
    return NULL;
}

/* ---- the loop ---- */

static void on_time(uv_timer_t *timer)
{
    *(enum ty_job_watch_end *)timer->data = TY_JOB_WATCH_TIMEOUT;
}

static void on_signal(uv_signal_t *signal, int sig TY_UNUSED)
{
    *(enum ty_job_watch_end *)signal->data = TY_JOB_WATCH_INTERRUPTED;
}

static void on_closed(uv_handle_t *h)
{
    h->data = NULL;
}

void ty_job_watch_block_sigint(bool block)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

enum ty_job_watch_end ty_job_watch_run(struct ty_cluster_session *s, const bool *done,
                                       int64_t end_ms, bool sigint)
{
    enum ty_job_watch_end end = TY_JOB_WATCH_DONE;
    int64_t left = end_ms - ty_cli_monotonic_ms();
    uv_loop_t *loop = ty_cluster_session_loop(s);
    uv_timer_t timer;
    uv_signal_t signal;

    uv_timer_init(loop, &timer);
    uv_signal_init(loop, &signal);
    timer.data = signal.data = &end;
    if (end_ms)
        uv_timer_start(&timer, on_time, left > 0 ? (uint64_t)left : 0, 0);
    if (sigint) {
        uv_signal_start(&signal, on_signal, SIGINT);
        ty_job_watch_block_sigint(false);
    }
    while (!*done && end == TY_JOB_WATCH_DONE && uv_run(loop, UV_RUN_ONCE))
        ;
    if (sigint)
        ty_job_watch_block_sigint(true);
    uv_close((uv_handle_t *)&timer, on_closed);
    uv_close((uv_handle_t *)&signal, on_closed);
    while (timer.data || signal.data)
        uv_run(loop, UV_RUN_NOWAIT);
    return *done ? TY_JOB_WATCH_DONE : end;
}
