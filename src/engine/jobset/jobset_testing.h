/* Shared by the tests of the JobSet files: JobSets to begin with, and a small world that carries
 * out what a pass wants and plays the Jobs. */
#ifndef TY_ENGINE_JOBSET_JOBSET_TESTING_H
#define TY_ENGINE_JOBSET_JOBSET_TESTING_H

#include "api/schema_testing.h"
#include "engine/changes.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_read.h"
#include "trainer/trainjob_reconcile.h" /* times */
#include "json/patch.h"

#define NOW 1700000000 /* 2023-11-14T22:13:20Z */
#define A   "replicated-job-a"
#define B   "replicated-job-b"
#define A0  "test-js-" A "-0"
#define B0  "test-js-" B "-0"
#define B1  "test-js-" B "-1"
#define B2  "test-js-" B "-2"

TY_UNUSED static struct ty_json *merged(struct ty_arena *a, const struct ty_json *v,
                                        const char *patch)
{
    return ty_json_copy(a, ty_patch_merge(a, v, parse(a, patch)), 0);
}

TY_UNUSED static struct ty_json *rjob(struct ty_arena *a, const char *name, int replicas)
{
    return parse(a, ty_arena_printf(a,
                                    "{'name':'%s','replicas':%d,'template':{'spec':{'template':"
                                    "{'spec':{'containers':[{'name':'c','image':'i'}]}}}}}",
                                    name, replicas));
}

/* A JobSet without jobs. */
TY_UNUSED static struct ty_json *empty_set(struct ty_arena *a)
{
    return parse(a, "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{"
                    "'name':'test-js','namespace':'default','uid':'js-uid'},'spec':{}}");
}

TY_UNUSED static struct ty_json *add_rjob(struct ty_arena *a, struct ty_json *js, const char *name,
                                          int replicas)
{
    struct ty_json *r = rjob(a, name, replicas);

    ty_json_push(a, ty_json_ensure_array(a, ty_json_get(js, "spec"), "replicatedJobs"), r);
    return r;
}

/* "T" of the conformance cases: a x1, b x3, not defaulted. */
TY_UNUSED static struct ty_json *set_t(struct ty_arena *a)
{
    struct ty_json *js = empty_set(a);

    add_rjob(a, js, A, 1);
    add_rjob(a, js, B, 3);
    return js;
}

TY_UNUSED static struct ty_json *rjob_at(const struct ty_json *js, size_t i)
{
    return ty_json_item(ty_json_at(js, "spec.replicatedJobs"), i);
}

/* Sets members of the i-th replicated job by a merge patch. */
TY_UNUSED static void patch_rj(struct ty_arena *a, struct ty_json *js, size_t i, const char *patch)
{
    struct ty_json *list = ty_json_at(js, "spec.replicatedJobs");

    list->items[i] = merged(a, list->items[i], patch);
}

/* Admission as the engine does it: defaults, schema, webhook; all errors, one a line. */
TY_UNUSED static const char *admit(struct ty_arena *a, struct ty_json *js)
{
    struct ty_errs errs = { .arena = a };

    ty_jobset_default(a, js);
    ty_schema_validate(&ty_schema_JobSet, js, NULL, NULL, NULL, &errs);
    ty_jobset_validate(a, js, &errs);
    return lines(a, &errs);
}

TY_UNUSED static struct ty_str label_of(const struct ty_json *obj, const char *key)
{
    return ty_json_as_str(ty_json_get(ty_json_at(obj, "metadata.labels"), key));
}

TY_UNUSED static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
}

/* ---- the world ---- */
struct jobset_fixture {
    struct ty_arena *a;
    struct ty_json *js;
    const struct ty_json *jobs[2000], *claims[10];
    size_t n_jobs, n_claims;
    struct ty_json *service; /* or NULL */
    int64_t now_s, requeue_ms;
    bool linger; /* deleted Jobs stay, marked, until `gone` */
    bool deleted;
    size_t changes; /* of the last pass */
    struct ty_buf events;
};

TY_UNUSED static void fixture_init(struct jobset_fixture *w, struct ty_arena *a, struct ty_json *js)
{
    *w = (struct jobset_fixture){ .a = a, .js = js, .now_s = NOW };
    assert_string_equal(admit(a, js), "");
}

TY_UNUSED static void fixture_done(struct jobset_fixture *w)
{
    ty_buf_done(&w->events);
}

static size_t job_place(const struct jobset_fixture *w, struct ty_str name)
{
    for (size_t i = 0; i < w->n_jobs; i++)
        if (ty_str_eq(ty_json_str_at(w->jobs[i], "metadata.name"), name))
            return i;
    return w->n_jobs;
}

static void remove_job(struct jobset_fixture *w, size_t i)
{
    memmove(&w->jobs[i], &w->jobs[i + 1], (--w->n_jobs - i) * sizeof(w->jobs[0]));
}

static void apply_job_change(struct jobset_fixture *w, const struct ty_change *c)
{
    size_t i = job_place(w, c->name);
    struct ty_json *now = c->obj ? ty_json_copy(w->a, c->obj, 0) : NULL;

    if (c->op == TY_CHANGE_CREATE) {
        assert_int_equal(i, w->n_jobs); /* names are unique */
        w->jobs[w->n_jobs++] = now;
        return;
    }
    assert_true(i < w->n_jobs);
    if (c->op != TY_CHANGE_DELETE) {
        w->jobs[i] = now;
    } else if (!w->linger) {
        remove_job(w, i);
    } else {
        now = ty_json_copy(w->a, w->jobs[i], 0);
        assert_null(ty_json_at(now, "metadata.deletionTimestamp"));
        ty_json_set(w->a, ty_json_get(now, "metadata"), "deletionTimestamp",
                    ty_json_str(w->a, ty_time_text(w->a, w->now_s)));
        w->jobs[i] = now;
    }
}

static void apply_change(struct jobset_fixture *w, const struct ty_change *c)
{
    if (c->kind == &ty_kind_job) {
        apply_job_change(w, c);
    } else if (c->kind == &ty_kind_service) {
        assert_int_equal(c->op, TY_CHANGE_CREATE);
        w->service = c->obj;
    } else if (c->kind == &ty_kind_pvc) {
        assert_int_equal(c->op, TY_CHANGE_CREATE);
        w->claims[w->n_claims++] = c->obj;
    } else if (c->op == TY_CHANGE_STATUS) {
        ty_json_set(w->a, w->js, "status", ty_json_get(c->obj, "status"));
    } else {
        assert_int_equal(c->op, TY_CHANGE_DELETE);
        w->deleted = true;
    }
}

/* One pass and all it wants. */
TY_UNUSED static void reconcile(struct jobset_fixture *w)
{
    const struct ty_jobset_observed in = { .jobset = w->js,
                                           .jobs = w->jobs,
                                           .n_jobs = w->n_jobs,
                                           .service = w->service != NULL,
                                           .claims = w->claims,
                                           .n_claims = w->n_claims,
                                           .now_s = w->now_s };
    struct ty_changes out;

    ty_jobset_reconcile(w->a, &in, &out);
    w->changes = 0;
    for (const struct ty_change *c = out.first; c; c = c->next, w->changes++)
        apply_change(w, c);
    for (const struct ty_pending_event *e = out.events; e; e = e->next)
        ty_buf_printf(&w->events, "%s %s: %s\n", e->type, e->reason, e->message);
    w->requeue_ms = out.requeue_ms;
}

/* Passes until nothing changes any more. */
TY_UNUSED static void reconcile_until_stable(struct jobset_fixture *w)
{
    for (int i = 0; i < 20; i++) {
        reconcile(w);
        if (w->changes == 0 || w->deleted)
            return;
    }
    fail_msg("the world does not come to rest");
}

/* All events so far, which are then forgotten. */
TY_UNUSED static const char *take_events(struct jobset_fixture *w)
{
    const char *text = ty_arena_cstr(w->a, ty_buf_str(&w->events));

    w->events.n = 0;
    return text;
}

/* ---- playing the Jobs ---- */
TY_UNUSED static void set_job_status(struct jobset_fixture *w, const char *name, const char *status)
{
    size_t i = job_place(w, ty_str(name));

    assert_true(i < w->n_jobs);
    w->jobs[i] = merged(w->a, w->jobs[i], ty_arena_printf(w->a, "{'status':%s}", status));
}

TY_UNUSED static void job_ready(struct jobset_fixture *w, const char *name)
{
    set_job_status(w, name, "{'active':1,'ready':1}");
}

TY_UNUSED static void job_ends(struct jobset_fixture *w, const char *name, const char *type,
                               const char *reason, const char *message)
{
    set_job_status(
        w, name,
        ty_arena_printf(w->a,
                        "{'active':0,'ready':0,'conditions':[{'type':'%s','status':'True',"
                        "'reason':'%s','message':'%s','lastTransitionTime':'%s'}]}",
                        type, reason, message, ty_time_text(w->a, w->now_s).p));
}

TY_UNUSED static void job_completes(struct jobset_fixture *w, const char *name)
{
    job_ends(w, name, "Complete", "CompletionsReached",
             "Reached expected number of succeeded pods");
}

TY_UNUSED static void job_fails(struct jobset_fixture *w, const char *name)
{
    job_ends(w, name, "Failed", "BackoffLimitExceeded",
             "Job has reached the specified backoff limit");
}

/* A deleted Job's pods have ended. */
TY_UNUSED static void finish_deletion(struct jobset_fixture *w, const char *name)
{
    size_t i = job_place(w, ty_str(name));

    assert_true(i < w->n_jobs);
    assert_non_null(ty_json_at(w->jobs[i], "metadata.deletionTimestamp"));
    remove_job(w, i);
}

/* ---- looking ---- */
TY_UNUSED static const struct ty_json *find_job(const struct jobset_fixture *w, const char *name)
{
    size_t i = job_place(w, ty_str(name));

    return i < w->n_jobs ? w->jobs[i] : NULL;
}

TY_UNUSED static size_t jobs_of_attempt(const struct jobset_fixture *w, const char *attempt)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_jobs; i++)
        n += ty_str_is(label_of(w->jobs[i], TY_JOBSET_ATTEMPT), attempt);
    return n;
}

TY_UNUSED static size_t suspended_jobs(const struct jobset_fixture *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_jobs; i++)
        n += ty_json_true_at(w->jobs[i], "spec.suspend");
    return n;
}

/* "True Reason: message", "" when there is none. */
TY_UNUSED static const char *condition_text(const struct jobset_fixture *w, const char *type)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(w->js, "status"), type);

    if (!c)
        return "";
    return ty_arena_printf(w->a, "%.*s %.*s: %.*s", TY_ARG(ty_json_str_at(c, "status")),
                           TY_ARG(ty_json_str_at(c, "reason")),
                           TY_ARG(ty_json_str_at(c, "message")));
}

/* "ready succeeded failed active suspended" of a replicated job. */
TY_UNUSED static const char *rjob_counts(const struct jobset_fixture *w, const char *name)
{
    const struct ty_json *list = ty_json_at(w->js, "status.replicatedJobsStatus");
    const struct ty_json *e = ty_json_find_item(list, "name", ty_str(name), NULL);

    assert_non_null(e);
    return ty_arena_printf(
        w->a, "%lld %lld %lld %lld %lld", (long long)ty_jobset_int_at(e, "ready", -1),
        (long long)ty_jobset_int_at(e, "succeeded", -1),
        (long long)ty_jobset_int_at(e, "failed", -1), (long long)ty_jobset_int_at(e, "active", -1),
        (long long)ty_jobset_int_at(e, "suspended", -1));
}

TY_UNUSED static int64_t status_int(const struct jobset_fixture *w, const char *field)
{
    return ty_jobset_int_at(ty_json_get(w->js, "status"), field, -1);
}

#endif
