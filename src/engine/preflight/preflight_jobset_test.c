#include "engine/preflight/preflight_testing.h"

/* Errors and warnings, without those of images. */
static const char *lines_of(struct fixture *f, const char *jobset)
{
    struct ty_preflight_findings u = { .arena = f->a }, kept = { .arena = f->a };
    struct ty_preflight_finding *next;

    ty_preflight_jobset(parse(f->a, jobset), &f->host, &f->view, &u);
    for (struct ty_preflight_finding *i = u.first; i; i = next) {
        next = i->next;
        if (strstr(i->text, "is not used;"))
            continue;
        i->next = NULL;
        ty_append(kept.first, kept.last, i);
    }
    return unfit_lines(f, &kept);
}

#define JOBSET(spec, rjobs)                                                                        \
    "{'metadata':{'name':'js','namespace':'ns'},'spec':{" spec "'replicatedJobs':[" rjobs "]}}"
#define RJOB(name, members, job, pod, container)                                                   \
    "{'name':'" name "'" members ",'template':{'spec':{" job "'template':{'spec':{" pod            \
    "'containers':[{'name':'m','image':'i','command':['x']" container "}]}}}}}"
#define PLAIN(name) RJOB(name, "", "", "", "")
#define GPU         ",'resources':{'limits':{'nvidia.com/gpu':1}}"

static void test_who_manages_it(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(lines_of(f, JOBSET("'managedBy':'acme.io/x',", "{'name':'a'}")),
                        "E spec.managedBy: managed by acme.io/x; not run\n");
    assert_string_equal(
        lines_of(f, JOBSET("'managedBy':'jobset.sigs.k8s.io/jobset-controller',", PLAIN("a"))), "");
    assert_string_equal(
        lines_of(f, JOBSET("", RJOB("a", "", "'managedBy':'acme.io/x',", "", ""))),
        "E spec.replicatedJobs[0].template.spec.managedBy: managed by acme.io/x; not "
        "run\n");
}

static void test_more_pods_than_fit(void **state)
{
    struct fixture *f = *state;

    f->host.pods_most = 10;
    f->host.pods_why = "that is why";
    assert_string_equal(
        lines_of(f, JOBSET("", RJOB("a", ",'replicas':2", "'parallelism':5,", "", ""))), "");
    assert_string_equal(
        lines_of(f,
                 JOBSET("", PLAIN("a") "," RJOB("b", ",'replicas':2", "'parallelism':5,", "", ""))),
        "E spec.replicatedJobs[1].template.spec.parallelism: wants 11 pods at once, this machine "
        "can have 10: that is why\n");
    assert_string_equal(
        lines_of(f, JOBSET("", RJOB("a", ",'replicas':2147483647",
                                    "'parallelism':2147483647,'completions':9,", "", ""))),
        "E spec.replicatedJobs[0].replicas: wants 19327352823 pods at once, this machine can have "
        "10: that is why\n");
}

static void test_jobs_that_never_run(void **state)
{
    struct fixture *f = *state;
    static const char never[] =
        "W spec.replicatedJobs: no Job will ever run; this JobSet never completes\n";

    assert_string_equal(lines_of(f, JOBSET("", "")), never);
    assert_string_equal(lines_of(f, JOBSET("", RJOB("a", ",'replicas':0", "", "", ""))), never);
    assert_string_equal(
        lines_of(f, JOBSET("", PLAIN("a") "," RJOB("b",
                                                   ",'dependsOn':[{'name':'a','status':'Ready'},"
                                                   "{'name':'b','status':'Ready'}]",
                                                   "", "", ""))),
        "E spec.replicatedJobs[1].dependsOn[1]: replicatedJob depends on itself and would never "
        "start\n");
}

static void test_ttl_of_a_job(void **state)
{
    assert_string_equal(
        lines_of(*state, JOBSET("", RJOB("a", "", "'ttlSecondsAfterFinished':5,", "", ""))),
        "W spec.replicatedJobs[0].template.spec.ttlSecondsAfterFinished: the Job will be deleted "
        "and "
        "run again if the JobSet is still running\n");
}

static void test_exclusive_placement(void **state)
{
    struct fixture *f = *state;
    static const char whole[] =
        "{'metadata':{'name':'js','annotations':{'alpha.jobset.sigs.k8s.io/"
        "exclusive-topology':'z'}},"
        "'spec':{'replicatedJobs':[" RJOB("a", ",'replicas':%d", "", "", "") "]}}";
    char text[1024];

    snprintf(text, sizeof(text), whole, 3);
    assert_string_equal(lines_of(f, text),
                        "E metadata.annotations[alpha.jobset.sigs.k8s.io/exclusive-topology]: one "
                        "host is a single topology domain; exclusive placement of 3 Jobs is "
                        "impossible\n");
    snprintf(text, sizeof(text), whole, 1);
    assert_string_equal(lines_of(f, text), "");
}

/* Two devices here. */
static void test_devices_of_those_that_run_together(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(lines_of(f, JOBSET("", RJOB("a", "", "'parallelism':2,", "", GPU))), "");
    assert_string_equal(lines_of(f, JOBSET("", RJOB("a", ",'replicas':3",
                                                    "'parallelism':2,'completions':1,", "", GPU))),
                        "E spec.replicatedJobs[0].resources[nvidia.com/gpu]: wants 3 "
                        "nvidia.com/gpu at once, host has "
                        "2\n");
    assert_string_equal(
        lines_of(f,
                 JOBSET("", RJOB("a", "", "'parallelism':2,", "", GPU) "," RJOB(
                                "b", ",'dependsOn':[{'name':'a','status':'Ready'}]", "", "", GPU))),
        "E spec.replicatedJobs[0].resources[nvidia.com/gpu]: wants 3 nvidia.com/gpu at once, host "
        "has "
        "2\n");
    assert_string_equal(
        lines_of(f, JOBSET("", RJOB("a", "", "'parallelism':2,", "", GPU) "," RJOB(
                                   "b", ",'dependsOn':[{'name':'a','status':'Complete'}]",
                                   "'parallelism':2,", "", GPU))),
        "");
}

static void test_devices_at_once(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *rjobs;
        int64_t gpus;
    } rows[] = {
        { PLAIN("a"), 0 },
        { RJOB("a", ",'replicas':2", "'parallelism':3,", "", GPU), 6 },
        { RJOB("a", "", "", "", GPU) "," RJOB("b", "", "", "", GPU), 2 },
        { RJOB("a", "", "'parallelism':3,", "",
               GPU) "," RJOB("b", ",'dependsOn':[{'name':'a','status':'Complete'}]", "", "", GPU),
          3 },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        char *text = ty_arena_printf(
            f->a, "{'metadata':{'name':'js'},'spec':{'replicatedJobs':[%s]}}", rows[i].rjobs);
        assert_int_equal(ty_preflight_gpus(f->a, parse(f->a, text), &f->host), rows[i].gpus);
    }
}

static void test_claims_of_policies(void **state)
{
    struct fixture *f = *state;
    static const char policy[] =
        "'volumeClaimPolicies':[{'templates':[{'metadata':{'name':'initializer'},'spec':"
        "{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]}],";
    char text[2048];

    snprintf(
        text, sizeof(text),
        JOBSET("%s", RJOB("a", "", "",
                          "'volumes':[{'name':'w','persistentVolumeClaim':"
                          "{'claimName':'initializer-js'}}],",
                          ",'volumeMounts':[{'name':'initializer','mountPath':'/workspace'}]")),
        policy);
    assert_string_equal(lines_of(f, text),
                        "W spec.volumeClaimPolicies[0].templates[0].spec.resources: not enforced; "
                        "claim is a plain directory\n");
    snprintf(
        text, sizeof(text),
        JOBSET("%s", RJOB("a", "", "", "",
                          ",'volumeMounts':[{'name':'initializer','mountPath':'/workspace'}]")),
        "");
    assert_string_equal(lines_of(f, text),
                        "E spec.replicatedJobs[0].template.spec.template.spec.containers[0]."
                        "volumeMounts[0].name: cannot find volume \"initializer\" to mount into "
                        "container \"m\"\n");
}

static void test_ports_on_one_address(void **state)
{
    struct fixture *f = *state;
    static const char two[] = JOBSET("", RJOB("a", ",'replicas':2", "'parallelism':1,", "",
                                              ",'ports':[{'containerPort':2222}]"));
    static const char others[] =
        JOBSET("", RJOB("a", "", "", "", ",'ports':[{'containerPort':80}]") "," RJOB(
                       "b", "", "", "", ",'ports':[{'containerPort':80}]"));

    assert_string_equal(lines_of(f, two), ""); /* each pod has its own */
    f->host.one_address = true;
    assert_string_equal(lines_of(f, two),
                        "E spec.replicatedJobs[0]: port 2222 is wanted by js-a-0-0 "
                        "and js-a-1-0 on one address\n");
    assert_string_equal(lines_of(f, others), "E spec.replicatedJobs[0]: port 80 is wanted by "
                                             "js-a-0-0 and js-b-0-0 on one address\n");
    assert_string_equal(lines_of(f, JOBSET("", PLAIN("a") "," PLAIN("b"))), "");
}

static void test_paths_go_down_to_the_field(void **state)
{
    assert_string_equal(
        lines_of(*state, JOBSET("", PLAIN("a") "," RJOB("b", "", "", "'hostPID':true,", ""))),
        "E spec.replicatedJobs[1].template.spec.template.spec.hostPID: hostPID=true "
        "has no local equivalent\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_who_manages_it),
        with_fixture(test_more_pods_than_fit),
        with_fixture(test_jobs_that_never_run),
        with_fixture(test_ttl_of_a_job),
        with_fixture(test_exclusive_placement),
        with_fixture(test_devices_of_those_that_run_together),
        with_fixture(test_devices_at_once),
        with_fixture(test_claims_of_policies),
        with_fixture(test_ports_on_one_address),
        with_fixture(test_paths_go_down_to_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
