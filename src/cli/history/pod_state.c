/* State of a pod and of its containers, from the pod's status. */
#include "cli/history/pod_state.h"
#include "trainer/condition.h"

const char *ty_pod_state_container(struct ty_arena *a, const struct ty_json *status, bool cut_off)
{
    struct ty_str ended = ty_json_str_at(status, "state.terminated.reason"),
                  waits = ty_json_str_at(status, "state.waiting.reason");

    if (ended.n)
        return ty_arena_cstr(a, ended);
    if (ty_json_at(status, "state.running"))
        return cut_off ? "Interrupted" : "Running";
    if (cut_off)
        return ty_json_at(status, "lastState.terminated") ? "Interrupted" : "NotStarted";
    return waits.n ? ty_arena_cstr(a, waits) : "Waiting";
}

static const char *exit_text(struct ty_arena *a, const struct ty_json *ended)
{
    int64_t code = 0, sig = 0;

    if (!ty_json_int_at(ended, "exitCode", &code))
        return "";
    if (!ty_json_int_at(ended, "signal", &sig) && code > 128 && code <= 128 + 64)
        sig = code - 128;
    return sig ? ty_arena_printf(a, "%lld (signal %lld)", (long long)code, (long long)sig)
               : ty_arena_printf(a, "%lld", (long long)code);
}

/* A restart that was stopped does not hide why it was necessary. */
const char *ty_pod_state_container_exit(struct ty_arena *a, const struct ty_json *status)
{
    const struct ty_json *ended = ty_json_at(status, "state.terminated"),
                         *before = ty_json_at(status, "lastState.terminated");
    int64_t code = 0, first = 0;

    if (!ended)
        return exit_text(a, before);
    if (ty_json_int_at(ended, "exitCode", &code) && (code == 128 + 15 || code == 128 + 9) &&
        ty_json_int_at(before, "exitCode", &first) && first != 0 && first != code)
        return ty_arena_printf(a, "%s, then %s", exit_text(a, before), exit_text(a, ended));
    return exit_text(a, ended);
}

/* The first container whose state is more specific than the phase. */
static const char *container_reason(struct ty_arena *a, const struct ty_json *list)
{
    ty_each_item (c, list) {
        struct ty_str waits = ty_json_str_at(*c, "state.waiting.reason"),
                      ended = ty_json_str_at(*c, "state.terminated.reason");
        if (waits.n)
            return ty_arena_cstr(a, waits);
        if (ended.n && !ty_str_is(ended, "Completed"))
            return ty_arena_cstr(a, ended);
    }
    return NULL;
}

const char *ty_pod_state_text(struct ty_arena *a, const struct ty_json *pod, bool cut_off,
                              bool gone)
{
    struct ty_str phase = ty_json_str_at(pod, "status.phase"),
                  reason = ty_json_str_at(pod, "status.reason");
    const char *more = container_reason(a, ty_json_at(pod, "status.containerStatuses"));

    if (ty_str_is(phase, "Succeeded"))
        return "Completed";
    if (ty_str_is(phase, "Failed"))
        return reason.n ? ty_arena_cstr(a, reason) : more ? more : "Error";
    if (cut_off)
        return ty_str_is(phase, "Running") ? "Interrupted" : "NotStarted";
    if (ty_json_at(pod, "metadata.deletionTimestamp"))
        return gone ? "Deleted" : "Terminating";
    if (more)
        return more;
    more = container_reason(a, ty_json_at(pod, "status.initContainerStatuses"));
    if (more && ty_str_is(phase, "Pending"))
        return ty_arena_printf(a, "Init:%s", more);
    return phase.n ? ty_arena_cstr(a, phase) : "Pending";
}

static int64_t restart_count(const struct ty_json *status)
{
    int64_t n = 0;

    (void)ty_json_int_at(status, "restartCount", &n);
    return n;
}

static bool is_sidecar(const struct ty_json *pod, struct ty_str name)
{
    ty_each_item (c, ty_json_at(pod, "spec.initContainers"))
        if (ty_str_eq(ty_json_str_at(*c, "name"), name))
            return ty_str_is(ty_json_str_at(*c, "restartPolicy"), "Always");
    return false;
}

int64_t ty_pod_state_restarts(const struct ty_json *pod)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(pod, "status"), "Initialized");
    bool initialized = ty_str_is(ty_json_str_at(c, "status"), "True");
    int64_t sum = 0;

    ty_each_item (s, ty_json_at(pod, "status.initContainerStatuses"))
        if (!initialized || is_sidecar(pod, ty_json_str_at(*s, "name")))
            sum += restart_count(*s);
    ty_each_item (s, ty_json_at(pod, "status.containerStatuses"))
        sum += restart_count(*s);
    return sum;
}

const char *ty_pod_state_ready(struct ty_arena *a, const struct ty_json *pod)
{
    size_t ready = 0, n = ty_json_len(ty_json_at(pod, "spec.containers"));

    ty_each_item (c, ty_json_at(pod, "status.containerStatuses"))
        ready += ty_json_true_at(*c, "ready");
    return ty_arena_printf(a, "%zu/%zu", ready, n);
}
