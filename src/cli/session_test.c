#include "cli/cmds.h"
#include "cli/session.h"
#include "cli/testing.h"

#define API "apiVersion: trainer.kubeflow.org/v1alpha1\n"
#define JOB(ref)                                                                                   \
    API "kind: TrainJob\nmetadata: {name: j, namespace: a}\nspec:\n  runtimeRef: " ref "\n"
#define RUNTIME(kind, name, nodes)                                                                 \
    API "kind: " kind "\nmetadata: {name: " name "}\nspec: {mlPolicy: {numNodes: " nodes "}}\n"

static void open_session(struct ty_cli_fixture *b, struct ty_session *s, const char *text,
                         const char *lib)
{
    struct ty_input_opts input = { 0 };
    struct ty_session_opts opts = { .input = &input };
    struct ty_err err = { 0 };
    fixture_open(b);
    fixture_file("in.yaml", text);
    ty_strlist_add(b->cli.arena, &input.files, "in.yaml");
    if (lib) {
        fixture_file("lib.yaml", lib);
        ty_strlist_add(b->cli.arena, &input.runtimes, "lib.yaml");
    }
    assert_int_equal(ty_session_open(s, &b->cli, &opts, &err), 0);
}

static void close_session(struct ty_cli_fixture *b, struct ty_session *s)
{
    ty_session_close(s);
    fixture_close(b);
}

static int64_t nodes_of(struct ty_session *s, const char *name)
{
    int64_t n = -1;
    ty_json_int_at(
        s->view.get(s->view.ctx, &ty_kind_clustertrainingruntime, TY_LIT("a"), ty_str(name)),
        "spec.mlPolicy.numNodes", &n);
    return n;
}

static void test_who_wins(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_session s;
    open_session(&b, &s, RUNTIME("ClusterTrainingRuntime", "mpi", "11"),
                 RUNTIME("ClusterTrainingRuntime", "mpi",
                         "12") "---\n" RUNTIME("ClusterTrainingRuntime", "jax-distributed", "13"));
    assert_int_equal(nodes_of(&s, "mpi"), 11);              /* the input */
    assert_int_equal(nodes_of(&s, "jax-distributed"), 13);  /* the library */
    assert_int_equal(nodes_of(&s, "torch-distributed"), 1); /* the catalog */
    assert_int_equal(nodes_of(&s, "nobody"), -1);
    assert_int_equal(s.builtin.n, 1); /* only what was asked for was read */
    close_session(&b, &s);
}

static void test_runtimes_come_first(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_session s;
    open_session(&b, &s, JOB("{name: r}") "---\n" RUNTIME("ClusterTrainingRuntime", "r", "bad"),
                 NULL);
    ty_session_admit_all(&s);
    assert_int_equal(s.n_invalid, 2);
    assert_string_equal(s.findings.first->path, "spec.mlPolicy.numNodes");
    assert_string_equal(s.findings.last->detail,
                        "not checked against its runtime \"r\", which is invalid (in.yaml:7)");
    assert_int_equal(s.findings.n_errors, 2);
    ty_session_admit_all(&s); /* once is enough */
    assert_int_equal(s.findings.n_errors, 2);
    close_session(&b, &s);
}

static void test_missing_runtime(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_session s;
    open_session(&b, &s, JOB("{name: mpj}"), NULL);
    ty_session_admit_all(&s);
    assert_int_equal(s.findings.n_errors, 1);
    assert_has(s.findings.first->hint, "did you mean \"mpi\"? there are: deepspeed-distributed, ");
    close_session(&b, &s);
    open_session(&b, &s, JOB("{name: x, kind: TrainingRuntime}"), NULL);
    ty_session_admit_all(&s);
    assert_null(s.findings.first->hint); /* there is none to name */
    close_session(&b, &s);
}

/* The API server uses at most 58 characters of it. */
static void test_generated_name(void **state)
{
#define LONG "a23456789-123456789-123456789-123456789-123456789-12345678"
    (void)state;
    struct ty_cli_fixture b;
    struct ty_session s;
    open_session(&b, &s,
                 API "kind: TrainJob\nmetadata: {generateName: g-}\n"
                     "spec: {runtimeRef: {name: mpi}}\n---\n" API
                     "kind: TrainingRuntime\nmetadata: {generateName: " LONG "90-}\n"
                     "spec: {mlPolicy: {}}\n",
                 NULL);
    ty_session_admit_all(&s);
    assert_int_equal(s.n_invalid, 0);
    assert_true(ty_str_is(s.inputs.v[0]->name, "g-xxxxx"));
    assert_true(ty_str_is(s.inputs.v[1]->name, LONG "xxxxx"));
    close_session(&b, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_wins),
        cmocka_unit_test(test_runtimes_come_first),
        cmocka_unit_test(test_missing_runtime),
        cmocka_unit_test(test_generated_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
