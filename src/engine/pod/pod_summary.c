/* Reduces a Pod object to the fields that its Job needs. Called once per change of a pod, so that a
 * pass over thousands of pods reads only small structs. */
#include "engine/pod/pod_summary.h"

#include "trainer/trainjob_reconcile.h"

static enum ty_pod_phase phase_of(struct ty_str text)
{
    if (ty_str_is(text, "Running"))
        return TY_RUNNING;
    if (ty_str_is(text, "Succeeded"))
        return TY_SUCCEEDED;
    if (ty_str_is(text, "Failed"))
        return TY_FAILED;
    return TY_PENDING;
}

/* An annotation that is a number from 0 to max; else `otherwise`. */
static int64_t number_of(const struct ty_json *annotations, const char *key, int64_t max,
                         int64_t otherwise)
{
    int64_t v;

    if (!ty_str_parse_i64(ty_json_as_str(ty_json_get(annotations, key)), &v) || v < 0 || v > max)
        return otherwise;
    return v;
}

static int64_t time_at(const struct ty_json *obj, const char *path)
{
    int64_t s = 0;

    (void)ty_time_parse(ty_json_str_at(obj, path), &s);
    return s;
}

static void read_conditions(struct ty_arena *a, const struct ty_json *conditions,
                            struct ty_pod_summary *ret, int64_t *ret_unready_s)
{
    struct ty_pod_summary_condition *v =
        ty_new_n(a, struct ty_pod_summary_condition, ty_json_len(conditions));

    ret->conditions = v;
    ty_each_item (it, conditions) {
        struct ty_pod_summary_condition c = { ty_json_str_at(*it, "type"),
                                              ty_json_str_at(*it, "status") };
        bool on = ty_str_is(c.status, "True");
        if (ty_str_is(c.type, "Ready")) {
            ret->ready = on;
            ret->ready_s = on ? time_at(*it, "lastTransitionTime") : 0;
            if (ty_str_is(c.status, "False"))
                *ret_unready_s = time_at(*it, "lastTransitionTime");
        } else if (ty_str_is(c.type, "DisruptionTarget")) {
            ret->disrupted = on;
        }
        v[ret->n_conditions++] = c;
    }
}

/* Restarts of all containers, and the exits of those that ended badly. */
static void read_containers(const struct ty_json *statuses, bool init, struct ty_pod_summary *ret,
                            struct ty_pod_summary_exit *exits)
{
    ty_each_item (it, statuses) {
        int64_t restarts = 0, code = 0;
        (void)ty_json_int_at(*it, "restartCount", &restarts);
        ret->restarts += restarts;
        if (ty_json_int_at(*it, "state.terminated.exitCode", &code) && code != 0)
            exits[ret->n_exits++] =
                (struct ty_pod_summary_exit){ ty_json_str_at(*it, "name"), (int)code, init };
    }
}

static bool is_sidecar(const struct ty_json *pod, struct ty_str container)
{
    const struct ty_json *c =
        ty_json_find_item(ty_json_at(pod, "spec.initContainers"), "name", container, NULL);
    return ty_str_is(ty_json_str_at(c, "restartPolicy"), "Always");
}

/* The latest finish of these containers and `latest`; 0 while one of them has not finished. Of init
 * containers only sidecars count: they end after the others. */
static int64_t finish_of(const struct ty_json *pod, const struct ty_json *statuses, bool init,
                         int64_t latest)
{
    ty_each_item (it, statuses) {
        if (init && !is_sidecar(pod, ty_json_str_at(*it, "name")))
            continue;
        int64_t s = time_at(*it, "state.terminated.finishedAt");
        if (s == 0)
            return 0;
        latest = s > latest ? s : latest;
    }
    return latest;
}

static int64_t finish_time_s(const struct ty_json *pod, const struct ty_pod_summary *seen,
                             int64_t unready_s)
{
    const struct ty_json *main = ty_json_at(pod, "status.containerStatuses");
    const struct ty_json *init = ty_json_at(pod, "status.initContainerStatuses");
    int64_t s = finish_of(pod, init, true, finish_of(pod, main, false, 0));

    if (s == 0)
        s = unready_s;
    if (s == 0)
        s = seen->deleted_s;
    return s ? s : seen->created_s;
}

void ty_pod_summary_read(struct ty_arena *a, const struct ty_json *pod, struct ty_pod_summary *ret)
{
    const struct ty_json *meta = ty_json_get(pod, "metadata");
    const struct ty_json *notes = ty_json_get(meta, "annotations");
    const struct ty_json *main = ty_json_at(pod, "status.containerStatuses");
    const struct ty_json *init = ty_json_at(pod, "status.initContainerStatuses");
    struct ty_pod_summary_exit *exits =
        ty_new_n(a, struct ty_pod_summary_exit, ty_json_len(main) + ty_json_len(init));
    int64_t unready_s = 0, grace_s = 0;

    *ret = (struct ty_pod_summary){
        .name = ty_json_str_at(meta, "name"),
        .uid = ty_json_str_at(meta, "uid"),
        .phase = phase_of(ty_json_str_at(pod, "status.phase")),
        .index = number_of(notes, TY_ANN_INDEX, INT32_MAX, -1),
        .deleting = ty_json_get(meta, "deletionTimestamp") != NULL,
        .counted = ty_json_get(notes, TY_ANN_COUNTED) != NULL,
        .counted_at = number_of(notes, TY_ANN_COUNTED, INT64_MAX - 1, 0),
        .failures = number_of(notes, TY_ANN_FAILED, INT32_MAX, 0),
        .ignored = number_of(notes, TY_ANN_IGNORED, INT32_MAX, 0),
        .announced = ty_json_get(notes, TY_ANN_BACKOFF) != NULL,
        .created_s = time_at(meta, "creationTimestamp"),
        .exits = exits,
    };
    (void)ty_json_int_at(meta, "deletionGracePeriodSeconds", &grace_s);
    if (ret->deleting)
        ret->deleted_s = time_at(meta, "deletionTimestamp") - grace_s;
    read_conditions(a, ty_json_at(pod, "status.conditions"), ret, &unready_s);
    read_containers(main, false, ret, exits);
    read_containers(init, true, ret, exits);
    if (ret->deleting || ret->phase >= TY_SUCCEEDED)
        ret->finished_s = finish_time_s(pod, ret, unready_s);
}
