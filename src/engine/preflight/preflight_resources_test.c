#include "engine/preflight/preflight_testing.h"

#define AT           "T.spec.containers[0].resources.limits"
#define LIMITS(text) CONTAINER(",'resources':{'limits':{" text "}}")

static void test_limits(void **state)
{
    static const struct row rows[] = {
        { LIMITS("'cpu':'2'"), "" }, /* kept by pinning */
        { LIMITS("'cpu':'100','memory':'1Ti'"), "" },
        { LIMITS("'cpu':'250m'"),
          "W " AT ".cpu: cpu limit 250m not enforced: no access to cgroups\n" },
        { LIMITS("'memory':'1Gi','ephemeral-storage':'2Gi'"),
          "W " AT ".memory: memory limit 1Gi not enforced: no access to cgroups\n"
          "W " AT ".ephemeral-storage: ephemeral-storage limit 2Gi not enforced: no quota here\n" },
        { POD(",'resources':{'limits':{'memory':'1Gi'}}"),
          "W T.spec.resources.limits.memory: memory limit 1Gi not enforced: no access to "
          "cgroups\n" },
        { CONTAINER(",'resources':{'requests':{'cpu':'100m','memory':'1Gi'}}"), "" },
    };
    struct fixture *f = *state;

    check_rows(f, rows);
    f->host.cgroup_cpu = f->host.cgroup_memory = true;
    assert_string_equal(template_lines(f, LIMITS("'cpu':'250m','memory':'1Gi'")), "");
}

static const char *at_once(struct fixture *f, const char *pod, int64_t n)
{
    struct ty_preflight_findings u = check_template(f, pod, n);

    for (const struct ty_preflight_finding *i = u.first; i; i = i->next)
        if (i->error)
            return ty_arena_printf(f->a, "%s: %s", i->path, i->text);
    return "";
}

static void test_devices(void **state)
{
    struct fixture *f = *state; /* two nvidia.com/gpu */

    assert_string_equal(at_once(f, LIMITS("'nvidia.com/gpu':2"), 1), "");
    assert_string_equal(at_once(f, LIMITS("'nvidia.com/gpu':'1'"), 2), "");
    assert_string_equal(
        at_once(f, LIMITS("'nvidia.com/gpu':1"), 3),
        "T.spec.resources[nvidia.com/gpu]: wants 3 nvidia.com/gpu at once, host has 2");
    assert_string_equal(at_once(f, LIMITS("'amd.com/gpu':1"), 1),
                        "T.spec.resources[amd.com/gpu]: wants 1 amd.com/gpu at once, host has 0");
    assert_string_equal(
        at_once(f, LIMITS("'hugepages-2Mi':'4Mi'"), 1),
        "T.spec.resources[hugepages-2Mi]: wants 4194304 hugepages-2Mi at once, host "
        "has 0");
    assert_string_equal(at_once(f, LIMITS("'nvidia.com/gpu':0"), 5), "");
    f->host.gpus = NULL;
    assert_string_equal(
        at_once(f, LIMITS("'nvidia.com/gpu':1"), 1),
        "T.spec.resources[nvidia.com/gpu]: wants 1 nvidia.com/gpu at once, host has 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_limits),
        with_fixture(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
