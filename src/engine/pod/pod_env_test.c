#include "engine/pod/pod_env.h"
#include "engine/pod/pod_testing.h"

#define MAIN(members) "{'containers':[{'name':'main','image':'i','command':['run']," members "}]}"

static void case_105_earlier_variables_only(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        make(f, MAIN("'env':[{'name':'FOO','value':'bar'},{'name':'ZOO','value':'$(FOO)-1'},"
                     "{'name':'BLU','value':'$(ZOO)-2'}]")),
        0);
    assert_string_equal(var(f, 0, "BLU"), "bar-1-2");
    assert_int_equal(
        make(f, MAIN("'env':[{'name':'BLU','value':'$(ZOO)-2'},"
                     "{'name':'ZOO','value':'$(FOO)-1'},{'name':'FOO','value':'bar'}]")),
        0);
    assert_string_equal(var(f, 0, "BLU"), "$(ZOO)-2");
    assert_string_equal(var(f, 0, "ZOO"), "$(FOO)-1");
}

static void case_106_env_wins_and_optional_keys_are_unset(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        make(f,
             MAIN("'envFrom':[{'configMapRef':{'name':'cm'}}],'env':[{'name':'A','value':'mine'},"
                  "{'name':'NO','valueFrom':{'configMapKeyRef':{'name':'cm','key':'none',"
                  "'optional':true}}},{'name':'NO2','valueFrom':{'secretKeyRef':{'name':'none',"
                  "'key':'k','optional':true}}}]")),
        0);
    assert_string_equal(var(f, 0, "A"), "mine");
    assert_string_equal(var(f, 0, "key"), "text");
    assert_null(var(f, 0, "NO"));
    assert_null(var(f, 0, "NO2"));
    assert_null(var(f, 0, "bin")); /* binaryData is for volumes only */
}

static void case_107_completion_index(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(make(f, MAIN("'env':[{'name':'JOB_COMPLETION_INDEX','value':'own'}]")), 0);
    assert_string_equal(var(f, 0, "JOB_COMPLETION_INDEX"), "own");
    assert_int_equal(make(f, MAIN("'args':['$(JOB_COMPLETION_INDEX)'],"
                                  "'env':[{'name':'I','value':'$(JOB_COMPLETION_INDEX)'}]")),
                     0);
    assert_string_equal(var(f, 0, "JOB_COMPLETION_INDEX"), "3");
    assert_string_equal(var(f, 0, "I"), "$(JOB_COMPLETION_INDEX)"); /* it comes last */
    assert_string_equal(f->plan.containers[0].argv[1], "3");
}

static void test_sources_in_order_with_prefix(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(make(f, MAIN("'envFrom':[{'configMapRef':{'name':'cm'}},"
                                  "{'configMapRef':{'name':'cm2'}},{'prefix':'P_',"
                                  "'secretRef':{'name':'sec'}},{'secretRef':{'name':'none',"
                                  "'optional':true}}],'env':[{'name':'X','value':'$(A)$(P_pass)'},"
                                  "{'name':'EMPTY'}]")),
                     0);
    assert_string_equal(var(f, 0, "A"), "from-cm2");
    assert_string_equal(var(f, 0, "P_pass"), "hunter2");
    assert_string_equal(var(f, 0, "P_plain"), "as is");
    assert_string_equal(var(f, 0, "X"), "from-cm2hunter2");
    assert_string_equal(var(f, 0, "EMPTY"), "");
}

static void test_missing_references(void **state)
{
    static const char *const rows[][2] = {
        { "'envFrom':[{'configMapRef':{'name':'no'}}]",
          "container main: ConfigMap ns/no was not supplied" },
        { "'envFrom':[{'secretRef':{'name':'no'}}]",
          "container main: Secret ns/no was not supplied" },
        { "'env':[{'name':'V','valueFrom':{'configMapKeyRef':{'name':'cm','key':'k'}}}]",
          "container main: variable V: couldn't find key k in ConfigMap ns/cm" },
        { "'env':[{'name':'V','valueFrom':{'secretKeyRef':{'name':'sec','key':'k'}}}]",
          "container main: variable V: couldn't find key k in Secret ns/sec" },
        { "'env':[{'name':'V','valueFrom':{'secretKeyRef':{'name':'no','key':'k'}}}]",
          "container main: variable V: Secret ns/no was not supplied" },
        { "'env':[{'name':'V','valueFrom':{'fileKeyRef':{'volumeName':'v','path':'p','key':'k'}}}]",
          "container main: variable V: fileKeyRef is not read here" },
        { "'env':[{'name':'V','valueFrom':{'fieldRef':{'fieldPath':'metadata.labels'}}}]",
          "container main: variable V: fieldPath \"metadata.labels\" is not supported" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{'containers':[{'name':'main','image':'i','command':['run'],%s}]}", rows[i][0]);
        assert_true(make(f, text) < 0);
        assert_string_equal(f->err.text, rows[i][1]);
    }
}

static void test_below_and_above(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        make(f, MAIN("'args':['$(PATH)','$(HOSTNAME)'],'env':[{'name':'HOME','value':'/mine'},"
                     "{'name':'GLOO_SOCKET_IFNAME','value':'eth0'}]")),
        0);
    assert_string_equal(var(f, 0, "PATH"), "/usr/bin:/bin");
    assert_string_equal(var(f, 0, "HOME"), "/mine");
    assert_string_equal(var(f, 0, "HOSTNAME"), "js-node-0-0-abcde");
    assert_string_equal(var(f, 0, "GLOO_SOCKET_IFNAME"), "eth0");
    assert_string_equal(var(f, 0, "NCCL_SOCKET_IFNAME"), "lo");
    assert_string_equal(var(f, 0, "OMPI_MCA_btl_tcp_if_include"), "lo");
    assert_null(var(f, 0, "OMPI_ALLOW_RUN_AS_ROOT"));
    assert_string_equal(f->plan.containers[0].argv[1], "$(PATH)"); /* not declared by the user */
    assert_string_equal(f->plan.containers[0].argv[2], "$(HOSTNAME)");
}

static void test_root_may_run_open_mpi(void **state)
{
    struct fixture *f = *state;

    f->host.uid = 0;
    f->host.root = true;
    assert_int_equal(make(f, MAIN("'args':[]")), 0);
    assert_string_equal(var(f, 0, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1");
    /* an id of the image's is not taken on: still root */
    assert_int_equal(make(f, MAIN("'securityContext':{'runAsUser':1000}")), 0);
    assert_string_equal(var(f, 0, "OMPI_ALLOW_RUN_AS_ROOT"), "1");
}

static void test_the_runs_own_port_reaches_later_values(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        make(f,
             MAIN("'args':['--x','$(MASTER_PORT)'],'env':[{'name':'MASTER_PORT','value':'29500'},"
                  "{'name':'URL','value':'tcp://h:$(MASTER_PORT)'},"
                  "{'name':'SEED','value':'29500'}]")),
        0);
    assert_string_equal(var(f, 0, "MASTER_PORT"), "41000");
    assert_string_equal(var(f, 0, "URL"), "tcp://h:41000");
    assert_string_equal(var(f, 0, "SEED"), "29500");
    assert_string_equal(f->plan.containers[0].argv[2], "41000");
}

static void test_list_grows(void **state)
{
    struct fixture *f = *state;
    struct ty_env_list e = { .a = f->a, .list = f->a };
    char name[16];

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 200; i++) {
            int n = snprintf(name, sizeof(name), "V%d", i);
            ty_pod_env_set(&e, (struct ty_str){ name, (size_t)n }, ty_str(round ? "new" : "old"));
        }
    assert_int_equal(e.n, 200);
    assert_null(e.v[200]);
    assert_string_equal(e.v[199], "V199=new");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(case_105_earlier_variables_only),
        with_fixture(case_106_env_wins_and_optional_keys_are_unset),
        with_fixture(case_107_completion_index),
        with_fixture(test_sources_in_order_with_prefix),
        with_fixture(test_missing_references),
        with_fixture(test_below_and_above),
        with_fixture(test_root_may_run_open_mpi),
        with_fixture(test_the_runs_own_port_reaches_later_values),
        with_fixture(test_list_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
