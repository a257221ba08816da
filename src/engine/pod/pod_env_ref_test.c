#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_testing.h"

/* A pod to refer to. */
static void pod(struct fixture *f)
{
    assert_int_equal(
        make(f,
             "{'serviceAccountName':'sa','initContainers':[{'name':'init','image':'i','command':"
             "['x'],'resources':{'limits':{'cpu':'3'}}}],'containers':[{'name':'main','image':'i',"
             "'command':['x'],'resources':{'limits':{'cpu':'250m','memory':'1Gi'},"
             "'requests':{'memory':'512Mi'}}}]}"),
        0);
}

static void test_fields(void **state)
{
    static const char *const rows[][2] = {
        { "metadata.name", "js-node-0-0-abcde" },
        { "metadata.namespace", "ns" },
        { "metadata.uid", "u-1" },
        { "metadata.labels['batch.kubernetes.io/job-completion-index']", "3" },
        { "metadata.annotations['note']", "hi" },
        { "metadata.labels['none']", "" },
        { "spec.nodeName", "localhost" },
        { "spec.serviceAccountName", "sa" },
        { "status.hostIP", "127.0.0.1" },
        { "status.hostIPs", "127.0.0.1" },
        { "status.podIP", "127.1.2.3" },
        { "status.podIPs", "127.1.2.3" },
    };
    struct fixture *f = *state;

    pod(f);
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_str got = { 0 };
        assert_int_equal(ty_pod_env_field_ref(&f->x, ty_str(rows[i][0]), false, &got, &f->err), 0);
        assert_true(ty_str_is(got, rows[i][1]));
    }
}

static void test_fields_that_are_none(void **state)
{
    static const char *const rows[] = { "metadata.labels",        "metadata.annotations",
                                        "metadata.labels['",      "metadata.labels['']",
                                        "metadata.finalizers",    "spec.x",
                                        "metadata.labels['a'].x", "" };
    struct fixture *f = *state;
    struct ty_str got;

    pod(f);
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_pod_env_field_ref(&f->x, ty_str(rows[i]), false, &got, &f->err),
                         -EINVAL);
    assert_int_equal(ty_pod_env_field_ref(&f->x, TY_LIT("metadata.x"), true, &got, &f->err),
                     -EINVAL);
    assert_string_equal(f->err.text, "fieldPath \"metadata.x\" is not supported");
}

static void test_whole_maps(void **state)
{
    struct fixture *f = *state;
    struct ty_str got;

    pod(f);
    assert_int_equal(ty_pod_env_field_ref(&f->x, TY_LIT("metadata.labels"), true, &got, &f->err),
                     0);
    assert_string_equal(got.p,
                        "a=\"1\\n\"\nb=\"2\"\nbatch.kubernetes.io/job-completion-index=\"3\"");
    ty_json_set(f->a, ty_json_at(f->x.pod, "metadata.annotations"), "note",
                ty_json_cstr(f->a, "q\"\\\t\x01\x7f\xc3\xa4"));
    assert_int_equal(
        ty_pod_env_field_ref(&f->x, TY_LIT("metadata.annotations"), true, &got, &f->err), 0);
    assert_string_equal(got.p, "note=\"q\\\"\\\\\\t\\x01\\x7f\xc3\xa4\"");
}

static void test_resources(void **state)
{
    static const char *const rows[][2] = {
        { "{'resource':'limits.cpu'}", "1" }, /* 250m, rounded up */
        { "{'resource':'limits.cpu','divisor':'1m'}", "250" },
        { "{'resource':'limits.cpu','divisor':'0'}", "1" },
        { "{'resource':'limits.memory'}", "1073741824" },
        { "{'resource':'limits.memory','divisor':'1Mi'}", "1024" },
        { "{'resource':'requests.memory','divisor':'1Gi'}", "1" },
        { "{'resource':'requests.cpu','divisor':'1m'}", "250" }, /* the limit */
        { "{'resource':'limits.cpu','containerName':'init'}", "3" },
        { "{'resource':'limits.memory','containerName':'init','divisor':'1Gi'}",
          "16" }, /* the host */
        { "{'resource':'requests.memory','containerName':'init'}", "0" },
        { "{'resource':'requests.ephemeral-storage'}", "0" },
        { "{'resource':'limits.hugepages-2Mi'}", "0" },
    };
    struct fixture *f = *state;
    struct ty_str got;

    pod(f);
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_json *c = ty_pod_container(f->x.spec, TY_LIT("main"));
        assert_int_equal(ty_pod_env_resource_ref(&f->x, parse(f->a, rows[i][0]), c, &got, &f->err),
                         0);
        assert_string_equal(got.p, rows[i][1]);
    }
}

static void test_resources_that_are_none(void **state)
{
    static const char *const rows[][2] = {
        { "{'resource':'limits.nvidia.com/gpu'}",
          "unsupported container resource : limits.nvidia.com/gpu" },
        { "{'resource':'cpu'}", "unsupported container resource : cpu" },
        { "{'resource':'limits.cpu','containerName':'no'}", "container \"no\" not found" },
        { "{'resource':'limits.cpu','divisor':'x'}",
          "the divisor of limits.cpu is not a quantity" },
    };
    struct fixture *f = *state;
    struct ty_str got;

    pod(f);
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_json *c = ty_pod_container(f->x.spec, TY_LIT("main"));
        assert_int_equal(ty_pod_env_resource_ref(&f->x, parse(f->a, rows[i][0]), c, &got, &f->err),
                         -EINVAL);
        assert_string_equal(f->err.text, rows[i][1]);
    }
    /* A downwardAPI file must say whose. */
    assert_int_equal(ty_pod_env_resource_ref(&f->x, parse(f->a, "{'resource':'limits.cpu'}"), NULL,
                                             &got, &f->err),
                     -EINVAL);
}

static void test_keys(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *cm = ty_pod_object(&f->x, &ty_kind_configmap, TY_LIT("cm"));
    const struct ty_json *sec = ty_pod_object(&f->x, &ty_kind_secret, TY_LIT("sec"));
    const struct ty_json *bad = parse(f->a, "{'data':{'k':'not base64!','n':3}}");
    struct ty_str got;

    assert_true(ty_pod_key(f->a, &ty_kind_configmap, cm, TY_LIT("key"), false, &got));
    assert_true(ty_str_is(got, "text"));
    assert_false(ty_pod_key(f->a, &ty_kind_configmap, cm, TY_LIT("bin"), false, &got));
    assert_true(ty_pod_key(f->a, &ty_kind_configmap, cm, TY_LIT("bin"), true, &got));
    assert_int_equal(got.n, 3);
    assert_memory_equal(got.p, "\0\1\xff", 3);
    assert_true(ty_pod_key(f->a, &ty_kind_secret, sec, TY_LIT("pass"), true, &got));
    assert_true(ty_str_is(got, "hunter2"));
    assert_true(ty_pod_key(f->a, &ty_kind_secret, sec, TY_LIT("plain"), true, &got));
    assert_true(ty_str_is(got, "as is"));
    assert_false(ty_pod_key(f->a, &ty_kind_secret, bad, TY_LIT("k"), true, &got));
    assert_false(ty_pod_key(f->a, &ty_kind_secret, bad, TY_LIT("n"), true, &got));
    assert_false(ty_pod_key(f->a, &ty_kind_secret, NULL, TY_LIT("k"), true, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_fields),
        with_fixture(test_fields_that_are_none),
        with_fixture(test_whole_maps),
        with_fixture(test_resources),
        with_fixture(test_resources_that_are_none),
        with_fixture(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
