/* The ended containers of a Pod object, as the failure summary wants them. */
#include "report/pod_failure.h"

#include <limits.h>

#include "base/text.h"
#include "base/time.h"
#include "report/failure_summary.h"
#include "report/pod_failure_inner.h"
#include "json/json.h"

enum { NAME_MAX_BYTES = 63 };

char *ty_pod_failure_clean(struct ty_arena *a, struct ty_str text, size_t most)
{
    struct ty_str head = ty_str_head(text, 2 * most);
    char *line = ty_arena_cstr(a, head), *ret = ty_arena_alloc(a, most + 1, 1);

    for (size_t i = 0; i < head.n; i++)
        line[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : line[i];
    ret[ty_text_clean((struct ty_str){ line, head.n }, ret, most)] = '\0';
    return ret;
}

/* ---- which pod ---- */

static struct ty_str label_of(const struct ty_json *pod, const char *key)
{
    return ty_json_as_str(ty_json_get(ty_json_at(pod, "metadata.labels"), key));
}

/* Also as an annotation: the label is newer (Kubernetes 1.28). */
static struct ty_str index_of(const struct ty_json *pod)
{
    static const char key[] = "batch.kubernetes.io/job-completion-index";
    struct ty_str label = label_of(pod, key);

    return label.n ? label
                   : ty_json_as_str(ty_json_get(ty_json_at(pod, "metadata.annotations"), key));
}

static struct ty_str without_job(struct ty_str name, struct ty_str job)
{
    if (ty_str_starts(name, job) && name.n > job.n + 1 && name.p[job.n] == '-')
        return (struct ty_str){ name.p + job.n + 1, name.n - job.n - 1 };
    return name;
}

const char *ty_pod_failure_node(struct ty_arena *a, const struct ty_json *pod, struct ty_str job)
{
    struct ty_str step = label_of(pod, "jobset.sigs.k8s.io/replicatedjob-name"),
                  replica = label_of(pod, "jobset.sigs.k8s.io/job-index"), index = index_of(pod),
                  name = ty_json_str_at(pod, "spec.hostname");
    const char *ret = NULL;

    if (step.n && replica.n && index.n) {
        ret = ty_arena_printf(a, "%s-%s-%s", ty_pod_failure_clean(a, step, NAME_MAX_BYTES),
                              ty_pod_failure_clean(a, replica, 10),
                              ty_pod_failure_clean(a, index, 10));
    } else {
        name = name.n ? name : ty_json_str_at(pod, "metadata.name");
        ret = ty_pod_failure_clean(a, without_job(name, job), NAME_MAX_BYTES);
    }
    return ret[0] ? ret : "pod";
}

int64_t ty_pod_failure_attempt(const struct ty_json *pod)
{
    int64_t n = 0;

    (void)ty_str_parse_i64(label_of(pod, "jobset.sigs.k8s.io/restart-attempt"), &n);
    return n > 0 ? n : 0;
}

/* ---- what the spec says of a container ---- */

const struct ty_json *ty_pod_failure_spec(const struct ty_json *pod, bool init, struct ty_str name)
{
    return ty_json_find_item(ty_json_at(pod, init ? "spec.initContainers" : "spec.containers"),
                             "name", name, NULL);
}

/* A quantity of bytes in its usual forms; 0 for others: only words depend on it. */
static int64_t read_bytes(struct ty_str text)
{
    static const struct {
        const char *unit;
        int64_t factor;
    } units[] = {
        { "", 1 },
        { "k", 1000 },
        { "M", 1000000 },
        { "G", 1000000000 },
        { "T", (int64_t)1000 * 1000 * 1000 * 1000 },
        { "Ki", 1 << 10 },
        { "Mi", 1 << 20 },
        { "Gi", 1 << 30 },
        { "Ti", (int64_t)1 << 40 },
    };
    struct ty_str number = text;
    int64_t v = 0;

    while (number.n > 0 && (number.p[number.n - 1] < '0' || number.p[number.n - 1] > '9'))
        number.n--;
    if (!ty_str_parse_i64(number, &v) || v <= 0)
        return 0;
    for (size_t i = 0; i < TY_COUNT(units); i++)
        if (ty_str_is((struct ty_str){ text.p + number.n, text.n - number.n }, units[i].unit))
            return v <= INT64_MAX / units[i].factor ? v * units[i].factor : 0;
    return 0;
}

/* A number of the container's environment: a value, or the pod's index by fieldRef. */
static bool env_number(const struct ty_json *pod, const struct ty_json *spec, const char *name,
                       int64_t *ret)
{
    const struct ty_json *e =
        ty_json_find_item(ty_json_get(spec, "env"), "name", ty_str(name), NULL);
    struct ty_str field = ty_json_str_at(e, "valueFrom.fieldRef.fieldPath");
    struct ty_str value = ty_json_str_at(e, "value");

    if (ty_str_contains(field, TY_LIT("batch.kubernetes.io/job-completion-index")))
        value = index_of(pod);
    return ty_str_parse_i64(value, ret) && *ret >= 0 && *ret < INT32_MAX;
}

/* The ranks of the container's processes, as its framework's variables give them. */
static void find_ranks(const struct ty_json *pod, const struct ty_json *spec,
                       struct ty_ended_container *end)
{
    static const char *const single[] = { "RANK", "JAX_PROCESS_ID", "DMLC_TASK_ID" };
    int64_t node = 0, procs = 0, first = 0;

    if (env_number(pod, spec, "PET_NNODES", &node) &&
        env_number(pod, spec, "PET_NODE_RANK", &node) &&
        env_number(pod, spec, "PET_NPROC_PER_NODE", &procs) && procs > 0) {
        end->first_rank = node * procs;
        end->procs = procs;
        return;
    }
    for (size_t i = 0; i < TY_COUNT(single) && !end->procs; i++) {
        if (env_number(pod, spec, single[i], &first)) {
            end->first_rank = first;
            end->procs = 1;
        }
    }
}

/* ---- how it ended ---- */

static int64_t time_at(const struct ty_json *obj, const char *path)
{
    int64_t s = 0;

    (void)ty_time_parse(ty_json_str_at(obj, path), &s);
    return s > 0 ? s : 0;
}

/* When the pod was told to end; 0 if it was not. The timestamp is the end of its grace period. */
static int64_t stop_time_s(const struct ty_json *pod)
{
    int64_t grace = 0, s = time_at(pod, "metadata.deletionTimestamp");

    (void)ty_json_int_at(pod, "metadata.deletionGracePeriodSeconds", &grace);
    return s > 0 && grace > 0 && grace < s ? s - grace : s;
}

/* Times have whole seconds: in the second of the order, only signals' exit codes follow from it. */
static bool was_stopped(int64_t stop_s, int64_t ended_s, int code)
{
    if (stop_s == 0 || ended_s < stop_s)
        return false;
    return ended_s > stop_s || code == 128 + 15 || code == 128 + 9 || code == 128 + 2;
}

bool ty_pod_failure_is_start_error(struct ty_str reason)
{
    return ty_str_is(reason, "StartError") || ty_str_is(reason, "ContainerCannotRun");
}

struct ty_str ty_pod_failure_start_message(struct ty_str message)
{
    static const char layers[] = "unable to start container process: ";
    const char *p = message.n ? memmem(message.p, message.n, layers, sizeof(layers) - 1) : NULL;

    if (p) {
        p += sizeof(layers) - 1;
        message = (struct ty_str){ p, message.n - (size_t)(p - message.p) };
    }
    if (ty_str_ends(message, TY_LIT(": unknown")))
        message.n -= sizeof(": unknown") - 1;
    return message;
}

static int int_at(const struct ty_json *obj, const char *path)
{
    int64_t v = 0;

    (void)ty_json_int_at(obj, path, &v);
    return v < 0 ? 0 : v > INT_MAX ? INT_MAX : (int)v;
}

struct pod_reader {
    struct ty_arena *a;
    const struct ty_json *pod;
    const char *node;
    int64_t attempt, stop_s;
    struct ty_pod_outside outside;
    const char *lost; /* what the cluster did to it, in words; or NULL */
    struct ty_ended_container *v;
    size_t n;
};

static void explain(struct pod_reader *r, const struct ty_json *ended, int64_t ended_s,
                    struct ty_ended_container *e)
{
    struct ty_str reason = ty_json_str_at(ended, "reason"),
                  message = ty_pod_failure_start_message(ty_json_str_at(ended, "message"));

    e->oom = ty_str_is(reason, "OOMKilled");
    if (ty_pod_failure_is_start_error(reason))
        e->never = ty_pod_failure_clean(r->a, message.n ? message : reason, TY_POD_FAILURE_MESSAGE);
    if (r->lost && ended_s >= r->outside.at_s && e->code != 0) {
        e->lost = r->lost;
        return;
    }
    e->stopped = was_stopped(r->stop_s, ended_s, e->code);
    if (e->code == 137 && !e->stopped && !e->oom)
        e->hint = "exit code 137 is SIGKILL: a process of it may have exceeded the memory limit, "
                  "or the node ended it";
}

static void add_end(struct pod_reader *r, const struct ty_json *status, const struct ty_json *ended,
                    bool init, int restarts)
{
    struct ty_str name = ty_json_str_at(status, "name");
    int64_t ended_s = time_at(ended, "finishedAt");

    if (!ty_json_is(ended, TY_JSON_OBJECT) || r->n == TY_POD_FAILURE_ENDS)
        return;
    const struct ty_json *spec = ty_pod_failure_spec(r->pod, init, name);
    struct ty_ended_container *e = &r->v[r->n++];
    *e = (struct ty_ended_container){
        .node = r->node,
        .container = ty_pod_failure_clean(r->a, name, NAME_MAX_BYTES),
        .attempt = r->attempt,
        .restarts = restarts,
        .code = int_at(ended, "exitCode"),
        .sig = int_at(ended, "signal"),
        .sidecar = init && ty_str_is(ty_json_str_at(spec, "restartPolicy"), "Always"),
        .memory_limit = read_bytes(ty_json_str_at(spec, "resources.limits.memory")),
        .began_ms = time_at(ended, "startedAt") * 1000,
        .ended_ms = ended_s * 1000,
        .stop_ms = r->stop_s * 1000,
    };
    explain(r, ended, ended_s, e);
    find_ranks(r->pod, spec, e);
}

static void add_ends(struct pod_reader *r, const char *statuses, bool init)
{
    ty_each_item (it, ty_json_at(r->pod, statuses)) {
        int restarts = int_at(*it, "restartCount");
        add_end(r, *it, ty_json_at(*it, "lastState.terminated"), init,
                restarts > 0 ? restarts - 1 : 0);
        add_end(r, *it, ty_json_at(*it, "state.terminated"), init, restarts);
    }
}

size_t ty_pod_failure_ended(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                            struct ty_ended_container **ret)
{
    struct ty_str message = { 0 };
    struct pod_reader r = { .a = a,
                            .pod = pod,
                            .node = ty_pod_failure_node(a, pod, job),
                            .attempt = ty_pod_failure_attempt(pod),
                            .stop_s = stop_time_s(pod),
                            .v = ty_new_n(a, struct ty_ended_container, TY_POD_FAILURE_ENDS) };

    if (ty_pod_failure_outside(pod, &r.outside, &message)) {
        r.lost = r.outside.words;
        if (message.n)
            r.lost = ty_arena_printf(a, "%s: %s", r.outside.words,
                                     ty_pod_failure_clean(a, message, TY_POD_FAILURE_MESSAGE));
    }
    add_ends(&r, "status.initContainerStatuses", true);
    add_ends(&r, "status.containerStatuses", false);
    *ret = r.v;
    return r.n;
}

bool ty_pod_failure_is_bad(const struct ty_ended_container *end)
{
    return !end->stopped && !end->sidecar &&
           (end->code != 0 || end->sig || end->oom || end->never || end->forced || end->lost);
}
