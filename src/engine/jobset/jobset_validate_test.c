#include "engine/jobset/jobset_testing.h"

static void accepts_t(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(admit(a, set_t(a)), "");
}

static void case_014_success_policy_targets(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a),
                                "{'spec':{'successPolicy':{'operator':'All',"
                                "'targetReplicatedJobs':['" A "','nope']}}}");

    assert_string_equal(admit(a, js),
                        "<nil>: Internal error: invalid replicatedJob name 'nope' does not appear "
                        "in .spec.ReplicatedJobs\n");
}

static const char *managed_by(struct ty_arena *a, const char *manager)
{
    struct ty_json *js = set_t(a);

    ty_json_set(a, ty_json_get(js, "spec"), "managedBy", ty_json_cstr(a, manager));
    const char *said = admit(a, js);
    assert_true(ty_str_is(ty_json_str_at(js, "spec.managedBy"), manager));
    return said;
}

static void case_021_managed_by(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(managed_by(a, "other"),
                        "spec.managedBy: Invalid value: \"other\": must be a domain-prefixed path "
                        "(such as \"acme.io/foo\")\n");
    assert_string_equal(
        managed_by(a, "example.com/"
                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        "spec.managedBy: Too long: may not be more than 63 bytes\n");
    assert_string_equal(managed_by(a, "acme.io/foo"), "");
    assert_string_equal(managed_by(a, TY_JOBSET_CONTROLLER), "");
    assert_string_equal(managed_by(a, ""), "spec.managedBy: Required value\n");
}

static const char *subdomain(struct ty_arena *a, const char *name)
{
    struct ty_json *js = set_t(a);

    ty_json_set(a, ty_json_ensure_object(a, ty_json_get(js, "spec"), "network"), "subdomain",
                ty_json_cstr(a, name));
    return admit(a, js);
}

static void subdomain_is_a_host_and_a_service(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const char *said = subdomain(a, "Not_One");

    assert_string_equal(subdomain(a, "fine-1"), "");
    assert_has(said, "spec.network.subdomain: Invalid value: \"Not_One\": a lowercase RFC 1123 "
                     "subdomain must consist");
    assert_has(said, "\"Not_One\": a DNS-1035 label must consist");
    said = subdomain(a, "a.b"); /* a host may have dots, a Service not */
    assert_has(said, "\"a.b\": a DNS-1035 label must consist");
    assert_has_not(said, "RFC 1123");
    assert_has(subdomain(a, "a1234567890123456789012345678901234567890123456789012345678901234"),
               ": .spec.network.subdomain is too long, must be less than 63 characters\n");
}

static void reports_everything_at_once(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a),
                                "{'spec':{'managedBy':'x','successPolicy':{'operator':'All',"
                                "'targetReplicatedJobs':['n']},'failurePolicy':{'restartStrategy':"
                                "'InPlaceRestart'},'coordinator':{'replicatedJob':'m'}}}");
    const char *said = admit(a, js);

    assert_has(said, "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature "
                     "gate is disabled");
    assert_has(said, "spec.managedBy");
    assert_has(said, "invalid replicatedJob name 'n'");
    assert_has(said, "coordinator replicatedJob m does not exist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_t),
        cmocka_unit_test(case_014_success_policy_targets),
        cmocka_unit_test(case_021_managed_by),
        cmocka_unit_test(subdomain_is_a_host_and_a_service),
        cmocka_unit_test(reports_everything_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
