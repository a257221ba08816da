/* trainyard delete: stops a TrainJob if it runs, then deletes it, its events and its logs from the
 * history. */
#include <errno.h>
#include <time.h>

#include "base/time.h"
#include "cli/cluster/cluster_delete.h"
#include "cli/cmds.h"
#include "cli/history/claims_delete.h"
#include "cli/history/job_history.h"
#include "cli/history/job_history_pods.h"
#include "cli/history/state_dir.h"
#include "cli/install/cluster_hint.h"
#include "cli/jobs/run_stopped.h"
#include "cli/view/claims_view.h"
#include "cli/view/get_words.h"
#include "engine/control_socket.h"

struct delete_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *older_than, *keep_newest, *wait;
    bool all, dry_run, claims, yes;
};
static const char *const truths[] = { "true", "false", NULL };
static const struct ty_opt options[] = {
    TY_OPTS_WHERE_JOB(struct delete_opts),
    { "all", 0, TY_OPT_FLAG, NULL, "delete every run of NAME; without NAME every run", NULL,
      TY_OPT_AT(struct delete_opts, all) },
    { "older-than", 0, TY_OPT_WORD, "AGE", "delete jobs that ended longer ago: 30d, 2w, 12h", NULL,
      TY_OPT_AT(struct delete_opts, older_than) },
    { "keep", 0, TY_OPT_WORD, "N", "delete finished jobs except the newest N", NULL,
      TY_OPT_AT(struct delete_opts, keep_newest) },
    { "claims", 0, TY_OPT_FLAG, NULL, "NAME is a claim: delete it with its data; --all: all claims",
      NULL, TY_OPT_AT(struct delete_opts, claims) },
    { "dry-run", 0, TY_OPT_FLAG, NULL, "print what would be deleted, delete nothing", NULL,
      TY_OPT_AT(struct delete_opts, dry_run) },
    { "wait", 0, TY_OPT_CHOICE, NULL, "on a cluster: =false does not wait until it is gone", truths,
      TY_OPT_AT(struct delete_opts, wait) },
    { "yes", 'y', TY_OPT_FLAG, NULL, "on a cluster: do not ask before --all", NULL,
      TY_OPT_AT(struct delete_opts, yes) },
    TY_OPT_HELP(struct delete_opts),
    TY_OPT_END,
};

struct delete_cmd {
    struct ty_cli *cli;
    struct ty_history_db *d;
    struct ty_job_history_entry *v; /* jobs to delete; live with the cli's arena */
    size_t n, cap;
    bool old;           /* --older-than, --keep: only finished jobs, and of those: */
    int64_t before_ms;  /* jobs that ended before; 0: any */
    int64_t keep, kept; /* the newest `keep` stay, of one NAME or of all; kept so far */
    bool several;       /* names */
    bool found;         /* a run of the NAME that is looked for exists, to delete or to keep */
    bool dry_run;
    bool hinted; /* one note about the cluster is enough */
};

/* ---- files ---- */

static void remove_tree(struct delete_cmd *w, const char *path)
{
    struct ty_err err = { 0 };

    if (ty_state_dir_remove(w->cli->arena, path, &err) < 0)
        ty_cli_msg(w->cli, TY_MSG_WARNING, "%s", err.text);
}

static void remove_logs(struct delete_cmd *w, const struct ty_job_history_entry *job, bool last)
{
    struct ty_job_history_pod *pods = NULL;
    size_t n = 0;

    if (last) {
        remove_tree(w, job->run.dir);
        return;
    }
    if (ty_job_history_pods(w->cli, w->d, w->cli->arena, job, &pods, &n) != TY_EXIT_OK)
        return;
    for (size_t i = 0; i < n; i++)
        remove_tree(w, ty_arena_printf(w->cli->arena, "%s/logs/%s", job->run.dir, pods[i].host));
}

/* ---- a job at work ---- */

struct other_jobs {
    const char *name;
    bool there, other_jobs;
};

static bool count_live(void *ctx, struct ty_arena *a TY_UNUSED,
                       const struct ty_job_history_entry *job)
{
    struct other_jobs *o = ctx;

    if (strcmp(job->name, o->name) == 0)
        o->there |= !job->gone;
    else
        o->other_jobs |= !job->gone;
    return true;
}

/* Waits until the run has recorded the deletion or has ended. Deleting the last job of a run ends
 * the run, which writes to the history until its end. */
static int wait_gone(struct delete_cmd *w, const struct ty_job_history_entry *job)
{
    for (;;) {
        struct other_jobs o = { .name = job->name };
        struct ty_job_history_query q = {
            .cli = w->cli, .d = w->d, .run = job->run.id, .fn = count_live, .ctx = &o
        };
        if (ty_history_read_run_state(w->d, &job->run) != TY_HISTORY_RUN_LIVE)
            return TY_EXIT_OK;
        int code = ty_job_history_query(&q);
        if (code == TY_EXIT_OK && (o.there || !o.other_jobs))
            code = ty_run_stopped_check(w->cli, job);
        if (code || (!o.there && o.other_jobs))
            return code;
        nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
    }
}

static int stop_job(struct delete_cmd *w, const struct ty_job_history_entry *job)
{
    struct ty_err err = { 0 };
    int code = ty_run_stopped_check(w->cli, job);

    if (code)
        return code;
    if (ty_control_socket_send(job->run.dir, "delete", job->name, &err) < 0 &&
        ty_history_read_run_state(w->d, &job->run) == TY_HISTORY_RUN_LIVE)
        return ty_job_history_error(w->cli, &err);
    return wait_gone(w, job);
}

/* ---- the command ---- */

static int delete_one(struct delete_cmd *w, const struct ty_job_history_entry *job)
{
    bool runs = job->alive == TY_HISTORY_RUN_LIVE && !job->gone, last = false;
    struct ty_claims_delete claims;
    struct ty_err err = { 0 };
    int code = runs && !w->dry_run ? stop_job(w, job) : TY_EXIT_OK;

    if (code == TY_EXIT_OK)
        code = ty_claims_delete_find(w->cli, w->d, job, &claims);
    if (code)
        return code;
    if (!w->dry_run) {
        remove_logs(w, job, false); /* before the rows: they contain the pods' names */
        if (ty_history_read_delete_job(w->d, job->run.id, job->name, &last, &err) < 0)
            return ty_job_history_error(w->cli, &err);
    }
    if (last)
        remove_logs(w, job, true);
    ty_cli_printf(w->cli, "trainjob.trainer.kubeflow.org \"%s\" deleted%s\n", job->name,
                  w->dry_run ? " (dry run)" : "");
    return ty_claims_delete_found(w->cli, &claims, w->dry_run);
}

/* Rows come newest first, so the ones to keep come before the ones to delete. */
static bool is_retained(struct delete_cmd *w, const struct ty_job_history_entry *job)
{
    if (!w->old)
        return false;
    if (job->alive == TY_HISTORY_RUN_LIVE)
        return true;
    return w->kept++ < w->keep ||
           (w->before_ms && ty_history_read_run_end_ms(w->d, &job->run) >= w->before_ms);
}

static bool collect_job(void *ctx, struct ty_arena *a TY_UNUSED,
                        const struct ty_job_history_entry *job)
{
    struct delete_cmd *w = ctx;
    struct ty_arena *keep = w->cli->arena;

    w->found = true;
    if (is_retained(w, job))
        return true;
    ty_room(keep, w->v, w->n, w->cap);
    struct ty_job_history_entry *it = &w->v[w->n++];
    *it = *job;
    it->job = it->jobset = NULL;
    it->name = ty_arena_strdup(keep, job->name);
    it->ns = ty_arena_strdup(keep, job->ns);
    it->run.dir = ty_arena_strdup(keep, job->run.dir);
    it->run.command = it->run.how = "";
    return true;
}

static int find_jobs(struct delete_cmd *w, const struct delete_opts *opts, const char *name,
                     int64_t run)
{
    struct ty_job_history_query q = { .cli = w->cli,
                                      .d = w->d,
                                      .ns = opts->where.history.ns,
                                      .name = name,
                                      .run = run,
                                      .fn = collect_job,
                                      .ctx = w };
    size_t before = w->n;

    w->kept = 0;
    w->found = false;
    int code = ty_job_history_query(&q);
    if (w->old && !w->several)
        return code; /* no old job is no error */
    if (code == TY_EXIT_OK && name && !w->found) {
        code = ty_job_history_not_found(w->cli, &ty_kind_trainjob, name);
        if (!w->hinted && !run) /* run numbers exist on this machine only */
            ty_cluster_hint(w->cli, opts->where.history.ns, name);
        w->hinted = true;
    }
    if (!opts->all && !w->old && w->n > before)
        w->n = before + 1; /* the newest */
    return code;
}

/* Checks options and operands before anything is deleted. */
static int read_words(struct delete_cmd *w, const struct delete_opts *opts)
{
    int64_t age_ms = 0;

    w->old = opts->older_than || opts->keep_newest;
    w->dry_run = opts->dry_run;
    if (opts->older_than && !ty_time_parse_span(ty_str(opts->older_than), &age_ms))
        return ty_cli_usage(w->cli, &ty_cmd_delete, "--older-than %s: write 30d, 2w or 12h",
                            opts->older_than);
    if (opts->keep_newest &&
        (!ty_str_parse_i64(ty_str(opts->keep_newest), &w->keep) || w->keep < 0))
        return ty_cli_usage(w->cli, &ty_cmd_delete, "--keep %s: write how many of the newest stay",
                            opts->keep_newest);
    if (w->old && opts->where.history.run)
        return ty_cli_usage(w->cli, &ty_cmd_delete,
                            "--run names one run: --older-than and --keep choose among many");
    if (!opts->args.operands.n && !opts->all && !w->old)
        return ty_cli_usage(w->cli, &ty_cmd_delete,
                            "name a TrainJob, or say --all, --older-than or --keep");
    if (age_ms) /* an age beyond 1970 matches nothing */
        w->before_ms = ty_cli_wall_ms() > age_ms ? ty_cli_wall_ms() - age_ms : 1;
    return TY_EXIT_OK;
}

static int delete_claims(struct ty_cli *cli, const struct delete_opts *opts, size_t first)
{
    const struct ty_strlist *words = &opts->args.operands;

    if (opts->where.history.run || opts->older_than || opts->keep_newest)
        return ty_cli_usage(cli, &ty_cmd_delete,
                            "--claims: name the claims, or say --all; no run has them alone");
    if (words->n <= first && !opts->all)
        return ty_cli_usage(cli, &ty_cmd_delete,
                            "--claims: name the claims ('trainyard get claims'), or say --all");
    return words->n > first
               ? ty_claims_delete_named(cli, words->v + first, words->n - first, opts->dry_run)
               : ty_claims_delete_all(cli, opts->dry_run);
}

/* delete pvc NAME: the word is the kind, unless a TrainJob has that name. */
static int check_kind_word(struct ty_cli *cli, const char *word)
{
    bool found = false;
    int code = ty_claims_delete_is_job(cli, word, &found);

    if (found)
        return ty_cli_usage(cli, &ty_cmd_delete,
                            "a TrainJob is named \"%s\", too: write --claims for the claims, or "
                            "trainjob/%s for the job",
                            word, word);
    return code;
}

static int run_local(struct ty_cli *cli, const struct delete_opts *opts, size_t first)
{
    ty_auto_history_db *d = NULL;
    struct delete_cmd w = { .cli = cli };
    int64_t id = ty_job_history_run_id(cli, &ty_cmd_delete, &opts->where.history);

    bool claims = opts->args.operands.n > !opts->all &&
                  ty_claims_view_is_kind(opts->args.operands.v[0]); /* delete pvc NAME */
    int code =
        claims && !opts->claims ? check_kind_word(cli, opts->args.operands.v[0]) : TY_EXIT_OK;
    if (code)
        return code;
    if (opts->claims || claims)
        return delete_claims(cli, opts, claims);
    if (id < 0 || read_words(&w, opts) != TY_EXIT_OK)
        return TY_EXIT_USAGE;
    int bad = TY_EXIT_OK;
    code = ty_job_history_open(cli, w.dry_run ? TY_HISTORY_DB_READ : TY_HISTORY_DB_WRITE, &d);
    if (code)
        return code;
    w.d = d;
    w.several = opts->args.operands.n - first > 1;
    if (!opts->args.operands.n)
        bad = find_jobs(&w, opts, NULL, id);
    for (size_t i = first; i < opts->args.operands.n; i++)
        bad |= find_jobs(&w, opts, ty_job_history_name(opts->args.operands.v[i]), id);
    if (bad) { /* "delete deployment bert": a word may be a kind that trainyard does not know */
        if (w.n)
            ty_cli_msg(cli, TY_MSG_NOTE, TY_CLUSTER_DELETE_NONE);
        return TY_EXIT_BAD;
    }
    for (size_t i = 0; i < w.n; i++)
        bad |= delete_one(&w, &w.v[i]);
    return bad ? TY_EXIT_BAD : TY_EXIT_OK;
}

static int run_cluster(struct ty_cli *cli, const struct delete_opts *opts, size_t first)
{
    struct ty_cluster_delete_opts want = { .where = &opts->where,
                                           .names = opts->args.operands.v + first,
                                           .n = opts->args.operands.n - first,
                                           .dry_run = opts->dry_run,
                                           .yes = opts->yes,
                                           .wait = !opts->wait || strcmp(opts->wait, "true") == 0 };

    if (opts->older_than || opts->keep_newest || opts->claims)
        return ty_cli_usage(cli, &ty_cmd_delete,
                            "--older-than, --keep and --claims are for this machine; add --local");
    if (opts->all == (want.n > 0))
        return ty_cli_usage(cli, &ty_cmd_delete, "name TrainJobs, or say --all");
    return ty_cluster_delete(cli, &want);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct delete_opts *opts = parsed;
    int where = ty_where(cli, &ty_cmd_delete, &opts->where);
    const struct ty_strlist *w = &opts->args.operands;

    if (where < 0)
        return TY_EXIT_USAGE;
    bool claims = where == TY_WHERE_LOCAL && /* claims of this machine can be deleted */
                  (opts->claims || (w->n && ty_claims_view_is_kind(w->v[0])));
    int first = claims ? 0 : ty_get_words_first_job(cli, &ty_cmd_delete, w);
    if (first < 0)
        return TY_EXIT_USAGE;
    return where == TY_WHERE_CLUSTER ? run_cluster(cli, opts, (size_t)first)
                                     : run_local(cli, opts, (size_t)first);
}

const struct ty_cmd ty_cmd_delete = {
    .name = "delete",
    .names = TY_NAMES_JOBS,
    .about = "Stop a TrainJob and delete it, its events and its logs",
    .operand = "[NAME…]",
    .more =
        "A running TrainJob is stopped first, with its grace period; other jobs of that run\n"
        "continue. NAME means its newest run, --run an earlier one, --all every one.\n"
        "--older-than and --keep select finished jobs only, of NAME or of all names; with both,\n"
        "old jobs are deleted except the newest N.\n"
        "Of several NAMEs none is deleted unless all exist.\n"
        "\n"
        "Claims that were created for the job by its runtime's volumeClaimPolicies go with its\n"
        "newest run, unless whenDeleted is Retain. All other claims stay until --claims deletes\n"
        "them.\n"
        "\n"
        "On a cluster (--cluster) the TrainJob is deleted with its JobSet and pods; the command\n"
        "waits until they are gone, unless --wait=false.\n",
    .examples = "  trainyard delete torch-ddp\n"
                "  trainyard delete torch-ddp --all\n"
                "  trainyard delete --older-than 30d --keep 10\n"
                "  trainyard delete --all\n"
                "  trainyard delete --claims data\n"
                "  trainyard delete torch-ddp --cluster -n team-a\n",
    .opts = TY_OPTS(options, struct delete_opts),
    .run = run,
};
