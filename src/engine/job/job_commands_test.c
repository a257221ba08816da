#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "engine/engine_inner.h"

/* Steering needs the store and nothing else of an engine. */
struct world {
    struct ty_arena *a;
    struct ty_engine e;
};

static int64_t noon(void *ctx TY_UNUSED)
{
    return 1767323045;
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    w->a = ty_arena_new((size_t)64 << 20);
    w->e.store = ty_local_new(noon, NULL);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    ty_local_free(w->e.store);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static void add(struct world *w, const char *text)
{
    struct ty_err err = { 0 };
    struct ty_json *v = ty_json_parse(w->a, ty_str(text), NULL, &err);

    assert_non_null(v);
    assert_int_equal(ty_local_create(w->e.store, w->a, v, &err), 0);
}

static void add_job(struct world *w, const char *status)
{
    add(w,
        ty_arena_printf(w->a,
                        "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\","
                        "\"metadata\":{\"name\":\"a\",\"namespace\":\"ml\",\"uid\":\"u\"},"
                        "\"spec\":{},\"status\":%s}",
                        status));
}

static struct ty_json *job(struct world *w)
{
    return ty_local_get(w->e.store, w->a, &ty_kind_trainjob, TY_LIT("ml"), TY_LIT("a"));
}

static void test_suspend_and_resume(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };

    add_job(w, "{}");
    assert_int_equal(ty_engine_suspend(&w->e, "a", true, &err), 0);
    assert_true(ty_json_true_at(job(w), "spec.suspend"));
    assert_int_equal(ty_engine_suspend(&w->e, "a", false, &err), 0);
    assert_false(ty_json_true_at(job(w), "spec.suspend"));
}

static void test_what_cannot_be_suspended(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };

    assert_int_equal(ty_engine_suspend(&w->e, "a", true, &err), -ENOENT);
    assert_string_equal(err.text, "trainjobs.trainer.kubeflow.org \"a\" not found");
    add_job(w, "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}");
    assert_int_equal(ty_engine_suspend(&w->e, "a", true, &err), -EINVAL);
    assert_string_equal(err.text, "trainjob \"a\" has ended");
}

static void test_delete_waits_for_pods(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };

    assert_int_equal(ty_engine_delete(&w->e, "a", &err), -ENOENT);
    add_job(w, "{}");
    add(w,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ml\","
        "\"ownerReferences\":[{\"controller\":true,\"uid\":\"u\"}]}}");
    assert_int_equal(ty_engine_delete(&w->e, "a", &err), 0);
    assert_non_null(ty_json_at(job(w), "metadata.deletionTimestamp"));
    assert_int_equal(ty_engine_suspend(&w->e, "a", true, &err), -EINVAL);
    assert_string_equal(err.text, "trainjob \"a\" is being deleted");
    assert_int_equal(ty_engine_delete(&w->e, "a", &err), 0); /* again, while it goes */
    ty_local_finalize(w->e.store, &ty_kind_pod, TY_LIT("ml"), TY_LIT("p"));
    assert_null(job(w));
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_suspend_and_resume),
                                        T(test_what_cannot_be_suspended),
                                        T(test_delete_waits_for_pods) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
