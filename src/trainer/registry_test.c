#include <errno.h>
#include <strings.h>

#include "trainer/testing.h"

/* Where it stands in the registry; there must be one of that name. */
static size_t place(const char *name)
{
    for (size_t i = 0; ty_plugins[i]; i++)
        if (strcmp(ty_plugins[i]->name, name) == 0)
            return i;
    fail_msg("there is no plugin %s", name);
    return 0;
}

/* The order is part of the contract (B14): apply order and the order of variables follow it. A new
 * plugin may stand anywhere between them. */
static void test_order(void **state TY_UNUSED)
{
    static const char *const names[] = {
        "Flux",    "MPI",        "PlainML",        "Torch",        "TorchTune", "JAX",
        "XGBoost", "TensorFlow", "TrainJobStatus", "CoScheduling", "Volcano",   "JobSet",
    };

    for (size_t i = 1; i < TY_COUNT(names); i++)
        if (place(names[i - 1]) >= place(names[i]))
            fail_msg("%s must stand before %s", names[i - 1], names[i]);
}

/* Names are compared without case, so two may not differ by case alone. */
static void test_names_are_distinct(void **state TY_UNUSED)
{
    for (size_t i = 0; ty_plugins[i]; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(strcasecmp(ty_plugins[i]->name, ty_plugins[k]->name), 0);
}

/* JobSet is last, and alone cannot be disabled and reports the status. */
static void test_jobset_is_special(void **state TY_UNUSED)
{
    for (size_t i = 0; ty_plugins[i]; i++) {
        bool last = !ty_plugins[i + 1];
        assert_int_equal(ty_plugins[i]->required, last);
        assert_int_equal(ty_plugins[i]->status != NULL, last);
        assert_int_equal(!ty_plugins[i]->applies && !ty_plugins[i]->policy, last);
        assert_true(ty_plugins[i]->about && *ty_plugins[i]->about);
    }
}

/* Which plugin has which hooks: the table in docs/spec/trainer.md 5. */
static void test_membership(void **state TY_UNUSED)
{
    enum {
        VALIDATE = 1,
        ML = 2,
        GANG = 4,
        POD = 8,
        PRE = 16,
        BUILD = 32,
        STATUS = 64,
        WATCH = 128
    };
    static const struct {
        const char *name;
        unsigned members;
    } rows[] = {
        { "Flux", VALIDATE | ML | BUILD | WATCH },
        { "MPI", VALIDATE | ML | BUILD | WATCH },
        { "PlainML", ML },
        { "TrainJobStatus", POD | BUILD },
        { "CoScheduling", GANG | BUILD | WATCH },
        { "Volcano", VALIDATE | GANG | BUILD | WATCH },
        { "JobSet", VALIDATE | PRE | BUILD | STATUS | WATCH },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_plugin *p = ty_plugins[place(rows[i].name)];
        unsigned m = (p->validate ? VALIDATE : 0) | (p->enforce_ml ? ML : 0) |
                     (p->enforce_gang ? GANG : 0) | (p->enforce_pod ? POD : 0) |
                     (p->pre_build ? PRE : 0) | (p->build ? BUILD : 0) | (p->status ? STATUS : 0) |
                     (p->watches ? WATCH : 0);
        assert_int_equal(m, rows[i].members);
    }
}

/* ---- ML policies ---- */

/* The registry without the plugin `out`, with `in` (may be NULL) at its end. */
static const char *refused(struct fixture *f, const char *out, const struct ty_plugin *in)
{
    const struct ty_plugin *list[TY_PLUGINS_MAX] = { NULL };
    size_t n = 0;

    for (size_t i = 0; ty_plugins[i]; i++)
        if (!out || strcmp(ty_plugins[i]->name, out) != 0)
            list[n++] = ty_plugins[i];
    list[n] = in;
    f->err = (struct ty_err){ 0 };
    assert_int_equal(ty_registry_check(list, &f->err), -EINVAL);
    return f->err.text;
}

static void test_every_policy_has_a_schema_and_a_plugin(void **state)
{
    struct fixture *f = *state;
    static const struct ty_plugin typo = { .name = "Typo", .policy = "tourch" };
    static const struct ty_plugin number = { .name = "Number", .policy = "numNodes" };
    static const struct ty_plugin again = { .name = "Again", .policy = "torch" };

    assert_int_equal(ty_registry_check(ty_plugins, &f->err), 0);
    assert_string_equal(
        refused(f, NULL, &typo),
        "plugin Typo: the schema of mlPolicy has no policy \"tourch\", so no runtime "
        "could ask for it: add it to src/api/runtime_policy_schema.c");
    assert_non_null(strstr(refused(f, NULL, &number), "has no policy \"numNodes\""));
    assert_string_equal(refused(f, NULL, &again),
                        "plugins Torch and Again both serve mlPolicy.torch");
    assert_string_equal(refused(f, "JAX", NULL),
                        "no plugin serves mlPolicy.jax: add one with .policy = \"jax\" to "
                        "src/trainer/registry.def");
}

/* What only a plugin of an ML policy can mean. */
static void test_members_that_need_a_policy(void **state TY_UNUSED)
{
    for (size_t i = 0; ty_plugins[i]; i++) {
        const struct ty_plugin *p = ty_plugins[i];
        bool needs = p->with_plainml || p->launcher || p->launcher_is_node || p->validate_runtime;
        assert_true(!needs || p->policy);
        assert_true(!p->policy || p->enforce_ml);
        assert_true(!p->launcher_is_node || p->launcher);
        assert_true(!p->reserved || !p->reserved_in);
        assert_true(!p->reserved_for || p->reserved || p->reserved_in);
    }
}

static void test_launcher(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *plain = fx_json(f->arena, "{'mpi':{'runLauncherAsNode':false}}");
    const struct ty_json *node = fx_json(f->arena, "{'mpi':{'runLauncherAsNode':true}}");

    assert_null(ty_registry_launcher(NULL));
    assert_null(ty_registry_launcher(fx_json(f->arena, "{'torch':{},'numNodes':2}")));
    assert_string_equal(ty_registry_launcher(plain)->name, "MPI");
    assert_false(ty_registry_launcher_is_node(NULL));
    assert_false(ty_registry_launcher_is_node(plain));
    assert_true(ty_registry_launcher_is_node(node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_names_are_distinct),
        cmocka_unit_test(test_jobset_is_special),
        cmocka_unit_test(test_membership),
        core_test(test_every_policy_has_a_schema_and_a_plugin),
        cmocka_unit_test(test_members_that_need_a_policy),
        core_test(test_launcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
