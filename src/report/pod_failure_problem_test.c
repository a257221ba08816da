/* Statuses as the kubelet, the scheduler and the controllers of Kubernetes write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/pod_failure.h"
#include "json/json_testing.h"

enum { CEILING = 1 << 24 };

#define NODE "'metadata':{'name':'ddp-node-0-1'}"
#define SPEC                                                                                       \
    "'spec':{'initContainers':[{'name':'i','image':'r/i:1'}],'containers':[{'name':'c',"           \
    "'image':'r/x:1','resources':{'limits':{'memory':'1Gi'}}}]}"
#define STATUS(s) "{" NODE "," SPEC ",'status':{" s "}}"
#define WAITS(reason, m)                                                                           \
    "{'name':'c','state':{'waiting':{'reason':'" reason "','message':'" m "'}}}"
#define WAITING(reason, m) STATUS("'containerStatuses':[" WAITS(reason, m) "]")
#define ENDED(s)           STATUS("'containerStatuses':[{'name':'c','state':{'terminated':{" s "}}}]")
#define CONDITION(type, status, reason, m)                                                         \
    STATUS("'conditions':[{'type':'" type "','status':'" status "','reason':'" reason              \
           "','message':'" m "'}]")
#define LABELED(label, value, status)                                                              \
    "{'metadata':{'name':'ddp-x','labels':{'" label "':'" value "'}},'status':{" status "}}"
#define EXIT1 "'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':1}}}]"

static const struct {
    const char *pod, *reason, *text; /* reason NULL: no problem */
    bool final;
} rows[] = {
    { "{}", NULL, NULL, false },
    { STATUS("'phase':'Succeeded','reason':'Evicted'"), NULL, NULL, false },
    { STATUS("'phase':'Running','containerStatuses':[{'name':'c','state':{'running':{}}}]"), NULL,
      NULL, false },
    { ENDED("'exitCode':3"), NULL, NULL, false },
    { ENDED("'exitCode':0"), NULL, NULL, false },
    /* what the cluster did */
    { STATUS("'phase':'Failed','reason':'Evicted','message':'The node was low on resource: "
             "memory. '"),
      "Evicted", "node-0-1 was evicted: The node was low on resource: memory. ", true },
    { STATUS("'reason':'Preempting'"), "Preempted", "node-0-1 was preempted", true },
    { STATUS("'reason':'NodeLost'"), "NodeLost", "node-0-1 was lost with its node", true },
    { STATUS("'reason':'Terminated','message':'Pod was terminated in response to imminent node "
             "shutdown.'"),
      "NodeLost",
      "node-0-1 was ended because its node shut down: Pod was terminated in response to imminent "
      "node shutdown.",
      true },
    { STATUS("'reason':'UnexpectedAdmissionError','message':'Allocate failed'"), "NodeRejected",
      "node-0-1 was rejected by its node: Allocate failed", true },
    { STATUS("'reason':'Unknown'"), NULL, NULL, false },
    { CONDITION("DisruptionTarget", "True", "PreemptionByScheduler", "by a\\nhigher one"),
      "Preempted", "node-0-1 was preempted: by a higher one", true },
    { CONDITION("DisruptionTarget", "True", "DeletionByTaintManager", ""), "NodeLost",
      "node-0-1 was deleted because of its node's taint", true },
    { CONDITION("DisruptionTarget", "True", "Else", ""), NULL, NULL, false },
    { CONDITION("DisruptionTarget", "False", "EvictionByEvictionAPI", ""), NULL, NULL, false },
    /* ends */
    { ENDED("'exitCode':137,'reason':'OOMKilled'"), "OOMKilled",
      "node-0-1: out of memory: killed at its limit of 1Gi", false },
    { STATUS("'phase':'Failed','containerStatuses':[{'name':'c','state':{'terminated':"
             "{'exitCode':0,'reason':'OOMKilled','signal':0}},'lastState':{'terminated':"
             "{'exitCode':137,'reason':'OOMKilled'}}}]"),
      NULL, NULL, false }, /* ended well in the end */
    { STATUS("'containerStatuses':[{'name':'c','state':{'running':{}},'lastState':{'terminated':"
             "{'exitCode':137,'reason':'OOMKilled'}}}]"),
      NULL, NULL, false },
    { STATUS("'containerStatuses':[{'name':'c','state':{'waiting':{'reason':'CrashLoopBackOff'}},"
             "'lastState':{'terminated':{'exitCode':137,'reason':'OOMKilled'}}}]"),
      "OOMKilled", "node-0-1: out of memory: killed at its limit of 1Gi", false },
    { ENDED("'signal':9"), NULL, NULL, false },
    { ENDED("'reason':'OOMKilled'"), "OOMKilled",
      "node-0-1: out of memory: killed at its limit of 1Gi", false },
    { ENDED("'reason':'StartError','message':'exec: x: not found'"), "CreateContainer",
      "node-0-1: container c cannot be started: exec: x: not found", true },
    { LABELED("jobset.sigs.k8s.io/replicatedjob-name", "dataset-initializer", EXIT1),
      "InitializerFailed", "dataset-initializer failed (exit code 1)", false },
    { LABELED("trainer.kubeflow.org/trainjob-ancestor-step", "model-initializer",
              "'phase':'Failed'," EXIT1),
      "InitializerFailed", "model-initializer failed (exit code 1)", true },
    { "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z','labels':{"
      "'jobset.sigs.k8s.io/replicatedjob-name':'dataset-initializer'}},'status':{"
      "'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':143,'finishedAt':"
      "'2026-01-01T00:00:02Z'}}}]}}",
      NULL, NULL, false },
    { "{" NODE ",'spec':{'restartPolicy':'Never','initContainers':[{'name':'i'}]},'status':{"
      "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':2}}}]}}",
      "InitializerFailed", "node-0-1: init container i failed (exit code 2)", true },
    { "{" NODE ",'spec':{'initContainers':[{'name':'i','restartPolicy':'Always'}]},'status':{"
      "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':2}}}]}}",
      NULL, NULL, false },
    /* containers that wait */
    { WAITING("ContainerCreating", ""), NULL, NULL, false },
    { WAITING("ErrImagePull", "rpc error: code = NotFound desc = failed to pull: r/x:1: not found"),
      "ImagePull", "node-0-1: image r/x:1 cannot be pulled: not found", true },
    { WAITING("ErrImagePull", "dial tcp: i/o timeout"), "ImagePull",
      "node-0-1: image r/x:1 cannot be pulled: i/o timeout", false },
    { WAITING("ImagePullBackOff", "Back-off pulling image"), "ImagePull",
      "node-0-1: image r/x:1 cannot be pulled", false },
    { WAITING("ErrImagePull", "x:1 timeout"), "ImagePull",
      "node-0-1: image r/x:1 cannot be pulled: x:1 timeout", false },
    { WAITING("ImagePullBackOff", ""), "ImagePull", "node-0-1: image r/x:1 cannot be pulled",
      false },
    { WAITING("InvalidImageName", "bad name"), "ImagePull",
      "node-0-1: image r/x:1 cannot be pulled: bad name", true },
    { STATUS("'initContainerStatuses':[{'name':'i','state':{'waiting':{'reason':'ErrImagePull',"
             "'message':'denied'}}}]"),
      "ImagePull", "node-0-1: image r/i:1 cannot be pulled: denied", true },
    { "{" NODE ",'status':{'containerStatuses':[{'name':'c','image':'r/s:1','state':{'waiting':{"
      "'reason':'ErrImagePull'}}}]}}",
      "ImagePull", "node-0-1: image r/s:1 cannot be pulled", false },
    { WAITING("CreateContainerConfigError", "secret \\\"hf\\\" not found"), "CreateContainer",
      "node-0-1: container c cannot be created: secret \"hf\" not found", true },
    { "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z'},'status':{'containerStatuses':["
      "" WAITS("ErrImagePull", "") "]}}",
      NULL, NULL, false },
    /* without a node */
    { CONDITION("PodScheduled", "False", "Unschedulable",
                "0/3 nodes are available: 1 node(s) had untolerated taint {a.b/c: d}, 2 "
                "Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: x."),
      "Unschedulable",
      "node-0-1 cannot be scheduled: 0/3 nodes are available: 2 Insufficient nvidia.com/gpu, 1 "
      "node(s) had untolerated taint {a.b/c: d}",
      false },
    { CONDITION("PodScheduled", "False", "Unschedulable", "a,b, yet."), "Unschedulable",
      "node-0-1 cannot be scheduled: a,b, yet", false },
    { CONDITION("PodScheduled", "False", "Unschedulable", ""), "Unschedulable",
      "node-0-1 cannot be scheduled", false },
    { CONDITION("PodScheduled", "False", "SchedulingGated", "x"), NULL, NULL, false },
    { CONDITION("PodScheduled", "True", "Unschedulable", "x"), NULL, NULL, false },
};

static void problems(void **state TY_UNUSED)
{
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_pod_problem p = { 0 };
        /* A backslash in front of a quote stays one: json_of turns ' into ". */
        bool found = ty_pod_failure_problem(a, json_of(a, rows[i].pod), TY_LIT("ddp"), &p);
        if (found != (rows[i].reason != NULL))
            fail_msg("row %zu: %s", i, found ? p.text : "no problem");
        if (!found)
            continue;
        assert_string_equal(p.text, rows[i].text);
        assert_string_equal(p.reason, rows[i].reason);
        assert_int_equal(p.final, rows[i].final);
    }
}

static void long_messages(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_pod_problem p = { 0 };
    ty_auto_buf b = { 0 };

    ty_buf_cstr(&b, "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
                    "'Unschedulable','message':'0/900 nodes are available: ");
    for (int i = 0; i < 50; i++)
        ty_buf_printf(&b, "%d node(s) had untolerated taint {a%d: }, ", i, i);
    ty_buf_cstr(&b, "7 Insufficient cpu.'}]}}");
    ty_buf_chr(&b, '\0');
    assert_true(ty_pod_failure_problem(a, json_of(a, b.p), TY_LIT("ddp"), &p));
    assert_true(strlen(p.text) <= TY_POD_FAILURE_TEXT);
    assert_non_null(strstr(p.text, "available: 7 Insufficient cpu, 0 node(s) had"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems),
        cmocka_unit_test(long_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
