#include "advise/doctor_testing.h"

static void test_a_server_that_is_silent_ends_it(void **state)
{
    struct doctor_fixture *w = *state;

    assert_results(w, ty_doctor_check, "fail server: https://x does not answer: nobody asked");
    doctor_fixture_miss(w, &ty_kind_server, "", "version", -EAGAIN);
    assert_results(w, ty_doctor_check, "fail server: https://x does not answer: forbidden");
}

static void test_one_that_answers_is_looked_at(void **state)
{
    struct doctor_fixture *w = *state;

    doctor_fixture_put(w, &ty_kind_server, "", "version", "{'gitVersion':'v1.36.3'}");
    doctor_fixture_say(w, ty_doctor_check);
    assert_true(w->said.n[TY_CHECK_LEVEL_FAIL] >= 4); /* CRDs, JobSet, webhooks, operator */
}

static void test_what_is_read(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_cluster_query *wants = NULL;

    assert_true(ty_doctor_queries(w->a, &w->in, 0, &wants) > 10);
    assert_string_equal(wants[0].path, "/version");
    assert_int_equal(ty_doctor_queries(w->a, &w->in, 1, &wants), 0); /* no webhooks: no Service */
    doctor_fixture_put(w, ty_doctor_webhooks[1].kind, "", ty_doctor_webhooks[1].name,
                       "{'webhooks':[{'clientConfig':{'service':{'name':'s','namespace':'n'}}}]}");
    assert_int_equal(ty_doctor_queries(w->a, &w->in, 1, &wants), 3);
    assert_true(ty_str_is(wants[0].name, "s") && ty_str_is(wants[0].ns, "n"));
    assert_string_equal(wants[1].labels, "kubernetes.io/service-name=s");
    assert_ptr_equal(wants[2].kind, &ty_kind_secret);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_a_server_that_is_silent_ends_it),
        doctor_fixture_test(test_one_that_answers_is_looked_at),
        doctor_fixture_test(test_what_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
