#include "cli/testing.h"

#define JOB                                                                                        \
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\n"             \
    "spec:\n  runtimeRef: {name: %s}\n  trainer: {numNodes: 2}\n"

static void job_file(struct ty_cli_fixture *b, const char *runtime)
{
    fixture_file("job.yaml", ty_arena_printf(b->cli.arena, JOB, runtime));
}

static void test_names_in_apply_order(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    job_file(&b, "mpi");
    assert_int_equal(FIXTURE_RUN(&b, "render", "-f", "job.yaml", "-o", "name"), TY_EXIT_OK);
    assert_string_equal(b.out, "configmap/j-runtime-snapshot\nsecret/j-mpi-ssh-auth\n"
                               "configmap/j-mpi-hostfile\njobset.jobset.x-k8s.io/j\n");
    assert_string_equal(b.err, "");
    fixture_close(&b);
}

/* Clock and entropy come from struct ty_cli alone. */
static void test_same_in_same_out(void **state)
{
    (void)state;
    struct ty_cli_fixture one, two;
    fixture_open(&one);
    job_file(&one, "mpi");
    assert_int_equal(FIXTURE_RUN(&one, "render", "job.yaml"), TY_EXIT_OK);
    fixture_open(&two);
    job_file(&two, "mpi");
    assert_int_equal(FIXTURE_RUN(&two, "render", "job.yaml"), TY_EXIT_OK);
    assert_string_equal(one.out, two.out);
    fixture_close(&two);
    fixture_close(&one);
}

static int no_entropy(void *p, size_t n)
{
    (void)p;
    (void)n;
    return -5; /* EIO */
}

static void test_no_entropy(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    b.cli.entropy = no_entropy;
    job_file(&b, "mpi");
    assert_int_equal(FIXTURE_RUN(&b, "render", "job.yaml"), TY_EXIT_BAD);
    assert_string_equal(b.err,
                        "job.yaml:1: TrainJob j: no random bytes for keys: Input/output error\n");
    assert_string_equal(b.out, "");
    fixture_close(&b);
}

static void test_origins(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    job_file(&b, "torch-distributed");
    assert_int_equal(FIXTURE_RUN(&b, "render", "job.yaml", "--origins"), TY_EXIT_OK);
    assert_has(b.out, "# plugin Torch\n");
    assert_has(b.out, "# runtime torch-distributed\n");
    fixture_close(&b);
}

static void test_refused(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    job_file(&b, "nothing");
    assert_int_equal(FIXTURE_RUN(&b, "render", "job.yaml"), TY_EXIT_BAD);
    assert_string_equal(b.out, "");
    assert_has(b.err, "job.yaml:5:15: spec.RuntimeRef: Invalid value");
    assert_int_equal(FIXTURE_RUN(&b, "render"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "render", "job.yaml", "--origins", "-o", "name"),
                     TY_EXIT_USAGE);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_in_apply_order),
        cmocka_unit_test(test_same_in_same_out),
        cmocka_unit_test(test_no_entropy),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
