/* Test fixture: the watch beside the controllers, over the loopback server of
 * controller/trainjob_controller_testing.h. Tests with a real API server are in tests/operator. */
#ifndef TY_FAILURE_FAILURE_WATCH_TESTING_H
#define TY_FAILURE_FAILURE_WATCH_TESTING_H

#include "controller/trainjob_controller_testing.h"
#include "failure/failure_watch_inner.h"

#define WATCH_NOW   1767323100 /* 2026-01-02T03:05:00Z */
#define WATCH_WORDS "jobset failed due to one or more job failures"
#define WATCH_FAILED                                                                               \
    "{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"FailedJobs\",\"message\":\"%s\","       \
    "\"lastTransitionTime\":\"2026-01-02T03:04:59Z\"}"
#define WATCH_JOBSET(conditions)                                                                   \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s1\",\"resourceVersion\":\"6\"," \
    "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":"             \
    "\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},\"spec\":{\"suspend\":"     \
    "false},\"status\":{\"conditions\":[" conditions "]}}"
#define WATCH_PODS     "GET /api/v1/pods?labelSelector=jobset.sigs.k8s.io%2Fjobset-name"
#define WATCH_LOG(pod) "GET /api/v1/namespaces/ns/pods/" pod "/log"
#define WATCH_EVENTS   "POST /apis/events.k8s.io/v1/namespaces/ns/events"

/* state: of its container, JSON. */
static inline const char *watch_pod(struct ty_arena *a, const char *name, const char *index,
                                    const char *meta, const char *version, const char *status)
{
    return ty_arena_printf(
        a,
        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"uid-of-%s\","
        "\"resourceVersion\":\"%s\"%s,\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"j-node-0\","
        "\"controller\":true}],\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"j\","
        "\"jobset.sigs.k8s.io/jobset-uid\":\"s1\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"node\",\"jobset.sigs.k8s.io/job-index\":"
        "\"0\",\"jobset.sigs.k8s.io/restart-attempt\":\"0\","
        "\"batch.kubernetes.io/job-completion-index\":\"%s\"},\"annotations\":{"
        "\"batch.kubernetes.io/job-completion-index\":\"%s\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"node\"}]},\"status\":%s}",
        name, name, version, meta, index, index, status);
}

#define WATCH_RUNNING                                                                              \
    "{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":0,"         \
    "\"state\":{\"running\":{\"startedAt\":\"2026-01-02T03:04:50Z\"}}}]}"
#define WATCH_EXITED(code)                                                                         \
    "{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":0,"          \
    "\"state\":{\"terminated\":{\"exitCode\":" #code ",\"reason\":\"Error\",\"startedAt\":"        \
    "\"2026-01-02T03:04:50Z\",\"finishedAt\":\"2026-01-02T03:04:58Z\"}}}]}"

struct watch_fixture {
    struct controller_fixture *w; /* its settings' ctx is this fixture */
    struct ty_failure_watch *watch;
    struct ty_events *events;
};

static inline int64_t watch_now_s(void *ctx TY_UNUSED)
{
    return WATCH_NOW;
}

static inline struct ty_str watch_on_note(void *ctx, const struct ty_cached *job)
{
    const struct watch_fixture *f = ctx;

    return ty_failure_watch_note(f->watch, job);
}

static inline void watch_on_reconciled(void *ctx, const struct ty_cached *job,
                                       const struct ty_cached *jobset, bool initial)
{
    struct watch_fixture *f = ctx;

    ty_failure_watch_reconciled(f->watch, job, jobset, initial);
}

static inline void watch_on_deleted(void *ctx, struct ty_str ns, struct ty_str name)
{
    struct watch_fixture *f = ctx;

    ty_failure_watch_deleted(f->watch, ns, name);
}

static inline void watch_on_synced(void *ctx)
{
    struct watch_fixture *f = ctx;

    ty_failure_watch_synced(f->watch);
}

static inline int watch_setup(void **state)
{
    struct watch_fixture *f = calloc(1, sizeof(*f));
    void *made = NULL;

    assert_non_null(f);
    assert_int_equal(controller_setup(&made), 0);
    f->w = made;
    f->events = ty_events_new(&(struct ty_events_settings){
        .loop = &f->w->loop, .kube = f->w->api.kube, .host = "here" });
    f->w->s.events = f->events;
    f->w->s.ctx = f;
    f->w->s.idle = NULL;
    f->w->s.synced = watch_on_synced;
    f->w->s.failure_note = watch_on_note;
    f->w->s.reconciled = watch_on_reconciled;
    f->w->s.deleted = watch_on_deleted;
    *state = f;
    return 0;
}

static inline void watch_begin(struct watch_fixture *f, const struct api_row *rows)
{
    f->w->api.rows = rows;
    f->w->controller = ty_trainjob_controller_new(&f->w->s);
    f->watch =
        ty_failure_watch_new(&(struct ty_failure_watch_settings){ .loop = &f->w->loop,
                                                                  .kube = f->w->api.kube,
                                                                  .log = &f->w->log,
                                                                  .controller = f->w->controller,
                                                                  .now_s = watch_now_s });
    ty_trainjob_controller_lead(f->w->controller);
    ty_failure_watch_lead(f->watch);
}

static inline int watch_teardown(void **state)
{
    struct watch_fixture *f = *state;
    void *made = f->w;

    ty_failure_watch_free(f->watch);
    ty_trainjob_controller_free(f->w->controller);
    f->w->controller = NULL;
    ty_events_free(f->events);
    free(f);
    return controller_teardown(&made);
}

static inline struct watch_fixture *watch_of(const struct controller_fixture *w)
{
    return w->s.ctx;
}

/* The message of Failed in the cache. */
static inline struct ty_str watch_message(const struct controller_fixture *w)
{
    if (!w->controller)
        return (struct ty_str){ "", 0 };
    const struct ty_cached *o =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));
    const struct ty_json *status = o ? ty_json_get(ty_cache_parse(w->a, o), "status") : NULL;

    return ty_json_str_at(ty_condition_find(status, "Failed"), "message");
}

#define WATCH_TEST(fn) cmocka_unit_test_setup_teardown(fn, watch_setup, watch_teardown)

#endif
