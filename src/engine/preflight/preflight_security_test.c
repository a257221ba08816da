#include "engine/preflight/preflight_testing.h"

#define AT           "T.spec.containers[0].securityContext"
#define SECURE(text) CONTAINER(",'securityContext':{" text "}")

#define AS(uid)                                                                                    \
    ": users of the image do not exist here; everything runs as uid " uid ", as you do\n"

static void test_ids(void **state)
{
    static const struct row rows[] = {
        { SECURE("'runAsUser':1000,'runAsGroup':1000"), "" }, /* who we are */
        { SECURE("'runAsUser':7,'runAsGroup':0"), "W " AT ".runAsUser" AS("1000") }, /* once */
        { SECURE("'runAsGroup':0"), "W " AT ".runAsGroup" AS("1000") },
        { POD(",'securityContext':{'fsGroup':5,'supplementalGroups':[1000,7]}"),
          "W T.spec.securityContext.fsGroup" AS("1000") },
        { POD(",'securityContext':{'supplementalGroups':[1000,7]}"),
          "W T.spec.securityContext.supplementalGroups[1]" AS("1000") },
    };
    struct fixture *f = *state;

    check_rows(f, rows);
    f->host.root = true; /* could become anybody; but whose files and programs would that be? */
    f->host.uid = f->host.gid = 0;
    assert_string_equal(template_lines(f, rows[0].pod), "W " AT ".runAsUser" AS("0"));
}

static void test_what_cannot_be_enforced(void **state)
{
    static const struct row rows[] = {
        { SECURE("'privileged':true"),
          "E " AT ".privileged: privileged=true cannot be enforced for a host process\n" },
        { SECURE("'privileged':false,'readOnlyRootFilesystem':false,'procMount':'Default'"), "" },
        { SECURE("'readOnlyRootFilesystem':true"),
          "E " AT ".readOnlyRootFilesystem: readOnlyRootFilesystem=true cannot be enforced for a "
          "host process\n" },
        { SECURE("'capabilities':{'add':['NET_ADMIN'],'drop':['ALL']}"),
          "E " AT
          ".capabilities.add: capabilities.add=[\"NET_ADMIN\"] cannot be enforced for a host "
          "process\n" },
        { SECURE("'seccompProfile':{'type':'RuntimeDefault'}"),
          "E " AT ".seccompProfile: seccompProfile=RuntimeDefault cannot be enforced for a host "
          "process\n" },
        { SECURE("'seccompProfile':{'type':'Unconfined'},'appArmorProfile':{'type':'Unconfined'}"),
          "" },
        { SECURE("'appArmorProfile':{'type':'Localhost'}"),
          "E " AT ".appArmorProfile: appArmorProfile=Localhost cannot be enforced for a host "
          "process\n" },
        { SECURE("'seLinuxOptions':{'level':'s0'}"),
          "E " AT
          ".seLinuxOptions: seLinuxOptions={\"level\":\"s0\"} cannot be enforced for a host "
          "process\n" },
        { SECURE("'procMount':'Unmasked'"),
          "E " AT ".procMount: procMount=Unmasked cannot be enforced for a host process\n" },
        { POD(",'securityContext':{'sysctls':[{'name':'a'}]}"),
          "E T.spec.securityContext.sysctls: sysctls=[{\"name\":\"a\"}] cannot be enforced for a "
          "host "
          "process\n" },
    };
    check_rows(*state, rows);
}

static void test_non_root(void **state)
{
    struct fixture *f = *state;
    static const char bad[] = "E " AT ".runAsNonRoot: would run as root, as trainyard does; start "
                              "it as an ordinary user\n";

    assert_string_equal(template_lines(f, SECURE("'runAsNonRoot':true")), "");
    f->host.root = true;
    f->host.uid = 0;
    assert_string_equal(template_lines(f, SECURE("'runAsNonRoot':true")), bad);
    assert_string_equal(template_lines(f, SECURE("'runAsNonRoot':false")), "");
    /* no id helps: it is not taken on */
    assert_has(template_lines(f, SECURE("'runAsNonRoot':true,'runAsUser':5")), bad);
    assert_string_equal(template_lines(f, SECURE("'capabilities':{'drop':['ALL']}")),
                        "W " AT ".capabilities.drop: has no effect here\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_ids),
        with_fixture(test_what_cannot_be_enforced),
        with_fixture(test_non_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
