#include "trainer/testing.h"

static struct ty_trainjob read_job(struct fixture *f, const char *text)
{
    struct ty_trainjob job;

    ty_trainjob_parse(&job, fx_json(f->arena, text));
    return job;
}

static void test_all_parts(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob j =
        read_job(f, JOB_OF("rt", ",'trainer':{'image':'i','command':['c'],'args':['a'],'env':[],"
                                 "'resourcesPerNode':{},'numNodes':3,'numProcPerNode':4},"
                                 "'initializer':{'dataset':{},'model':{}},'runtimePatches':[],"
                                 "'podTemplateOverrides':[],'podSpecOverrides':[],'suspend':true,"
                                 "'activeDeadlineSeconds':9"));

    assert_true(ty_str_is(j.name, "j") && ty_str_is(j.ns, "ns") && ty_str_is(j.uid, "test-uid"));
    assert_true(ty_str_is(j.ref_name, "rt") && ty_str_is(j.ref_kind, "ClusterTrainingRuntime") &&
                ty_str_is(j.ref_group, "trainer.kubeflow.org"));
    assert_true(j.trainer && j.image && j.command && j.args && j.env && j.resources);
    assert_true(j.dataset && j.model && j.patches && j.pod_template_overrides);
    assert_non_null(j.pod_spec_overrides);
    assert_true(j.num_nodes.set && j.num_nodes.v == 3);
    assert_int_equal(j.num_proc.kind, TY_NUMPROC_INT);
    assert_int_equal(j.num_proc.v, 4);
    assert_true(j.suspended && j.suspend_set);
    assert_int_equal(j.deadline_s, 9);
}

static void test_nothing_there(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob j = read_job(f, "{}");

    assert_true(j.name.n == 0 && j.ns.n == 0 && j.uid.n == 0 && j.ref_name.n == 0);
    assert_true(!j.ref && !j.trainer && !j.command && !j.dataset && !j.patches);
    assert_false(j.num_nodes.set || j.suspended || j.suspend_set);
    assert_int_equal(j.num_proc.kind, TY_NUMPROC_UNSET);
    assert_int_equal(j.deadline_s, 0);
    ty_trainjob_parse(&j, NULL);
    assert_null(j.obj);
}

static void test_suspend_false_is_set(void **state)
{
    struct ty_trainjob j = read_job(*state, JOB_OF("rt", ",'suspend':false"));

    assert_true(j.suspend_set);
    assert_false(j.suspended);
}

static void test_zero_nodes_are_said(void **state)
{
    struct ty_trainjob j = read_job(*state, JOB("'numNodes':0"));

    assert_true(j.num_nodes.set);
    assert_int_equal(j.num_nodes.v, 0);
}

/* A stored object may be older than its schema: what does not fit must not become another number.
 */
static void test_nodes_beyond_int32(void **state)
{
    struct ty_trainjob j =
        read_job(*state, JOB("'numNodes':4294967297,'numProcPerNode':4294967297"));

    assert_false(j.num_nodes.set);
    assert_int_equal(j.num_proc.kind, TY_NUMPROC_UNSET);
}

static void test_numproc_words(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *json;
        enum ty_numproc_kind kind;
    } rows[] = {
        { "'auto'", TY_NUMPROC_AUTO },   { "'cpu'", TY_NUMPROC_CPU }, { "'gpu'", TY_NUMPROC_GPU },
        { "'GPU'", TY_NUMPROC_UNSET },   { "''", TY_NUMPROC_UNSET },  { "'4'", TY_NUMPROC_UNSET },
        { "null", TY_NUMPROC_UNSET },    { "1.5", TY_NUMPROC_UNSET }, { "-3", TY_NUMPROC_INT },
        { "'autos'", TY_NUMPROC_UNSET },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_trainjob_parse_numproc(fx_json(f->arena, rows[i].json)).kind,
                         rows[i].kind);
    assert_int_equal(ty_trainjob_parse_numproc(NULL).kind, TY_NUMPROC_UNSET);
}

#define ANNOTATED(word, trainer)                                                                   \
    "{'metadata':{'annotations':{'" TY_ANN_NUMPROC "':'" word "'}},'spec':{'trainer':{" trainer    \
    "}}}"

static void test_annotation_remembers(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(read_job(f, ANNOTATED("gpu", "")).num_proc.kind, TY_NUMPROC_GPU);
    assert_int_equal(read_job(f, ANNOTATED("cpu", "")).num_proc.kind, TY_NUMPROC_CPU);
    assert_int_equal(read_job(f, ANNOTATED("many", "")).num_proc.kind, TY_NUMPROC_UNSET);
    assert_int_equal(read_job(f, ANNOTATED("gpu", "'numProcPerNode':2")).num_proc.kind,
                     TY_NUMPROC_INT);
}

static void test_finished(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *status;
        bool finished;
    } rows[] = {
        { "{'conditions':[{'type':'Complete','status':'True'}]}", true },
        { "{'conditions':[{'type':'Suspended','status':'False'},{'type':'Failed','status':'True'}]"
          "}",
          true },
        { "{'conditions':[{'type':'Complete','status':'False'}]}", false },
        { "{'conditions':[{'type':'Suspended','status':'True'}]}", false },
        { "{'conditions':[{'type':'Failed'}]}", false },
        { "{'conditions':[7]}", false },
        { "{'conditions':'x'}", false },
        { "{}", false },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_trainjob_finished(fx_json(f->arena, rows[i].status)), rows[i].finished);
    assert_false(ty_trainjob_finished(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_all_parts),
        core_test(test_nothing_there),
        core_test(test_suspend_false_is_set),
        core_test(test_zero_nodes_are_said),
        core_test(test_nodes_beyond_int32),
        core_test(test_numproc_words),
        core_test(test_annotation_remembers),
        core_test(test_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
