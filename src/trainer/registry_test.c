#include <strings.h>

#include "trainer/testing.h"

/* The order is part of the contract (B14): apply order and the order of variables follow it. */
static void test_order(void **state TY_UNUSED)
{
    static const char *const names[] = {
        "Flux",    "MPI",        "PlainML",        "Torch",        "TorchTune", "JAX",
        "XGBoost", "TensorFlow", "TrainJobStatus", "CoScheduling", "Volcano",   "JobSet",
    };
    size_t n = 0;

    while (ty_plugins[n])
        n++;
    assert_int_equal(n, sizeof(names) / sizeof(*names));
    for (size_t i = 0; i < n; i++)
        assert_string_equal(ty_plugins[i]->name, names[i]);
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
        assert_int_equal(ty_plugins[i]->applies == NULL, last);
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
        const struct ty_plugin *const *p;
        unsigned members;
    } rows[] = {
        { &ty_plugins[0], VALIDATE | ML | BUILD | WATCH },
        { &ty_plugins[1], VALIDATE | ML | BUILD | WATCH },
        { &ty_plugins[2], ML },
        { &ty_plugins[8], POD | BUILD },
        { &ty_plugins[9], GANG | BUILD | WATCH },
        { &ty_plugins[10], VALIDATE | GANG | BUILD | WATCH },
        { &ty_plugins[11], VALIDATE | PRE | BUILD | STATUS | WATCH },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct ty_plugin *p = *rows[i].p;
        unsigned m = (p->validate ? VALIDATE : 0) | (p->enforce_ml ? ML : 0) |
                     (p->enforce_gang ? GANG : 0) | (p->enforce_pod ? POD : 0) |
                     (p->pre_build ? PRE : 0) | (p->build ? BUILD : 0) | (p->status ? STATUS : 0) |
                     (p->watches ? WATCH : 0);
        assert_int_equal(m, rows[i].members);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_names_are_distinct),
        cmocka_unit_test(test_jobset_is_special),
        cmocka_unit_test(test_membership),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
