/* A small world for the tests of the Job pass: one Job, its pods as objects, a clock. It carries
 * out the changes of a pass, and the test plays what pods do. */
#ifndef TY_ENGINE_JOB_JOB_TESTING_H
#define TY_ENGINE_JOB_JOB_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/changes.h"
#include "engine/job/job.h"
#include "engine/job/job_spec.h"
#include "engine/pod/pod_summary.h"
#include "trainer/trainjob_reconcile.h"
#include "json/json_testing.h"
#include "json/patch.h"

#define CEILING ((size_t)256 << 20)
#define T0      1767225600 /* 2026-01-01T00:00:00Z */
#define PODS    1200

struct job_fixture {
    struct ty_arena *a;
    struct ty_json *job;
    struct ty_json *pods[PODS];
    size_t n;
    int64_t now;
    uint64_t seed;
    unsigned uids;
    bool job_gone;
    struct ty_changes last;
    size_t created, deleted, updated, told; /* by the last pass; told: STATUS */
};

TY_UNUSED static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

TY_UNUSED static void is_text(struct ty_str got, const char *want)
{
    if (!ty_str_is(got, want))
        fail_msg("got '%.*s', wanted '%s'", TY_ARG(got), want);
}

TY_UNUSED static struct ty_json *parse(struct ty_arena *a, const char *text)
{
    return json_of(a, text);
}

/* A Job whose spec is `spec` (single quotes), defaulted and checked. */
TY_UNUSED static void fixture_init(struct job_fixture *w, const char *spec)
{
    struct ty_json *job;

    memset(w, 0, sizeof(*w));
    w->a = ty_arena_new(CEILING);
    w->now = T0;
    w->seed = 42;
    job = parse(w->a, "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'my-job',"
                      "'namespace':'default','uid':'job-uid'},'spec':{'template':{'spec':"
                      "{'restartPolicy':'Never','containers':[{'name':'main-container',"
                      "'image':'x'}]}}}}");
    ty_json_set(w->a, job, "spec",
                ty_patch_merge(w->a, ty_json_get(job, "spec"), parse(w->a, spec)));
    ty_job_default(w->a, job);
    struct ty_errs errs = { .arena = w->a };
    ty_job_validate(w->a, job, NULL, &errs);
    if (errs.n)
        fail_msg("%s", ty_errs_text(w->a, &errs));
    w->job = job;
}

TY_UNUSED static void fixture_done(struct job_fixture *w)
{
    ty_arena_free(w->a);
}
#define auto_job_fixture TY_AUTO(fixture_done) struct job_fixture

TY_UNUSED static struct ty_json *time_json(struct job_fixture *w, int64_t s)
{
    return ty_json_str(w->a, ty_time_text(w->a, s));
}

/* A pod that is simply there; index -1 none. Gives its place. */
TY_UNUSED static size_t put_pod(struct job_fixture *w, int64_t index, const char *phase)
{
    struct ty_json *pod = parse(w->a, "{'metadata':{'annotations':{}},'spec':{},'status':{}}");
    struct ty_json *meta = ty_json_get(pod, "metadata");

    ty_json_set(w->a, meta, "name", ty_json_strf(w->a, "mypod-%zu", w->n));
    ty_json_set(w->a, meta, "uid", ty_json_strf(w->a, "uid-%u", w->uids++));
    ty_json_set(w->a, meta, "creationTimestamp", time_json(w, w->now));
    if (index >= 0)
        ty_json_set(w->a, ty_json_get(meta, "annotations"), TY_ANN_INDEX,
                    ty_json_strf(w->a, "%lld", (long long)index));
    ty_json_set(w->a, ty_json_get(pod, "status"), "phase", ty_json_cstr(w->a, phase));
    assert_true(w->n < PODS);
    w->pods[w->n] = pod;
    return w->n++;
}

TY_UNUSED static void set_annotation(struct job_fixture *w, size_t i, const char *key,
                                     const char *value)
{
    ty_json_set(w->a, ty_json_at(w->pods[i], "metadata.annotations"), key,
                ty_json_cstr(w->a, value));
}

TY_UNUSED static struct ty_json *status_of(struct job_fixture *w, size_t i)
{
    return ty_json_ensure_object(w->a, w->pods[i], "status");
}

TY_UNUSED static void set_condition(struct job_fixture *w, size_t i, const char *type,
                                    const char *status)
{
    ty_condition_set(w->a, status_of(w, i), type, status, TY_LIT("Test"), TY_LIT(""),
                     ty_time_text(w->a, w->now));
}

TY_UNUSED static void set_running(struct job_fixture *w, size_t i, bool ready)
{
    ty_json_set(w->a, status_of(w, i), "phase", ty_json_cstr(w->a, "Running"));
    set_condition(w, i, "Ready", ready ? "True" : "False");
}

/* list: containerStatuses or initContainerStatuses */
TY_UNUSED static void container_ends(struct job_fixture *w, size_t i, const char *list,
                                     const char *container, int code)
{
    struct ty_json *c = ty_json_object(w->a);
    struct ty_json *end =
        ty_json_ensure_object(w->a, ty_json_ensure_object(w->a, c, "state"), "terminated");

    ty_json_set(w->a, c, "name", ty_json_cstr(w->a, container));
    ty_json_set(w->a, end, "exitCode", ty_json_int(w->a, code));
    ty_json_set(w->a, end, "finishedAt", time_json(w, w->now));
    ty_json_push(w->a, ty_json_ensure_array(w->a, status_of(w, i), list), c);
}

TY_UNUSED static void finish_pod(struct job_fixture *w, size_t i, int code)
{
    container_ends(w, i, "containerStatuses", "main-container", code);
    ty_json_set(w->a, status_of(w, i), "phase", ty_json_cstr(w->a, code ? "Failed" : "Succeeded"));
    set_condition(w, i, "Ready", "False");
}

TY_UNUSED static void add_restarts(struct job_fixture *w, size_t i, int64_t count)
{
    struct ty_json *list = ty_json_ensure_array(w->a, status_of(w, i), "containerStatuses");
    struct ty_json *c = parse(w->a, "{'name':'main-container','state':{'running':{}}}");

    ty_json_set(w->a, c, "restartCount", ty_json_int(w->a, count));
    ty_json_push(w->a, list, c);
}

TY_UNUSED static void delete_pod(struct job_fixture *w, size_t i)
{
    ty_json_set(w->a, ty_json_get(w->pods[i], "metadata"), "deletionTimestamp",
                time_json(w, w->now + 30));
    ty_json_set(w->a, ty_json_get(w->pods[i], "metadata"), "deletionGracePeriodSeconds",
                ty_json_int(w->a, 30));
}

/* Pods that are being deleted end and are gone. */
TY_UNUSED static void remove_deleted_pods(struct job_fixture *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        if (!ty_json_at(w->pods[i], "metadata.deletionTimestamp"))
            w->pods[n++] = w->pods[i];
    w->n = n;
}

static size_t place_of(struct job_fixture *w, struct ty_str name)
{
    for (size_t i = 0; i < w->n; i++)
        if (ty_str_eq(ty_json_str_at(w->pods[i], "metadata.name"), name))
            return i;
    fail_msg("no pod %.*s", TY_ARG(name));
    return 0;
}

static void add_created_pod(struct job_fixture *w, struct ty_json *shared)
{
    struct ty_json *pod = ty_json_copy(w->a, shared, 0); /* pods of a pass share nodes */
    struct ty_json *meta = ty_json_get(pod, "metadata");

    ty_json_set(w->a, meta, "uid", ty_json_strf(w->a, "uid-%u", w->uids++));
    ty_json_set(w->a, meta, "creationTimestamp", time_json(w, w->now));
    (void)ty_json_ensure_object(w->a, meta, "annotations");
    ty_json_set(w->a, pod, "status", parse(w->a, "{'phase':'Pending'}"));
    assert_true(w->n < PODS);
    w->pods[w->n++] = pod;
}

static void apply_change(struct job_fixture *w, const struct ty_change *c)
{
    if (c->kind == &ty_kind_job) {
        w->told += c->op == TY_CHANGE_STATUS;
        assert_true(!c->obj || ty_kind_of(c->obj) == &ty_kind_job);
        if (c->op == TY_CHANGE_STATUS)
            w->job = c->obj;
        else
            w->job_gone = true;
        return;
    }
    assert_ptr_equal(c->kind, &ty_kind_pod);
    if (c->obj)
        assert_ptr_equal(ty_kind_of(c->obj), &ty_kind_pod);
    is_text(c->ns, "default");
    if (c->op == TY_CHANGE_CREATE) {
        w->created++;
        add_created_pod(w, c->obj);
    } else if (c->op == TY_CHANGE_UPDATE) {
        size_t i = place_of(w, c->name);
        w->updated++;
        w->pods[i] = ty_json_copy(w->a, ty_patch_merge(w->a, w->pods[i], c->obj), 0);
    } else {
        w->deleted++;
        delete_pod(w, place_of(w, c->name));
    }
}

/* One pass, carried out. */
TY_UNUSED static void reconcile(struct job_fixture *w)
{
    struct ty_pod_summary *seen = ty_new_n(w->a, struct ty_pod_summary, w->n);

    for (size_t i = 0; i < w->n; i++)
        ty_pod_summary_read(w->a, w->pods[i], &seen[i]);
    struct ty_job_observed in = { w->job, seen, w->n, w->now, w->seed++ };
    w->created = w->deleted = w->updated = w->told = 0;
    ty_changes_init(&w->last, w->a);
    ty_job_reconcile(w->a, &in, &w->last);
    for (const struct ty_change *c = w->last.first; c; c = c->next)
        apply_change(w, c);
}

TY_UNUSED static int64_t stat_int(struct job_fixture *w, const char *key)
{
    int64_t v = 0;

    (void)ty_json_int_at(ty_json_get(w->job, "status"), key, &v);
    return v;
}

TY_UNUSED static struct ty_str stat_text(struct job_fixture *w, const char *key)
{
    return ty_json_str_at(ty_json_get(w->job, "status"), key);
}

TY_UNUSED static void assert_counts(struct job_fixture *w, int64_t active, int64_t succeeded,
                                    int64_t failed)
{
    if (stat_int(w, "active") != active || stat_int(w, "succeeded") != succeeded ||
        stat_int(w, "failed") != failed)
        fail_msg("wanted active %d succeeded %d failed %d, got %.*s", (int)active, (int)succeeded,
                 (int)failed, TY_ARG(ty_json_text(w->a, ty_json_get(w->job, "status"))));
}

/* The condition is True with this reason (and message, if not NULL); reason NULL: it is not True.
 */
TY_UNUSED static void assert_condition(struct job_fixture *w, const char *type, const char *reason,
                                       const char *message)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(w->job, "status"), type);

    if (!reason) {
        if (ty_str_is(ty_json_str_at(c, "status"), "True"))
            fail_msg("%s is True: %.*s", type, TY_ARG(ty_json_str_at(c, "reason")));
        return;
    }
    if (!c)
        fail_msg("no condition %s", type);
    is_text(ty_json_str_at(c, "status"), "True");
    is_text(ty_json_str_at(c, "reason"), reason);
    if (message)
        is_text(ty_json_str_at(c, "message"), message);
}

TY_UNUSED static size_t count_events(struct job_fixture *w, const char *reason, const char *message)
{
    size_t n = 0;

    for (const struct ty_pending_event *e = w->last.events; e; e = e->next)
        n += strcmp(e->reason, reason) == 0 && (!message || strcmp(e->message, message) == 0);
    return n;
}

TY_UNUSED static bool is_deleted(struct job_fixture *w, size_t i)
{
    return ty_json_at(w->pods[i], "metadata.deletionTimestamp") != NULL;
}

TY_UNUSED static int64_t index_of(struct job_fixture *w, size_t i)
{
    struct ty_pod_summary seen;

    ty_pod_summary_read(w->a, w->pods[i], &seen);
    return seen.index;
}

#endif
