/* Joins the PodMetrics of metrics.k8s.io with the pods of TrainJobs. */
#include "cli/cluster/cluster_top.h"

#include <errno.h>
#include <time.h>

#include "api/quantity.h"
#include "base/map.h"
#include "cli/cluster/cluster_jobs.h"
#include "cli/cluster/job_watch.h"
#include "cli/cluster/log_pods.h"
#include "cli/jobs/top_screen.h"
#include "cli/view/top_view.h"
#include "engine/jobset/jobset_read.h"

#define EVERY_MS 15000 /* metrics-server measures as often */

static const struct ty_kind pod_metrics = { .group = "metrics.k8s.io",
                                            .version = "v1beta1",
                                            .kind = "PodMetrics",
                                            .plural = "pods",
                                            .singular = "pod",
                                            .namespaced = true };

struct cluster_top {
    struct ty_cli *cli;
    struct ty_cluster_session *s;
    const struct ty_cluster_top_opts *o;
    struct ty_job_history_entry job; /* name NULL: all */
    struct ty_map metrics;           /* name of the pod -> its PodMetrics */
    struct ty_top_row *rows;
    size_t n, cap;
    int64_t every_ms;
    const char *over;   /* how the job ended; NULL: it runs */
    struct ty_buf text; /* of the sample */
    int code;
};

static int64_t thousandths(struct ty_quantity q)
{
    const ty_i128 milli = (q.nano + 999999) / 1000000;

    return milli > INT64_MAX ? INT64_MAX : (int64_t)milli;
}

static int64_t sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void add_row(struct cluster_top *t, struct ty_arena *a, const struct ty_json *pod)
{
    const char *job = ty_arena_cstr(
        a, ty_json_as_str(ty_json_get(ty_json_at(pod, "metadata.labels"), TY_JOBSET_NAME)));
    const struct ty_json *use = ty_map_get(&t->metrics, ty_json_str_at(pod, "metadata.name"));
    struct ty_log_pod p;
    struct ty_quantity q;

    ty_log_pods_parse(a, pod, job, &p);
    if (!ty_str_is(ty_json_str_at(pod, "status.phase"), "Running") ||
        (t->job.pod && !ty_log_pods_is(&p, t->job.pod)))
        return;
    struct ty_top_row row = { .job = job, .node = p.node, .gpu_percent = -1 };
    ty_each_item (c, ty_json_get(use, "containers")) {
        if (ty_quantity_of(ty_json_at(*c, "usage.cpu"), &q) && q.nano > 0)
            row.milli = sum(row.milli, thousandths(q));
        if (ty_quantity_of(ty_json_at(*c, "usage.memory"), &q) && q.nano > 0)
            row.memory = sum(row.memory, ty_quantity_value(q));
    }
    ty_room(a, t->rows, t->n, t->cap);
    t->rows[t->n++] = row;
}

/* A server without the API, or with one whose backend is down. */
static int metrics_error(struct cluster_top *t, const struct ty_cluster_answer *why)
{
    if (why->code != 404 && why->code != 503)
        return ty_cluster_session_error(t->s, "read the use of pods", why);
    ty_cli_msg(t->cli, TY_MSG_ERROR,
               "the cluster of %s has no metrics of pods: metrics-server is %s",
               ty_cluster_session_where(t->s),
               why->code == 404 ? "not installed" : "installed, but does not answer");
    return TY_EXIT_BAD;
}

static int take_sample(struct cluster_top *t, struct ty_arena *a)
{
    struct ty_kube_selector which = {
        .kind = &pod_metrics,
        .ns = ty_str(ty_cluster_session_ns(t->s)),
        .labels = ty_str(t->job.name ? ty_arena_printf(a, TY_JOBSET_NAME "=%s", t->job.name)
                                     : TY_JOBSET_NAME)
    };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    t->rows = NULL;
    t->n = t->cap = 0;
    if (ty_cluster_session_list(t->s, a, &which, &objs, &n, &answer) < 0)
        return metrics_error(t, &answer);
    for (size_t i = 0; i < n; i++)
        ty_map_put(&t->metrics, ty_json_str_at(objs[i], "metadata.name"), objs[i]);
    which.kind = &ty_kind_pod;
    if (ty_cluster_session_list(t->s, a, &which, &objs, &n, &answer) < 0)
        return ty_cluster_session_error(t->s, "list the pods", &answer);
    for (size_t i = 0; i < n && !ty_arena_full(a); i++)
        add_row(t, a, objs[i]);
    return TY_EXIT_OK;
}

static int by_name(const void *x, const void *y)
{
    const struct ty_top_row *a = x, *b = y;
    int d = strcmp(a->job, b->job);

    return d ? d : ty_job_history_pods_compare(a->node, b->node);
}

/* Replaces the text. */
static int format_sample(struct cluster_top *t)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    int code = take_sample(t, a);

    ty_map_done(&t->metrics);
    t->metrics = (struct ty_map){ 0 };
    if (code)
        return code;
    t->text.n = 0;
    if (t->n)
        qsort(t->rows, t->n, sizeof(*t->rows), by_name);
    struct ty_top_view view = {
        .rows = t->rows, .n = t->n, .headers = t->o->headers, .one_job = t->job.name != NULL
    };
    if (t->o->json)
        ty_top_view_json(a, &view, &t->text);
    else if (t->n)
        ty_top_view_table(a, &view, &t->text);
    t->rows = NULL; /* they lived with the arena */
    return TY_EXIT_OK;
}

static int print_sample(struct cluster_top *t)
{
    if (!t->o->json && !t->n)
        fputs("No running pods\n", t->cli->err);
    return ty_cli_print_clean(t->cli, &t->text);
}

/* Whether the job that was asked for has ended meanwhile. */
static int check_job(struct cluster_top *t)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_cluster_answer answer;
    struct ty_job_history_entry now;

    if (!t->job.name)
        return TY_EXIT_OK;
    int r = ty_cluster_jobs_get(t->s, a, t->job.ns, t->job.name, &now, &answer);
    if (r == 0)
        t->over = ty_job_watch_over(now.job, NULL);
    else if (r == -ENOENT && !ty_cluster_session_is_absent(&answer))
        t->over = "deleted";
    else
        return ty_cluster_session_error(
            t->s, ty_arena_printf(a, "get TrainJob \"%s\"", t->job.name), &answer);
    return TY_EXIT_OK;
}

static int sample_again(struct cluster_top *t)
{
    int code = check_job(t);

    return code || t->over ? code : format_sample(t);
}

static int report_end(struct cluster_top *t)
{
    ty_cli_msg(t->cli, TY_MSG_NOTE, "trainjob \"%s\" is %s", t->job.name, t->over);
    return TY_EXIT_OK;
}

static int print_samples(struct cluster_top *t)
{
    int code = print_sample(t);

    while (code == TY_EXIT_OK && t->o->watch) {
        nanosleep(&(struct timespec){ .tv_sec = t->every_ms / 1000,
                                      .tv_nsec = t->every_ms % 1000 * 1000000 },
                  NULL);
        code = sample_again(t);
        if (code == TY_EXIT_OK && t->over)
            return report_end(t);
        if (code == TY_EXIT_OK)
            code = print_sample(t);
    }
    return code;
}

/* ---- on a terminal ---- */

/* Of all jobs nothing is left to show; a job that was named may get pods. */
static bool nothing_runs(const struct cluster_top *t)
{
    return !t->n && !t->job.name && !t->o->watch;
}

static bool sample_live(void *ctx)
{
    struct cluster_top *t = ctx;

    t->code = sample_again(t);
    return t->code == TY_EXIT_OK && !t->over && !nothing_runs(t);
}

static void stop_live(void *ctx)
{
    const struct cluster_top *t = ctx;

    ty_cluster_session_interrupt(t->s);
}

/* Leaves the last table on the terminal. */
static int show_live(struct cluster_top *t)
{
    bool stopped = ty_top_screen_run(&(struct ty_top_screen){ .cli = t->cli,
                                                              .loop = ty_cluster_session_loop(t->s),
                                                              .first_ms = t->every_ms,
                                                              .every_ms = t->every_ms,
                                                              .text = &t->text,
                                                              .sample = sample_live,
                                                              .stop = stop_live,
                                                              .ctx = t });

    if (stopped)
        return ty_cli_print_clean(t->cli, &t->text);
    if (t->code)
        return t->code;
    return t->over ? report_end(t) : print_sample(t);
}

/* ---- the command ---- */

static int show_top(struct cluster_top *t)
{
    int code = format_sample(t);

    if (code)
        return code;
    if (!t->o->json && ty_top_screen_can_draw(t->cli) && !nothing_runs(t))
        return show_live(t);
    return print_samples(t);
}

int ty_cluster_top(struct ty_cli *cli, const struct ty_cluster_top_opts *opts)
{
    ty_auto_cluster_session *s = NULL;
    struct cluster_top t = { .cli = cli, .o = opts };
    int code = ty_cluster_session_open(cli, opts->where, &s);

    t.s = s;
    t.every_ms = opts->every_ms ? opts->every_ms : EVERY_MS;
    if (code == TY_EXIT_OK && opts->word)
        code = ty_cluster_jobs_find_or_print(s, cli, opts->word, &t.job);
    if (code)
        return code;
    t.over = opts->word ? ty_job_watch_over(t.job.job, NULL) : NULL;
    if (t.over) {
        ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" does not run: it is %s", t.job.name, t.over);
        return TY_EXIT_BAD;
    }
    code = show_top(&t);
    ty_buf_done(&t.text);
    return code;
}
