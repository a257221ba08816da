#include <errno.h>

#include "trainer/plugins/fixture.h"

#define C(name)    "{'name':'" name "','image':'i'}"
#define JOBS(jobs) RUNTIME_JOBS("{'tensorflow':{}}", jobs)
#define TASK(t)    ",\"task\":{\"type\":\"" t "\",\"index\":$(TY_INDEX)},\"environment\":\"cloud\"}"

static void test_cluster(void **state)
{
    struct fixture *f = *state;
    static const char runtime[] =
        JOBS(PLAIN_JOB("ps", "2", C("server") "," C("metrics")) "," PLAIN_JOB(
            "chief", "1",
            C("node")) "," PLAIN_JOB("evaluator", "1",
                                     C("node")) "," PLAIN_JOB("board", "1",
                                                              C("node")) "," TRAINER_JOB("node",
                                                                                         ""));
#define HOSTS                                                                                      \
    "TY_INDEX=" FX_INDEX ";TF_CONFIG={\"cluster\":{\"chief\":[\"j-chief-0-0.j:2222\"],"            \
    "\"worker\":[\"j-node-0-0.j:2222\",\"j-node-0-1.j:2222\"],"                                    \
    "\"ps\":[\"j-ps-0-0.j:2222\",\"j-ps-0-1.j:2222\"]}"

    fx_run(f, runtime, JOB("'numNodes':2,'env':[{'name':'A','value':'1'}]"));
    assert_string_equal(fx_env(f, "node", "node"), "A=1;" HOSTS TASK("worker"));
    assert_string_equal(fx_env(f, "chief", "node"), HOSTS TASK("chief"));
    assert_string_equal(fx_env(f, "ps", "server"), HOSTS TASK("ps"));
    assert_string_equal(fx_env(f, "ps", "metrics"), HOSTS TASK("ps"));
    assert_string_equal(fx_env(f, "evaluator", "node"), HOSTS TASK("evaluator"));
    assert_string_equal(fx_env(f, "board", "node"), "");
    assert_string_equal(fx_member(f, "ps", "server", "ports"), "[{'containerPort':2222}]");
    assert_string_equal(fx_member(f, "board", "node", "ports"), "");
}

/* With $(TY_INDEX) filled in it must be JSON. */
static void test_is_json(void **state)
{
    struct fixture *f = *state;
    struct ty_err err = { 0 };
    ty_auto_buf text = { 0 };

    fx_run(f, RUNTIME("{'numNodes':2,'tensorflow':{'port':7000}}", ""), JOB_OF("rt", ""));
    const char *config = strstr(fx_env(f, "node", "node"), "TF_CONFIG=") + strlen("TF_CONFIG=");
    const char *index = strstr(config, "$(TY_INDEX)");
    assert_non_null(index);
    ty_buf_put(&text, config, (size_t)(index - config));
    ty_buf_printf(&text, "1%s", index + strlen("$(TY_INDEX)"));
    struct ty_json *v = ty_json_parse(f->arena, ty_buf_str(&text), NULL, &err);
    assert_non_null(v);
    assert_string_equal(fx_text(f, ty_json_at(v, "cluster.worker")),
                        "['j-node-0-0.j:7000','j-node-0-1.j:7000']");
    int64_t i = 0;
    assert_true(ty_json_int_at(v, "task.index", &i));
    assert_int_equal(i, 1);
}

static void test_alone(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'tensorflow':{}}", ""), JOB(""));
    assert_string_equal(fx_env(f, "node", "node"), "");
    assert_string_equal(fx_member(f, "node", "node", "ports"), "[{'containerPort':2222}]");
}

#define REPLICAS(name, n, count)                                                                   \
    "{'name':'" name "','replicas':" n ",'template':{'spec':{'parallelism':" count                 \
    ",'template':{'spec':{'containers':[" C("node") "]}}}}}"

static void test_replicas_are_indices(void **state)
{
    struct fixture *f = *state;

    fx_run(f, JOBS(TRAINER_JOB("worker", "") "," REPLICAS("ps", "2", "1")), JOB(""));
    const char *env = fx_env(f, "ps", "node");
    assert_non_null(
        strstr(env, "TY_INDEX=@metadata.annotations['jobset.sigs.k8s.io/job-index'];TF_CONFIG="));
    assert_has(env, "\"ps\":[\"j-ps-0-0.j:2222\",\"j-ps-1-0.j:2222\"]");
}

static void test_refusals(void **state)
{
    struct fixture *f = *state;

    assert_non_null(
        strstr(fx_validate(f, JOBS(TRAINER_JOB("node", "") "," PLAIN_JOB("worker", "1", C("node"))),
                           JOB("")),
               "jobs \"node\" and \"worker\" are both TensorFlow's worker"));
    assert_true(fx_try(f, JOBS(TRAINER_JOB("node", "") "," REPLICAS("ps", "2", "2")), JOB("")) < 0);
    assert_string_equal(f->err.text, "job \"ps\" has several replicas of several pods, which "
                                     "TensorFlow cannot count");
    assert_has(fx_validate(f, RUNTIME("{'tensorflow':{}}", ""),
                           JOB("'env':[{'name':'TF_CONFIG','value':'{}'}]")),
               "invalid envs configured: [TF_CONFIG]");
}

static void test_config_has_an_end(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(fx_try(f, RUNTIME("{'tensorflow':{}}", ""), JOB("'numNodes':2147483647")),
                     -E2BIG);
    assert_string_equal(f->err.text,
                        "the names of 2147483647 pods do not fit into TF_CONFIG, which "
                        "may have 98304 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_cluster),  fx_test(test_is_json),
        fx_test(test_alone),    fx_test(test_replicas_are_indices),
        fx_test(test_refusals), fx_test(test_config_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
