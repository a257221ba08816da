#include "trainer/testing.h"

#define QUEUE "scheduling.volcano.sh/queue-name"
#define GANG(policy, annotations, jobs)                                                            \
    "{'metadata':{'name':'rt'},'spec':{'podGroupPolicy':{'volcano':" policy "},'template':{"       \
    "'metadata':{'annotations':{" annotations "}},'spec':{'replicatedJobs':[" jobs "]}}}}"
#define CLASS_JOB(name, class)                                                                     \
    "{'name':'" name                                                                               \
    "','template':{'spec':{'template':{'spec':{'priorityClassName':'" class "'}}}}}"

static const char *group_spec(struct fixture *f)
{
    const struct ty_json *g = fx_child(f, &ty_kind_podgroup_volcano, "j");
    return g ? fx_text(f, ty_json_get(g, "spec")) : "";
}

static void test_bare_group(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("{}", "", TRAINER_JOB("node", "")), JOB("'numNodes':3"));
    assert_string_equal(group_spec(f), "{'minMember':3,'minResources':{}}");
    assert_string_equal(fx_text(f, ty_json_get(f->plan.trainer->pod_meta, "annotations")),
                        "{'scheduling.k8s.io/group-name':'j'}");
    assert_null(ty_json_get(f->plan.trainer->pod, "schedulerName")); /* the template's to say */
}

/* A runtime without jobs gets a PodGroup with empty minResources. */
static void test_no_jobs(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("{}", "", ""), JOB(""));
    assert_string_equal(group_spec(f), "{'minMember':0,'minResources':{}}");
}

/* The PodGroup of a suspended job is applied again with queue, priority class and topology. */
static void test_everything(void **state)
{
    struct fixture *f = *state;

    core_put(f, "{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'PodGroup','metadata':{"
                "'name':'j','namespace':'ns'}}");
    fx_run(f,
           GANG("{'networkTopology':{'mode':'hard','highestTierAllowed':1}}", "'" QUEUE "':'q1'",
                CLASS_JOB("a", "low") "," CLASS_JOB("b", "high") ",{'name':'c'}"),
           JOB_OF("rt", ",'suspend':true"));
    assert_string_equal(group_spec(f), "{'minMember':3,'minResources':{},'queue':'q1',"
                                       "'priorityClassName':'high','networkTopology':{'mode':"
                                       "'hard','highestTierAllowed':1}}");
}

static void test_live_group_is_frozen(void **state)
{
    struct fixture *f = *state;

    core_put(f, "{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'PodGroup','metadata':{"
                "'name':'j','namespace':'ns'}}");
    fx_run(f, GANG("{}", "", TRAINER_JOB("node", "")), JOB(""));
    assert_string_equal(group_spec(f), "");
}

/* A patch of the TrainJob may choose the queue. */
static void test_queue_of_a_patch(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("{}", "'" QUEUE "':'q1'", TRAINER_JOB("node", "")),
           JOB_OF("rt", ",'runtimePatches':[{'manager':'a.io/b','trainingRuntimeSpec':{'template':{"
                        "'metadata':{'annotations':{'" QUEUE "':'q2'}}}}}]"));
    assert_string_equal(group_spec(f), "{'minMember':1,'minResources':{},'queue':'q2'}");
}

/* ---- admission ---- */

static void test_empty_queue(void **state)
{
    assert_string_equal(
        fx_validate(*state, GANG("{}", "'" QUEUE "':''", TRAINER_JOB("node", "")), JOB("")),
        "spec.annotations[" QUEUE "]: Invalid value: \"\": Volcano queue name must not be empty");
}

/* A priority class that does not exist is refused. */
static void test_priority_class(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        fx_validate(f, GANG("{}", "", CLASS_JOB("a", "non-existent")), JOB("")),
        "spec.templateSpec.priorityClassName: Invalid value: \"non-existent\": PriorityClass "
        "\"non-existent\" doesn't exist: PriorityClass.scheduling.k8s.io \"non-existent\" not "
        "found");
    core_put(f, "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':"
                "'high'}}");
    assert_string_equal(fx_validate(f, GANG("{}", "", CLASS_JOB("a", "high")), JOB("")), "");
}

/* B17: the system's classes need no look, and those after them are still looked at. */
static void test_system_classes(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(fx_validate(f,
                                    GANG("{}", "",
                                         CLASS_JOB("a", "system-cluster-critical") "," CLASS_JOB(
                                             "b", "system-node-critical")),
                                    JOB("")),
                        "");
    fx_validate(f,
                GANG("{}", "", CLASS_JOB("a", "system-node-critical") "," CLASS_JOB("b", "none")),
                JOB(""));
    assert_int_equal(f->errs.n, 1);
}

static void test_other_policy_is_not_checked(void **state)
{
    assert_string_equal(
        fx_validate(*state,
                    "{'spec':{'podGroupPolicy':{'coscheduling':{}},'template':{'spec':{"
                    "'replicatedJobs':[" CLASS_JOB("a", "none") "]}}}}",
                    JOB("")),
        "");
}

static void test_origins(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("{'networkTopology':{'mode':'hard'}}", "", TRAINER_JOB("node", "")), JOB(""));
    const struct ty_json *g = fx_child(f, &ty_kind_podgroup_volcano, "j");
    assert_string_equal(core_origin(&f->plan, ty_json_at(g, "spec.networkTopology.mode")),
                        "plugin Volcano");
    assert_string_equal(core_origin(&f->plan, ty_json_at(g, "spec.minResources")),
                        "plugin Volcano");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_bare_group),
        core_test(test_no_jobs),
        core_test(test_everything),
        core_test(test_live_group_is_frozen),
        core_test(test_queue_of_a_patch),
        core_test(test_empty_queue),
        core_test(test_priority_class),
        core_test(test_system_classes),
        core_test(test_other_policy_is_not_checked),
        core_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
