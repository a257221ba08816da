/* For the tests of the engine's own files: a real loop, a real zygote, a folder of the test's own,
 * and TrainJobs that run to their end. What observers are told is written down, a line each:
 *
 *   L <pod>/<container> <text>        a line of a log
 *   E <type> <reason> <name>: <text>  an event
 *   P <pod> <container> <code> <reason>   a container ended
 *   J <job> <Complete or Failed>      a TrainJob did
 */
#ifndef TY_ENGINE_ENGINE_TESTING_H
#define TY_ENGINE_ENGINE_TESTING_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"
#include "engine/engine.h"
#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/host.h"
#include "engine/preflight/preflight.h"
#include "proc/zygote.h"
#include "json/yaml.h"

enum { FIXTURE_TIMEOUT_MS = 60 * 1000 };

struct engine_fixture {
    struct ty_arena *a;
    uv_loop_t loop;
    struct ty_zygote *z;
    struct ty_pipeline pipeline;
    struct ty_settings settings;
    struct ty_engine_observer observer;
    struct ty_engine_opts o;
    struct ty_engine *e;
    struct ty_buf told, lines; /* lines: those with L, which come when they like */
    struct ty_preflight_findings findings;
    char dir[64];
    uv_timer_t patience;
    uv_check_t check;
    bool late;
    bool (*enough)(struct engine_fixture *w); /* stop here; NULL: when the engine is done */
};

static inline void fixture_line(void *ctx, const char *job, const char *pod, const char *container,
                                struct ty_str text, int64_t ms)
{
    struct engine_fixture *w = ctx;
    (void)job;
    (void)ms;
    ty_buf_printf(&w->lines, "L %s/%s %.*s\n", pod, container, TY_ARG(text));
}

static inline void fixture_event(void *ctx, const struct ty_kind *kind, const char *name,
                                 const char *type, const char *reason, const char *message,
                                 int64_t ms)
{
    struct engine_fixture *w = ctx;
    (void)kind;
    (void)ms;
    ty_buf_printf(&w->told, "E %s %s %s: %s\n", type, reason, name, message);
}

static inline void fixture_pod(void *ctx, const struct ty_pod_update *n)
{
    struct engine_fixture *w = ctx;
    if (n->container && n->exit_code >= 0)
        ty_buf_printf(&w->told, "P %s %s %d %s\n", n->pod, n->container, n->exit_code,
                      n->reason ? n->reason : "");
}

static inline void fixture_job(void *ctx, const char *name, const struct ty_json *job, int64_t ms)
{
    struct engine_fixture *w = ctx;
    (void)ms;
    ty_each_item (c, ty_json_at(job, "status.conditions"))
        if (ty_str_is(ty_json_str_at(*c, "status"), "True") &&
            !ty_str_is(ty_json_str_at(*c, "type"), "Suspended"))
            ty_buf_printf(&w->told, "J %s %.*s\n", name, TY_ARG(ty_json_str_at(*c, "type")));
}

static inline int fixture_setup(void **state)
{
    struct engine_fixture *w = calloc(1, sizeof(*w));
    struct ty_err err = { 0 };

    *state = w;
    w->a = ty_arena_new((size_t)256 << 20);
    w->findings.arena = w->a;
    if (ty_zygote_start(&w->z, &err) < 0 ||
        ty_pipeline_init(&w->pipeline, NULL, NULL, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(uv_loop_init(&w->loop), 0);
    snprintf(w->dir, sizeof(w->dir), "/tmp/trainyard-engine-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    w->observer = (struct ty_engine_observer){ .ctx = w,
                                               .pod = fixture_pod,
                                               .line = fixture_line,
                                               .event = fixture_event,
                                               .job = fixture_job };
    w->o = (struct ty_engine_opts){ .loop = &w->loop,
                                    .zygote = w->z,
                                    .pipeline = &w->pipeline,
                                    .settings = &w->settings,
                                    .dir = ty_arena_printf(w->a, "%s/run", w->dir),
                                    .claims_dir = ty_arena_printf(w->a, "%s/claims", w->dir),
                                    .program = "/bin/false",
                                    .observers = { &w->observer },
                                    .cgroup = "" };
    const char *const parts[] = { "run", "run/logs", "run/pods", "claims" };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(mkdir(ty_arena_printf(w->a, "%s/%s", w->dir, parts[i]), 0755), 0);
    ty_host_find(w->a, w->z, &w->o.host);
    return 0;
}

static inline void fixture_open(struct engine_fixture *w)
{
    struct ty_err err = { 0 };
    if (ty_engine_new(&w->o, &w->e, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void fixture_close_handle(uv_handle_t *h, void *arg)
{
    (void)arg;
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

static inline int fixture_teardown(void **state)
{
    struct engine_fixture *w = *state;

    ty_engine_free(w->e);
    uv_walk(&w->loop, fixture_close_handle, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    ty_zygote_stop(w->z);
    tree_remove(w->dir);
    ty_buf_done(&w->told);
    ty_buf_done(&w->lines);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

/* A runtime of `nodes` pods with this pod spec, and a TrainJob of it; both in YAML. `more` goes
 * into the JobSet's spec. */
static inline char *fixture_job_text(struct engine_fixture *w, const char *name, int nodes,
                                     const char *more, const char *pod)
{
    return ty_arena_printf(
        w->a,
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
        "metadata: {name: rt-%s}\nspec:\n  mlPolicy: {numNodes: %d}\n  template:\n    spec:\n"
        "%s"
        "      replicatedJobs:\n      - name: node\n        template:\n"
        "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
        "          spec:\n            backoffLimit: 0\n            template: {spec: %s}\n"
        "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: %s}\n"
        "spec: {suspend: false, runtimeRef: {name: rt-%s, kind: ClusterTrainingRuntime,"
        " apiGroup: trainer.kubeflow.org}, trainer: {}}\n",
        name, nodes, more, pod, name, name);
}

static inline int fixture_submit_text(struct engine_fixture *w, const char *text,
                                      struct ty_err *err)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err bad = { 0 };

    if (ty_yaml_parse(w->a, "test", ty_str(text), NULL, &docs, &bad) < 0)
        fail_msg("%s", bad.text);
    if (!w->e)
        fixture_open(w);
    return ty_engine_submit(w->e, (const struct ty_json *const *)docs.v, docs.n, &w->findings, err);
}

static inline void fixture_submit(struct engine_fixture *w, const char *name, int nodes,
                                  const char *pod)
{
    struct ty_err err = { 0 };
    if (fixture_submit_text(w, fixture_job_text(w, name, nodes, "", pod), &err) < 0)
        fail_msg("%s: %s", err.text, w->findings.first ? w->findings.first->text : "");
}

static inline void fixture_on_timeout(uv_timer_t *t)
{
    struct engine_fixture *w = t->data;
    w->late = true;
    uv_stop(&w->loop);
}

static inline void fixture_on_check(uv_check_t *c)
{
    struct engine_fixture *w = c->data;
    if (w->enough ? w->enough(w) : ty_engine_done(w->e))
        uv_stop(&w->loop);
}

/* Until all is over, or enough. */
static inline void fixture_run(struct engine_fixture *w)
{
    if (!w->enough && ty_engine_done(w->e))
        return; /* the loop would wait for the timeout */
    if (!w->check.data) {
        uv_check_init(&w->loop, &w->check);
        uv_timer_init(&w->loop, &w->patience);
        w->check.data = w->patience.data = w;
    }
    uv_check_start(&w->check, fixture_on_check);
    uv_timer_start(&w->patience, fixture_on_timeout, FIXTURE_TIMEOUT_MS, 0);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    if (w->late)
        fail_msg("not over in time; told so far:\n%.*s", TY_ARG(ty_buf_str(&w->told)));
}

static inline bool fixture_observed(const struct engine_fixture *w, const char *text)
{
    return ty_str_contains(ty_buf_str(&w->told), ty_str(text)) ||
           ty_str_contains(ty_buf_str(&w->lines), ty_str(text));
}

static inline size_t fixture_count(const struct engine_fixture *w, const char *text)
{
    const struct ty_buf *in[] = { &w->told, &w->lines };
    size_t n = 0, len = strlen(text);

    for (size_t i = 0; i < 2; i++)
        for (size_t at = 0; at + len <= in[i]->n; at++)
            n += memcmp(in[i]->p + at, text, len) == 0;
    return n;
}

#define assert_observed(w, text)                                                                   \
    do {                                                                                           \
        if (!fixture_observed(w, text))                                                            \
            fail_msg("not told: %s\n%.*s", text, TY_ARG(ty_buf_str(&(w)->told)));                  \
    } while (0)
#define assert_not_observed(w, text)                                                               \
    do {                                                                                           \
        if (fixture_observed(w, text))                                                             \
            fail_msg("told: %s\n%.*s", text, TY_ARG(ty_buf_str(&(w)->told)));                      \
    } while (0)
/* Of a file below the test's folder; lives with the arena, "" if there is none. */
static inline char *fixture_file(struct engine_fixture *w, const char *path)
{
    int fd = open(ty_arena_printf(w->a, "%s/%s", w->dir, path), O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char *text = ty_arena_alloc(w->a, (size_t)size + 1, 1);
    ssize_t n = fd >= 0 ? pread(fd, text, (size_t)size, 0) : 0;

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return text;
}

struct fixture_find {
    struct engine_fixture *w;
    const char *host;
    struct ty_json *pod;
};

static inline void fixture_match_pod(void *ctx, const struct ty_stored *obj)
{
    struct fixture_find *f = ctx;
    struct ty_json *pod = ty_local_read(f->w->a, obj);
    if (ty_str_is(ty_json_str_at(pod, "spec.hostname"), f->host))
        f->pod = pod;
}

/* The Pod object with this host name, or NULL. */
static inline struct ty_json *fixture_stored(struct engine_fixture *w, const char *host)
{
    struct fixture_find f = { w, host, NULL };
    ty_local_each(ty_engine_store(w->e), &ty_kind_pod, fixture_match_pod, &f);
    return f.pod;
}

/* A pod spec with one container that runs a shell script. */
#define SH(script)                                                                                 \
    "{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: main, image: x," \
    " command: [sh, -c, \"" script "\"]}]}"
#define ENGINE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

#endif
