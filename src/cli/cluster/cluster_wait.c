#include "cli/cluster/cluster_wait.h"

#include "cli/cluster/cluster_jobs.h"

struct cluster_waiting {
    const struct ty_wait_condition *want; /* NULL: that it is over */
    bool done, met, refused;
    char state[16]; /* "Failed", "deleted"; "" not over */
    char why[512];  /* the message of its condition */
};

static void on_state(void *ctx, const struct ty_json *job)
{
    struct cluster_waiting *w = ctx;
    struct ty_str why = { 0 };
    const char *state = job ? ty_job_watch_over(job, &why) : "deleted";

    if (w->done)
        return;
    snprintf(w->state, sizeof(w->state), "%s", state ? state : "");
    snprintf(w->why, sizeof(w->why), "%.*s", TY_ARG(ty_str_head(why, sizeof(w->why) - 1)));
    if (w->want && w->want->gone)
        w->met = !job;
    else if (w->want)
        w->met = ty_wait_condition_met(w->want, job);
    else
        w->met = state && strcmp(state, "Complete") == 0;
    w->done = w->met || !job || (state && !(w->want && w->want->gone));
}

static void on_refused(void *ctx)
{
    struct cluster_waiting *w = ctx;

    w->done = w->refused = true;
}

static enum ty_job_watch_end watch_job(struct ty_cli *cli, struct ty_cluster_session *s,
                                       const char *ns, const char *name, struct cluster_waiting *w,
                                       int64_t end_ms, bool sigint)
{
    struct ty_job_watch *watch = ty_job_watch_new(&(struct ty_job_watch_opts){
        .cli = cli,
        .session = s,
        .ns = ns,
        .name = name,
        .state = on_state,
        .refused = on_refused,
        .ctx = w,
    });
    enum ty_job_watch_end end = ty_job_watch_run(s, &w->done, end_ms, sigint);

    ty_job_watch_free(watch);
    return end;
}

static int timed_out(struct ty_cli *cli, const char *name)
{
    ty_cli_msg(cli, TY_MSG_ERROR, "timed out waiting for the condition on trainjobs/%s", name);
    return TY_EXIT_BAD;
}

int ty_cluster_wait_print_met(struct ty_cli *cli, const char *name)
{
    ty_cli_printf(cli, "trainjob.trainer.kubeflow.org/%s condition met\n", name);
    return TY_EXIT_OK;
}

int ty_cluster_wait(struct ty_cli *cli, struct ty_cluster_session *s, const char *word,
                    const struct ty_wait_condition *want, int64_t end_ms)
{
    struct cluster_waiting w = { .want = want };
    struct ty_job_history_entry job;
    struct ty_cluster_answer answer;
    int r = ty_cluster_jobs_find(s, cli->arena, word, &job, &answer);

    if (r < 0 && want->gone && !ty_job_history_name_of_kind(word, &ty_kind_pod) &&
        ty_cluster_jobs_is_missing(&answer))
        return ty_cluster_wait_print_met(cli, ty_job_history_name(word)); /* as kubectl has it */
    if (r < 0)
        return ty_cluster_jobs_error(s, cli, word, &answer);
    enum ty_job_watch_end end = watch_job(cli, s, job.ns, job.name, &w, end_ms, false);
    if (w.refused)
        return TY_EXIT_BAD;
    if (end == TY_JOB_WATCH_TIMEOUT)
        return timed_out(cli, job.name);
    if (w.met)
        return ty_cluster_wait_print_met(cli, job.name);
    ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" is %s: the condition cannot be met any more",
               job.name, w.state);
    return TY_EXIT_BAD;
}

int ty_cluster_wait_over(struct ty_cli *cli, struct ty_cluster_session *s, const char *ns,
                         const char *name, int64_t end_ms, bool sigint,
                         enum ty_job_watch_end *ret_end)
{
    struct cluster_waiting w = { 0 };

    *ret_end = watch_job(cli, s, ns, name, &w, end_ms, sigint);
    if (*ret_end == TY_JOB_WATCH_TIMEOUT)
        return timed_out(cli, name);
    if (w.refused || *ret_end == TY_JOB_WATCH_INTERRUPTED)
        return TY_EXIT_BAD;
    ty_cli_msg(cli, w.met ? TY_MSG_NOTE : TY_MSG_ERROR, "trainjob \"%s\" is %s%s%s", name, w.state,
               w.why[0] ? ": " : "", w.why);
    return w.met ? TY_EXIT_OK : TY_EXIT_BAD;
}
