#include "cli/install/catalog.h"
#include "cli/testing.h"
#include "json/yaml.h"

static void test_table(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "runtimes"), TY_EXIT_OK);
    assert_has(b.out, "NAME ");
    assert_has(b.out, "\njax-distributed ");
    assert_null(strstr(b.out, "IMAGE"));
    fixture_close(&b);
}

static void test_wide(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "runtimes", "-o", "wide", "deepspeed-distributed"),
                     TY_EXIT_OK);
    assert_has(b.out, "deepspeed   mpi      node,launcher   ghcr.io/kubeflow/trainer/deepspeed");
    fixture_close(&b);
}

/* A name alone prints the object, as a file to change. */
static void test_one(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "runtimes", "flux"), TY_EXIT_OK);
    assert_int_equal(
        ty_yaml_parse(b.cli.arena, "out", (struct ty_str){ b.out, b.n_out }, NULL, &docs, &err), 0);
    assert_int_equal(docs.n, 1);
    assert_true(ty_str_is(ty_json_str_at(docs.v[0], "metadata.name"), "flux"));
    fixture_close(&b);
}

static void test_names_in_order(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "runtimes", "-o", "name", "torch-distributed", "flux"),
                     TY_EXIT_OK);
    assert_string_equal(b.out, "clustertrainingruntime.trainer.kubeflow.org/torch-distributed\n"
                               "clustertrainingruntime.trainer.kubeflow.org/flux\n");
    fixture_close(&b);
}

static void test_unknown(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "runtimes", "torch-distributd"), TY_EXIT_BAD);
    assert_has(b.err, "no runtime \"torch-distributd\" (did you mean torch-distributed?)");
    assert_int_equal(b.n_out, 0);
    fixture_close(&b);
}

/* The short name and the long one are the same runtime. */
static void test_mpi_twice(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    assert_true(ty_json_eq(ty_json_get(ty_catalog_get(a, TY_LIT("mpi")), "spec"),
                           ty_json_get(ty_catalog_get(a, TY_LIT("mpi-distributed")), "spec")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_wide),
        cmocka_unit_test(test_one),     cmocka_unit_test(test_names_in_order),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_mpi_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
