#include <errno.h>

#include "trainer/testing.h"

static const char *const none[] = { NULL };

static int init(struct fixture *f, const char *const *enabled, const char *const *disabled,
                const struct ty_plugin *const *extra)
{
    f->err = (struct ty_err){ 0 };
    return ty_pipeline_init(&f->pipeline, enabled, disabled, extra, &f->err);
}

static size_t n_plugins(void)
{
    size_t n = 0;

    while (ty_plugins[n])
        n++;
    return n;
}

static bool is_on(const struct ty_pipeline *p, const char *name)
{
    for (size_t i = 0; i < p->n_on; i++)
        if (strcmp(p->on[i]->name, name) == 0)
            return true;
    return false;
}

/* ---- which plugins are on ---- */

static void test_all_by_default(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(init(f, NULL, NULL, NULL), 0);
    assert_int_equal(f->pipeline.n_on, n_plugins());
    assert_int_equal(f->pipeline.n_off, 0);
    assert_int_equal(init(f, none, none, NULL), 0);
    assert_int_equal(f->pipeline.n_on, n_plugins());
}

static void test_enabled_alone(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "torch", "PLAINML", NULL };

    static const char *const all[] = { "*", NULL };

    assert_int_equal(init(f, names, NULL, NULL), 0);
    assert_int_equal(f->pipeline.n_on, n_plugins()); /* adds to the defaults */
    assert_int_equal(init(f, names, all, NULL), 0);
    assert_int_equal(f->pipeline.n_on, 3); /* JobSet is always there */
    assert_true(is_on(&f->pipeline, "Torch") && is_on(&f->pipeline, "PlainML") &&
                is_on(&f->pipeline, "JobSet"));
}

static void test_disabled(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "Volcano", NULL };

    assert_int_equal(init(f, NULL, names, NULL), 0);
    assert_int_equal(f->pipeline.n_on, n_plugins() - 1);
    assert_int_equal(f->pipeline.n_off, 1);
    assert_string_equal(f->pipeline.off[0]->name, "Volcano");
}

/* As kube-scheduler: `disabled` takes away defaults, `enabled` adds afterwards. */
static void test_enabled_wins_over_disabled(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "Torch", NULL };

    assert_int_equal(init(f, names, names, NULL), 0);
    assert_true(is_on(&f->pipeline, "Torch"));
}

static void test_jobset_cannot_be_disabled(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "jobset", NULL };

    assert_int_equal(init(f, NULL, names, NULL), -EINVAL);
    assert_string_equal(f->err.text, "plugins.disabledPlugins: JobSet cannot be disabled");
}

static void test_unknown_names(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "Torch", "Tourch", NULL };

    assert_int_equal(init(f, names, NULL, NULL), -EINVAL);
    assert_string_equal(f->err.text, "plugins.enabledPlugins[1]: there is no plugin \"Tourch\"");
    assert_int_equal(init(f, NULL, names, NULL), -EINVAL);
    assert_string_equal(f->err.text, "plugins.disabledPlugins[1]: there is no plugin \"Tourch\"");
}

static void test_pipeline_untouched_on_failure(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "x", NULL };

    assert_int_equal(init(f, NULL, names, NULL), -EINVAL);
    assert_int_equal(f->pipeline.n_on, n_plugins()); /* the fixture's */
}

/* ---- extra plugins ---- */

static int note_build(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    (void)err;
    struct ty_json *cm = ty_plan_child(plan, job, &ty_kind_configmap, "note");
    ty_json_set(plan->arena, cm, "x", ty_json_cstr(plan->arena, plan->running->ext));
    return 0;
}

static int fail_ml(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    (void)plan;
    (void)job;
    return ty_fail(err, -EIO, "this plugin always fails");
}

static void no_status(struct ty_arena *a, const struct ty_trainjob *job, const struct ty_view *view,
                      struct ty_json *status)
{
    (void)a;
    (void)job;
    (void)view;
    (void)status;
}

static bool never(const struct ty_plan *plan)
{
    (void)plan;
    return false;
}

static const struct ty_plugin noter = { .name = "Noter", .build = note_build, .ext = "hello" };
static const struct ty_plugin failing = { .name = "Failing", .enforce_ml = fail_ml };
static const struct ty_plugin silent = { .name = "Silent",
                                         .applies = never,
                                         .enforce_ml = fail_ml };
static const struct ty_plugin reporter = { .name = "Reporter", .status = no_status };
static const struct ty_plugin torch_again = { .name = "TORCH" };

static void test_extra_runs_before_jobset(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &noter, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), 0);
    assert_string_equal(f->pipeline.on[n_plugins() - 1]->name, "Noter");
    assert_string_equal(f->pipeline.on[n_plugins()]->name, "JobSet");
    fx_run(f, RUNTIME("{}", ""), JOB(""));
    assert_string_equal(fx_text(f, ty_json_get(fx_child(f, &ty_kind_configmap, "note"), "x")),
                        "'hello'");
    assert_ptr_equal(f->plan.want_last->kind, &ty_kind_jobset);
    assert_null(f->plan.running);
}

static void test_extra_can_be_disabled(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &noter, NULL };
    static const char *const names[] = { "noter", NULL };

    assert_int_equal(init(f, NULL, names, extra), 0);
    assert_false(is_on(&f->pipeline, "Noter"));
    fx_run(f, RUNTIME("{}", ""), JOB(""));
    assert_null(fx_child(f, &ty_kind_configmap, "note"));
}

static void test_extra_of_a_taken_name(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &torch_again, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), -EINVAL);
    assert_string_equal(f->err.text, "plugin \"TORCH\" is there twice");
}

/* Two plugins with a status hook are refused when the pipeline is built. */
static void test_two_status_plugins(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &reporter, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), -EINVAL);
    assert_string_equal(f->err.text, "too many TrainJobStatus plugins are registered");
}

static void test_too_many_plugins(void **state)
{
    struct fixture *f = *state;
    struct ty_plugin *many = ty_new_n(f->arena, struct ty_plugin, 60);
    const struct ty_plugin **extra = ty_new_n(f->arena, const struct ty_plugin *, 61);

    for (int i = 0; i < 60; i++) {
        many[i].name = ty_arena_printf(f->arena, "extra-%d", i);
        extra[i] = &many[i];
    }
    assert_int_equal(init(f, NULL, NULL, extra), -E2BIG);
    assert_string_equal(f->err.text, "more than 64 plugins");
    extra[TY_PLUGINS_MAX - n_plugins()] = NULL;
    assert_int_equal(init(f, NULL, NULL, extra), 0);
    assert_int_equal(f->pipeline.n_on, TY_PLUGINS_MAX);
}

/* ---- running ---- */

static void test_first_failure_ends_the_run(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &failing, &noter, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), 0);
    assert_int_equal(fx_try(f, RUNTIME("{}", ""), JOB("")), -EIO);
    assert_string_equal(f->err.text, "this plugin always fails");
    assert_null(f->plan.want);
}

static void test_a_plugin_that_does_not_apply(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin *const extra[] = { &silent, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), 0);
    fx_run(f, RUNTIME("{}", ""), JOB(""));
}

static void test_disabled_but_needed(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "Torch", NULL };

    assert_int_equal(init(f, NULL, names, NULL), 0);
    assert_int_equal(fx_try(f, RUNTIME("{'torch':{}}", ""), JOB("")), -EINVAL);
    assert_string_equal(f->err.text,
                        "runtime rt needs plugin Torch, which the configuration disables");
    assert_string_equal(fx_validate(f, RUNTIME("{'torch':{}}", ""), JOB("")),
                        "spec.runtimeRef: Forbidden: runtime \"rt\" needs plugin Torch, which the "
                        "operator's configuration disables");
}

static void test_disabled_and_not_needed(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "Torch", NULL };

    assert_int_equal(init(f, NULL, names, NULL), 0);
    assert_string_equal(fx_validate(f, RUNTIME("{'jax':{}}", ""), JOB("")), "");
    fx_run(f, RUNTIME("{'jax':{}}", ""), JOB(""));
}

/* ---- what a plugin says of itself ---- */

static const char *const *on_create(const struct ty_plan *plan, const struct ty_trainjob *old)
{
    static const char *const names[] = { "B", NULL };

    (void)plan;
    return old ? NULL : names;
}

static const char *const only_a[] = { "A", NULL };
static const struct ty_plugin keeps_a = { .name = "KeepsA", .reserved = only_a };
static const struct ty_plugin keeps_a_else = { .name = "KeepsAElse",
                                               .policy = "jax",
                                               .reserved = only_a };
static const struct ty_plugin keeps_b = { .name = "KeepsB", .reserved_in = on_create };
static const struct ty_plugin names_a = { .name = "NamesA",
                                          .reserved = only_a,
                                          .reserved_for = "tests" };
#define WITH_AB JOB("'env':[{'name':'B','value':'2'},{'name':'A','value':'1'}]")
#define REFUSED(name)                                                                              \
    "spec.trainer.env: Invalid value: "                                                            \
    "[{\"name\":\"B\",\"value\":\"2\"},{\"name\":\"A\",\"value\":"                                 \
    "\"1\"}]: must not have reserved envs, invalid envs configured: [" name "]"

static const char *refusal(struct fixture *f, const struct ty_plugin *plugin, const char *policy)
{
    const struct ty_plugin *const extra[] = { plugin, NULL };

    assert_int_equal(init(f, NULL, NULL, extra), 0);
    return fx_validate(f, policy, WITH_AB);
}

static void test_reserved_variables(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(refusal(f, &keeps_a, RUNTIME("{}", "")), REFUSED("A"));
    assert_string_equal(refusal(f, &keeps_b, RUNTIME("{}", "")), REFUSED("B"));
    assert_string_equal(refusal(f, &names_a, RUNTIME("{}", "")),
                        "spec.trainer.env[1]: Forbidden: A is reserved for tests");
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_pipeline_validate(&f->plan, &f->job, &f->job, &f->errs, NULL); /* an update */
    assert_int_equal(f->errs.n, 1);
    assert_string_equal(refusal(f, &keeps_b, RUNTIME("{}", "")), REFUSED("B"));
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_pipeline_validate(&f->plan, &f->job, &f->job, &f->errs, NULL);
    assert_int_equal(f->errs.n, 0);
}

/* Without `applies`, a plugin of a policy runs when the runtime has it. */
static void test_policy_decides(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(refusal(f, &keeps_a_else, RUNTIME("{'torch':{}}", "")), "");
    assert_string_equal(refusal(f, &keeps_a_else, RUNTIME("{'jax':{}}", "")), REFUSED("A"));
}

/* A pipeline without plugins builds no objects and leaves the status empty. */
static void test_empty_pipeline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *status = ty_json_object(f->arena);

    f->pipeline = (struct ty_pipeline){ 0 };
    fx_run(f, RUNTIME("{'torch':{}}", ""), JOB(""));
    assert_null(f->plan.want);
    ty_pipeline_status(&f->pipeline, f->arena, &f->job, &f->view, status);
    assert_int_equal(status->n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_all_by_default),
        core_test(test_enabled_alone),
        core_test(test_disabled),
        core_test(test_enabled_wins_over_disabled),
        core_test(test_jobset_cannot_be_disabled),
        core_test(test_unknown_names),
        core_test(test_pipeline_untouched_on_failure),
        core_test(test_extra_runs_before_jobset),
        core_test(test_extra_can_be_disabled),
        core_test(test_extra_of_a_taken_name),
        core_test(test_two_status_plugins),
        core_test(test_too_many_plugins),
        core_test(test_first_failure_ends_the_run),
        core_test(test_a_plugin_that_does_not_apply),
        core_test(test_disabled_but_needed),
        core_test(test_disabled_and_not_needed),
        core_test(test_reserved_variables),
        core_test(test_policy_decides),
        core_test(test_empty_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
