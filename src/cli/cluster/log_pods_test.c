#include "cli/cluster/log_pods.h"

#include "base/testing.h"
#include "json/json_testing.h"

static const char pod_text[] =
    "{\"metadata\":{\"name\":\"t-node-0-1-x7k2p\",\"uid\":\"u\",\"creationTimestamp\":"
    "\"2026-11-17T18:40:01Z\",\"labels\":{\"jobset.sigs.k8s.io/restart-attempt\":\"2\"}},"
    "\"spec\":{\"hostname\":\"t-node-0-1\",\"initContainers\":[{\"name\":\"i\"}],"
    "\"containers\":[{\"name\":\"node\"},{\"name\":\"side\"},{\"name\":\"loop\"},{}]},"
    "\"status\":{\"phase\":\"Running\",\"initContainerStatuses\":[{\"name\":\"i\","
    "\"restartCount\":0,\"state\":{\"terminated\":{\"exitCode\":0}}}],"
    "\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":3,\"state\":{\"running\":{}},"
    "\"lastState\":{\"terminated\":{}}},{\"name\":\"side\",\"restartCount\":0,"
    "\"state\":{\"waiting\":{\"reason\":\"ContainerCreating\"}}},{\"name\":\"loop\","
    "\"restartCount\":1,\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},"
    "\"lastState\":{\"terminated\":{}}}]}}";

static void test_parse(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_log_pod p, q;

    (void)state;
    ty_log_pods_parse(a, json_read(a, pod_text), "t", &p);
    assert_string_equal(p.host, "t-node-0-1");
    assert_string_equal(p.node, "node-0-1");
    assert_int_equal(p.attempt, 2);
    assert_false(p.over);
    assert_int_equal(p.n, 4);
    assert_string_equal(p.containers[0].name, "i"); /* before the containers of the trainer */
    assert_true(p.containers[0].ended);
    assert_int_equal(p.containers[1].instance, 3);
    assert_false(p.containers[1].ended);
    assert_int_equal(p.containers[2].instance, -1);
    assert_int_equal(p.containers[3].instance, 1); /* between two starts: the log of the last one */
    assert_true(p.containers[3].ended);
    assert_true(ty_log_pods_is(&p, "node-0-1") && ty_log_pods_is(&p, "t-node-0-1") &&
                ty_log_pods_is(&p, "pod/t-node-0-1-x7k2p"));
    assert_false(ty_log_pods_is(&p, "node-0"));
    q = p;
    assert_false(ty_log_pods_is_newer(&q, &p));
    q.created_s++;
    assert_true(ty_log_pods_is_newer(&q, &p));
    q.attempt--;
    assert_false(ty_log_pods_is_newer(&q, &p)); /* the clock of the API server went back */
}

/* A pod from a server that is not ours: nothing is expected of it. */
static void test_odd(void **state)
{
    static const char *const odd[] = { "{}", "[]", "{\"spec\":{\"containers\":{}}}",
                                       "{\"metadata\":3,\"spec\":[],\"status\":\"x\"}" };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_log_pod p;

    (void)state;
    for (size_t i = 0; i < TY_COUNT(odd); i++) {
        ty_log_pods_parse(a, json_read(a, odd[i]), "t", &p);
        assert_int_equal(p.n, 0);
        assert_string_equal(p.node, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
