/* What is applied to a JobSet that was rendered otherwise. */
#include "controller/jobset_freeze.h"

#include "api/kind.h"
#include "controller/applied_digest_testing.h"
#include "trainer/gang.h"

#define JOBSET(suspend, meta, pod_meta, pod, container)                                            \
    "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j'" meta         \
    "},'spec':{'suspend':" suspend ",'replicatedJobs':[{'name':'node','replicas':1,'template':{"   \
    "'spec':{'template':{'metadata':{" pod_meta "},'spec':{" pod                                   \
    "'containers':[{'name':'node','image':'i'" container "}]}}}}}]}}"

struct fixture {
    struct ty_arena *a;
};

static int up(void **state)
{
    static struct fixture f;

    f.a = ty_arena_new((size_t)16 << 20);
    *state = &f;
    return 0;
}

static int down(void **state)
{
    ty_arena_free(((struct fixture *)*state)->a);
    return 0;
}

static struct ty_json *stored(struct fixture *f, const char *text)
{
    return applied_stored(f->a, ty_kind_jobset.schema, json_of(f->a, text), "trainer");
}

static const struct ty_json *terse(struct fixture *f, const struct ty_json *obj)
{
    return ty_applied_digest_normalize(f->a, ty_kind_jobset.schema, obj);
}

static const struct ty_json *freeze(struct fixture *f, const char *wanted, const char *live)
{
    return terse(f, ty_jobset_freeze(f->a, json_of(f->a, wanted), stored(f, live), true));
}

static const char *frozen(struct fixture *f, const char *wanted, const char *live)
{
    return json_show(f->a, freeze(f, wanted, live));
}

/* "path path" */
static const char *kept(struct fixture *f, const char *wanted, const struct ty_json *live)
{
    struct ty_field_changes changes;
    ty_auto_buf b = { 0 };

    ty_jobset_freeze_conflicts(f->a, json_of(f->a, wanted), live, &changes);
    for (const struct ty_field_change *c = changes.first; c; c = c->next)
        ty_buf_printf(&b, "%s%s", b.n ? " " : "", c->path);
    return ty_arena_cstr(f->a, ty_buf_str(&b));
}

#define CONTAINER "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"
#define LIVE      JOBSET("false", "", "", "", "")
#define RENDERED_OTHERWISE                                                                         \
    JOBSET("true", "", "", "", ",'env':[{'name':'PET_NNODES','value':'2'}],'args':['x']")

static void test_suspends_and_changes_nothing_else(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(kept(f, RENDERED_OTHERWISE, stored(f, LIVE)),
                        CONTAINER ".env " CONTAINER ".args");
    assert_true(ty_json_eq(freeze(f, RENDERED_OTHERWISE, LIVE),
                           terse(f, json_of(f->a, JOBSET("true", "", "", "", "")))));
}

/* Fields that today's rendering lacks stay. */
static void test_takes_nothing_away(void **state)
{
    struct fixture *f = *state;
    const char *live =
        JOBSET("false", "", "", "'serviceAccountName':'s',", ",'ports':[{'containerPort':29500}]");

    assert_string_equal(kept(f, JOBSET("true", "", "", "", ""), stored(f, live)),
                        CONTAINER ".ports spec.replicatedJobs[node].template.spec.template.spec."
                                  "serviceAccountName");
    const char *got = frozen(f, JOBSET("true", "", "", "", ""), live);
    assert_has(got, "'serviceAccountName':'s'");
    assert_has(got, "'ports':[{'containerPort':29500}]");
    assert_has(got, "'suspend':true");
}

#define QUEUE                                                                                      \
    "'nodeSelector':{'pool':'a'},'tolerations':[{'key':'spot','operator':'Exists'}],"              \
    "'schedulingGates':[{'name':'g'}],"
static void test_what_queues_change_is_taken_over(void **state)
{
    struct fixture *f = *state;
    const char *wanted = JOBSET("true", ",'labels':{'a':'b'}",
                                "'labels':{'l':'1'},'annotations':{'k':'2'}", QUEUE, "");

    assert_string_equal(kept(f, wanted, stored(f, LIVE)), "");
    assert_true(ty_json_eq(freeze(f, wanted, LIVE), json_of(f->a, wanted)));
    /* And removed again. */
    assert_string_equal(kept(f, LIVE, stored(f, wanted)), "");
    assert_null(strstr(frozen(f, LIVE, wanted), "nodeSelector"));
    assert_null(strstr(frozen(f, LIVE, wanted), "labels"));
}

/* The PodGroup was sized for them. */
static void test_pods_stay_in_their_gang(void **state)
{
    struct fixture *f = *state;
    const char *in = JOBSET("false", "", "'labels':{'" TY_GANG_LABEL "':'j'}", "", "");
    const char *out = JOBSET("true", "", "'labels':{'l':'1'}", "", ",'args':['x']");

    assert_has(frozen(f, out, in), "'labels':{'l':'1','" TY_GANG_LABEL "':'j'}");
    assert_null(strstr(frozen(f, in, out), TY_GANG_LABEL));
    assert_string_equal(kept(f, in, stored(f, JOBSET("true", "", "", "", ""))), "");
}

static void test_jobs_that_only_one_has(void **state)
{
    struct fixture *f = *state;
    const char *other = "{'metadata':{'name':'j'},'spec':{'suspend':true,'replicatedJobs':[{"
                        "'name':'other','replicas':1}]}}";

    assert_string_equal(kept(f, other, stored(f, LIVE)),
                        "spec.replicatedJobs[other] spec.replicatedJobs[node]");
    assert_null(strstr(frozen(f, other, LIVE), "other"));
    assert_has(frozen(f, other, LIVE), "'name':'node'");
}

/* A restored backup has no managedFields: only fields that may change become owned. */
static void test_without_managed_fields(void **state)
{
    struct fixture *f = *state;
    struct ty_json *live = json_of(f->a, LIVE);
    const struct ty_json *body = ty_jobset_freeze(
        f->a, json_of(f->a, JOBSET("true", "", "", "'nodeSelector':{'pool':'a'},", "")), live,
        true);

    assert_string_equal(
        json_show(f->a, ty_json_get(terse(f, body), "spec")),
        "{'replicatedJobs':[{'name':'node','template':{'spec':{'template':{'spec':{'nodeSelector':"
        "{'pool':'a'}}}}}}],'suspend':true}");
}

static void test_kept_without_managed_fields(void **state)
{
    struct fixture *f = *state;
    const char *more = JOBSET("false", "", "", "'dnsPolicy':'ClusterFirst',", ",'env':[]");

    assert_string_equal(kept(f, JOBSET("true", "", "", "", ""), json_of(f->a, more)), "");
    assert_string_equal(kept(f, RENDERED_OTHERWISE, json_of(f->a, LIVE)),
                        CONTAINER ".env " CONTAINER ".args");
}

/* The API server fills defaults into lists that are replaced whole. */
static void test_defaults_are_no_difference(void **state)
{
    struct fixture *f = *state;
    struct ty_json *live = stored(f, JOBSET("true", "", "", "", ",'args':['x'],'command':['c']"));

    struct ty_json *policies = json_of(f->a, "[{'templates':[{'metadata':{'name':'v'}}],"
                                             "'retentionPolicy':{'whenDeleted':'Delete'}}]");
    struct ty_json *wanted =
        json_of(f->a, JOBSET("false", "", "", "", ",'args':['x'],'command':['c']"));
    ty_json_set(f->a, ty_json_get(wanted, "spec"), "volumeClaimPolicies",
                json_of(f->a, "[{'templates':[{'metadata':{'name':'v'}}]}]"));
    live = applied_stored(f->a, ty_kind_jobset.schema, wanted, "trainer");
    ty_json_set(f->a, ty_json_get(live, "spec"), "volumeClaimPolicies", policies);
    assert_string_equal(kept(f, ty_json_text(f->a, wanted).p, live), "");
}

static void test_suspends_what_cannot_be_rendered(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *body = ty_jobset_freeze_suspend(f->a, stored(f, LIVE), true);

    assert_true(ty_json_true_at(body, "spec.suspend"));
    assert_true(ty_str_is(ty_json_str_at(body, "metadata.name"), "j"));
    assert_int_equal(ty_json_len(ty_json_at(body, "spec.replicatedJobs")), 1);
    assert_null(ty_json_at(body, "metadata.managedFields"));
}

static void test_when_no_pod_has_ever_run(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text;
        bool pristine;
    } rows[] = {
        { "{'metadata':{'generation':1},'spec':{'suspend':true},'status':{'restarts':0}}", true },
        { "{'metadata':{'generation':2},'spec':{'suspend':true},'status':{'restarts':0}}", false },
        { "{'metadata':{'generation':2},'spec':{'suspend':true}}", true },
        { "{'metadata':{'generation':1},'spec':{'suspend':false}}", false },
        { "{'metadata':{'generation':1},'spec':{}}", false },
        { "{'metadata':{},'spec':{'suspend':true},'status':{'restarts':0}}", false },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_jobset_freeze_never_ran(json_of(f->a, rows[i].text)), rows[i].pristine);
}

#define FREEZE_TEST(name) cmocka_unit_test_setup_teardown(name, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FREEZE_TEST(test_suspends_and_changes_nothing_else),
        FREEZE_TEST(test_takes_nothing_away),
        FREEZE_TEST(test_what_queues_change_is_taken_over),
        FREEZE_TEST(test_pods_stay_in_their_gang),
        FREEZE_TEST(test_jobs_that_only_one_has),
        FREEZE_TEST(test_without_managed_fields),
        FREEZE_TEST(test_kept_without_managed_fields),
        FREEZE_TEST(test_defaults_are_no_difference),
        FREEZE_TEST(test_suspends_what_cannot_be_rendered),
        FREEZE_TEST(test_when_no_pod_has_ever_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
