#include "engine/jobset/jobset_testing.h"

#define AT "spec.volumeClaimPolicies[0].template[0]"

/* T whose job a mounts `mount` in its container, and the policies. */
static struct ty_json *with_claims(struct ty_arena *a, const char *mount, const char *policies)
{
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 0,
             ty_arena_printf(a,
                             "{'template':{'spec':{'template':{'spec':{'containers':[{'name':'c',"
                             "'image':'i','volumeMounts':[{'name':'%s','mountPath':'/x'}]}]}}}}}",
                             mount));
    return merged(a, js, ty_arena_printf(a, "{'spec':{'volumeClaimPolicies':%s}}", policies));
}

static const char *claim(struct ty_arena *a, const char *name)
{
    return ty_arena_printf(a,
                           "{'metadata':{'name':'%s'},'spec':{'accessModes':['ReadWriteOnce'],"
                           "'resources':{'requests':{'storage':'1Gi'}}}}",
                           name);
}

static struct ty_json *one_claim(struct ty_arena *a, const char *name)
{
    return with_claims(a, name, ty_arena_printf(a, "[{'templates':[%s]}]", claim(a, name)));
}

static void case_024_claim_names_and_mounts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = one_claim(a, "data");

    assert_string_equal(admit(a, js), "");
    assert_has(admit(a, one_claim(a, "Foo")),
               AT ".name: Invalid value: \"Foo\": a lowercase RFC 1123 subdomain must consist");
    assert_has(admit(a, one_claim(a, "a123456789-123456789-123456789-123456789-123456789-12345")),
               "VolumeClaimPolicies template name is too long\n");
    js = with_claims(a, "data",
                     ty_arena_printf(a, "[{'templates':[%s]},{'templates':[%s]}]", claim(a, "data"),
                                     claim(a, "data")));
    assert_string_equal(admit(a, js),
                        "spec.volumeClaimPolicies[1].template[0].name: Invalid value: \"data\": "
                        "names must be unique for VolumeClaimPolicies template\n");
    js = with_claims(a, "other", ty_arena_printf(a, "[{'templates':[%s]}]", claim(a, "data")));
    assert_has(admit(a, js), "spec.replicatedJobs: Invalid value: [{\"name\":");
    assert_has(admit(a, js), ": replicatedJob containers don't have a matching volumeMount: "
                             "data from VolumeClaimPolicies\n");
    js = one_claim(a, "data");
    patch_rj(a, js, 1,
             "{'template':{'spec':{'template':{'spec':{'volumes':[{'name':'o','emptyDir':{}},"
             "{'name':'data','emptyDir':{}}]}}}}}");
    assert_string_equal(admit(a, js),
                        "spec.replicatedJobs[1].template.spec.template.spec.volumes[1].name: "
                        "Invalid value: \"data\": volume name conflicts with VolumeClaimPolicy "
                        "template name: data\n");
}

static void case_024_mount_in_an_init_container(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js =
        with_claims(a, "other", ty_arena_printf(a, "[{'templates':[%s]}]", claim(a, "data")));

    patch_rj(a, js, 1,
             "{'template':{'spec':{'template':{'spec':{'initContainers':[{'name':'in',"
             "'image':'i','volumeMounts':[{'name':'data','mountPath':'/d'}]}]}}}}}");
    assert_string_equal(admit(a, js), "");
}

static void case_025_claim_limits(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_json *js = one_claim(a, "data"), *list = ty_json_at(js, "spec.volumeClaimPolicies");

    ty_json_set(
        a,
        ty_json_get(ty_json_item(ty_json_get(ty_json_item(list, 0), "templates"), 0), "metadata"),
        "namespace", ty_json_cstr(a, "x"));
    assert_has(admit(a, js), "namespace cannot be set for VolumeClaimPolicies templates\n");
    js = one_claim(a, "data");
    list = ty_json_at(js, "spec.volumeClaimPolicies");
    while (ty_json_len(list) < 51)
        ty_json_push(a, list, parse(a, "{'templates':[]}"));
    assert_has(admit(a, js), "spec.volumeClaimPolicies: Too many: 51: must have at most 50");
    js = one_claim(a, "data");
    list = ty_json_get(ty_json_item(ty_json_at(js, "spec.volumeClaimPolicies"), 0), "templates");
    while (ty_json_len(list) < 51)
        ty_json_push(a, list, parse(a, claim(a, "data")));
    assert_has(admit(a, js),
               "spec.volumeClaimPolicies[0].templates: Too many: 51: must have at most 50");
}

static const char *beside(struct ty_arena *a, struct ty_json *js, const char *live)
{
    const struct ty_json *claims[] = { parse(a, live) };
    struct ty_errs errs = { .arena = a };

    assert_string_equal(admit(a, js), "");
    ty_jobset_validate_claims(js, claims, 1, &errs);
    return lines(a, &errs);
}

static void a_claim_that_exists_is_kept(void **state TY_UNUSED)
{
    static const char live[] =
        "{'metadata':{'name':'data-test-js','namespace':'default'},'spec':{'resources':{"
        "'requests':{'storage':'1Gi'}},'accessModes':['ReadWriteOnce']}}";
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = one_claim(a, "data");

    assert_string_equal(beside(a, js, live),
                        "spec.volumeClaimPolicies[0].retentionPolicy.whenDeleted: Invalid value: "
                        "\"Delete\": retentionPolicy must be retain when PVC exists\n");
    js = with_claims(a, "data",
                     ty_arena_printf(a,
                                     "[{'templates':[%s],'retentionPolicy':{'whenDeleted':"
                                     "'Retain'}}]",
                                     claim(a, "data")));
    assert_string_equal(beside(a, js, live), "");
    assert_string_equal(beside(a, js,
                               "{'metadata':{'name':'data-test-js','namespace':'other'},"
                               "'spec':{}}"),
                        "");
    assert_has(beside(a, js,
                      "{'metadata':{'name':'data-test-js','namespace':'default'},"
                      "'spec':{}}"),
               ": spec does not match existing PVC data-test-js in namespace default\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_024_claim_names_and_mounts),
        cmocka_unit_test(case_024_mount_in_an_init_container),
        cmocka_unit_test(case_025_claim_limits),
        cmocka_unit_test(a_claim_that_exists_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
