#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/failure_summary.h"
#include "report/pod_failure.h"
#include "json/json_testing.h"

enum { CEILING = 1 << 24 };
#define T0_MS ((int64_t)1767225600000) /* 2026-01-01T00:00:00Z */

static void a_whole_pod(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_ended_container *v = NULL;
    struct ty_json *pod = json_file(a, "src/report/testdata/pods/ddp-node-0-1.json");

    assert_int_equal(ty_pod_failure_ended(a, pod, TY_LIT("ddp"), &v), 4);
    assert_string_equal(v[0].container, "prepare");
    assert_int_equal(v[0].code, 0);
    assert_false(v[0].sidecar || v[0].stopped);
    assert_true(v[1].sidecar && v[1].stopped);
    assert_string_equal(v[2].node, "node-0-1");
    assert_string_equal(v[2].container, "node");
    assert_int_equal(v[2].attempt, 2);
    assert_int_equal(v[2].restarts, 0);
    assert_true(v[2].oom);
    assert_false(v[2].stopped);
    assert_null(v[2].hint);
    assert_int_equal(v[2].memory_limit, (int64_t)4 << 30);
    assert_int_equal(v[2].began_ms, T0_MS + 4000);
    assert_int_equal(v[2].ended_ms, T0_MS + 34000);
    assert_int_equal(v[2].stop_ms, T0_MS + 70000);
    assert_int_equal(v[2].first_rank, 2);
    assert_int_equal(v[2].procs, 2);
    assert_int_equal(v[3].restarts, 1);
    assert_int_equal(v[3].code, 1);
    assert_true(v[3].stopped);
}

static void names_and_attempts(void **state TY_UNUSED)
{
    static const struct {
        const char *pod, *node;
        int64_t attempt;
    } rows[] = {
        { "{}", "pod", 0 },
        { "{'metadata':{'name':'ddp-x'}}", "x", 0 },
        { "{'metadata':{'name':'ddp-'}}", "ddp-", 0 },
        { "{'metadata':{'name':'ddpx-node'}}", "ddpx-node", 0 },
        { "{'metadata':{'name':'other'},'spec':{'hostname':'ddp-node-0-3'}}", "node-0-3", 0 },
        { "{'metadata':{'labels':{'jobset.sigs.k8s.io/replicatedjob-name':'node',"
          "'jobset.sigs.k8s.io/restart-attempt':'-1'}}}",
          "pod", 0 },
        { "{'metadata':{'name':'ddp-y','labels':{'jobset.sigs.k8s.io/replicatedjob-name':'node',"
          "'jobset.sigs.k8s.io/job-index':'0','jobset.sigs.k8s.io/restart-attempt':'x'}}}",
          "y", 0 },
        { "{'metadata':{'labels':{'jobset.sigs.k8s.io/replicatedjob-name':'no\\u001b[1mde\\r',"
          "'jobset.sigs.k8s.io/job-index':'0','jobset.sigs.k8s.io/restart-attempt':'7'},"
          "'annotations':{'batch.kubernetes.io/job-completion-index':'4'}}}",
          "node -0-4", 7 },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_json *pod = json_of(a, rows[i].pod);
        assert_string_equal(ty_pod_failure_node(a, pod, TY_LIT("ddp")), rows[i].node);
        assert_int_equal(ty_pod_failure_attempt(pod), rows[i].attempt);
    }
}

/* One ended container "c" from pieces of its pod; gives its words, "stopped", and its hint. */
static const char *end_of(struct ty_arena *a, const char *meta, const char *spec,
                          const char *status, const char *ended, struct ty_ended_container *ret)
{
    struct ty_ended_container *v = NULL;
    ty_auto_buf b = { 0 };
    struct ty_json *pod =
        json_of(a, ty_arena_printf(a,
                                   "{'metadata':{%s},'spec':{'containers':[{'name':'c'%s}]},"
                                   "'status':{%s'containerStatuses':[{'name':'c','state':"
                                   "{'terminated':{%s}}}]}}",
                                   meta, spec, status, ended));

    assert_int_equal(ty_pod_failure_ended(a, pod, TY_LIT("j"), &v), 1);
    *ret = v[0];
    if (v[0].stopped)
        return "stopped";
    ty_failure_summary_exit_text(&v[0], &b);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

#define AT(s)      "'2026-01-01T00:00:" s "Z'"
#define DELETED(s) "'deletionTimestamp':" AT(s) ",'deletionGracePeriodSeconds':30"
#define LOST(reason, s)                                                                            \
    "'conditions':[{'type':'DisruptionTarget','status':'True','reason':'" reason                   \
    "','message':'m','lastTransitionTime':" AT(s) "}],"

static void how_it_ended(void **state TY_UNUSED)
{
    static const struct {
        const char *meta, *status, *ended, *words;
        bool hint;
    } rows[] = {
        { "", "", "'exitCode':3", "exit code 3", false },
        { "", "", "'exitCode':-1", "exit code 0", false },
        { "", "", "'exitCode':99999999999", "exit code 2147483647", false },
        { "", "", "'exitCode':137", "exit code 137: something in it died of SIGKILL", true },
        { "", "", "'exitCode':0,'signal':11", "segmentation fault (SIGSEGV)", false },
        { "", "", "'exitCode':137,'reason':'OOMKilled'", "out of memory: killed by the kernel",
          false },
        { "", "", "'exitCode':128,'reason':'ContainerCannotRun'",
          "could not start: ContainerCannotRun", false },
        { "", "",
          "'exitCode':128,'reason':'StartError','message':'failed to create task: unable to start "
          "container process: exec: x: not found: unknown'",
          "could not start: exec: x: not found", false },
        /* told to end at 10 s */
        { DELETED("40"), "", "'exitCode':1,'finishedAt':" AT("09"), "exit code 1", false },
        { DELETED("40"), "", "'exitCode':1,'finishedAt':" AT("10"), "exit code 1", false },
        { DELETED("40"), "", "'exitCode':143,'finishedAt':" AT("10"), "stopped", false },
        { DELETED("40"), "", "'exitCode':137,'finishedAt':" AT("10"), "stopped", false },
        { DELETED("40"), "", "'exitCode':130,'finishedAt':" AT("10"), "stopped", false },
        { DELETED("40"), "", "'exitCode':1,'finishedAt':" AT("11"), "stopped", false },
        { "'deletionTimestamp':" AT("10"), "", "'exitCode':1,'finishedAt':" AT("11"), "stopped",
          false },
        { "'deletionTimestamp':" AT("10") ",'deletionGracePeriodSeconds':99999999999", "",
          "'exitCode':1,'finishedAt':" AT("11"), "stopped", false },
        { "'deletionTimestamp':'1960-01-01T00:00:00Z','deletionGracePeriodSeconds':1", "",
          "'exitCode':1,'finishedAt':" AT("11"), "exit code 1", false },
        /* the cluster's doing: the order to end follows from it */
        { DELETED("40"), LOST("PreemptionByScheduler", "10"),
          "'exitCode':137,'finishedAt':" AT("12"), "was preempted: m", false },
        { "", LOST("DeletionByPodGC", "10"), "'exitCode':3,'finishedAt':" AT("09"), "exit code 3",
          false },
        { "", LOST("DeletionByPodGC", "10"), "'exitCode':0,'finishedAt':" AT("12"), "exit code 0",
          false },
        { "", "'phase':'Succeeded','reason':'Evicted',", "'exitCode':3", "exit code 3", false },
        { "", "'reason':'Evicted',", "'exitCode':137", "was evicted", false },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_ended_container end;
        const char *words = end_of(a, rows[i].meta, "", rows[i].status, rows[i].ended, &end);
        if (strcmp(words, rows[i].words) != 0)
            fail_msg("row %zu: %s, not %s", i, words, rows[i].words);
        assert_int_equal(end.hint != NULL, rows[i].hint);
    }
}

static void limits_and_ranks(void **state TY_UNUSED)
{
    static const struct {
        const char *memory;
        int64_t bytes;
    } limits[] = {
        { "1000", 1000 },
        { "2k", 2000 },
        { "1M", 1000000 },
        { "1G", 1000000000 },
        { "1T", 1000000000000 },
        { "3Ki", 3072 },
        { "1Mi", 1 << 20 },
        { "1Ti", (int64_t)1 << 40 },
        { "1.5Gi", 0 },
        { "5X", 0 },
        { "1.", 0 },
        { "Gi", 0 },
        { "0", 0 },
        { "9223372036854775807Ki", 0 },
        { "", 0 },
    };
    static const struct {
        const char *env;
        int64_t first, procs;
    } ranks[] = {
        { "", 0, 0 },
        { "{'name':'PET_NNODES','value':'2'}", 0, 0 },
        { "{'name':'PET_NNODES','value':'2'},{'name':'PET_NODE_RANK','value':'1'}", 0, 0 },
        { "{'name':'PET_NNODES','value':'2'},{'name':'PET_NODE_RANK','value':'1'},"
          "{'name':'PET_NPROC_PER_NODE','value':'auto'}",
          0, 0 },
        { "{'name':'PET_NNODES','value':'2'},{'name':'PET_NODE_RANK','value':'1'},"
          "{'name':'PET_NPROC_PER_NODE','value':'0'},{'name':'RANK','value':'99999999999'}",
          0, 0 },
        { "{'name':'PET_NNODES','value':'2'},{'name':'PET_NODE_RANK','value':'1'},"
          "{'name':'PET_NPROC_PER_NODE','value':'4'}",
          4, 4 },
        { "{'name':'JAX_PROCESS_ID','value':'3'},{'name':'DMLC_TASK_ID','value':'4'}", 3, 1 },
        { "{'name':'RANK','value':'-3'}", 0, 0 },
    };

    for (size_t i = 0; i < TY_COUNT(limits); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_ended_container end;
        end_of(a, "",
               ty_arena_printf(a, ",'resources':{'limits':{'memory':'%s'}}", limits[i].memory), "",
               "'exitCode':1", &end);
        assert_int_equal(end.memory_limit, limits[i].bytes);
    }
    for (size_t i = 0; i < TY_COUNT(ranks); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_ended_container end;
        end_of(a, "", ty_arena_printf(a, ",'env':[%s]", ranks[i].env), "", "'exitCode':1", &end);
        assert_int_equal(end.first_rank, ranks[i].first);
        assert_int_equal(end.procs, ranks[i].procs);
    }
}

/* Whatever the object says, the number of ends and their texts are bounded. */
static void bounds(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_ended_container *v = NULL;
    ty_auto_buf b = { 0 };

    ty_buf_cstr(&b, "{'status':{'containerStatuses':['x',{'state':{'terminated':1}}");
    for (int i = 0; i < 100; i++)
        ty_buf_printf(&b,
                      ",{'name':'%0200d','state':{'terminated':{'reason':'StartError',"
                      "'message':'%02000d'}}}",
                      i, i);
    ty_buf_cstr(&b, "]}}");
    ty_buf_chr(&b, '\0');
    assert_int_equal(ty_pod_failure_ended(a, json_of(a, b.p), TY_LIT("j"), &v),
                     TY_POD_FAILURE_ENDS);
    assert_int_equal(strlen(v[63].container), 63);
    assert_int_equal(strlen(v[63].never), TY_POD_FAILURE_MESSAGE);
    assert_int_equal(ty_pod_failure_ended(a, NULL, TY_LIT(""), &v), 0);
}

/* An eviction is evidence: it outweighs peers that exit first, because of it. */
static void the_summary_blames_the_cluster(void **state TY_UNUSED)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container peer = { .node = "node-0-0",
                                       .container = "node",
                                       .code = 1,
                                       .ended_ms = 1000 },
                              lost = { .node = "node-0-1",
                                       .container = "node",
                                       .code = 143,
                                       .ended_ms = 2000,
                                       .lost = "was evicted: low on memory" };
    ty_auto_buf b = { 0 };

    ty_failure_summary_add(v, &peer);
    ty_failure_summary_add(v, &lost);
    ty_failure_summary_headline(v, 0, &b);
    assert_true(
        ty_str_starts(ty_buf_str(&b), TY_LIT("node-0-1 failed first: was evicted: low on memory")));
    ty_failure_summary_free(v);
}

static void bad_ends(void **state TY_UNUSED)
{
    static const struct {
        struct ty_ended_container end;
        bool bad;
    } rows[] = {
        { { .code = 0 }, false },
        { { .code = 1 }, true },
        { { .sig = 9 }, true },
        { { .oom = true }, true },
        { { .never = "no such file" }, true },
        { { .forced = "a probe failed" }, true },
        { { .lost = "was evicted" }, true },
        { { .code = 143, .stopped = true }, false },
        { { .code = 1, .sidecar = true }, false },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_pod_failure_is_bad(&rows[i].end), rows[i].bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_pod),
        cmocka_unit_test(names_and_attempts),
        cmocka_unit_test(how_it_ended),
        cmocka_unit_test(limits_and_ranks),
        cmocka_unit_test(bounds),
        cmocka_unit_test(bad_ends),
        cmocka_unit_test(the_summary_blames_the_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
