#include "trainer/testing.h"

#define INITS                                                                                      \
    RUNTIME_JOBS(                                                                                  \
        "{}",                                                                                      \
        STEP_JOB("d", "dataset-initializer", "dataset-initializer", ",'replicas':2") "," STEP_JOB( \
            "m", "model-initializer", "model-initializer",                                         \
            "") "," TRAINER_JOB("node",                                                            \
                                ",'command':['old'],'args':['a'],'env':[{'name':'E','value':"      \
                                "'rt'}]"))
#define INIT(spec) JOB_OF("rt", ",'initializer':{" spec "}")

static const struct ty_json *jobset(struct fixture *f)
{
    return fx_child(f, &ty_kind_jobset, "j");
}

static const struct ty_json *rjob(struct fixture *f, const char *name)
{
    const struct ty_json *j =
        ty_json_find_item(ty_json_at(jobset(f), "spec.replicatedJobs"), "name", ty_str(name), NULL);

    assert_non_null(j);
    return j;
}

static const char *at(struct fixture *f, const char *name, const char *path)
{
    return fx_text(f, ty_json_at(rjob(f, name), path));
}

/* ---- counts ---- */

static void test_counts_of_every_job(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           RUNTIME_JOBS("{'numNodes':2}",
                        PLAIN_JOB("side", "3", "") "," TRAINER_JOB("node", "") ",{'name':'bare'}"),
           JOB("'numNodes':5"));
    assert_string_equal(at(f, "node", "template.spec.parallelism"), "5");
    assert_string_equal(at(f, "node", "template.spec.completions"), "5");
    assert_string_equal(at(f, "side", "template.spec.completions"), "3");
    assert_string_equal(at(f, "bare", "template.spec.parallelism"), "1");
}

/* numNodes 0 is written as it is: no pods. */
static void test_zero_nodes(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'torch':{}}", ""), JOB("'numNodes':0"));
    assert_string_equal(at(f, "node", "template.spec.parallelism"), "0");
    assert_string_equal(at(f, "node", "template.spec.completions"), "0");
}

/* Only jobs with a known ancestor label are set to one replica. */
static void test_one_replica(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           RUNTIME_JOBS("{}",
                        STEP_JOB("d", "dataset-initializer", "x", ",'replicas':2") "," TRAINER_JOB(
                            "node", "") "," STEP_JOB("o", "other", "x",
                                                     ",'replicas':2") "," PLAIN_JOB("p", "1", "")),
           JOB(""));
    assert_string_equal(at(f, "d", "replicas"), "1");
    assert_string_equal(at(f, "node", "replicas"), "1");
    assert_string_equal(at(f, "o", "replicas"), "2");
    assert_string_equal(at(f, "p", "replicas"), "");
}

/* ---- initializers ---- */

/* STORAGE_URI first, even if empty, then the initializer's variables (of two with one name the
 * later wins) and the Secret. */
static void test_initializers(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS,
           INIT("'dataset':{'storageUri':'hf://d','env':[{'name':'A','value':'1'},{'name':'A',"
                "'value':'2'}],'secretRef':{'name':'s'}},'model':{'storageUri':''}"));
    assert_string_equal(fx_env(f, "d", "dataset-initializer"), "STORAGE_URI=hf://d;A=2");
    assert_string_equal(fx_member(f, "d", "dataset-initializer", "envFrom"),
                        "[{'secretRef':{'name':'s'}}]");
    assert_string_equal(fx_env(f, "m", "model-initializer"), "STORAGE_URI=");
    assert_string_equal(fx_member(f, "m", "model-initializer", "envFrom"), "");
    assert_string_equal(fx_env(f, "node", "node"), "E=rt");
}

static void test_env_may_override_the_uri(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS,
           INIT("'dataset':{'storageUri':'a','env':[{'name':'STORAGE_URI','value':'b'}]}"));
    assert_string_equal(fx_env(f, "d", "dataset-initializer"), "STORAGE_URI=b");
}

static void test_initializer_without_settings(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS, INIT("'dataset':{}"));
    assert_string_equal(fx_env(f, "d", "dataset-initializer"), "");
    fx_run(f, INITS, JOB(""));
    assert_string_equal(fx_env(f, "d", "dataset-initializer"), "");
    assert_string_equal(at(f, "d", "replicas"), "1");
}

static void test_initializer_without_its_container(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME_JOBS("{}", STEP_JOB("d", "dataset-initializer", "other", "")),
           INIT("'dataset':{'storageUri':'a'}"));
    assert_string_equal(fx_env(f, "d", "other"), "");
}

/* v1 is what absent means; any other version is kept (B7). */
static void test_field_refs_of_initializers(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS,
           INIT("'dataset':{'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1',"
                "'fieldPath':'p'}}},{'name':'B','valueFrom':{'fieldRef':{'apiVersion':'v2',"
                "'fieldPath':'p'}}}]}"));
    assert_string_equal(fx_member(f, "d", "dataset-initializer", "env"),
                        "[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'p'}}},{'name':'B',"
                        "'valueFrom':{'fieldRef':{'apiVersion':'v2','fieldPath':'p'}}}]");
}

/* ---- the trainer ---- */

/* Image, command and args of the TrainJob replace the runtime's. */
static void test_trainer_replaces(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS, JOB("'image':'new','command':['run'],'args':['x','y']"));
    assert_string_equal(fx_member(f, "node", "node", "image"), "'new'");
    assert_string_equal(fx_member(f, "node", "node", "command"), "['run']");
    assert_string_equal(fx_member(f, "node", "node", "args"), "['x','y']");
}

static void test_trainer_leaves_what_it_does_not_say(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS, JOB(""));
    assert_string_equal(fx_member(f, "node", "node", "image"), "'i'");
    assert_string_equal(fx_member(f, "node", "node", "command"), "['old']");
    assert_string_equal(fx_member(f, "node", "node", "args"), "['a']");
}

/* An empty list removes the runtime's command or args. */
static void test_empty_lists_clear(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS, JOB("'command':[],'args':[]"));
    assert_string_equal(fx_member(f, "node", "node", "command"), "");
    assert_string_equal(fx_member(f, "node", "node", "args"), "");
}

/* A variable that replaces one of the runtime's keeps its place in the list. */
static void test_env_replaces_in_place(void **state)
{
    struct fixture *f = *state;

    fx_run(f, INITS, JOB("'env':[{'name':'N','value':'1'},{'name':'E','value':'mine'}]"));
    assert_string_equal(fx_env(f, "node", "node"), "E=mine;N=1");
}

/* With runLauncherAsNode job node gets the user's variables too, but not the image. */
static void test_env_for_every_mpi_node(void **state)
{
    struct fixture *f = *state;
#define MPI_JOBS                                                                                   \
    TRAINER_JOB("launcher", "") "," PLAIN_JOB("node", "1", "{'name':'node','image':'n'}")

    fx_run(f, RUNTIME_JOBS("{'mpi':{'runLauncherAsNode':true}}", MPI_JOBS),
           JOB("'image':'new','env':[{'name':'X','value':'1'}]"));
    assert_string_equal(fx_env(f, "node", "node"), "X=1");
    assert_string_equal(fx_member(f, "node", "node", "image"), "'n'");
    assert_string_equal(fx_member(f, "launcher", "node", "image"), "'new'");
    fx_run(f, RUNTIME_JOBS("{'mpi':{}}", MPI_JOBS), JOB("'env':[{'name':'X','value':'1'}]"));
    assert_string_equal(fx_env(f, "node", "node"), "");
}

/* ---- the object ---- */

/* The JobSet's suspend is the TrainJob's: true, false or absent. */
static void test_suspend(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{}", ""), JOB(""));
    assert_null(ty_json_at(jobset(f), "spec.suspend"));
    fx_run(f, RUNTIME("{}", ""), JOB_OF("rt", ",'suspend':true"));
    assert_string_equal(fx_text(f, ty_json_at(jobset(f), "spec.suspend")), "true");
    fx_run(f, RUNTIME("{}", ""), JOB_OF("rt", ",'suspend':false"));
    assert_string_equal(fx_text(f, ty_json_at(jobset(f), "spec.suspend")), "false");
}

/* A runtime's own suspend does not count. */
static void test_suspend_of_the_runtime(void **state)
{
    struct fixture *f = *state;

    fx_run(f, "{'spec':{'template':{'spec':{'suspend':true,'replicatedJobs':[]}}}}", JOB(""));
    assert_null(ty_json_at(jobset(f), "spec.suspend"));
}

static void test_metadata(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           "{'metadata':{'name':'rt','labels':{'of':'object'}},'spec':{'template':{'metadata':{"
           "'labels':{'l':'1'},'annotations':{'a':'2'},'name':'x'},'spec':{}}}}",
           JOB(""));
    assert_string_equal(fx_text(f, ty_json_get(jobset(f), "metadata")),
                        "{'name':'j','namespace':'ns'," OWNER(
                            "test-uid") ",'labels':{'l':'1'},'annotations':{'a':'2'}}");
    fx_run(f, RUNTIME("{}", ""), JOB(""));
    assert_null(ty_json_at(jobset(f), "metadata.labels"));
}

#define LIVE(spec)                                                                                 \
    "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j','namespace':" \
    "'ns'},'spec':{" spec "}}"

/* Written only while one of the two is suspended. */
static void test_frozen(void **state)
{
    struct fixture *f = *state;

    core_put(f, LIVE(""));
    fx_run(f, RUNTIME("{}", ""), JOB_OF("rt", ",'suspend':false"));
    assert_null(jobset(f));
    fx_run(f, RUNTIME("{}", ""), JOB_OF("rt", ",'suspend':true"));
    assert_non_null(jobset(f));
    core_put(f, LIVE("'suspend':true"));
    fx_run(f, RUNTIME("{}", ""), JOB_OF("rt", ",'suspend':false"));
    assert_non_null(jobset(f));
}

static void test_origins(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'torch':{}}", ",'args':['a']"),
           JOB_OF("rt", ",'suspend':true,'trainer':{'image':'new','numNodes':2,'env':[{'name':'X',"
                        "'value':'1'}]},'runtimePatches':[" POD_PATCH(
                            "kueue.x-k8s.io/manager", "node", "'nodeSelector':{'a':'b'}") "]"));
    const struct ty_json *c = fx_container(f, "node", "node");
    const struct ty_json *env = ty_json_get(c, "env");
    static const struct {
        const char *path, *text;
    } rows[] = {
        { "image", "spec.trainer" },
        { "args", "runtime rt" },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(core_origin(&f->plan, ty_json_at(c, rows[i].path)), rows[i].text);
    assert_string_equal(core_origin(&f->plan, ty_json_find_item(env, "name", TY_LIT("X"), NULL)),
                        "spec.trainer.env");
    assert_string_equal(
        core_origin(&f->plan, ty_json_find_item(env, "name", TY_LIT("PET_NNODES"), NULL)),
        "plugin Torch");
    assert_string_equal(core_origin(&f->plan, ty_json_at(rjob(f, "node"), "template.spec.template."
                                                                          "spec.nodeSelector.a")),
                        "patch by kueue.x-k8s.io/manager");
    assert_string_equal(core_origin(&f->plan, ty_json_at(rjob(f, "node"), "template.spec."
                                                                          "parallelism")),
                        "plugin JobSet");
    assert_string_equal(core_origin(&f->plan, ty_json_at(jobset(f), "spec.suspend")),
                        "spec.suspend");
}

/* A count that is right already keeps its author. */
static void test_origin_of_counts(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME_JOBS("{}", PLAIN_JOB("p", "3", "")), JOB(""));
    assert_string_equal(
        core_origin(&f->plan, ty_json_at(rjob(f, "p"), "template.spec.parallelism")), "runtime rt");
    assert_string_equal(
        core_origin(&f->plan, ty_json_at(rjob(f, "p"), "template.spec.completions")),
        "plugin JobSet");
}

/* ---- status ---- */

static const char *status(struct fixture *f, const char *live, const char *was)
{
    struct ty_json *s = fx_json(f->arena, was);

    if (live)
        core_put(f, live);
    ty_trainjob_parse(&f->job, fx_json(f->arena, JOB("")));
    ty_pipeline_status(&f->pipeline, f->arena, &f->job, &f->view, s);
    return fx_text(f, s);
}
#define WITH_STATUS(s)                                                                             \
    "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j','namespace':" \
    "'ns'},'status':{" s "}}"

/* The JobSet's Completed becomes Complete with the same reason, message, time and generation. */
static void test_completed(void **state)
{
    assert_string_equal(
        status(*state,
               WITH_STATUS("'conditions':[{'type':'Completed','status':'True','reason':'R',"
                           "'message':'M','lastTransitionTime':'T','observedGeneration':7}]"),
               "{}"),
        "{'conditions':[{'type':'Complete','lastTransitionTime':'T','status':'True','reason':'R',"
        "'message':'M','observedGeneration':7}]}");
}

static void test_no_end_yet(void **state)
{
    assert_string_equal(status(*state,
                               WITH_STATUS("'conditions':[{'type':'Completed','status':'False'},"
                                           "{'type':'StartupPolicyCompleted','status':'True'}]"),
                               "{}"),
                        "{}");
}

/* Nothing there: what was known stays. */
static void test_jobset_gone(void **state)
{
    static const char was[] = "{'conditions':[{'type':'Complete','status':'True'}],'jobsStatus':["
                              "{'name':'a'}]}";

    assert_string_equal(status(*state, NULL, was), was);
}

static void test_counts(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(status(f,
                               WITH_STATUS("'replicatedJobsStatus':[{'name':'b','ready':1,"
                                           "'succeeded':2,'failed':3,'active':4,'suspended':5,"
                                           "'more':6},{'name':'a'}]"),
                               "{'jobsStatus':[{'name':'old'}]}"),
                        "{'jobsStatus':[{'name':'b','ready':1,'succeeded':2,'failed':3,'active':4,"
                        "'suspended':5},{'name':'a','ready':0,'succeeded':0,'failed':0,'active':0,"
                        "'suspended':0}]}");
    assert_string_equal(status(f, WITH_STATUS(""), "{'jobsStatus':[{'name':'old'}]}"), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_counts_of_every_job),
        core_test(test_zero_nodes),
        core_test(test_one_replica),
        core_test(test_initializers),
        core_test(test_env_may_override_the_uri),
        core_test(test_initializer_without_settings),
        core_test(test_initializer_without_its_container),
        core_test(test_field_refs_of_initializers),
        core_test(test_trainer_replaces),
        core_test(test_trainer_leaves_what_it_does_not_say),
        core_test(test_empty_lists_clear),
        core_test(test_env_replaces_in_place),
        core_test(test_env_for_every_mpi_node),
        core_test(test_suspend),
        core_test(test_suspend_of_the_runtime),
        core_test(test_metadata),
        core_test(test_frozen),
        core_test(test_origins),
        core_test(test_origin_of_counts),
        core_test(test_completed),
        core_test(test_no_end_yet),
        core_test(test_jobset_gone),
        core_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
