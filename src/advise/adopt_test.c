#include "advise/adopt_testing.h"

static struct ty_json *runtime(struct adopt_fixture *s, const char *text)
{
    struct ty_json *obj = core_put(&s->f, text);

    adopt_fixture_put(s, obj);
    return obj;
}

static void test_an_empty_cluster_is_safe(void **state)
{
    struct adopt_fixture *s = *state;

    adopt_fixture_judge(s);
    assert_null(s->result.first);
    assert_int_equal(s->result.because.n, 0);
}

static void test_counts_and_order(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *job = fx_json(s->f.arena, JOB_OF("rt", ",'suspend':true"));

    runtime(s, RUNTIME("{'torch':{}}", ""));
    adopt_fixture_put(s, job);
    adopt_fixture_apply(s, job);
    adopt_fixture_judge(s);
    assert_ptr_equal(s->result.first->kind, &ty_kind_clustertrainingruntime);
    assert_ptr_equal(s->result.last->kind, &ty_kind_trainjob);
    assert_int_equal(s->result.count[0][TY_ADOPT_SAME], 1);
    assert_int_equal(s->result.count[2][TY_ADOPT_SAME], 1);
    assert_int_equal(s->result.because.n, 0);
}

static void test_needs_are_asked_once_and_only_of_what_is_unknown(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_cluster_query *wants = NULL;

    runtime(s, RUNTIME("{'torch':{}}", ""));
    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("rt", "")));
    assert_int_equal(ty_adopt_queries(s->f.arena, &s->in, &wants), 1);
    assert_ptr_equal(wants[0].kind, &ty_kind_configmap); /* not the JobSet: those were listed */
    assert_string_equal(wants[0].name.p, "j-runtime-snapshot");
    assert_string_equal(wants[0].ns.p, "ns");
    ty_cluster_snapshot_put_error(s->snapshot, wants[0].kind, wants[0].ns, wants[0].name, -ENOENT,
                                  TY_LIT(""));
    assert_int_equal(ty_adopt_queries(s->f.arena, &s->in, &wants), 0);
}

static void test_what_cannot_be_listed_stands_against_it(void **state)
{
    struct adopt_fixture *s = *state;

    ty_cluster_snapshot_put_error(s->snapshot, &ty_kind_clustertrainingruntime, TY_LIT(""),
                                  TY_LIT(""), -EACCES, TY_LIT("forbidden"));
    adopt_fixture_judge(s);
    assert_int_equal(s->result.because.n, 1);
    assert_string_equal(s->result.because.v[0],
                        "clustertrainingruntimes cannot be listed: forbidden");
}

static void test_without_jobset_only_jobs_are_in_danger(void **state)
{
    struct adopt_fixture *s = *state;

    ty_cluster_snapshot_put_error(s->snapshot, &ty_kind_jobset, TY_LIT(""), TY_LIT(""), -ENOENT,
                                  TY_LIT("no kind"));
    adopt_fixture_judge(s);
    assert_int_equal(s->result.because.n, 0);
    runtime(s, RUNTIME("{'torch':{}}", ""));
    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("rt", "")));
    adopt_fixture_judge(s);
    assert_string_equal(s->result.because.v[0], "jobsets cannot be listed: no kind");
}

static void test_many_are_counted_in_one_sentence(void **state)
{
    struct adopt_fixture *s = *state;

    for (int i = 0; i < 3; i++) {
        struct ty_json *obj = fx_json(s->f.arena, RUNTIME("{'torch':{}}", ""));
        struct ty_json *jobs = ty_json_at(obj, "spec.template.spec.replicatedJobs");
        struct ty_json *pod = ty_json_at(jobs->items[0], "template.spec.template.spec");
        ty_json_set(s->f.arena, ty_json_get(pod, "containers")->items[0], "name",
                    ty_json_cstr(s->f.arena, "main"));
        ty_json_set(s->f.arena, ty_json_get(obj, "metadata"), "name",
                    ty_json_strf(s->f.arena, "rt-%d", i));
        adopt_fixture_put(s, obj);
    }
    adopt_fixture_judge(s);
    assert_int_equal(s->result.count[0][TY_ADOPT_REFUSED], 3);
    assert_int_equal(s->result.because.n, 1);
    assert_string_equal(s->result.because.v[0], "3 runtimes are not valid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        adopt_fixture_test(test_an_empty_cluster_is_safe),
        adopt_fixture_test(test_counts_and_order),
        adopt_fixture_test(test_needs_are_asked_once_and_only_of_what_is_unknown),
        adopt_fixture_test(test_what_cannot_be_listed_stands_against_it),
        adopt_fixture_test(test_without_jobset_only_jobs_are_in_danger),
        adopt_fixture_test(test_many_are_counted_in_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
