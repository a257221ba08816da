#include "cli/cluster/cluster_suspend.h"

#include "cli/cluster/cluster_jobs.h"
#include "cli/cluster/job_watch.h"

/* Whoever admits the job sets spec.suspend, too. */
static void hint_queue(struct ty_cli *cli, const struct ty_json *job, bool suspend)
{
    struct ty_str queue = ty_json_as_str(
        ty_json_get(ty_json_at(job, "metadata.labels"), "kueue.x-k8s.io/queue-name"));

    if (queue.n)
        ty_cli_msg(cli, TY_MSG_NOTE,
                   "Kueue decides about this job (queue \"%.*s\") and may %s it again",
                   TY_ARG(queue), suspend ? "resume" : "suspend");
}

int ty_cluster_suspend(struct ty_cli *cli, const struct ty_where_opts *where, const char *verb,
                       const char *word, const char *done)
{
    ty_auto_cluster_session *s = NULL;
    struct ty_job_history_entry job;
    struct ty_cluster_answer answer;
    bool suspend = strcmp(verb, "suspend") == 0;
    int code = ty_cluster_session_open(cli, where, &s);

    if (code == TY_EXIT_OK)
        code = ty_cluster_jobs_find_or_print(s, cli, word, &job);
    if (code)
        return code;
    const char *over = ty_job_watch_over(job.job, NULL);
    if (job.pod) {
        ty_cli_msg(cli, TY_MSG_ERROR, "\"%s\" is a pod: %s its trainjob \"%s\"", word, verb,
                   job.name);
        return TY_EXIT_BAD;
    }
    if (ty_json_at(job.job, "metadata.deletionTimestamp")) {
        ty_cli_msg(cli, TY_MSG_ERROR, "cannot %s trainjob \"%s\": it is being deleted", verb,
                   job.name);
        return TY_EXIT_BAD;
    }
    if (over) {
        ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" does not run: it is %s", job.name, over);
        return TY_EXIT_BAD;
    }
    struct ty_kube_request ask = { .verb = TY_KUBE_MERGE,
                                   .kind = &ty_kind_trainjob,
                                   .ns = ty_str(job.ns),
                                   .name = ty_str(job.name),
                                   .body = suspend ? TY_LIT("{\"spec\":{\"suspend\":true}}")
                                                   : TY_LIT("{\"spec\":{\"suspend\":false}}") };
    if (ty_cluster_session_call(s, cli->arena, &ask, &answer) < 0)
        return ty_cluster_session_error(
            s, ty_arena_printf(cli->arena, "%s TrainJob \"%s\"", verb, job.name), &answer);
    ty_cli_printf(cli, "trainjob.trainer.kubeflow.org/%s %s\n", job.name, done);
    hint_queue(cli, job.job, suspend);
    return TY_EXIT_OK;
}
