#include "cli/run/run_follow.h"

#include "base/time.h"
#include "base/xalloc.h"
#include "cli/history/job_state.h"
#include "cli/history/log_files.h"

/* ---- log files ---- */

struct follow_log {
    struct ty_run_follow *f;
    struct ty_log_cursor place;
    struct ty_progress progress;
    bool skip; /* of an earlier start */
    char *host, *container;
};

/* What ty_log_files_print writes: whole lines, since the prefix is not NULL. */
struct line_splitter {
    struct follow_log *l;
    struct ty_buf part;
};

static void report_line(struct follow_log *l, struct ty_str line)
{
    const struct ty_engine_observer *to = l->f->to;
    const char *job = l->f->job->name;
    int64_t now_ms = ty_cli_wall_ms();
    struct ty_progress news;

    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    to->line(to->ctx, job, l->host, l->container, line, now_ms);
    if (!ty_progress_parse(line, &news))
        return;
    ty_progress_merge(&l->progress, &news);
    to->progress(to->ctx, job, l->host, &l->progress, now_ms);
}

static ssize_t split_lines(void *cookie, const char *p, size_t n)
{
    struct line_splitter *s = cookie;
    struct ty_str rest = { p, n }, line;

    while (rest.n && memchr(rest.p, '\n', rest.n)) {
        rest = ty_str_cut(rest, '\n', &line);
        if (s->part.n) {
            ty_buf_add(&s->part, line);
            line = ty_buf_str(&s->part);
        }
        report_line(s->l, line);
        s->part.n = 0;
    }
    ty_buf_add(&s->part, rest);
    return (ssize_t)n;
}

static void report_irregular(struct follow_log *l, const char *path)
{
    const struct ty_engine_observer *to = l->f->to;
    ty_auto_arena *a = ty_arena_new(1 << 20);

    for (const char *text = NULL; (text = ty_log_files_irregular(a, path, &l->place));)
        to->event(to->ctx, &ty_kind_pod, l->host, "Warning", "LogUnreadable", text,
                  ty_cli_wall_ms());
}

static void read_log(struct follow_log *l, const char *path, bool last)
{
    struct line_splitter s = { .l = l };
    cookie_io_functions_t io = { .write = split_lines };
    FILE *f = l->skip ? NULL : ty_xalloc(fopencookie(&s, "w", io));

    if (!f)
        return;
    ty_log_files_print(f, path, "", &l->place);
    report_irregular(l, path);
    if (last)
        ty_log_files_flush(f, "", &l->place);
    fclose(f);
    ty_buf_done(&s.part);
}

/* newest: it is the container's last start. Earlier ones that exist at the beginning are skipped.
 */
static void follow_log(struct ty_run_follow *f, const char *host, const struct ty_log_file *file,
                       bool newest, bool last)
{
    struct follow_log *l = ty_map_get(&f->logs, ty_str(file->path));

    if (!l) {
        l = ty_xalloc(calloc(1, sizeof(*l)));
        *l = (struct follow_log){ .f = f,
                                  .progress = TY_PROGRESS_NONE,
                                  .skip = !f->begun && !newest,
                                  .host = ty_xalloc(strdup(host)),
                                  .container = ty_xalloc(strdup(file->container)) };
        ty_map_put(&f->logs, ty_str(file->path), l);
        if (!f->begun && f->tail >= 0)
            ty_log_files_tail(file->path, f->tail, &l->place);
    }
    read_log(l, file->path, last);
}

static void follow_logs(struct ty_run_follow *f, const char *host, bool last)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 30, NULL);
    struct ty_log_file *v = NULL;
    size_t n = ty_log_files_list(a, f->job->run.dir, host, &v);

    for (size_t i = 0; i < n; i++)
        follow_log(f, host, &v[i], i + 1 == n || strcmp(v[i].container, v[i + 1].container) != 0,
                   last);
}

/* ---- pods ---- */

static int64_t label_number(const struct ty_json *pod, const char *key, int64_t otherwise)
{
    const struct ty_json *labels = ty_json_at(pod, "metadata.labels");
    int64_t n = otherwise;

    return ty_str_parse_i64(ty_json_as_str(ty_json_get(labels, key)), &n) ? n : otherwise;
}

static enum ty_pod_phase phase_of(const struct ty_json *pod)
{
    struct ty_str phase = ty_json_str_at(pod, "status.phase");

    return ty_str_is(phase, "Running")     ? TY_RUNNING
           : ty_str_is(phase, "Succeeded") ? TY_SUCCEEDED
           : ty_str_is(phase, "Failed")    ? TY_FAILED
                                           : TY_PENDING;
}

/* When the run was stopped, if it was. */
static bool take_stop(void *ctx, const struct ty_history_read_event *e)
{
    struct ty_run_follow *f = ctx;

    if (strcmp(e->reason, "Stopped") == 0)
        f->stop_ms = e->last_ms;
    return !f->stop_ms;
}

static int64_t time_at(const struct ty_json *v, const char *path, int64_t otherwise_ms)
{
    int64_t s = 0;

    return ty_time_parse(ty_json_str_at(v, path), &s) ? s * 1000 : otherwise_ms;
}

/* A process that was terminated in a pod that is being deleted was stopped by the engine. */
static void report_exit(struct ty_run_follow *f, struct ty_pod_update news,
                        const struct ty_json *status, const struct ty_json *ended, bool deleted)
{
    struct ty_str reason = ty_json_str_at(ended, "reason"),
                  message = ty_json_str_at(ended, "message");
    int64_t n = 0;

    if (!ty_json_int_at(ended, "exitCode", &n))
        return;
    news.container = ty_json_cstr_at(f->scratch, status, "name");
    news.exit_code = (int)n;
    news.exit_signal = n > 128 && n < 128 + 65 ? (int)n - 128 : 0;
    news.time_ms = time_at(ended, "finishedAt", news.time_ms);
    deleted = deleted || (f->stop_ms && news.time_ms / 1000 >= f->stop_ms / 1000);
    news.by_us = deleted && (n == 143 || n == 137);
    news.reason = reason.n ? ty_arena_cstr(f->scratch, reason) : NULL;
    news.message = message.n ? ty_arena_cstr(f->scratch, message) : NULL;
    if (ty_json_int_at(status, "restartCount", &n))
        news.restarts += (int)n;
    f->to->pod(f->to->ctx, &news);
}

/* One container that has ended. If it had failed before and was restarted only to be stopped, that
 * failure is its node's result. What ended before its pod was deleted was not stopped; times are in
 * seconds, and of the same second a stop is more likely. deleted_ms: 0 it is not. */
static void report_end(struct ty_run_follow *f, struct ty_pod_update news,
                       const struct ty_json *status, int64_t deleted_ms)
{
    const struct ty_json *ended = ty_json_at(status, "state.terminated"),
                         *before = ty_json_at(status, "lastState.terminated");
    bool stopped = deleted_ms && time_at(ended, "finishedAt", deleted_ms) >= deleted_ms;
    int64_t code = 0;

    if (stopped && ended && ty_json_int_at(before, "exitCode", &code) && code != 0) {
        struct ty_pod_update first = news;
        first.phase = TY_RUNNING;
        first.stopping = false;
        first.restarts = -1; /* it was one fewer then */
        report_exit(f, first, status, before, false);
    }
    news.stopping = stopped;
    report_exit(f, news, status, ended, stopped);
}

static void report_pod(struct ty_run_follow *f, const struct ty_job_history_pod *pod)
{
    const struct ty_json *labels = ty_json_at(pod->obj, "metadata.labels"), *ready = NULL;
    struct ty_str rjob =
        ty_json_as_str(ty_json_get(labels, "jobset.sigs.k8s.io/replicatedjob-name"));
    int64_t deleted_ms = time_at(pod->obj, "metadata.deletionTimestamp", 0);
    struct ty_pod_update news = {
        .job = f->job->name,
        .pod = pod->host,
        .rjob = ty_arena_cstr(f->scratch, rjob),
        .index = label_number(pod->obj, "batch.kubernetes.io/job-completion-index", -1),
        .attempt = label_number(pod->obj, "jobset.sigs.k8s.io/restart-attempt", 0),
        .phase = phase_of(pod->obj),
        .stopping = deleted_ms != 0,
        .exit_code = -1,
        .time_ms = time_at(pod->obj, "status.startTime", ty_cli_wall_ms()),
    };

    ready =
        ty_json_find_item(ty_json_at(pod->obj, "status.conditions"), "type", TY_LIT("Ready"), NULL);
    news.ready = ty_str_is(ty_json_str_at(ready, "status"), "True");
    if (news.phase == TY_SUCCEEDED || news.phase == TY_FAILED) { /* it began before it ended */
        struct ty_pod_update ran = news;
        ran.phase = TY_RUNNING;
        f->to->pod(f->to->ctx, &ran);
    } else {
        f->to->pod(f->to->ctx, &news);
    }
    ty_each_item (c, ty_json_at(pod->obj, "status.initContainerStatuses"))
        report_end(f, news, *c, deleted_ms);
    ty_each_item (c, ty_json_at(pod->obj, "status.containerStatuses"))
        report_end(f, news, *c, deleted_ms);
    if (news.stopping && news.phase != TY_SUCCEEDED && news.phase != TY_FAILED)
        f->to->pod(f->to->ctx, &news); /* also if one of them ended before */
}

/* 0: never. */
static int64_t *last_reported(struct ty_map *m, struct ty_str key)
{
    int64_t *v = ty_map_get(m, key);

    if (!v) {
        v = ty_xalloc(calloc(1, sizeof(*v)));
        ty_map_put(m, key, v);
    }
    return v;
}

static void follow_pods(struct ty_run_follow *f, bool changed, bool last)
{
    if (changed) {
        struct ty_history_read_filter which = { .run = f->job->run.id, .job = f->job->name };
        ty_history_read_events(f->d, &which, take_stop, f, NULL);
        ty_arena_reset(f->scratch);
        f->n_list = 0;
        (void)ty_job_history_pods(f->cli, f->d, f->scratch, f->job, &f->list, &f->n_list);
    }
    for (size_t i = 0; i < f->n_list; i++) {
        const struct ty_job_history_pod *pod = &f->list[i];
        int64_t *reported = last_reported(&f->pods, ty_str(pod->host));
        int64_t now = pod->version * 2 + pod->gone + 1;
        follow_logs(f, pod->host, last); /* its last lines come before its end */
        if (!changed || *reported == now)
            continue;
        *reported = now;
        report_pod(f, pod);
    }
}

/* ---- events and the job ---- */

static bool report_event(void *ctx, const struct ty_history_read_event *e)
{
    struct ty_run_follow *f = ctx;
    const struct ty_kind *kind = ty_kind_by_name(ty_str(e->kind));

    if (strcmp(e->reason, "Stopped") == 0)
        snprintf(f->why, sizeof(f->why), "%s", e->message);
    int64_t *count =
        last_reported(&f->events, (struct ty_str){ (const char *)&e->id, sizeof(e->id) });
    bool is_new = *count != e->count;
    *count = e->count;
    if (f->begun && is_new && kind)
        f->to->event(f->to->ctx, kind, e->name, e->type, e->reason, e->message, e->last_ms);
    return true;
}

static bool take_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    static const char *const ends[] = { "Complete", "Failed", "Interrupted" };
    struct ty_run_follow *f = ctx;
    const char *state = ty_job_state_text(a, job);
    int64_t ended_ms = ty_job_state_ended_ms(job);

    f->result = NULL;
    for (size_t i = 0; i < TY_COUNT(ends); i++)
        if (strcmp(state, ends[i]) == 0)
            f->result = ends[i];
    if (job->gone)
        f->result = "Deleted";
    snprintf(f->how, sizeof(f->how), "%s", job->run.how);
    if (job->job)
        f->to->job(f->to->ctx, f->job->name, job->job,
                   f->result && ended_ms > 0 ? ended_ms : ty_cli_wall_ms());
    return false;
}

/* The job's state is that of the poll before: its logs are read to their end after it is over. */
bool ty_run_follow_poll(struct ty_run_follow *f)
{
    struct ty_history_read_filter which = { .run = f->job->run.id, .job = f->job->name };
    struct ty_job_history_query q = { .cli = f->cli,
                                      .d = f->d,
                                      .name = f->job->name,
                                      .run = f->job->run.id,
                                      .fn = take_job,
                                      .ctx = f };
    bool over = f->result != NULL;
    int64_t version = ty_history_read_data_version(f->d);
    /* A killed run changes nothing in its history. */
    bool changed = version != f->version || over ||
                   ty_history_read_run_state(f->d, &f->job->run) != TY_HISTORY_RUN_LIVE;

    if (!f->scratch)
        f->scratch = ty_arena_new_input((size_t)4 << 30, NULL);
    f->version = version;
    follow_pods(f, changed, over);
    if (changed) /* when it is over, too: events can be written between this and the query */
        ty_history_read_events(f->d, &which, report_event, f, NULL);
    if (changed && !over) {
        f->result = "Deleted"; /* unless it is found */
        (void)ty_job_history_query(&q);
        if (strcmp(f->result ? f->result : "", "Interrupted") == 0)
            (void)ty_job_history_query(&q); /* the rows may be older than the end of the run */
    }
    f->begun = true;
    return over;
}

void ty_run_follow_done(struct ty_run_follow *f)
{
    const struct ty_map_slot *s = NULL;

    for (size_t at = 0; (s = ty_map_next(&f->logs, &at));) {
        struct follow_log *l = s->value;
        ty_buf_done(&l->place.part);
        free(l->host);
        free(l->container);
        free(l);
    }
    for (size_t at = 0; (s = ty_map_next(&f->pods, &at));)
        free(s->value);
    for (size_t at = 0; (s = ty_map_next(&f->events, &at));)
        free(s->value);
    ty_map_done(&f->logs);
    ty_map_done(&f->pods);
    ty_map_done(&f->events);
    ty_arena_free(f->scratch);
}
