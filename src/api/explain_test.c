#include "api/explain.h"
#include "api/schema_testing.h"

static const char *explain(struct ty_arena *a, const char *path, bool recursive)
{
    struct ty_err err = { 0 };
    ty_auto_buf out = { 0 };

    if (ty_explain(&out, ty_str(path), recursive, &err) != 0)
        fail_msg("%s", err.text);
    return ty_arena_cstr(a, ty_buf_str(&out));
}

static const char *refusal(struct ty_arena *a, const char *path)
{
    struct ty_err err = { 0 };
    ty_auto_buf out = { 0 };

    assert_int_equal(ty_explain(&out, ty_str(path), false, &err), -ENOENT);
    assert_int_equal(out.n, 0);
    return ty_arena_strdup(a, err.text);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text ? text : "");
}

static void explains_an_object(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *text = explain(a, "trainjob.spec.trainer", false);

    assert_ptr_equal(strstr(text, "GROUP:      trainer.kubeflow.org\nKIND:       TrainJob\n"
                                  "VERSION:    v1alpha1\n\nFIELD: trainer <Trainer>\n\n"
                                  "DESCRIPTION:\n    "),
                     text);
    has(text, "RULES:\n    - field is immutable\n\nFIELDS:\n  args\t<[]string>\n    ");
    has(text, "\n\n  env\t<[]EnvVar>\n    ");
    has(text, "\n\n  numProcPerNode\t<IntOrString>\n");
    has(text, "    A trainyard extension: ");
    has(text, "\n\n  resourcesPerNode\t<ResourceRequirements>\n");
}

static void explains_a_kind(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *text = explain(a, "TrainJobs", false);

    has(text, "\nDESCRIPTION:\n    A training job");
    has(text, "FIELDS:\n  apiVersion\t<string>\n");
    assert_null(strstr(text, "FIELD:"));
}

static void explains_a_value(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *mode = "trainingruntime.spec.podGroupPolicy.volcano.networkTopology.mode";
    const char *text = explain(a, mode, false);

    has(text, "FIELD: mode <string>\nENUM:\n    hard\n    soft\nDEFAULT: \"hard\"\n\nDESCRIPTION:");
    text = explain(a, "trainjob.spec.runtimeRef", false);
    has(text, "FIELD: runtimeRef <RuntimeRef> -required-\n");
    has(text, "  kind\t<string>\n  default: \"ClusterTrainingRuntime\"\n    ");
    has(text, "  name\t<string> -required-\n");
    text = explain(a, "trainjob.spec.runtimeRef.name", false);
    has(text, "RULES:\n    - at least 1 character\n    - at most 253 characters\n");
    text = explain(a, "trainjob.spec.podSpecOverrides", false);
    has(text, "\n    DEPRECATED: ");
}

static void goes_through_lists_and_maps(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    has(explain(a, "trainjob.spec.trainer.env.valueFrom", false),
        "FIELD: valueFrom <EnvVarSource>");
    assert_string_equal(explain(a, "trainjob.spec.trainer.env[0].name", false),
                        explain(a, "trainjob.spec.trainer.env.name", false));
    has(explain(a, "trainjob.spec.trainer.env", false), "    - items differ in name\n");
    has(explain(a, "trainjob.spec.trainer.resourcesPerNode.limits", false),
        "FIELD: limits <map[string]Quantity>\n");
    has(explain(a, "trainjob.spec.trainer.resourcesPerNode.limits.cpu", false),
        "FIELD: value <Quantity>\n");
    has(explain(a, "jobset.spec.replicatedJobs.template.spec.template.spec.containers.ports",
                false),
        "    - items differ in containerPort and protocol\n");
}

static void shows_the_tree(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)4 << 20);
    const char *text = explain(a, "trainjob", true);

    has(text, "\n  spec\t<TrainJobSpec>\n");
    has(text,
        "\n      env\t<[]EnvVar>\n        name\t<string> -required-\n        value\t<string>\n");
    assert_null(strstr(text, "Container image of")); /* names only */
    assert_true(strlen(explain(a, "clustertrainingruntime", true)) > 20000);
}

static void lines_are_short(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_str line, rest = ty_str(explain(a, "trainjob.spec", false));

    while (rest.n > 0) {
        rest = ty_str_cut(rest, '\n', &line);
        if (line.n > 80)
            fail_msg("%.*s", TY_ARG(line));
    }
}

static void helps_the_lost(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    assert_string_equal(refusal(a, "trainjob.spec.numNodes"),
                        "TrainJob has no field spec.numNodes; did you mean "
                        "spec.trainer.numNodes?");
    assert_string_equal(refusal(a, "trainjob.spec.traner.image"),
                        "TrainJob has no field spec.traner; did you mean spec.trainer?");
    assert_string_equal(refusal(a, "trainjob.spec.trainer.image.zzzz"),
                        "TrainJob has no field spec.trainer.image.zzzz");
    has(refusal(a, "trainjob.spec.initializer.zzzzzz"),
        "TrainJob has no field spec.initializer.zzzzzz; there are dataset, model");
    assert_string_equal(refusal(a, "trainjb"),
                        "there is no kind \"trainjb\"; did you mean trainjob?");
    has(refusal(a, "zzzzzzzz"), "there is no kind \"zzzzzzzz\" to explain; there are trainjob, ");
    has(refusal(a, ""), "there is no kind");
}

/* The longest word that a command line can have. */
static void survives_a_long_word(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf out = { 0 };
    struct ty_err err = { 0 };
    size_t n = (size_t)127 << 10;
    char *path = ty_arena_alloc(a, n + 1, 1);

    memset(path, 'x', n);
    memcpy(path, "trainjob.spec.", 14);
    assert_int_equal(ty_explain(&out, ty_str(path), false, &err), -ENOENT);
    assert_non_null(strstr(err.text, "TrainJob has no field spec.xxx"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explains_an_object), cmocka_unit_test(explains_a_kind),
        cmocka_unit_test(explains_a_value),   cmocka_unit_test(goes_through_lists_and_maps),
        cmocka_unit_test(shows_the_tree),     cmocka_unit_test(lines_are_short),
        cmocka_unit_test(helps_the_lost),     cmocka_unit_test(survives_a_long_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
