/* Stores the last state of each job and node. */
#include "cli/run/run_model.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "trainer/trainjob_reconcile.h"

void ty_run_model_done(struct ty_run_model *m)
{
    for (struct ty_run_job *j = m->jobs, *next = NULL; j; j = next) {
        next = j->next;
        for (struct ty_run_node *n = j->nodes, *after = NULL; n; n = after) {
            after = n->next;
            free(n->pod);
            free(n->own_label);
            free(n->role);
            free(n->container);
            free(n->error);
            free(n->progress);
            free(n->last);
            free(n);
        }
        free(j->name);
        free(j->message);
        free(j);
    }
    ty_map_done(&m->nodes);
    *m = (struct ty_run_model){ 0 };
}

struct ty_run_job *ty_run_model_job(struct ty_run_model *m, const char *name, int64_t ms)
{
    struct ty_run_job *j = m->jobs;

    while (j && strcmp(j->name, name) != 0)
        j = j->next;
    if (j)
        return j;
    j = ty_xalloc(calloc(1, sizeof(*j)));
    j->name = ty_xalloc_cstr(ty_str(name));
    j->began_ms = ms;
    j->progress = TY_PROGRESS_NONE;
    ty_append(m->jobs, m->last, j);
    return j;
}

/* Inserts a node in numeric order after the last one of its role; a new role comes last. Searches
 * from the end, because pods arrive nearly in order. */
static void insert_node(struct ty_run_job *j, struct ty_run_node *n)
{
    struct ty_run_node *at = j->last;

    while (at && strcmp(at->role, n->role) != 0)
        at = at->prev;
    if (!at)
        at = j->last;
    while (at && strcmp(at->role, n->role) == 0 && strverscmp(at->name, n->name) > 0)
        at = at->prev;
    n->prev = at;
    n->next = at ? at->next : j->nodes;
    if (n->next)
        n->next->prev = n;
    else
        j->last = n;
    if (at)
        at->next = n;
    else
        j->nodes = n;
    j->n_nodes++;
}

static struct ty_run_node *node_new(struct ty_run_model *m, const char *job, const char *pod,
                                    const char *role, int64_t ms)
{
    struct ty_run_node *n = ty_xalloc(calloc(1, sizeof(*n)));
    size_t len = strlen(job);

    n->job = ty_run_model_job(m, job, ms);
    n->pod = ty_xalloc_cstr(ty_str(pod));
    n->name = strncmp(job, pod, len) == 0 && pod[len] == '-' ? n->pod + len + 1 : n->pod;
    n->label = n->name;
    if (m->several) {
        ty_auto_buf b = { 0 };
        ty_buf_printf(&b, "%s/%s", job, n->name);
        n->label = n->own_label = ty_xalloc_cstr(ty_buf_str(&b));
    }
    n->role = ty_xalloc_cstr(ty_str(role));
    n->phase = TY_PENDING;
    n->index = n->exit_code = -1;
    insert_node(n->job, n);
    n->job->n_alive++;
    ty_map_put(&m->nodes, ty_str(n->pod), n);
    return n;
}

struct ty_run_node *ty_run_model_node(struct ty_run_model *m, const char *job, const char *pod,
                                      int64_t ms)
{
    struct ty_run_node *n = ty_map_get(&m->nodes, ty_str(pod));

    return n ? n : node_new(m, job, pod, "", ms);
}

static void set_error(struct ty_run_node *n, const char *text)
{
    char clean[128];
    size_t len = ty_text_clean(ty_str(text), clean, sizeof(clean) - 1);

    clean[len] = '\0';
    free(n->error);
    n->error = len ? ty_xalloc_cstr(ty_str(clean)) : NULL;
}

static void set_phase(struct ty_run_node *n, const struct ty_pod_update *news)
{
    bool was = ty_run_node_alive(n);

    if (!was && (news->phase == TY_PENDING || news->phase == TY_RUNNING)) { /* the pod restarts */
        n->began_ms = n->ended_ms = 0;
        n->exit_code = -1;
        n->exit_signal = 0;
        n->by_us = false;
        n->reason[0] = '\0';
        free(n->container);
        n->container = NULL;
        set_error(n, "");
    }
    n->phase = news->phase;
    n->ready = news->ready;
    n->stopping = news->stopping;
    if (!n->began_ms && news->phase != TY_PENDING)
        n->began_ms = news->time_ms;
    if (!ty_run_node_alive(n) && !n->ended_ms)
        n->ended_ms = news->time_ms;
    if (was && !ty_run_node_alive(n))
        n->job->n_alive--;
    else if (!was && ty_run_node_alive(n))
        n->job->n_alive++;
}

/* A container that failed by itself takes precedence over one that ended well, and over one that
 * the engine stopped. The end of a sidecar is not its node's. */
static bool decides(const struct ty_run_node *n, const struct ty_pod_update *news)
{
    bool stopped = news->by_us || news->stopping;
    bool same = n->container && strcmp(n->container, news->container) == 0;

    if (news->sidecar)
        return false;
    if (same || n->exit_code < 0)
        return same ? n->exit_code <= 0 || !stopped : true;
    return news->exit_code > 0 && (n->exit_code == 0 || (n->by_us && !stopped));
}

struct ty_run_node *ty_run_model_pod(struct ty_run_model *m, const struct ty_pod_update *news)
{
    struct ty_run_node *n = ty_map_get(&m->nodes, ty_str(news->pod));

    if (!n)
        n = node_new(m, news->job, news->pod, news->rjob, news->time_ms);
    n->index = news->index;
    if (n->attempt != news->attempt) { /* discard the progress of the attempt before */
        free(n->progress);
        free(n->last);
        n->progress = NULL;
        n->last = NULL;
    }
    n->attempt = news->attempt;
    if (news->attempt > n->job->restarts)
        n->job->restarts = news->attempt;
    set_phase(n, news);
    if (news->container && news->exit_code >= 0 && decides(n, news)) {
        free(n->container);
        n->container = ty_xalloc_cstr(ty_str(news->container));
        n->restarts = news->restarts;
        n->exit_code = news->exit_code;
        n->exit_signal = news->exit_signal;
        n->by_us = news->by_us || news->stopping;
        snprintf(n->reason, sizeof(n->reason), "%s", news->reason ? news->reason : "");
        set_error(n, news->error ? news->error : "");
    }
    return n;
}

/* True if the line has a letter or digit: separators and empty lines are not shown. */
static bool says_something(struct ty_str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (isalnum((unsigned char)line.p[i]) || (unsigned char)line.p[i] >= 0x80)
            return true;
    return false;
}

struct ty_run_node *ty_run_model_line(struct ty_run_model *m, const char *job, const char *pod,
                                      struct ty_str text, int64_t ms)
{
    struct ty_run_node *n = ty_run_model_node(m, job, pod, ms);
    char line[TY_RUN_LINE_MAX];
    size_t len = ty_text_clean(text, line, sizeof(line) - 1);
    struct ty_str t = ty_str_trim((struct ty_str){ line, len });

    if (!says_something(t))
        return n; /* keep the line before */
    if (!n->last)
        n->last = ty_xalloc(calloc(1, TY_RUN_LINE_MAX));
    memcpy(n->last, t.p, t.n);
    n->last[t.n] = '\0';
    return n;
}

void ty_run_model_progress(struct ty_run_node *n, const struct ty_progress *now)
{
    if (!n->progress)
        n->progress = ty_xalloc(calloc(1, sizeof(*n->progress)));
    *n->progress = *now;
}

const struct ty_progress *ty_run_node_progress(const struct ty_run_node *n)
{
    static const struct ty_progress none = { .percent = -1, .step = -1, .total = -1, .eta_s = -1 };

    return n->progress ? n->progress : &none;
}

static void read_progress(struct ty_progress *p, const struct ty_json *s)
{
    int64_t v = 0;

    *p = TY_PROGRESS_NONE;
    if (ty_json_int_at(s, "progressPercentage", &v))
        p->percent = (int)v;
    if (ty_json_int_at(s, "estimatedRemainingSeconds", &v))
        p->eta_s = v;
    ty_each_item (m, ty_json_get(s, "metrics")) {
        if (p->n_metrics == TY_PROGRESS_METRICS)
            break;
        struct ty_progress_metric *to = &p->metrics[p->n_metrics++];
        struct ty_str name = ty_json_str_at(*m, "name"), value = ty_json_str_at(*m, "value");
        size_t n = ty_text_clean(name, to->name, sizeof(to->name) - 1);
        to->name[n] = '\0';
        n = ty_text_clean(value, to->value, sizeof(to->value) - 1);
        to->value[n] = '\0';
    }
}

struct ty_run_job *ty_run_model_status(struct ty_run_model *m, const char *job,
                                       const struct ty_json *trainjob, int64_t ms)
{
    static const char *const ends[] = { "Complete", "Failed" };
    struct ty_run_job *j = ty_run_model_job(m, job, ms);
    const struct ty_json *status = ty_json_get(trainjob, "status");

    if (ty_json_get(status, "trainerStatus")) {
        read_progress(&j->progress, ty_json_get(status, "trainerStatus"));
        j->progress_ms = ms;
    }
    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *c = ty_condition_find(status, ends[i]);
        if (!c || !ty_str_is(ty_json_str_at(c, "status"), "True") ||
            (j->result && j->result != ends[i]))
            continue;
        if (!j->result)
            j->ended_ms = ms;
        j->result = ends[i];
        free(j->message); /* the failure summary in it is provisional at first */
        j->message = ty_xalloc_cstr(ty_json_str_at(c, "message"));
    }
    return j;
}

/* Of the first line: the rest of a message is the failure summary. */
static uint64_t hash_at(uint64_t h, const struct ty_json *v, const char *key)
{
    struct ty_str s;

    ty_str_cut(ty_json_str_at(v, key), '\n', &s);

    return ty_hash_bytes(h, s.p, s.n);
}

bool ty_run_model_condition_shown(struct ty_run_job *job, const struct ty_json *condition)
{
    struct ty_str type = ty_json_str_at(condition, "type");
    uint64_t what = hash_at(hash_at(hash_at(0, condition, "status"), condition, "reason"),
                            condition, "message");
    size_t i = 0;

    while (i < job->n_shown_conditions && !ty_str_is(type, job->shown_conditions[i].type))
        i++;
    if (i < job->n_shown_conditions && job->shown_conditions[i].what == what)
        return true;
    if (i == TY_RUN_CONDITIONS_MAX || type.n >= sizeof(job->shown_conditions[0].type))
        return false; /* more kinds of conditions than there are: told too often, not
                         too seldom */
    job->n_shown_conditions += i == job->n_shown_conditions;
    memcpy(job->shown_conditions[i].type, type.p, type.n);
    job->shown_conditions[i].what = what;
    return false;
}

bool ty_run_node_is(const struct ty_run_node *n, const char *name)
{
    size_t len = strlen(n->job->name);

    return strcmp(name, n->name) == 0 || strcmp(name, n->pod) == 0 ||
           (strncmp(name, n->job->name, len) == 0 && name[len] == '/' &&
            strcmp(name + len + 1, n->name) == 0);
}

bool ty_run_node_stopped(const struct ty_run_node *n)
{
    return n->exit_code < 0 ? n->stopping : n->by_us;
}

void ty_run_node_result(const struct ty_run_node *n, struct ty_buf *out)
{
    struct ty_ended_container end = { .code = n->exit_code,
                                      .oom = strcmp(n->reason, "OOMKilled") == 0 };

    if (ty_run_node_alive(n))
        ty_buf_cstr(out, n->phase == TY_RUNNING ? "running" : "waiting");
    else if (n->exit_code < 0)
        ty_buf_cstr(out, ty_run_node_stopped(n) ? "stopped" : "did not start");
    else if (ty_run_node_stopped(n))
        ty_buf_printf(out, n->exit_code ? "stopped (%d)" : "stopped", n->exit_code);
    else if (strcmp(n->reason, "StartError") == 0)
        ty_buf_cstr(out, "could not start");
    else
        ty_failure_summary_exit_text(&end, out);
}
