/* What keeps a pod from running, or ended it, in one sentence: from its status alone. The kubelet's
 * and the scheduler's messages name every layer; what a user can act on comes first. */
#include "base/buf.h"
#include "base/time.h"
#include "report/failure_summary.h"
#include "report/pod_failure.h"
#include "report/pod_failure_inner.h"
#include "json/json.h"

/* ---- what the cluster did to it ---- */

static const struct outside_reason {
    const char *from, *reason, *words;
} by_status[] = {
    { "Evicted", "Evicted", "was evicted" },
    { "Preempting", "Preempted", "was preempted" },
    { "Preempted", "Preempted", "was preempted" },
    { "NodeLost", "NodeLost", "was lost with its node" },
    { "NodeShutdown", "NodeLost", "was ended because its node shut down" },
    { "Shutdown", "NodeLost", "was ended because its node shut down" },
    { "Terminated", "NodeLost", "was ended because its node shut down" },
    { "UnexpectedAdmissionError", "NodeRejected", "was rejected by its node" },
    { "OutOfcpu", "NodeRejected", "was rejected by its node" },
    { "OutOfmemory", "NodeRejected", "was rejected by its node" },
    { "OutOfpods", "NodeRejected", "was rejected by its node" },
    { "NodeAffinity", "NodeRejected", "was rejected by its node" },
    { "TopologyAffinityError", "NodeRejected", "was rejected by its node" },
    { "DeadlineExceeded", "DeadlineExceeded", "ran longer than activeDeadlineSeconds allows" },
}, by_condition[] = {
    { "PreemptionByScheduler", "Preempted", "was preempted" },
    { "DeletionByTaintManager", "NodeLost", "was deleted because of its node's taint" },
    { "EvictionByEvictionAPI", "Evicted", "was evicted" },
    { "TerminationByKubelet", "Evicted", "was ended by its node" },
    { "DeletionByPodGC", "NodeLost", "was lost with its node" },
};

static const struct outside_reason *find_reason(const struct outside_reason *v, size_t n,
                                                struct ty_str from)
{
    for (size_t i = 0; i < n; i++)
        if (ty_str_is(from, v[i].from))
            return &v[i];
    return NULL;
}

static const struct ty_json *find_condition(const struct ty_json *pod, const char *type)
{
    return ty_json_find_item(ty_json_at(pod, "status.conditions"), "type", ty_str(type), NULL);
}

bool ty_pod_failure_outside(const struct ty_json *pod, struct ty_pod_outside *ret,
                            struct ty_str *ret_message)
{
    const struct ty_json *target = find_condition(pod, "DisruptionTarget");
    const struct ty_json *from = ty_json_get(pod, "status");
    const struct outside_reason *why = NULL;

    if (ty_str_is(ty_json_str_at(from, "phase"), "Succeeded"))
        return false;
    *ret = (struct ty_pod_outside){ 0 };
    why = find_reason(by_status, TY_COUNT(by_status), ty_json_str_at(from, "reason"));
    if (!why && ty_str_is(ty_json_str_at(target, "status"), "True")) {
        from = target;
        why = find_reason(by_condition, TY_COUNT(by_condition), ty_json_str_at(from, "reason"));
        (void)ty_time_parse(ty_json_str_at(from, "lastTransitionTime"), &ret->at_s);
    }
    if (!why)
        return false;
    ret->reason = why->reason;
    ret->words = why->words;
    *ret_message = ty_json_str_at(from, "message");
    return true;
}

/* ---- sentences ---- */

struct problem_reader {
    struct ty_arena *a;
    const struct ty_json *pod;
    const char *node;
    struct ty_pod_problem *ret;
};

/* "NODE WORDS: MESSAGE", bounded; the message may be empty. */
static bool tell(struct problem_reader *r, const char *reason, bool final, const char *words,
                 struct ty_str message)
{
    const char *more = ty_pod_failure_clean(r->a, message, TY_POD_FAILURE_MESSAGE);
    const char *text = ty_arena_printf(r->a, "%s%s%s", words, more[0] ? ": " : "", more);

    *r->ret = (struct ty_pod_problem){ .reason = reason,
                                       .text = ty_pod_failure_clean(r->a, ty_str(text),
                                                                    TY_POD_FAILURE_TEXT),
                                       .final = final };
    return true;
}

static bool find_outside(struct problem_reader *r)
{
    struct ty_pod_outside o;
    struct ty_str message = { 0 };

    if (!ty_pod_failure_outside(r->pod, &o, &message))
        return false;
    return tell(r, o.reason, true, ty_arena_printf(r->a, "%s %s", r->node, o.words), message);
}

/* "dataset-initializer": from the pod's labels; NULL for other pods. */
static const char *initializer_of(const struct ty_json *pod)
{
    static const char *const keys[] = { "trainer.kubeflow.org/trainjob-ancestor-step",
                                        "jobset.sigs.k8s.io/replicatedjob-name" };
    static const char *const steps[] = { "dataset-initializer", "model-initializer" };
    const struct ty_json *labels = ty_json_at(pod, "metadata.labels");

    for (size_t i = 0; i < TY_COUNT(keys); i++)
        for (size_t j = 0; j < TY_COUNT(steps); j++)
            if (ty_str_is(ty_json_as_str(ty_json_get(labels, keys[i])), steps[j]))
                return steps[j];
    return NULL;
}

static const char *exit_text(struct ty_arena *a, const struct ty_ended_container *e)
{
    ty_auto_buf b = { 0 };

    ty_failure_summary_exit_text(e, &b);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

/* Whether the pod had this container before it, as an init container. */
static bool is_init(const struct ty_json *pod, const char *container)
{
    return ty_pod_failure_spec(pod, true, ty_str(container)) != NULL;
}

static bool tell_end(struct problem_reader *r, const struct ty_ended_container *e, bool final)
{
    const char *step = initializer_of(r->pod), *how = exit_text(r->a, e);

    if (e->never)
        return tell(
            r, "CreateContainer", true,
            ty_arena_printf(r->a, "%s: container %s cannot be started", r->node, e->container),
            ty_str(e->never));
    if (e->oom)
        return tell(r, "OOMKilled", final, r->node, ty_str(how));
    if (step)
        return tell(r, "InitializerFailed", final,
                    ty_arena_printf(r->a, "%s failed (%s)", step, how), TY_LIT(""));
    if (is_init(r->pod, e->container))
        return tell(
            r, "InitializerFailed", final,
            ty_arena_printf(r->a, "%s: init container %s failed (%s)", r->node, e->container, how),
            TY_LIT(""));
    return false;
}

/* A container that runs again has made its earlier end good. */
static bool runs_now(const struct ty_json *pod, const char *container)
{
    static const char *const lists[] = { "status.initContainerStatuses",
                                         "status.containerStatuses" };

    for (size_t i = 0; i < TY_COUNT(lists); i++) {
        const struct ty_json *s =
            ty_json_find_item(ty_json_at(pod, lists[i]), "name", ty_str(container), NULL);
        int64_t code = 1;
        if (ty_json_at(s, "state.running") ||
            (ty_json_int_at(s, "state.terminated.exitCode", &code) && code == 0))
            return true;
    }
    return false;
}

static bool find_end(struct problem_reader *r, struct ty_str job)
{
    struct ty_ended_container *v = NULL;
    size_t n = ty_pod_failure_ended(r->a, r->pod, job, &v);
    bool never = ty_str_is(ty_json_str_at(r->pod, "spec.restartPolicy"), "Never") ||
                 ty_str_is(ty_json_str_at(r->pod, "status.phase"), "Failed");

    for (size_t i = 0; i < n; i++) {
        if (ty_pod_failure_is_bad(&v[i]) && !runs_now(r->pod, v[i].container) &&
            tell_end(r, &v[i], never))
            return true;
    }
    return false;
}

/* ---- containers that wait ---- */

/* "…: failed to resolve reference "x:1": x:1: not found" ends with what matters. */
static struct ty_str last_part(struct ty_str message)
{
    for (size_t i = message.n; i >= 2; i--)
        if (message.p[i - 2] == ':' && message.p[i - 1] == ' ')
            return (struct ty_str){ message.p + i, message.n - i };
    return ty_str_starts(message, TY_LIT("Back-off")) ? (struct ty_str){ 0 } : message;
}

static const struct waiting_reason {
    const char *from;
    bool image, final;
} waiting[] = {
    { "ErrImagePull", true, false },
    { "ImagePullBackOff", true, false },
    { "InvalidImageName", true, true },
    { "ErrImageNeverPull", true, true },
    { "ImageInspectError", true, false },
    { "RegistryUnavailable", true, false },
    { "SignatureValidationFailed", true, true },
    { "CreateContainerConfigError", false, true },
    { "CreateContainerError", false, true },
    { "RunContainerError", false, true },
};

static const struct waiting_reason *find_waiting(struct ty_str reason)
{
    for (size_t i = 0; i < TY_COUNT(waiting); i++)
        if (ty_str_is(reason, waiting[i].from))
            return &waiting[i];
    return NULL;
}

/* What a registry says of an image that is not there, or not for us. */
static bool is_final_pull(struct ty_str message)
{
    static const char *const words[] = { "not found", "denied", "nauthorized", "authorization" };

    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (ty_str_contains(message, ty_str(words[i])))
            return true;
    return false;
}

static bool find_wait(struct problem_reader *r, bool init)
{
    const struct ty_json *list =
        ty_json_at(r->pod, init ? "status.initContainerStatuses" : "status.containerStatuses");

    ty_each_item (it, list) {
        struct ty_str name = ty_json_str_at(*it, "name"),
                      message = ty_json_str_at(*it, "state.waiting.message");
        const struct waiting_reason *w = find_waiting(ty_json_str_at(*it, "state.waiting.reason"));
        if (!w)
            continue;
        if (!w->image)
            return tell(r, "CreateContainer", w->final,
                        ty_arena_printf(r->a, "%s: container %s cannot be created", r->node,
                                        ty_pod_failure_clean(r->a, name, 63)),
                        ty_pod_failure_start_message(message));
        struct ty_str image = ty_json_str_at(ty_pod_failure_spec(r->pod, init, name), "image");
        return tell(r, "ImagePull", w->final || is_final_pull(message),
                    ty_arena_printf(r->a, "%s: image %s cannot be pulled", r->node,
                                    ty_pod_failure_clean(
                                        r->a, image.n ? image : ty_json_str_at(*it, "image"), 200)),
                    last_part(message));
    }
    return false;
}

/* ---- pods without a node ---- */

/* Copies those items of "A, B, C" that are about missing resources, or those that are not. */
static void add_items(struct ty_str list, bool missing, struct ty_buf *out)
{
    for (size_t from = 0, i = 0; i <= list.n; i++) {
        bool cut = i + 1 < list.n && list.p[i] == ',' && list.p[i + 1] == ' ';
        struct ty_str item = { list.p + from, i - from };
        if (!cut && i < list.n)
            continue;
        if (ty_str_contains(item, TY_LIT("Insufficient ")) == missing && item.n > 0) {
            if (out->n > 0)
                ty_buf_cstr(out, ", ");
            ty_buf_add(out, item);
        }
        from = i + 2;
        i++;
    }
}

static bool find_unschedulable(struct problem_reader *r)
{
    enum { MOST = 4096 };
    const struct ty_json *c = find_condition(r->pod, "PodScheduled");
    struct ty_str message = ty_str_head(ty_json_str_at(c, "message"), MOST), head, tail;
    ty_auto_buf items = { 0 };

    if (!ty_str_is(ty_json_str_at(c, "status"), "False") ||
        !ty_str_is(ty_json_str_at(c, "reason"), "Unschedulable"))
        return false;
    /* The sentence after it is about preemption and claims. */
    for (size_t i = 0; i < message.n; i++)
        if (message.p[i] == '.' && (i + 1 == message.n || message.p[i + 1] == ' '))
            message.n = i;
    tail = ty_str_cut(message, ':', &head);
    if (!ty_str_ends(head, TY_LIT("nodes are available"))) {
        tail = message;
        head.n = 0;
    }
    add_items(ty_str_trim(tail), true, &items);
    add_items(ty_str_trim(tail), false, &items);
    const char *text = ty_arena_cstr(r->a, ty_buf_str(&items));
    if (head.n > 0)
        text = ty_arena_printf(r->a, "%s: %s", ty_arena_cstr(r->a, head), text);
    return tell(r, "Unschedulable", false, ty_arena_printf(r->a, "%s cannot be scheduled", r->node),
                ty_str(text));
}

bool ty_pod_failure_problem(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                            struct ty_pod_problem *ret)
{
    struct problem_reader r = { a, pod, ty_pod_failure_node(a, pod, job), ret };

    if (ty_str_is(ty_json_str_at(pod, "status.phase"), "Succeeded"))
        return false;
    if (find_outside(&r) || find_end(&r, job))
        return true;
    if (ty_json_at(pod, "metadata.deletionTimestamp"))
        return false; /* nobody waits for it any more */
    return find_wait(&r, true) || find_wait(&r, false) || find_unschedulable(&r);
}
