#include "advise/adopt_testing.h"

/* A TrainJob j of a torch runtime with the children that we would create; returns the JobSet. */
static struct ty_json *stage(struct adopt_fixture *s, const char *job)
{
    struct ty_json *obj = fx_json(s->f.arena, job);

    adopt_fixture_put(s, core_put(&s->f, RUNTIME("{'numNodes':2,'torch':{}}", "")));
    adopt_fixture_put(s, obj);
    return adopt_fixture_apply(s, obj);
}

/* The number of reasons that are no notes. */
static size_t serious(const struct ty_adopt_entry *e)
{
    size_t n = 0;

    for (const struct ty_adopt_reason *r = e->reasons; r; r = r->next)
        n += !r->note;
    return n;
}

static struct ty_json *first_container(struct ty_json *jobset)
{
    struct ty_json *jobs = ty_json_at(jobset, "spec.replicatedJobs");
    return ty_json_at(jobs->items[0], "template.spec.template.spec.containers")->items[0];
}

static void test_suspended_and_as_it_should_be(void **state)
{
    struct adopt_fixture *s = *state;

    stage(s, JOB_OF("rt", ",'suspend':true"));
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_SAME);
    assert_int_equal(serious(adopt_fixture_entry(s, "j")), 0);
}

#define IMAGE "spec.replicatedJobs[node].template.spec.template.spec.containers[node].image"

/* Its JobSet is immutable and has never had pods, so it is replaced. */
static void test_suspended_and_rendered_otherwise(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ",'suspend':true"));

    ty_json_set(s->f.arena, first_container(jobset), "image", ty_json_cstr(s->f.arena, "other"));
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_REPLACED);
    assert_string_equal(e->reasons->path, IMAGE);
    assert_string_equal(e->reasons->text, "stays \"other\"; rendered today: \"i\"");
    assert_int_equal(serious(e), 1);
    assert_int_equal(s->result.because.n, 0);
}

/* Mutable fields would change: adopt warns about that. */
static void test_suspended_and_changed(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ",'suspend':true,'labels':{'a':'b'}"));

    ty_json_del(ty_json_get(jobset, "metadata"), TY_LIT("labels"));
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_DIFFERS);
    assert_string_equal(e->reasons->path, "metadata.labels");
    assert_string_equal(s->result.because.v[0], "1 TrainJob would be changed");
}

static void test_running_stays_as_it_is(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ""));

    ty_json_set(s->f.arena, first_container(jobset), "image", ty_json_cstr(s->f.arena, "other"));
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_KEPT);
    assert_string_equal(e->reasons->path, IMAGE);
    assert_string_equal(e->text, "rendered otherwise: its JobSet stays as it is");
    assert_int_equal(s->result.because.n, 0);
}

static void test_resumed_meanwhile_is_no_difference(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ",'suspend':false"));

    ty_json_set(s->f.arena, ty_json_get(jobset, "spec"), "suspend",
                ty_json_bool(s->f.arena, true)); /* the manager has not reconciled it yet */
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_SAME);
    assert_true(e->reasons->note);
    assert_string_equal(e->reasons->path, "spec.suspend");
}

static void test_finished_and_foreign_and_going(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *job = fx_json(s->f.arena, JOB_OF("rt", ",'suspend':false"));

    stage(s, JOB_OF("rt", ",'suspend':false"));
    ty_json_set(s->f.arena, job, "status",
                fx_json(s->f.arena, "{'conditions':[{'type':'Complete','status':'True','reason':"
                                    "'x','message':'','lastTransitionTime':"
                                    "'2026-01-01T00:00:00Z'}]}"));
    struct ty_json *spec = ty_json_get(job, "spec"), *meta = ty_json_get(job, "metadata");
    adopt_fixture_put(s, job);
    struct ty_json *jobset = ty_cluster_snapshot_get(s->f.arena, s->snapshot, &ty_kind_jobset,
                                                     TY_LIT("ns"), TY_LIT("j"));
    ty_json_set(s->f.arena, jobset, "status",
                fx_json(s->f.arena, "{'conditions':[{'type':'Completed','status':'True','reason':"
                                    "'x','message':''}]}"));
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_FINISHED);
    ty_json_set(s->f.arena, meta, "deletionTimestamp",
                ty_json_cstr(s->f.arena, "2026-01-01T00:00:00Z"));
    adopt_fixture_put(s, job);
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_OTHERS);
    ty_json_del(meta, TY_LIT("deletionTimestamp"));
    ty_json_set(s->f.arena, spec, "managedBy",
                ty_json_cstr(s->f.arena, "kueue.x-k8s.io/multikueue"));
    adopt_fixture_put(s, job);
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_OTHERS);
    assert_int_equal(s->result.because.n, 0);
}

static void test_a_turned_end_is_a_difference(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *job = fx_json(s->f.arena, JOB_OF("rt", ""));

    stage(s, JOB_OF("rt", ""));
    ty_json_set(s->f.arena, job, "status",
                fx_json(s->f.arena, "{'conditions':[{'type':'Failed','status':'True','reason':'x',"
                                    "'message':'','lastTransitionTime':'2026-01-01T00:00:00Z'}]}"));
    adopt_fixture_put(s, job); /* but its JobSet's status does not show it */
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_DIFFERS);
    assert_string_equal(e->text, "its status would be changed");
    assert_string_equal(e->reasons->path, "status.conditions[Failed]");
    assert_string_equal(e->reasons->text, "True would become unset");
}

static void test_an_end_that_was_not_told_yet_is_none(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ""));

    ty_json_set(s->f.arena, jobset, "status",
                fx_json(s->f.arena, "{'conditions':[{'type':'Completed','status':'True','reason':"
                                    "'x','message':''}]}"));
    adopt_fixture_put(s, jobset);
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_RUNNING);
    assert_int_equal(serious(adopt_fixture_entry(s, "j")), 0);
    assert_string_equal(adopt_fixture_entry(s, "j")->reasons->path, "status.conditions[Complete]");
}

static void test_refused_with_the_field(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *job =
        fx_json(s->f.arena, JOB_OF("rt", ",'suspend':true,'runtimePatches':[" POD_PATCH(
                                             "a.b/c", "node",
                                             "'containers':[{'name':'node','env':[{'name':'A',"
                                             "'value':'1'}]}]") "]"));

    stage(s, JOB_OF("rt", ",'suspend':true"));
    adopt_fixture_put(s, job);
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_true(e->result >= TY_ADOPT_REFUSED);
    assert_string_equal(e->reasons->path, "spec.runtimePatches");
    assert_false(e->reasons->note);
}

/* An update would be accepted, as in v2.3.0: the warning is a note. */
static void test_warned_of(void **state)
{
    struct adopt_fixture *s = *state;
    static const char text[] = JOB_OF("rt", ",'suspend':true,'runtimePatches':[" POD_PATCH(
                                                "a.b/c", "nobody", "'nodeSelector':{'a':'b'}") "]");

    adopt_fixture_put(s, stage(s, text));
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_true(e->result < TY_ADOPT_REFUSED);
    assert_true(e->reasons->note);
    assert_has(e->reasons->text, "has no job \"nobody\"");
}

static void test_no_runtime_at_all(void **state)
{
    struct adopt_fixture *s = *state;

    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("gone", ",'suspend':true")));
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_FAILS);
}

static void test_a_runtime_without_a_name(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_cluster_query *wants = NULL;

    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("", ",'suspend':true")));
    size_t n = ty_adopt_queries(s->f.arena, &s->in, &wants);
    for (size_t i = 0; i < n; i++)
        assert_true(wants[i].name.n > 0); /* else a whole kind would be listed */
    adopt_fixture_judge(s);
    assert_true(adopt_fixture_entry(s, "j")->result >= TY_ADOPT_REFUSED);
}

static void test_blind_for_a_snapshot(void **state)
{
    struct adopt_fixture *s = *state;

    stage(s, JOB_OF("rt", ",'suspend':true"));
    ty_cluster_snapshot_put_error(s->snapshot, &ty_kind_configmap, TY_LIT("ns"),
                                  TY_LIT("j-runtime-snapshot"), -EACCES, TY_LIT("forbidden"));
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_UNKNOWN);
    assert_string_equal(s->result.because.v[0], "1 object could not be judged");
}

static void test_a_kind_that_is_not_served(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *rt = fx_json(s->f.arena, RUNTIME("{'torch':{}}", ""));

    ty_json_set(s->f.arena, ty_json_get(rt, "spec"), "podGroupPolicy",
                fx_json(s->f.arena, "{'coscheduling':{}}"));
    core_keep(&s->f, rt);
    adopt_fixture_put(s, rt);
    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("rt", ",'suspend':true")));
    ty_cluster_snapshot_put_error(s->snapshot, &ty_kind_podgroup_cosched, TY_LIT(""), TY_LIT(""),
                                  -ENOENT,
                                  TY_LIT("the server could not find the requested resource"));
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_FAILS);
    assert_string_equal(e->text, "its children cannot be made");
}

static void test_a_jobset_of_somebody_else(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_json *jobset = stage(s, JOB_OF("rt", ",'suspend':false"));

    ty_json_del(ty_json_get(jobset, "metadata"), TY_LIT("ownerReferences"));
    adopt_fixture_put(s, jobset); /* runs, but belongs to another owner */
    adopt_fixture_judge(s);
    const struct ty_adopt_entry *e = adopt_fixture_entry(s, "j");
    assert_int_equal(e->result, TY_ADOPT_FAILS);
    assert_string_equal(e->text, "its children cannot be made");
    assert_has(e->reasons->text, "/j\" exists and is not this TrainJob's");
}

/* With the gate TrainJobStatus a pass needs the webhook's CA: from the caller, not from the Secret,
 * which contains private keys. */
static void test_the_status_api_needs_no_secret(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_cluster_query *wants = NULL;

    s->f.settings.status_gate = true;
    s->in.hook_secret = fx_json(s->f.arena, "{'data':{'ca.crt':'eA=='}}");
    adopt_fixture_put(s, core_put(&s->f, RUNTIME("{'torch':{}}", "")));
    adopt_fixture_put(s, fx_json(s->f.arena, JOB_OF("rt", ",'suspend':true")));
    for (size_t n; (n = ty_adopt_queries(s->f.arena, &s->in, &wants));)
        for (size_t i = 0; i < n; i++) {
            assert_ptr_not_equal(wants[i].kind, &ty_kind_secret);
            ty_cluster_snapshot_put_error(s->snapshot, wants[i].kind, wants[i].ns, wants[i].name,
                                          -ENOENT, TY_LIT(""));
        }
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_NEW);
    s->in.hook_secret = NULL;
    adopt_fixture_judge(s);
    assert_int_equal(adopt_fixture_entry(s, "j")->result, TY_ADOPT_FAILS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        adopt_fixture_test(test_suspended_and_as_it_should_be),
        adopt_fixture_test(test_suspended_and_rendered_otherwise),
        adopt_fixture_test(test_suspended_and_changed),
        adopt_fixture_test(test_running_stays_as_it_is),
        adopt_fixture_test(test_resumed_meanwhile_is_no_difference),
        adopt_fixture_test(test_finished_and_foreign_and_going),
        adopt_fixture_test(test_a_turned_end_is_a_difference),
        adopt_fixture_test(test_an_end_that_was_not_told_yet_is_none),
        adopt_fixture_test(test_refused_with_the_field),
        adopt_fixture_test(test_warned_of),
        adopt_fixture_test(test_no_runtime_at_all),
        adopt_fixture_test(test_a_runtime_without_a_name),
        adopt_fixture_test(test_blind_for_a_snapshot),
        adopt_fixture_test(test_a_kind_that_is_not_served),
        adopt_fixture_test(test_a_jobset_of_somebody_else),
        adopt_fixture_test(test_the_status_api_needs_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
