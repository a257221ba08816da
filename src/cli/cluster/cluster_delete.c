#include "cli/cluster/cluster_delete.h"

#include <errno.h>
#include <unistd.h>

#include "cli/cluster/cluster_jobs.h"
#include "cli/cluster/job_watch.h"
#include "cli/history/local_hint.h"

/* ---- until it is gone ---- */

/* A TrainJob that the server has begun to delete. */
struct job_deletion {
    const char *name;
    struct ty_str uid;
    bool done, refused;
};

struct deletions {
    struct ty_cli *cli;
    struct ty_cluster_session *s;
    const struct ty_cluster_delete_opts *o;
    struct job_deletion *v; /* to wait for */
    size_t n, cap;
};

static void on_state(void *ctx, const struct ty_json *job)
{
    struct job_deletion *d = ctx;

    d->done |= !job || !ty_str_eq(ty_json_str_at(job, "metadata.uid"), d->uid);
}

static void on_refused(void *ctx)
{
    struct job_deletion *d = ctx;

    d->done = d->refused = true;
}

/* The server deletes all of them at the same time, so they are waited for one after the other. */
static int wait_gone(struct deletions *w)
{
    int bad = TY_EXIT_OK;

    for (size_t i = 0; i < w->n; i++) {
        struct ty_job_watch *watch =
            ty_job_watch_new(&(struct ty_job_watch_opts){ .cli = w->cli,
                                                          .session = w->s,
                                                          .ns = ty_cluster_session_ns(w->s),
                                                          .name = w->v[i].name,
                                                          .state = on_state,
                                                          .refused = on_refused,
                                                          .ctx = &w->v[i] });
        ty_job_watch_run(w->s, &w->v[i].done, 0, false);
        ty_job_watch_free(watch);
        bad |= w->v[i].refused ? TY_EXIT_BAD : TY_EXIT_OK; /* which was said */
    }
    return bad;
}

/* ---- one ---- */

/* The server answers with the object while it waits for its dependents, else with a Status. */
static struct ty_str uid_of(const struct ty_json *json)
{
    struct ty_str uid = ty_json_str_at(json, "metadata.uid");

    return uid.n ? uid : ty_json_str_at(json, "details.uid");
}

static bool is_missing(const struct ty_cluster_answer *answer)
{
    return answer->r == -ENOENT && strcmp(answer->reason, "NotFound") == 0;
}

static int print_missing(struct deletions *w, const char *name)
{
    ty_job_history_not_found(w->cli, &ty_kind_trainjob, name);
    ty_local_hint(w->cli, name, ty_cluster_session_ns(w->s), ty_cluster_session_where(w->s));
    return TY_EXIT_BAD;
}

/* 0; -ENOENT: it does not exist; another error has been printed. */
static int ask_to_delete(struct deletions *w, const char *name, bool dry_run,
                         struct ty_cluster_answer *answer)
{
    struct ty_cli *cli = w->cli;
    struct ty_kube_request ask = { .verb = TY_KUBE_DELETE,
                                   .kind = &ty_kind_trainjob,
                                   .ns = ty_str(ty_cluster_session_ns(w->s)),
                                   .name = ty_str(name),
                                   .dry_run = dry_run,
                                   .propagation = w->o->wait ? "Foreground" : "Background" };

    if (!*name) /* the path would be that of all TrainJobs */
        return -ENOENT;
    int r = ty_cluster_session_call(w->s, cli->arena, &ask, answer);
    if (is_missing(answer))
        return -ENOENT;
    if (r < 0)
        ty_cluster_session_error(w->s, ty_arena_printf(cli->arena, "delete TrainJob \"%s\"", name),
                                 answer);
    return r == -ENOENT ? -EIO : r; /* the server has no such kind */
}

static int delete_one(struct deletions *w, const char *name)
{
    struct ty_cli *cli = w->cli;
    const struct ty_cluster_delete_opts *opts = w->o;
    struct ty_cluster_answer answer;
    int r = ask_to_delete(w, name, opts->dry_run, &answer);

    if (r == -ENOENT)
        return print_missing(w, name);
    if (r < 0)
        return TY_EXIT_BAD;
    ty_cli_printf(cli, "trainjob.trainer.kubeflow.org \"%s\" deleted%s\n", name,
                  opts->dry_run ? " (dry run)" : "");
    fflush(cli->out);
    if (opts->wait && !opts->dry_run) {
        ty_room(cli->arena, w->v, w->n, w->cap);
        w->v[w->n++] = (struct job_deletion){ .name = ty_arena_strdup(cli->arena, name),
                                              .uid = uid_of(answer.json) };
    }
    return TY_EXIT_OK;
}

/* ---- all ---- */

static bool is_confirmed(struct ty_cli *cli, struct ty_cluster_session *s, size_t n)
{
    char c = 0, first = 0;

    if (cli->in < 0 || !isatty(cli->in)) {
        ty_cli_msg(cli, TY_MSG_ERROR,
                   "--all deletes %zu TrainJobs in namespace \"%s\" of %s; add --yes", n,
                   ty_cluster_session_ns(s), ty_cluster_session_where(s));
        return false;
    }
    fprintf(cli->err, "Delete %zu TrainJobs in namespace \"%s\" of %s? [y/N] ", n,
            ty_cluster_session_ns(s), ty_cluster_session_where(s));
    fflush(cli->err);
    while (read(cli->in, &c, 1) == 1 && c != '\n')
        first = first ? first : c;
    return first == 'y' || first == 'Y';
}

static int delete_all(struct deletions *w)
{
    struct ty_cli *cli = w->cli;
    struct ty_cluster_session *s = w->s;
    const struct ty_cluster_delete_opts *opts = w->o;
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_kube_selector which = { .kind = &ty_kind_trainjob,
                                      .ns = ty_str(ty_cluster_session_ns(s)),
                                      .meta = true };
    struct ty_cluster_answer answer;
    struct ty_json **jobs = NULL;
    size_t n = 0;
    int bad = TY_EXIT_OK;

    if (ty_cluster_session_list(s, a, &which, &jobs, &n, &answer) < 0)
        return ty_cluster_session_error(s, "list the TrainJobs", &answer);
    if (!n)
        fputs("No resources found\n", cli->err);
    if (n && !opts->yes && !opts->dry_run && !is_confirmed(cli, s, n))
        return TY_EXIT_BAD;
    for (size_t i = 0; i < n; i++)
        bad |= delete_one(w, ty_json_cstr_at(a, jobs[i], "metadata.name"));
    return bad;
}

/* ---- several names ---- */

/* Of "delete deployment bert" the first word may be a kind that trainyard does not know, so nothing
 * is deleted unless all can be. Asked by a dry run: who may delete a TrainJob need not have the
 * right to get it. */
static int check_names(struct deletions *w)
{
    size_t missing = 0;

    for (size_t i = 0; i < w->o->n; i++) {
        const char *name = ty_job_history_name(w->o->names[i]);
        struct ty_cluster_answer answer;
        int r = ask_to_delete(w, name, true, &answer);
        if (r < 0 && r != -ENOENT)
            return TY_EXIT_BAD;
        if (r < 0)
            print_missing(w, name);
        missing += r < 0;
    }
    if (missing && missing < w->o->n)
        ty_cli_msg(w->cli, TY_MSG_NOTE, TY_CLUSTER_DELETE_NONE);
    return missing ? TY_EXIT_BAD : TY_EXIT_OK;
}

int ty_cluster_delete(struct ty_cli *cli, const struct ty_cluster_delete_opts *opts)
{
    ty_auto_cluster_session *s = NULL;
    int code = ty_cluster_session_open(cli, opts->where, &s), bad = TY_EXIT_OK;
    struct deletions w = { .cli = cli, .s = s, .o = opts };

    if (code == TY_EXIT_OK && opts->n > 1)
        code = check_names(&w);
    if (code)
        return code;
    if (!opts->n)
        bad = delete_all(&w);
    for (size_t i = 0; i < opts->n; i++)
        bad |= delete_one(&w, ty_job_history_name(opts->names[i]));
    return bad | wait_gone(&w);
}
