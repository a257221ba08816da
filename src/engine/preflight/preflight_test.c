#include "engine/preflight/preflight_testing.h"

static void test_nothing_to_say(void **state)
{
    static const struct row rows[] = {
        { POD(""), "" },
        { POD(",'schedulerName':'default-scheduler','dnsPolicy':'ClusterFirst','hostPID':false,"
              "'hostUsers':true,'os':{'name':'linux'},'tolerations':[],'hostNetwork':false"),
          "" },
    };
    check_rows(*state, rows);
}

static void test_impossible_fields(void **state)
{
    static const struct row rows[] = {
        { POD(",'hostPID':true"), "E T.spec.hostPID: hostPID=true has no local equivalent\n" },
        { POD(",'hostIPC':true"), "E T.spec.hostIPC: hostIPC=true has no local equivalent\n" },
        { POD(",'shareProcessNamespace':true"),
          "E T.spec.shareProcessNamespace: shareProcessNamespace=true has no local equivalent\n" },
        { POD(",'hostUsers':false"),
          "E T.spec.hostUsers: hostUsers=false has no local equivalent\n" },
        { POD(",'runtimeClassName':'gvisor'"),
          "E T.spec.runtimeClassName: runtimeClassName=gvisor has no local equivalent\n" },
        { POD(",'os':{'name':'windows'}"),
          "E T.spec.os.name: os.name=windows has no local equivalent\n" },
        { POD(",'ephemeralContainers':[{}]"),
          "E T.spec.ephemeralContainers: not available without a cluster\n" },
        { POD(",'resourceClaims':[{}]"),
          "E T.spec.resourceClaims: not available without a cluster\n" },
        { POD(",'readinessGates':[{}]"),
          "E T.spec.readinessGates: not available without a cluster\n" },
        { "{'spec':{}}", "E T.spec.containers: at least one container is required\n" },
    };
    check_rows(*state, rows);
}

static void test_fields_without_effect(void **state)
{
    static const struct row rows[] = {
        { POD(",'affinity':{'a':1}"), "W T.spec.affinity: has no effect here\n" },
        { POD(",'topologySpreadConstraints':[{}]"),
          "W T.spec.topologySpreadConstraints: has no effect here\n" },
        { POD(",'tolerations':[{}]"), "W T.spec.tolerations: has no effect here\n" },
        { POD(",'priorityClassName':'p'"), "W T.spec.priorityClassName: has no effect here\n" },
        { POD(",'schedulerName':'s'"), "W T.spec.schedulerName: has no effect here\n" },
        { POD(",'preemptionPolicy':'Never'"), "W T.spec.preemptionPolicy: has no effect here\n" },
        { POD(",'imagePullSecrets':[{}]"), "W T.spec.imagePullSecrets: has no effect here\n" },
        { POD(",'dnsConfig':{'a':1}"), "W T.spec.dnsConfig: has no effect here\n" },
        { POD(",'dnsPolicy':'None'"), "W T.spec.dnsPolicy: has no effect here\n" },
        { POD(",'enableServiceLinks':true"), "W T.spec.enableServiceLinks: has no effect here\n" },
        { POD(",'overhead':{'cpu':'1'}"), "W T.spec.overhead: has no effect here\n" },
        { POD(",'serviceAccountName':'s'"), "W T.spec.serviceAccountName: has no effect here\n" },
        { POD(",'automountServiceAccountToken':true"),
          "W T.spec.automountServiceAccountToken: has no effect here\n" },
        { POD(",'hostNetwork':true"), "W T.spec.hostNetwork: has no effect here\n" },
    };
    check_rows(*state, rows);
}

static void test_node_selector(void **state)
{
    struct fixture *f = *state;
    static const char pod[] = POD(",'nodeSelector':{'kubernetes.io/os':'linux','disk':'ssd'}");

    assert_string_equal(template_lines(f, pod),
                        "E T.spec.nodeSelector[disk]: no host label disk=ssd\n");
    f->host.labels = parse(f->a, "{'disk':'ssd'}");
    assert_string_equal(template_lines(f, pod), "");
    f->host.labels = parse(f->a, "{'disk':'hdd','kubernetes.io/os':'linux'}");
    assert_string_equal(template_lines(f, pod),
                        "E T.spec.nodeSelector[disk]: no host label disk=ssd\n");
}

static void test_all_findings_at_once(void **state)
{
    struct fixture *f = *state;
    struct ty_preflight_findings u =
        check_template(f,
                       POD(",'hostPID':true,'affinity':{'a':1},'initContainers':[{'name':"
                           "'main','image':'i','command':['x']}]"),
                       1);

    assert_string_equal(
        unfit_lines(f, &u),
        "E T.spec.hostPID: hostPID=true has no local equivalent\n"
        "W T.spec.affinity: has no effect here\n"
        "E T.spec.initContainers[0].name: main is the name of another container\n"
        "W T.spec.initContainers[0].image: image i is not used; the command runs on this host's "
        "filesystem\n"); /* said once */
    assert_int_equal(u.n_errors, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_nothing_to_say),        with_fixture(test_impossible_fields),
        with_fixture(test_fields_without_effect), with_fixture(test_node_selector),
        with_fixture(test_all_findings_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
