#include "cli/inputs.h"
#include "cli/testing.h"

#define JOB(name, ns)                                                                              \
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: " name "\n" ns  \
    "spec: {}\n"

static struct ty_inputs read_text(struct ty_cli_fixture *b, const char *text)
{
    struct ty_inputs in = { .cli = &b->cli };
    fixture_file("in.yaml", text);
    ty_inputs_read(&in, "in.yaml", false);
    ty_inputs_index(&in);
    fixture_flush(b);
    return in;
}

static void test_kinds_and_places(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    struct ty_inputs in = read_text(
        &b,
        "# a comment\n" JOB(
            "a",
            "") "---\nx-step: patch\n---\napiVersion: v1\n"
                "kind: Node\nmetadata: {name: s}\n---\napiVersion: v1\nkind: List\n"
                "items:\n- {apiVersion: v1, kind: Secret, metadata: {name: k, namespace: ns}}\n");
    assert_int_equal(in.n_input_errors, 0);
    assert_int_equal(in.n, 2);
    assert_ptr_equal(in.v[0]->kind, &ty_kind_trainjob);
    assert_int_equal(in.v[0]->obj->line, 2);
    assert_string_equal(in.v[0]->file, "in.yaml");
    assert_ptr_equal(in.v[1]->kind, &ty_kind_secret);
    assert_true(ty_str_is(in.v[1]->ns, "ns"));
    assert_int_equal(in.n_left_out, 2);
    assert_has(b.err, "note: in.yaml:8: a document without kind is passed over\n");
    assert_has(b.err, "note: in.yaml:10: v1 Node is passed over\n");
    fixture_close(&b);
}

static void assert_input_error(struct ty_cli_fixture *b, const char *text, unsigned line,
                               const char *want)
{
    struct ty_inputs in = read_text(b, text);
    assert_int_equal(in.n_input_errors, 1);
    assert_string_equal(in.input_errors->text, want);
    assert_int_equal(in.input_errors->line, line);
    assert_string_equal(in.input_errors->file, "in.yaml");
}

static void test_troubles(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_input_error(&b, "# nothing\n", 0, "the file is empty");
    assert_input_error(&b, "- a\n", 1, "an object was expected here, not a list");
    assert_input_error(&b, "kind: TrainJob\n", 1, "kind TrainJob needs an apiVersion");
    assert_input_error(&b, "apiVersion: v1\nkind: 3\n", 2, "kind must be a word such as TrainJob");
    assert_input_error(&b, "apiVersion: trainer.kubeflow.org/v1\nkind: TrainJob\n", 1,
                       "apiVersion \"trainer.kubeflow.org/v1\" has no kind TrainJob (did you mean "
                       "\"trainer.kubeflow.org/v1alpha1\"?)");
    assert_input_error(
        &b, "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: Trainjob\n", 2,
        "trainer.kubeflow.org/v1alpha1 has no kind \"Trainjob\" (did you mean \"TrainJob\"?)");
    fixture_close(&b);
}

static void test_syntax_has_a_place(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    struct ty_inputs in = read_text(&b, "a: 1\nb: [1\nc: 2\n");
    assert_int_equal(in.n_input_errors, 1);
    assert_true(in.input_errors->line >= 2);
    assert_null(strstr(in.input_errors->text, "in.yaml"));
    fixture_close(&b);
}

static void test_given_twice(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_input_error(&b, JOB("a", "") "---\n" JOB("b", "") "---\n" JOB("a", ""), 13,
                       "TrainJob a is given a second time; the first is at in.yaml:1");
    struct ty_inputs in =
        read_text(&b, JOB("a", "  namespace: x\n") "---\n" JOB("a", "  namespace: y\n"));
    assert_int_equal(in.n_input_errors, 0);
    fixture_close(&b);
}

static void test_lookup(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    struct ty_inputs in =
        read_text(&b, JOB("a", "  namespace: x\n") "---\n" JOB("a", "") "---\n" JOB("b", ""));
    const struct ty_kind *k = &ty_kind_trainjob;
    assert_int_equal(ty_inputs_get(&in, k, TY_LIT("x"), TY_LIT("a"))->order, 0);
    assert_int_equal(ty_inputs_get(&in, k, TY_LIT("y"), TY_LIT("a"))->order, 1);
    assert_int_equal(ty_inputs_get(&in, k, TY_LIT(""), TY_LIT("a"))->order, 1);
    assert_int_equal(ty_inputs_get(&in, k, TY_LIT("z"), TY_LIT("b"))->order, 2);
    assert_null(ty_inputs_get(&in, k, TY_LIT("z"), TY_LIT("c")));
    assert_null(ty_inputs_get(&in, &ty_kind_secret, TY_LIT(""), TY_LIT("a")));
    fixture_close(&b);
}

static void test_namespace(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    struct ty_inputs in = { .cli = &b.cli };
    fixture_file("in.yaml", JOB("a", "") "---\n" JOB("b", "  namespace: other\n"));
    ty_inputs_read(&in, "in.yaml", false);
    ty_inputs_namespace(&in, "mine");
    assert_true(ty_str_is(ty_json_str_at(in.v[0]->obj, "metadata.namespace"), "mine"));
    assert_int_equal(in.n_input_errors, 1);
    assert_string_equal(in.input_errors->text,
                        "TrainJob b is in namespace \"other\", not in \"mine\" of --namespace");
    assert_int_equal(in.input_errors->line, 11);
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_and_places),
        cmocka_unit_test(test_troubles),
        cmocka_unit_test(test_syntax_has_a_place),
        cmocka_unit_test(test_given_twice),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
