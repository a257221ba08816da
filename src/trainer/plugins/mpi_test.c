#include <errno.h>

#include "base/base64.h"
#include "trainer/plugins/fixture.h"

#define NODE        PLAIN_JOB("node", "1", "{'name':'node','image':'i'}")
#define LAUNCHER    TRAINER_JOB("launcher", "")
#define MPI(policy) RUNTIME_JOBS("{'numNodes':1,'mpi':{" policy "}}", NODE "," LAUNCHER)
#define SSH_VOLUME                                                                                 \
    "{'name':'mpi-ssh-auth','secret':{'secretName':'j-mpi-ssh-auth','items':[{'key':"              \
    "'ssh-privatekey','path':'id_rsa','mode':416},{'key':'ssh-publickey','path':'id_rsa.pub',"     \
    "'mode':420},{'key':'ssh-publickey','path':'authorized_keys','mode':420}],'defaultMode':256}}"
#define HOSTS_VOLUME                                                                               \
    "{'name':'mpi-hostfile','configMap':{'name':'j-mpi-hostfile','items':[{'key':'hostfile',"      \
    "'path':'hostfile','mode':292}]}}"

static const char *hostfile(struct fixture *f)
{
    const struct ty_json *cm = fx_child(f, &ty_kind_configmap, "j-mpi-hostfile");
    assert_non_null(cm);
    struct ty_str s = ty_json_str_at(cm, "data.hostfile");
    return ty_arena_cstr(f->arena, s);
}

static const char *volumes(struct fixture *f, const char *rjob)
{
    return fx_text(f, ty_json_get(ty_plan_find_podset(&f->plan, ty_str(rjob))->pod, "volumes"));
}

static void test_defaults(void **state)
{
    struct fixture *f = *state;

    fx_run(f, MPI(""), JOB_OF("rt", ""));
    assert_string_equal(hostfile(f), "j-node-0-0.j slots=1\n");
    assert_string_equal(volumes(f, "node"), "[" SSH_VOLUME "]");
    assert_string_equal(volumes(f, "launcher"), "[" SSH_VOLUME "," HOSTS_VOLUME "]");
    assert_string_equal(fx_member(f, "node", "node", "volumeMounts"),
                        "[{'name':'mpi-ssh-auth','mountPath':'/root/.ssh'}]");
    assert_string_equal(fx_member(f, "launcher", "node", "volumeMounts"),
                        "[{'name':'mpi-ssh-auth','mountPath':'/root/.ssh'},"
                        "{'name':'mpi-hostfile','mountPath':'/etc/mpi'}]");
    assert_string_equal(fx_env(f, "node", "node"), "");
    assert_string_equal(fx_env(f, "launcher", "node"),
                        "OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile;"
                        "OMPI_MCA_orte_keep_fqdn_hostnames=true;OMPI_MCA_orte_set_default_slots=1;"
                        "OMPI_MCA_plm_rsh_args=-o ConnectionAttempts=10");
}

static void check_nodes(struct fixture *f, const char *runtime, const char *job, int64_t nodes,
                        const char *hosts)
{
    fx_run(f, runtime, job);
    assert_int_equal(ty_plan_find_podset(&f->plan, TY_LIT("node"))->count, nodes);
    assert_int_equal(ty_plan_find_podset(&f->plan, TY_LIT("launcher"))->count, 1);
    assert_string_equal(hostfile(f), hosts);
}

static void test_nodes(void **state)
{
    struct fixture *f = *state;
#define AS_NODE       "'runLauncherAsNode':true"
#define RT(n, policy) RUNTIME_JOBS("{'numNodes':" n ",'mpi':{" policy "}}", NODE "," LAUNCHER)

    check_nodes(f, MPI(""), JOB("'numNodes':2"), 2, "j-node-0-0.j slots=1\nj-node-0-1.j slots=1\n");
    check_nodes(f, MPI(AS_NODE), JOB("'numNodes':3"), 2,
                "j-node-0-0.j slots=1\nj-node-0-1.j slots=1\nj-launcher-0-0.j slots=1\n");
    check_nodes(f, MPI(AS_NODE), JOB("'numNodes':1"), 1,
                "j-node-0-0.j slots=1\nj-launcher-0-0.j slots=1\n");
    /* B27: the runtime's number means the same */
    check_nodes(f, RT("3", AS_NODE), JOB_OF("rt", ""), 2,
                "j-node-0-0.j slots=1\nj-node-0-1.j slots=1\nj-launcher-0-0.j slots=1\n");
    check_nodes(f, RT("2", ""), JOB(""), 2, "j-node-0-0.j slots=1\nj-node-0-1.j slots=1\n");
    /* hosts stand in the order of the jobs */
    check_nodes(f, RUNTIME_JOBS("{'mpi':{" AS_NODE "}}", LAUNCHER "," NODE), JOB("'numNodes':2"), 1,
                "j-launcher-0-0.j slots=1\nj-node-0-0.j slots=1\n");
}

static void test_slots(void **state)
{
    struct fixture *f = *state;
    static const char gpus[] = JOB("'resourcesPerNode':{'limits':{'custom.com/gpu':5}}");

    check_nodes(f, MPI("'numProcPerNode':4"), JOB("'numProcPerNode':6"), 1,
                "j-node-0-0.j slots=6\n");
    check_nodes(f, MPI("'numProcPerNode':4"), JOB(""), 1, "j-node-0-0.j slots=4\n");
    check_nodes(f, MPI(""), gpus, 1, "j-node-0-0.j slots=5\n");
    check_nodes(f, MPI("'numProcPerNode':2"), gpus, 1, "j-node-0-0.j slots=2\n");
    assert_has(fx_env(f, "launcher", "node"), "OMPI_MCA_orte_set_default_slots=2;");
}

static void test_other_implementations(void **state)
{
    struct fixture *f = *state;
    static const char intel[] = "I_MPI_HYDRA_HOST_FILE=/etc/mpi/hostfile;I_MPI_PERHOST=4;"
                                "I_MPI_HYDRA_BOOTSTRAP=ssh;I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS="
                                "-o ConnectionAttempts=10";
#define FOUR ",'numProcPerNode':4"

    check_nodes(f, MPI("'mpiImplementation':'IntelMPI'" FOUR), JOB("'numNodes':2"), 2,
                "j-node-0-0.j:4\nj-node-0-1.j:4\n");
    assert_string_equal(fx_env(f, "launcher", "node"), intel);
    check_nodes(f, MPI("'mpiImplementation':'Intel'" FOUR), JOB(""), 1, "j-node-0-0.j:4\n");
    assert_string_equal(fx_env(f, "launcher", "node"), intel);
    check_nodes(f, MPI("'mpiImplementation':'MPICH'" FOUR), JOB(""), 1, "j-node-0-0.j:4\n");
    assert_string_equal(fx_env(f, "launcher", "node"),
                        "HYDRA_HOST_FILE=/etc/mpi/hostfile;HYDRA_LAUNCHER=ssh;"
                        "HYDRA_LAUNCHER_EXTRA_ARGS=-o ConnectionAttempts=10");
}

static void test_unknown_implementation(void **state)
{
    struct fixture *f = *state;

    assert_true(fx_try(f, MPI("'mpiImplementation':''"), JOB("")) < 0);
    assert_string_equal(f->err.text, "spec.mlPolicy.mpi.mpiImplementation must be one of OpenMPI, "
                                     "IntelMPI, MPICH in runtime \"rt\"");
    assert_has(fx_validate(f, MPI("'mpiImplementation':''"), JOB("")),
               "must be one of OpenMPI, IntelMPI, MPICH");
}

static void test_container_of_another_name(void **state)
{
    struct fixture *f = *state;

    fx_run(f,
           RUNTIME_JOBS("{'mpi':{}}",
                        PLAIN_JOB("launcher", "1",
                                  "{'name':'launcher','image':'i'}") "," TRAINER_JOB("node", "")),
           JOB(""));
    assert_string_equal(fx_env(f, "launcher", "launcher"), "");
    assert_string_equal(fx_member(f, "launcher", "launcher", "volumeMounts"), "");
    assert_string_equal(volumes(f, "launcher"), "[" SSH_VOLUME "," HOSTS_VOLUME "]");
}

/* ---- the Secret ---- */

static bool starts(struct fixture *f, const struct ty_json *secret, const char *key,
                   const char *want)
{
    struct ty_str text = ty_json_as_str(ty_json_get(ty_json_get(secret, "data"), key));
    struct ty_str bytes = ty_base64_decode(f->arena, text);

    return bytes.n > strlen(want) && ty_str_starts(bytes, ty_str(want));
}

static void test_secret(void **state)
{
    struct fixture *f = *state;

    fx_run(f, MPI(""), JOB(""));
    const struct ty_json *secret = fx_child(f, &ty_kind_secret, "j-mpi-ssh-auth");
    assert_non_null(secret);
    assert_true(ty_str_is(ty_json_str_at(secret, "type"), "kubernetes.io/ssh-auth"));
    assert_true(ty_json_true_at(secret, "immutable"));
    assert_true(starts(f, secret, "ssh-privatekey", "-----BEGIN EC PRIVATE KEY-----\n"));
    assert_true(starts(f, secret, "ssh-publickey", "ecdsa-sha2-nistp521 "));
}

static const struct ty_json *has_secret(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                        struct ty_str name)
{
    bool it = kind == &ty_kind_secret && ty_str_is(ns, "ns") && ty_str_is(name, "j-mpi-ssh-auth");
    return it ? ctx : NULL;
}

static void test_live_secret_is_left_alone(void **state)
{
    struct fixture *f = *state;

    f->view = (struct ty_view){ .ctx = fx_json(f->arena, "{}"), .get = has_secret };
    fx_run(f, MPI(""), JOB(""));
    assert_null(fx_child(f, &ty_kind_secret, "j-mpi-ssh-auth"));
    assert_string_equal(hostfile(f), "j-node-0-0.j slots=1\n");
}

/* Two thousand million nodes: refused, not written down. */
static void test_hostfile_has_an_end(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(fx_try(f, MPI(""), JOB("'numNodes':2147483647")), -E2BIG);
    assert_string_equal(f->err.text,
                        "the hostfile of that many nodes does not fit into a ConfigMap "
                        "of 1048576 bytes");
}

/* ---- validation ---- */

static void test_launcher_needed(void **state)
{
    struct fixture *f = *state;
    static const char want[] =
        "spec.trainer.numNodes: Invalid value: 2: must have 1 when MPI trainingRuntime with "
        "enabled runLauncherAsNode does not have either launcher and node";

    assert_string_equal(
        fx_validate(f, RUNTIME_JOBS("{'mpi':{" AS_NODE "}}", LAUNCHER), JOB("'numNodes':2")), want);
    assert_string_equal(fx_validate(f, RUNTIME("{'mpi':{" AS_NODE "}}", ""), JOB("'numNodes':2")),
                        want);
    assert_string_equal(
        fx_validate(f, RUNTIME_JOBS("{'mpi':{" AS_NODE "}}", LAUNCHER), JOB("'numNodes':1")), "");
    assert_string_equal(fx_validate(f, MPI(AS_NODE), JOB("'numNodes':2,'numProcPerNode':8")), "");
}

static void test_reserved(void **state)
{
    struct fixture *f = *state;
#define TWO "'env':[{'name':'OMPI_MCA_plm_rsh_args','value':'-v'},{'name':'HYDRA_HOST_FILE'}]"

    assert_string_equal(
        fx_validate(f, MPI(""), JOB(TWO)),
        "spec.trainer.env: Invalid value: [{\"name\":\"OMPI_MCA_plm_rsh_args\",\"value\":\"-v\"},"
        "{\"name\":\"HYDRA_HOST_FILE\"}]: must not have reserved envs, invalid envs configured: "
        "[OMPI_MCA_plm_rsh_args]");
    assert_has(fx_validate(f, MPI("'mpiImplementation':'MPICH'"), JOB(TWO)),
               "configured: [HYDRA_HOST_FILE]");
    assert_string_equal(fx_validate(f, MPI(""), JOB("'numProcPerNode':'cpu'")),
                        "spec.trainer.numProcPerNode: Invalid value: \"cpu\": must have an int "
                        "value for MPI TrainJob");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_defaults),
        fx_test(test_nodes),
        fx_test(test_slots),
        fx_test(test_other_implementations),
        fx_test(test_unknown_implementation),
        fx_test(test_container_of_another_name),
        fx_test(test_secret),
        fx_test(test_live_secret_is_left_alone),
        fx_test(test_hostfile_has_an_end),
        fx_test(test_launcher_needed),
        fx_test(test_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
