#include <errno.h>

#include "trainer/testing.h"

/* Plans a TrainJob whose spec has these members besides the reference. */
static void planned(struct fixture *f, const char *spec)
{
    const struct ty_json *runtime =
        json_file(f->arena, "src/trainer/testdata/patched-runtime.yaml");

    fx_plan(f, json_show(f->arena, runtime),
            ty_arena_printf(f->arena,
                            "{'metadata':{'name':'j'},'spec':{'runtimeRef':{'name':'rt'},%s}}",
                            spec));
}

static void patched(struct fixture *f, const char *patches)
{
    planned(f, ty_arena_printf(f->arena, "'runtimePatches':[%s]", patches));
}

static const struct ty_json *pod_of(struct fixture *f, const char *job)
{
    struct ty_podset *set = ty_plan_find_podset(&f->plan, ty_str(job));

    assert_non_null(set);
    return set->pod;
}

static void test_without_patches(void **state)
{
    struct fixture *f = *state;

    patched(f, "");
    assert_int_equal(f->plan.n_sets, 2);
    assert_string_equal(fx_text(f, f->plan.labels), "{'k':'runtime','only':'runtime'}");
    assert_string_equal(fx_text(f, f->plan.annotations), "{'a':'runtime'}");
    assert_string_equal(fx_env(f, "node", "node"), "I1=1;I2=2");
}

/* Labels and annotations are merged key by key and a later patch wins; labels of the runtime object
 * itself are not copied. */
static void test_metadata_overlay(void **state)
{
    struct fixture *f = *state;

    patched(f, "{'manager':'a.io/1','trainingRuntimeSpec':{'template':{'metadata':{'labels':"
               "{'k':'one','new':'one'}}}}},"
               "{'manager':'a.io/2','trainingRuntimeSpec':{'template':{'metadata':{'labels':"
               "{'k':'two'},'annotations':{'a':'two'}}}}}");
    assert_string_equal(fx_text(f, f->plan.labels), "{'k':'two','only':'runtime','new':'one'}");
    assert_string_equal(fx_text(f, f->plan.annotations), "{'a':'two'}");
    assert_null(ty_json_get(f->plan.labels, "of"));
}

/* Patches of two managers for different fields of one job are both applied. */
static void test_two_managers_add_up(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'serviceAccountName':'sa'") "," POD_PATCH(
                   "a.io/2", "node", "'terminationGracePeriodSeconds':300"));
    assert_true(ty_str_is(ty_json_str_at(pod_of(f, "node"), "serviceAccountName"), "sa"));
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "terminationGracePeriodSeconds")),
                        "300");
}

/* When two managers patch the same key, the later list entry wins. */
static void test_later_patch_wins(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'nodeSelector':{'zone':'b','disk':'x'}") "," POD_PATCH(
                   "a.io/2", "node", "'nodeSelector':{'zone':'c'}"));
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "nodeSelector")),
                        "{'zone':'c','disk':'x'}");
}

static void test_only_the_named_job(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'serviceAccountName':'sa'"));
    assert_null(ty_json_get(pod_of(f, "dataset-initializer"), "serviceAccountName"));
}

/* Typed clients cannot send null or empty values, so neither deletes anything. */
static void test_never_deletes(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node",
                         "'nodeSelector':null,'affinity':null,'volumes':[],'containers':["
                         "{'name':'node','env':[]}]"));
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "nodeSelector")), "{'zone':'a'}");
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "node"), "volumes")), 2);
    assert_string_equal(fx_env(f, "node", "node"), "I1=1;I2=2");
}

/* A directive is an unknown field of a typed patch. */
static void test_directives_are_ignored(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node",
                         "'$patch':'delete','volumes':[{'name':'v','$patch':'delete'}]"));
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "node"), "volumes")), 2);
}

/* Observed: env [I1,I2] + [I3,I2'] = [I3,I1,I2']; new items come before the old. */
static void test_order_of_variables(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node",
                         "'containers':[{'name':'node','env':[{'name':'I3','value':'3'},"
                         "{'name':'I2','value':'two'}]}]"));
    assert_string_equal(fx_env(f, "node", "node"), "I3=3;I1=1;I2=two");
}

/* Observed: [v,w] + [v',n] = [v',n,w]. B21: the new source takes the place of the old one. */
static void test_volume_of_an_old_name(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node",
                         "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}},"
                         "{'name':'n','emptyDir':{}}]"));
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "volumes")),
                        "[{'name':'v','persistentVolumeClaim':{'claimName':'c'}},"
                        "{'name':'n','emptyDir':{}},{'name':'w','emptyDir':{}}]");
}

/* B21 for variables: a value takes the place of a reference. */
static void test_variable_has_one_source(void **state)
{
    struct fixture *f = *state;

    patched(
        f, POD_PATCH(
               "a.io/1", "node",
               "'containers':[{'name':'side','env':[{'name':'S','valueFrom':{"
               "'fieldRef':{'fieldPath':'metadata.name'}}}]}]") "," POD_PATCH("a.io/2", "node",
                                                                              "'containers':[{'"
                                                                              "name':'side','env':["
                                                                              "{'name':'S','value':"
                                                                              "'plain'}]}]"));
    assert_string_equal(fx_env(f, "node", "side"), "S=plain");
}

static void test_tolerations_are_replaced(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'tolerations':[{'key':'a'}]") "," POD_PATCH(
                   "a.io/2", "node", "'tolerations':[{'key':'b'}]"));
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "tolerations")), "[{'key':'b'}]");
}

/* Metadata of the job template lands on the Job, metadata of the pod template on the pods. */
static void test_job_and_pod_metadata(void **state)
{
    struct fixture *f = *state;

    patched(f, PATCH("a.io/1", "{'replicatedJobs':[{'name':'node','template':{'metadata':{'labels':"
                               "{'of':'job'}},'spec':{'template':{'metadata':{'labels':{'of':"
                               "'pod'},'annotations':{'x':'pod'}}}}}}]}"));
    struct ty_podset *set = ty_plan_find_podset(&f->plan, TY_LIT("node"));
    assert_string_equal(fx_text(f, set->pod_meta),
                        "{'labels':{'of':'pod'},'annotations':{'x':'pod'}}");
    assert_true(ty_str_is(ty_json_str_at(set->rjob, "template.metadata.labels.of"), "job"));
}

/* Merging puts what a patch names first; jobs come back into the runtime's order. */
static void test_jobs_keep_their_order(void **state)
{
    struct fixture *f = *state;

    patched(f,
            PATCH("a.io/1", "{'replicatedJobs':[{'name':'node'},{'name':'dataset-initializer'}]}"));
    assert_true(ty_str_is(f->plan.sets[0].name, "dataset-initializer"));
    assert_true(ty_str_is(f->plan.sets[1].name, "node"));
}

/* A stored job may carry a job of its own from v2.3.0 (B2): it stands before the runtime's. */
static void test_new_job_comes_first(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "extra", "'containers':[{'name':'x'}]"));
    assert_int_equal(f->plan.n_sets, 3);
    assert_true(ty_str_is(f->plan.sets[0].name, "extra"));
    assert_true(ty_str_is(f->plan.sets[2].name, "node"));
}

static void test_patch_without_a_spec(void **state)
{
    struct fixture *f = *state;

    patched(f, "{'manager':'a.io/1'},{'manager':'a.io/2','trainingRuntimeSpec':{}}");
    assert_int_equal(f->plan.n_sets, 2);
    assert_string_equal(fx_env(f, "node", "node"), "I1=1;I2=2");
}

/* ---- the older spellings ---- */

static void test_pod_template_overrides(void **state)
{
    struct fixture *f = *state;

    planned(f,
            "'podTemplateOverrides':[{'targetJobs':[{'name':'node'},{'name':'dataset-initializer'}"
            "],'metadata':{'labels':{'l':'1'},'annotations':{'n':'2'},'name':'never'},'spec':{"
            "'serviceAccountName':'sa'}},{'targetJobs':[{'name':'node'}],'spec':{"
            "'serviceAccountName':'later'}}]");
    struct ty_podset *node = ty_plan_find_podset(&f->plan, TY_LIT("node"));
    assert_true(ty_str_is(ty_json_str_at(node->pod, "serviceAccountName"), "later"));
    assert_true(
        ty_str_is(ty_json_str_at(pod_of(f, "dataset-initializer"), "serviceAccountName"), "sa"));
    assert_string_equal(fx_text(f, node->pod_meta), "{'labels':{'l':'1'},'annotations':{'n':'2'}}");
}

static void test_pod_spec_overrides(void **state)
{
    struct fixture *f = *state;

    planned(f, "'podSpecOverrides':[{'targetJobs':[{'name':'node'}],'nodeSelector':{'zone':'z'},"
               "'containers':[{'name':'node','env':[{'name':'I2','value':'two'}]}]}]");
    assert_string_equal(fx_text(f, ty_json_get(pod_of(f, "node"), "nodeSelector")), "{'zone':'z'}");
    assert_string_equal(fx_env(f, "node", "node"), "I1=1;I2=two");
    assert_null(ty_json_get(pod_of(f, "node"), "targetJobs"));
}

static void test_override_of_no_job(void **state)
{
    struct fixture *f = *state;

    planned(f, "'podTemplateOverrides':[{'targetJobs':[{'name':'nowhere'}],'spec':{}},"
               "{'targetJobs':[]},{}]");
    assert_int_equal(f->plan.n_sets, 2);
}

static void test_labels_of_v2_0(void **state)
{
    struct fixture *f = *state;

    planned(f, "'labels':{'k':'job'},'annotations':{'b':'job'}");
    assert_string_equal(fx_text(f, f->plan.labels), "{'k':'job','only':'runtime'}");
    assert_string_equal(fx_text(f, f->plan.annotations), "{'a':'runtime','b':'job'}");
}

/* One target named over and over costs no more than once. */
static void test_target_named_often(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf text = { 0 };

    ty_buf_cstr(&text, "'podTemplateOverrides':[{'targetJobs':[");
    for (int i = 0; i < 20000; i++)
        ty_buf_printf(&text, "%s{'name':'node'}", i ? "," : "");
    ty_buf_cstr(&text, "],'spec':{'nodeSelector':{'n':'0'");
    for (int i = 1; i < 1000; i++)
        ty_buf_printf(&text, ",'n%d':'%d'", i, i);
    ty_buf_cstr(&text, "}}}]");
    planned(f, ty_arena_cstr(f->arena, ty_buf_str(&text)));
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "node"), "nodeSelector")), 1001);
    assert_true(ty_arena_used(f->arena) < (size_t)32 << 20);
}

/* Many jobs, and overrides that name many of them: an override costs one walk through the jobs, not
 * one for each that it names. */
static void test_many_targets_of_many_jobs(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf runtime = { 0 };
    ty_auto_buf job = { 0 };
    struct ty_plan_in in = { .pipeline = &f->pipeline };

    ty_buf_cstr(&runtime, "{'spec':{'template':{'spec':{'replicatedJobs':[{'name':'j'}");
    for (int i = 0; i < 2000; i++)
        ty_buf_printf(&runtime, ",{'name':'j%d'}", i);
    ty_buf_cstr(&runtime, "]}}}}");
    ty_buf_cstr(&job, "{'spec':{'podTemplateOverrides':[");
    for (int i = 0; i < 16; i++) {
        ty_buf_printf(&job, "%s{'spec':{'nodeSelector':{'k%d':'v'}},'targetJobs':[{'name':'j'}",
                      i ? "," : "", i);
        for (int t = 0; t < 127; t++)
            ty_buf_printf(&job, ",{'name':'j%d'}", t);
        ty_buf_cstr(&job, "]}");
    }
    ty_buf_cstr(&job, "]}}");
    in.runtime = fx_json(f->arena, ty_arena_cstr(f->arena, ty_buf_str(&runtime)));
    ty_trainjob_parse(&f->job, fx_json(f->arena, ty_arena_cstr(f->arena, ty_buf_str(&job))));
    assert_int_equal(ty_plan_init(f->arena, &f->job, &in, &f->plan, &f->err), 0);
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "j"), "nodeSelector")), 16);
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "j126"), "nodeSelector")), 16);
    assert_int_equal(ty_json_len(ty_json_get(pod_of(f, "j127"), "nodeSelector")), 0);
    assert_true(ty_arena_used(f->arena) < (size_t)32 << 20);
}

/* 200 jobs times 100 kB of override can never be stored: refused, not built. */
static void test_override_of_too_much(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf runtime = { 0 };
    ty_auto_buf job = { 0 };
    struct ty_plan_in in = { .pipeline = &f->pipeline };

    ty_buf_cstr(&runtime, "{'spec':{'template':{'spec':{'replicatedJobs':[{'name':'j'}");
    ty_buf_cstr(&job, "{'spec':{'podSpecOverrides':[{'targetJobs':[{'name':'j'}");
    for (int i = 0; i < 200; i++) {
        ty_buf_printf(&runtime, ",{'name':'j%d'}", i);
        ty_buf_printf(&job, ",{'name':'j%d'}", i);
    }
    ty_buf_cstr(&runtime, "]}}}}");
    ty_buf_cstr(&job, "],'nodeSelector':{'k':'");
    for (int i = 0; i < 10000; i++)
        ty_buf_cstr(&job, "0123456789");
    ty_buf_cstr(&job, "'}}]}}");
    in.runtime = fx_json(f->arena, ty_arena_cstr(f->arena, ty_buf_str(&runtime)));
    ty_trainjob_parse(&f->job, fx_json(f->arena, ty_arena_cstr(f->arena, ty_buf_str(&job))));
    assert_int_equal(ty_plan_init(f->arena, &f->job, &in, &f->plan, &f->err), -E2BIG);
    assert_string_equal(f->err.text, "spec.podSpecOverrides[0]: the JobSet would become too large");
}

/* ---- who wrote what ---- */

static void test_origins(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'nodeSelector':{'disk':'x'}"));
    const struct ty_json *selector = ty_json_get(pod_of(f, "node"), "nodeSelector");
    assert_string_equal(core_origin(&f->plan, ty_json_get(selector, "zone")), "runtime rt");
    assert_string_equal(core_origin(&f->plan, ty_json_get(selector, "disk")), "patch by a.io/1");
    assert_string_equal(core_origin(&f->plan, ty_json_get(f->plan.labels, "k")), "runtime rt");
}

static void test_origins_of_overrides(void **state)
{
    struct fixture *f = *state;

    planned(f, "'labels':{'k':'job'},'podTemplateOverrides':[{'targetJobs':[]},{'targetJobs':["
               "{'name':'node'}],'spec':{'serviceAccountName':'sa'}}]");
    assert_string_equal(core_origin(&f->plan, ty_json_get(pod_of(f, "node"), "serviceAccountName")),
                        "spec.podTemplateOverrides[1]");
    assert_string_equal(core_origin(&f->plan, ty_json_get(f->plan.labels, "k")),
                        "TrainJob's spec.labels and spec.annotations");
}

/* The runtime is borrowed: merging must not write into it. */
static void test_runtime_is_untouched(void **state)
{
    struct fixture *f = *state;

    patched(f, POD_PATCH("a.io/1", "node", "'nodeSelector':{'zone':'b'}"));
    const struct ty_json *jobs = ty_json_get(f->plan.base, "replicatedJobs");
    assert_true(ty_str_is(
        ty_json_str_at(jobs->items[1], "template.spec.template.spec.nodeSelector.zone"), "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_without_patches),
        core_test(test_metadata_overlay),
        core_test(test_two_managers_add_up),
        core_test(test_later_patch_wins),
        core_test(test_only_the_named_job),
        core_test(test_never_deletes),
        core_test(test_directives_are_ignored),
        core_test(test_order_of_variables),
        core_test(test_volume_of_an_old_name),
        core_test(test_variable_has_one_source),
        core_test(test_tolerations_are_replaced),
        core_test(test_job_and_pod_metadata),
        core_test(test_jobs_keep_their_order),
        core_test(test_new_job_comes_first),
        core_test(test_patch_without_a_spec),
        core_test(test_pod_template_overrides),
        core_test(test_pod_spec_overrides),
        core_test(test_override_of_no_job),
        core_test(test_labels_of_v2_0),
        core_test(test_target_named_often),
        core_test(test_many_targets_of_many_jobs),
        core_test(test_override_of_too_much),
        core_test(test_origins),
        core_test(test_origins_of_overrides),
        core_test(test_runtime_is_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
