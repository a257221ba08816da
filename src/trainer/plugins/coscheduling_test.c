#include "trainer/testing.h"

#define GANG(policy, jobs)                                                                         \
    "{'metadata':{'name':'rt'},'spec':{'podGroupPolicy':" policy ",'template':{'spec':{"           \
    "'replicatedJobs':[" jobs "]}}}}"
#define COSCHED "{'coscheduling':{'scheduleTimeoutSeconds':120}}"
#define LABEL   "scheduling.x-k8s.io/pod-group"
#define CPU(n)  ",'resources':{'requests':{'cpu':'" n "'}}"

static const char *group_spec(struct fixture *f)
{
    const struct ty_json *g = fx_child(f, &ty_kind_podgroup_cosched, "j");
    return g ? fx_text(f, ty_json_get(g, "spec")) : "";
}

static const char *label_of(struct fixture *f, const char *job)
{
    const struct ty_podset *set = ty_plan_find_podset(&f->plan, ty_str(job));
    return fx_text(f, ty_json_find(ty_json_get(set->pod_meta, "labels"), TY_LIT(LABEL)));
}

/* minMember and minResources count all pods of the gang. */
static void test_podgroup(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG(COSCHED, TRAINER_JOB("node", CPU("500m"))), JOB("'numNodes':30"));
    assert_string_equal(group_spec(f), "{'minMember':30,'minResources':{'cpu':'15'},"
                                       "'scheduleTimeoutSeconds':120}");
    const struct ty_json *g = fx_child(f, &ty_kind_podgroup_cosched, "j");
    assert_true(ty_str_is(ty_json_str_at(g, "apiVersion"), "scheduling.x-k8s.io/v1alpha1"));
    assert_non_null(ty_json_at(g, "metadata.ownerReferences"));
}

static void test_no_timeout(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("{'coscheduling':{}}", TRAINER_JOB("node", "")), JOB(""));
    assert_string_equal(group_spec(f), "{'minMember':1,'minResources':{}}");
}

/* Every job that runs together with the trainer carries the pod group's label, initializers that
 * complete before do not (B11). */
static void test_members_are_labelled(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           GANG(COSCHED,
                STEP_JOB("data", "dataset-initializer", "dataset-initializer", "") "," STEP_JOB(
                    "node", "trainer", "node",
                    ",'dependsOn':[{'name':'data','status':'Complete'}]") ",{'name':'side'}"),
           JOB(""));
    assert_string_equal(label_of(f, "data"), "");
    assert_string_equal(label_of(f, "node"), "'j'");
    assert_string_equal(label_of(f, "side"), "'j'");
    assert_string_equal(group_spec(f),
                        "{'minMember':2,'minResources':{},'scheduleTimeoutSeconds':120}");
}

/* Without a coscheduling policy there is neither a PodGroup nor a label. */
static void test_other_policies(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG("null", TRAINER_JOB("node", "")), JOB(""));
    assert_string_equal(group_spec(f), "");
    assert_string_equal(label_of(f, "node"), "");
    fx_run(f, GANG("{'volcano':{}}", TRAINER_JOB("node", "")), JOB(""));
    assert_string_equal(group_spec(f), "");
}

#define LIVE                                                                                       \
    "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{'name':'j',"       \
    "'namespace':'ns'}}"

/* Pods get their label also when the live PodGroup is not applied again. */
static void test_live_group(void **state)
{
    struct fixture *f = *state;

    core_put(f, LIVE);
    fx_run(f, GANG(COSCHED, TRAINER_JOB("node", "")), JOB(""));
    assert_string_equal(group_spec(f), "");
    assert_string_equal(label_of(f, "node"), "'j'");
    fx_run(f, GANG(COSCHED, TRAINER_JOB("node", "")), JOB_OF("rt", ",'suspend':true"));
    assert_string_equal(group_spec(f),
                        "{'minMember':1,'minResources':{},'scheduleTimeoutSeconds':120}");
}

static void test_origins(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG(COSCHED, TRAINER_JOB("node", "")), JOB(""));
    const struct ty_json *labels = ty_json_get(f->plan.trainer->pod_meta, "labels");
    assert_string_equal(core_origin(&f->plan, ty_json_find(labels, TY_LIT(LABEL))),
                        "plugin CoScheduling");
    const struct ty_json *g = fx_child(f, &ty_kind_podgroup_cosched, "j");
    assert_string_equal(core_origin(&f->plan, ty_json_at(g, "spec.scheduleTimeoutSeconds")),
                        "plugin CoScheduling");
    assert_string_equal(core_origin(&f->plan, ty_json_at(g, "spec.minMember")),
                        "plugin CoScheduling");
}

/* The group is applied before the pods that need it. */
static void test_group_comes_before_jobset(void **state)
{
    struct fixture *f = *state;

    fx_run(f, GANG(COSCHED, TRAINER_JOB("node", "")), JOB(""));
    assert_ptr_equal(f->plan.want->kind, &ty_kind_podgroup_cosched);
    assert_ptr_equal(f->plan.want->next->kind, &ty_kind_jobset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_podgroup),
        core_test(test_no_timeout),
        core_test(test_members_are_labelled),
        core_test(test_other_policies),
        core_test(test_live_group),
        core_test(test_origins),
        core_test(test_group_comes_before_jobset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
