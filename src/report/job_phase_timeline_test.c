#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/job_phase.h"
#include "json/json_testing.h"

enum { CEILING = 1 << 24, MARKS = 12 };
#define T0_MS   ((int64_t)1767225600000) /* 2026-01-01T00:00:00Z */
#define CREATED "'creationTimestamp':'2026-01-01T00:00:00Z'"
#define COND(type, status, s)                                                                      \
    "{'type':'" type "','status':'" status "','lastTransitionTime':'2026-01-01T00:00:" s "Z'}"
#define JOB(more)        "{'metadata':{" CREATED "}" more "}"
#define WITH(conditions) JOB(",'status':{'conditions':[" conditions "]}")
#define QUEUED(more)     "{'metadata':{" CREATED ",'labels':{'kueue.x-k8s.io/queue-name':'q'}}" more "}"

/* "queued 0-40 running 40-": seconds since T0, with a decimal if there is one. */
static const char *show(struct ty_arena *a, const struct ty_phase_row *v, size_t n)
{
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < n; i++) {
        ty_buf_printf(&b, "%s%s %g-", i ? " " : "", v[i].name,
                      (double)(v[i].begin_ms - T0_MS) / 1000);
        if (v[i].end_ms)
            ty_buf_printf(&b, "%g", (double)(v[i].end_ms - T0_MS) / 1000);
        assert_true(v[i].end_ms == 0 || v[i].end_ms >= v[i].begin_ms);
        assert_true(i == 0 || v[i - 1].end_ms == v[i].begin_ms);
    }
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static const struct {
    const char *job, *rows;
    struct timeline_mark {
        double s;
        const char *reason;
    } marks[MARKS];
} table[] = {
    { "{}", "", { { 0, NULL } } },
    { "{}", "starting 1-2 running 2-", { { 1, "Resumed" }, { 2, "Running" } } },
    { JOB(""), "starting 0-", { { 0, NULL } } },
    /* queue, initializer, run, end */
    { QUEUED(",'status':{'conditions':[" COND("Suspended", "False",
                                              "40") "," COND("Complete", "True", "59") "]}"),
      "queued 0-40 starting 40-43 initializing 43-50 running 50-59 complete 59-59",
      { { 1, "Queued" },
        { 40, "Resumed" },
        { 43, "WaitingForInitializer" },
        { 50, "Running" },
        { 59, "Complete" },
        { 70, "Running" } } },
    /* in any order, repeated, without time, of others */
    { JOB(""),
      "starting 0-3 running 3-20 restarting 20-25 running 25-",
      { { 25, "JobsReady" },
        { 20, "RestartJobSetFailurePolicyAction" },
        { -1e12, "Suspended" },
        { 20, "DefaultFailurePolicy" },
        { 3, "Running" },
        { 4, "Running" },
        { 5, "Pulled" },
        { 6, "Resumed" } } },
    /* before the creation, by another clock */
    { JOB(""), "running 0-", { { -5, "Running" } } },
    /* suspended by hand, late and soon */
    { WITH(COND("Suspended", "True", "30")),
      "starting 0-5 running 5-30 suspended 30-",
      { { 5, "Running" } } },
    { WITH(COND("Suspended", "True", "01")), "suspended 0-", { { 0, NULL } } },
    { JOB(""),
      "starting 0-90 suspended 90-95 running 95-",
      { { 90, "SuspendedJobs" }, { 91, "Started" }, { 95, "Running" } } },
    { QUEUED(""), "starting 0-5 running 5-9 queued 9-", { { 5, "Running" }, { 9, "Suspended" } } },
    /* a local run: containers start, initializers first, again after a restart */
    { JOB(",'spec':{'initializer':{'dataset':{}}}"),
      "starting 0-1 initializing 1-4 running 4-10 restarting 10-11 initializing 11-12 running 12-",
      { { 1, "Started" },
        { 4, "Started" },
        { 5, "Started" },
        { 10, "DefaultFailurePolicy" },
        { 11, "Started" },
        { 12, "Started" } } },
    /* the end's condition has whole seconds */
    { WITH(COND("Failed", "True", "10")),
      "starting 0-10.4 running 10.4-10.7 failed 10.7-10.7",
      { { 10.4, "Running" }, { 10.7, "ReachedMaxRestarts" }, { 11, "Restarting" } } },
    { JOB(""),
      "starting 0-2 running 2-8 failed 8-8",
      { { 2, "Running" }, { 8, "DeadlineExceeded" }, { 9, "Complete" } } },
    { WITH("{'type':'Complete','status':'True'}"),
      "starting 0-2 running 2-8 complete 8-8",
      { { 2, "Running" }, { 8, "AllJobsCompleted" } } },
    /* events are gone */
    { WITH(COND("Complete", "True", "59")), "running 0-59 complete 59-59", { { 0, NULL } } },
    { WITH(COND("Failed", "True", "59")), "starting 0-59 failed 59-59", { { 0, NULL } } },
    { WITH(COND("Suspended", "False", "20")), "suspended 0-20 starting 20-", { { 0, NULL } } },
    { JOB(",'status':{'jobsStatus':[{'name':'node','ready':1}]}"), "running 0-", { { 0, NULL } } },
    { JOB(",'status':{'jobsStatus':[{'name':'dataset-initializer','ready':1}]}"),
      "initializing 0-",
      { { 0, NULL } } },
    { QUEUED(",'spec':{'suspend':true}"), "queued 0-", { { 0, NULL } } },
    { "{'metadata':{'creationTimestamp':'2026-01-01T00:00:30Z'},'status':{'conditions':[" COND(
          "Complete", "True", "20") "]}}",
      "running 30-30 complete 30-30",
      { { 0, NULL } } },
    { JOB(""), "queued 0-5 running 5-", { { 1, "Queued" }, { 5, "Running" } } },
    /* no time passed between two */
    { JOB(""),
      "starting 0-5 running 5-",
      { { 5, "Running" }, { 7, "Restarting" }, { 7, "Running" } } },
};

static void timelines(void **state TY_UNUSED)
{
    for (size_t i = 0; i < TY_COUNT(table); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_phase_mark marks[MARKS];
        struct ty_phase_row *v = NULL;
        size_t n = 0;
        for (; n < MARKS && table[i].marks[n].reason; n++)
            marks[n] = (struct ty_phase_mark){ table[i].marks[n].s < -1e11
                                                   ? 0
                                                   : T0_MS + (int64_t)(table[i].marks[n].s * 1000),
                                               ty_str(table[i].marks[n].reason) };
        n = ty_job_phase_timeline(a, json_of(a, table[i].job), marks, n, &v);
        const char *got = show(a, v, n);
        if (strcmp(got, table[i].rows) != 0)
            fail_msg("row %zu: %s\n  not %s", i, got, table[i].rows);
    }
}

static void many_restarts(void **state TY_UNUSED)
{
    enum { N = 1000 };
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_phase_mark marks[N];
    struct ty_phase_row *v = NULL;

    for (int i = 0; i < N; i++)
        marks[i] = (struct ty_phase_mark){ T0_MS + 1000 * (int64_t)(N - i),
                                           i % 2 ? TY_LIT("Restarting") : TY_LIT("Running") };
    size_t n = ty_job_phase_timeline(
        a,
        json_of(a, "{'metadata':{" CREATED "},'status':{'conditions':[{'type':'Complete',"
                   "'status':'True','lastTransitionTime':'2026-01-01T01:00:00Z'}]}}"),
        marks, N, &v);
    assert_int_equal(n, TY_PHASE_ROWS);
    (void)show(a, v, n);
    assert_string_equal(v[n - 2].name, "running");
    assert_int_equal(v[n - 2].begin_ms, T0_MS + 1000 * (int64_t)N);
    assert_string_equal(v[n - 1].name, "complete");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timelines),
        cmocka_unit_test(many_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
