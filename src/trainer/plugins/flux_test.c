#include "trainer/plugins/fixture.h"

#define FLUX(n, container) RUNTIME("{'numNodes':" n ",'flux':{}}", container)

static const char *script(struct fixture *f, const char *key)
{
    const struct ty_json *cm = fx_child(f, &ty_kind_configmap, "j-flux-entrypoint");
    assert_non_null(cm);
    struct ty_str s = ty_json_as_str(ty_json_get(ty_json_get(cm, "data"), key));
    return ty_arena_cstr(f->arena, s);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("missing: %s\nin:\n%s", part, text);
}

static void test_pod(void **state)
{
    struct fixture *f = *state;

    fx_run(f, FLUX("1", ""), JOB("'numNodes':2,'command':['lmp','-in'],'args':['melt.in']"));
    assert_string_equal(fx_member(f, "node", "node", "command"),
                        "['/bin/bash','/etc/flux-config/entrypoint.sh','lmp -in melt.in']");
    assert_string_equal(fx_member(f, "node", "node", "args"), "");
    assert_string_equal(fx_text(f, ty_json_get(f->plan.trainer->pod, "volumes")),
                        "[{'name':'spack-install','emptyDir':{}},"
                        "{'name':'flux-install','emptyDir':{}},"
                        "{'name':'j-flux-entrypoint','configMap':{'name':'j-flux-entrypoint',"
                        "'defaultMode':493}},"
                        "{'name':'shared-memory','emptyDir':{'medium':'Memory'}},"
                        "{'name':'flux-curve','secret':{'secretName':'j-flux-curve',"
                        "'defaultMode':256}}]");
    assert_string_equal(fx_member(f, "node", "node", "volumeMounts"),
                        "[{'name':'flux-install','mountPath':'/mnt/flux'},"
                        "{'name':'spack-install','mountPath':'/opt/software'},"
                        "{'name':'j-flux-entrypoint','mountPath':'/etc/flux-config',"
                        "'readOnly':true},{'name':'flux-curve','mountPath':'/curve',"
                        "'readOnly':true},{'name':'shared-memory','mountPath':'/dev/shm',"
                        "'readOnly':true}]");
    assert_string_equal(
        fx_text(f, ty_json_get(f->plan.trainer->pod, "initContainers")),
        "[{'name':'flux-installer','image':'ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy'"
        ",'command':['/bin/bash','/etc/flux-config/init.sh'],'volumeMounts':[{'name':"
        "'flux-install','mountPath':'/mnt/flux'},{'name':'j-flux-entrypoint','mountPath':"
        "'/etc/flux-config','readOnly':true}]}]");
}

static void test_commands(void **state)
{
    struct fixture *f = *state;
#define WRAPPED(line) "['/bin/bash','/etc/flux-config/entrypoint.sh','" line "']"

    fx_run(f, FLUX("1", ""), JOB("'numNodes':1"));
    assert_string_equal(fx_member(f, "node", "node", "command"), WRAPPED(""));
    fx_run(f, FLUX("1", ",'command':['lmp'],'args':['-log','none']"), JOB("'numNodes':2"));
    assert_string_equal(fx_member(f, "node", "node", "command"), WRAPPED("lmp"));
    assert_string_equal(fx_member(f, "node", "node", "args"), "['-log','none']");
    fx_run(f, FLUX("1", ",'command':['lmp']"), JOB_OF("rt", ""));
    assert_string_equal(fx_member(f, "node", "node", "command"), WRAPPED("lmp"));
    fx_run(f, FLUX("1", ""), JOB("'command':['  python  '],'args':[' script.py ']"));
    assert_string_equal(fx_member(f, "node", "node", "command"), WRAPPED("python    script.py"));
}

static void test_nodes(void **state)
{
    struct fixture *f = *state;

    fx_run(f, FLUX("1", ""), JOB("'numNodes':4,'numProcPerNode':3"));
    has(script(f, "init.sh"), "hosts='j-node-0-[0-3]'\n");
    has(script(f, "init.sh"), "\"tcp://%h.j.ns.svc.cluster.local:%p\"");
    has(script(f, "entrypoint.sh"), "run_flags='-N 4 -n 12'\n");
    assert_int_equal(f->plan.trainer->count, 4);
    /* B4: without a number in the TrainJob, or without a trainer at all, the runtime's counts */
    fx_run(f, FLUX("2", ""), JOB("'command':['lmp']"));
    has(script(f, "init.sh"), "hosts='j-node-0-[0-1]'\n");
    has(script(f, "entrypoint.sh"), "run_flags='-N 2 -n 2'\n");
    fx_run(f, RUNTIME("{'flux':{'numProcPerNode':5}}", ",'resources':{'limits':{'x.io/gpu':2}}"),
           JOB_OF("rt", ""));
    has(script(f, "entrypoint.sh"),
        "run_flags='-N 1 -n 5 -g 2'\nresources='--cores=0-4 --gpu=0-1'\n");
}

static void test_settings(void **state)
{
    struct fixture *f = *state;
#define SET(n, v) "{'name':'" n "','value':'" v "'}"

    fx_run(f,
           FLUX("1", ",'env':[" SET("FLUX_NETWORK_DEVICE", "ib0") "," SET("FLUX_VIEW_IMAGE",
                                                                          "r/v:1") "]"),
           JOB("'env':[" SET("FLUX_VIEW_IMAGE", "r/v:2") "," SET("FLUX_QUEUE_POLICY", "easy") "]"));
    has(script(f, "init.sh"), "default_bind = \"tcp://ib0:%p\"\n");
    has(script(f, "init.sh"), "queue-policy = \"easy\"\n");
    assert_string_equal(fx_member(f, "node", "flux-installer", "image"), "'r/v:2'");
}

static void test_secret_follows_the_uid(void **state)
{
    struct fixture *f = *state;

    fx_run(f, FLUX("1", ""), JOB(""));
    const struct ty_json *secret = fx_child(f, &ty_kind_secret, "j-flux-curve");
    assert_non_null(secret);
    assert_null(ty_json_get(secret, "type"));
    assert_null(ty_json_get(secret, "immutable"));
    const char *cert = fx_text(f, ty_json_get(ty_json_get(secret, "data"), "curve.cert"));
    fx_run(f, FLUX("1", ""), JOB(""));
    secret = fx_child(f, &ty_kind_secret, "j-flux-curve");
    assert_string_equal(fx_text(f, ty_json_get(ty_json_get(secret, "data"), "curve.cert")), cert);
    /* "public-key = " and the recorded key of test-uid, in base64 at an even place */
    has(cert, "ICAgIHB1YmxpYy1rZXkgPSAiVWdAXVh6Ri8kYzVYaVNBP2NpQnpPTiE/JTx5a3QwOE9LN30hR21ZJiI");
}

static void test_no_uid_no_common_key(void **state)
{
    struct fixture *f = *state;
    static const char job[] =
        "{'metadata':{'name':'j'},'spec':{'runtimeRef':{'name':'rt'},'trainer':{}}}";

    fx_run(f, FLUX("1", ""), job);
    const char *one = fx_text(f, ty_json_get(fx_child(f, &ty_kind_secret, "j-flux-curve"), "data"));
    f->entropy[5] ^= 1;
    fx_run(f, FLUX("1", ""), job);
    assert_string_not_equal(
        fx_text(f, ty_json_get(fx_child(f, &ty_kind_secret, "j-flux-curve"), "data")), one);
}

static void test_validation(void **state)
{
    struct fixture *f = *state;
    static const char taken[] = RUNTIME_JOBS(
        "{'flux':{}}", "{'name':'node','template':{'spec':{'template':{'spec':{'initContainers':["
                       "{'name':'flux-installer','image':'x'}],'containers':[{'name':'node',"
                       "'image':'i'}]}}}}}");

    assert_string_equal(fx_validate(f, taken, JOB("")),
                        "spec.trainer.initContainers: Invalid value: \"flux-installer\": "
                        "InitContainer 'flux-installer' is reserved");
    assert_string_equal(fx_validate(f, FLUX("1", ""), JOB("")), "");
    assert_string_equal(fx_validate(f, FLUX("1", ""), JOB("'numProcPerNode':'gpu'")),
                        "spec.trainer.numProcPerNode: Invalid value: \"gpu\": must have an int "
                        "value for Flux TrainJob");
    assert_string_equal(fx_validate(f, FLUX("1", ""), JOB("'numProcPerNode':0")),
                        "spec.trainer.numProcPerNode: Invalid value: 0: must be greater than or "
                        "equal to 1 for Flux TrainJob");
    assert_string_equal(fx_validate(f, FLUX("1", ""), JOB("'numProcPerNode':1")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_pod),
        fx_test(test_commands),
        fx_test(test_nodes),
        fx_test(test_settings),
        fx_test(test_secret_follows_the_uid),
        fx_test(test_no_uid_no_common_key),
        fx_test(test_validation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
