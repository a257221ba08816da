/* Test fixture: the controllers over a loopback server with scripted answers (store/api_testing.h).
 * Tests with a real API server are in tests/operator. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_TESTING_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_TESTING_H

#include "controller/trainjob_controller_inner.h"
#include "store/api_testing.h"

#include <sys/mman.h>

#define CONTROLLER_GROUP      "/apis/trainer.kubeflow.org/v1alpha1"
#define CONTROLLER_LIST(item) "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" item "]}"
#define CONTROLLER_JOB_WITH(version, meta, more)                                                   \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\",\"resourceVersion\":"       \
    "\"" version "\",\"generation\":1" meta                                                        \
    "},\"spec\":{\"suspend\":true,\"managedBy\":\"trainer.kubeflow.org/"                           \
    "trainjob-controller\",\"runtimeRef\":{\"name\":\"rt\",\"kind\":\"ClusterTrainingRuntime\","   \
    "\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}}" more "}"
#define CONTROLLER_JOB                   CONTROLLER_JOB_WITH("7", "", "")
#define CONTROLLER_JOB_AT(version, meta) CONTROLLER_JOB_WITH(version, meta, "")
#define CONTROLLER_JOB_AND(more)         CONTROLLER_JOB_WITH("7", "", more)
/* Not suspended, and with a deadline. */
#define CONTROLLER_JOB_UNTIL_2150(version)                                                         \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\",\"resourceVersion\":"       \
    "\"" version "\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{"                   \
    "\"activeDeadlineSeconds\":4000000000,\"runtimeRef\":{\"name\":\"rt\",\"kind\":"               \
    "\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}}}"
#define CONTROLLER_RUNTIME                                                                         \
    "{\"metadata\":{\"name\":\"rt\",\"uid\":\"u2\",\"resourceVersion\":\"5\"},\"spec\":{"          \
    "\"template\":{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"template\":{\"metadata\":{"  \
    "\"labels\":{\"trainer.kubeflow.org/trainjob-ancestor-step\":\"trainer\"}},\"spec\":{"         \
    "\"template\":{\"spec\":{\"containers\":[{\"name\":\"node\",\"image\":\"i\"}]}}}}}]}}}}"
/* A cluster with one suspended TrainJob and its runtime. */
#define CONTROLLER_ONE_JOB                                                                         \
    { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(CONTROLLER_JOB) },          \
    {                                                                                              \
        "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,                             \
            CONTROLLER_LIST(CONTROLLER_RUNTIME)                                                    \
    }
/* The writes that it needs, in order. */
#define CONTROLLER_APPLY_SNAPSHOT "PATCH /api/v1/namespaces/ns/configmaps/j-runtime-snapshot"
#define CONTROLLER_APPLY_JOBSET   "PATCH /apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets/j"
#define CONTROLLER_PATCH_STATUS   "PATCH " CONTROLLER_GROUP "/namespaces/ns/trainjobs/j/status"
/* Each write answered as requested. */
#define CONTROLLER_SNAPSHOT_APPLIED                                                                \
    {                                                                                              \
        CONTROLLER_APPLY_SNAPSHOT, API_PATCHED, "{\"metadata\":{\"uid\":\"c1\"}}"                  \
    }
#define CONTROLLER_JOBSET_APPLIED                                                                  \
    {                                                                                              \
        CONTROLLER_APPLY_JOBSET, API_PATCHED, "{\"metadata\":{\"uid\":\"s1\"}}"                    \
    }
#define CONTROLLER_STATUS_PATCHED                                                                  \
    {                                                                                              \
        CONTROLLER_PATCH_STATUS, API_PATCHED, CONTROLLER_JOB                                       \
    }
/* One job, and all of its writes succeed. */
static const struct api_row controller_rows[] = {
    CONTROLLER_ONE_JOB,
    CONTROLLER_SNAPSHOT_APPLIED,
    CONTROLLER_JOBSET_APPLIED,
    CONTROLLER_STATUS_PATCHED,
    { 0 },
};
#define CONTROLLER_REFUSAL(code, reason)                                                           \
    "{\"kind\":\"Status\",\"code\":" #code ",\"reason\":\"" reason "\",\"message\":\"because\"}"

struct controller_fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_arena *a;
    struct ty_pipeline pipeline;
    struct ty_settings settings;
    struct ty_trainjob_controller_settings s;
    struct ty_trainjob_controller *controller;
    uv_timer_t patience;
    int idle, synced;
    int (*enough)(struct controller_fixture *w);
    struct ty_log log;
    int log_fd;
};

static inline void controller_check_enough(struct controller_fixture *w)
{
    if (w->enough && w->enough(w))
        uv_stop(&w->loop);
}

static inline void controller_on_idle(void *ctx)
{
    struct controller_fixture *w = ctx;

    w->idle++;
    controller_check_enough(w);
}

static inline void controller_on_synced(void *ctx)
{
    struct controller_fixture *w = ctx;

    w->synced++;
}

static inline int controller_setup(void **state)
{
    struct controller_fixture *w = calloc(1, sizeof(*w));
    struct ty_log_settings log = ty_log_default;
    struct ty_err err = { 0 };

    assert_non_null(w);
    w->a = ty_arena_new((size_t)64 << 20);
    w->settings = ty_settings_default;
    assert_int_equal(ty_pipeline_init(&w->pipeline, NULL, NULL, NULL, &err), 0);
    uv_loop_init(&w->loop);
    api_begin(&w->api, &w->loop);
    w->log_fd = memfd_create("log", MFD_CLOEXEC);
    log.fd = w->log_fd;
    w->log = (struct ty_log){ ty_log_open(&log), NULL };
    w->s = (struct ty_trainjob_controller_settings){ .loop = &w->loop,
                                                     .kube = w->api.kube,
                                                     .log = &w->log,
                                                     .pipeline = &w->pipeline,
                                                     .settings = &w->settings,
                                                     .idle = controller_on_idle,
                                                     .synced = controller_on_synced,
                                                     .ctx = w };
    *state = w;
    return 0;
}

/* The log so far. */
static inline const char *controller_log(struct controller_fixture *w)
{
    char *text = ty_arena_alloc(w->a, 65536, 1);
    ssize_t n = pread(w->log_fd, text, 65535, 0);

    text[n > 0 ? n : 0] = 0;
    return text;
}

static inline void controller_on_tick(uv_timer_t *t)
{
    controller_check_enough(t->data);
}

/* Runs the loop until enough() is true; the test runner ends a test that waits too long. */
static inline void controller_run_until(struct controller_fixture *w,
                                        int (*enough)(struct controller_fixture *w))
{
    w->enough = enough;
    uv_timer_init(&w->loop, &w->patience);
    w->patience.data = w;
    uv_timer_start(&w->patience, controller_on_tick, 5, 5);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&w->patience, NULL);
    uv_run(&w->loop, UV_RUN_NOWAIT);
    w->enough = NULL;
}

static inline int controller_is_synced(struct controller_fixture *w)
{
    return ty_trainjob_controller_synced(w->controller);
}

/* Failed reconciles of TrainJobs. */
static inline uint64_t controller_errors(const struct controller_fixture *w)
{
    return w->controller->kind_counts[TY_CONTROLLER_TRAINJOB].error;
}

static inline size_t controller_queue_depth(const struct controller_fixture *w)
{
    size_t n = 0;

    for (int i = 0; i < TY_QUEUE_KINDS; i++)
        n += ty_queue_kind(w->controller->queue, i)->depth;
    return n;
}

/* A key is delayed or in a back-off. */
static inline bool controller_queue_delayed(const struct controller_fixture *w)
{
    return ty_queue_tick(w->controller->queue, (int64_t)uv_now(w->s.loop)) >= 0;
}

/* A reconcile has run and its writes are answered. */
static inline int controller_reconciled(struct controller_fixture *w)
{
    return w->controller->counts.reconciles > 0 && ty_trainjob_controller_idle(w->controller);
}

static inline int controller_teardown(void **state)
{
    struct controller_fixture *w = *state;

    ty_trainjob_controller_free(w->controller);
    api_end(&w->api);
    loop_end(&w->loop);
    ty_log_close(w->log.out);
    close(w->log_fd);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

#define CONTROLLER_TEST(fn)                                                                        \
    cmocka_unit_test_setup_teardown(fn, controller_setup, controller_teardown)

#endif
