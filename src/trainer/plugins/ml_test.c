#include "trainer/plugins/ml.h"

#include "trainer/plugins/fixture.h"

static void test_texts(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(ty_ml_quoted(f->arena, TY_LIT("a\"b")), "\"a\\\"b\"");
    assert_string_equal(fx_text(f, ty_ml_item(f->arena, "k", "p", -1)), "{'key':'k','path':'p'}");
    assert_string_equal(fx_text(f, ty_ml_item(f->arena, "k", "p", 0400)),
                        "{'key':'k','path':'p','mode':256}");
}

static void test_reference(void **state)
{
    struct fixture *f = *state;

    ty_trainjob_parse(&f->job, fx_json(f->arena, JOB("")));
    assert_string_equal(ty_ml_ref_text(f->arena, &f->job),
                        "{\"name\":\"rt\",\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":"
                        "\"ClusterTrainingRuntime\"}");
    f->job.ref = NULL;
    assert_string_equal(ty_ml_ref_text(f->arena, &f->job), "null");
}

/* Names are told once, in byte order. */
static void test_reserved(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "B", "A", NULL };

    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_trainjob_parse(&f->job,
                      fx_json(f->arena, JOB("'env':[{'name':'B'},{'name':'A'},{'name':'B'},"
                                            "{'name':'C'}]")));
    ty_ml_reserved(&f->job, names, &f->errs);
    assert_int_equal(f->errs.n, 1);
    assert_string_equal(f->errs.first->detail,
                        "must not have reserved envs, invalid envs configured: [A B]");
    ty_trainjob_parse(&f->job, fx_json(f->arena, JOB("'env':[{'name':'C'}]")));
    ty_ml_reserved(&f->job, names, &f->errs);
    ty_trainjob_parse(&f->job, fx_json(f->arena, JOB_OF("rt", "")));
    ty_ml_reserved(&f->job, names, &f->errs);
    assert_int_equal(f->errs.n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_texts),
        fx_test(test_reference),
        fx_test(test_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
