#include "engine/preflight/preflight_testing.h"

#define AT "T.spec.containers[0]"

static void test_command_and_image(void **state)
{
    static const struct row rows[] = {
        { "{'spec':{'containers':[{'name':'m','image':'repo/x:1'}]}}",
          "E " AT ".command: command is required: images are not used here, so the entrypoint of "
          "repo/x:1 is unknown; set it, for example --set 'spec.trainer.command=[python3, "
          "train.py]'\n"
          "W " AT
          ".image: image repo/x:1 is not used; the command runs on this host's filesystem\n" },
        { "{'spec':{'containers':[{'name':'m','command':['x']}]}}",
          "E " AT ".image: image is required\n" },
        { "{'spec':{'containers':[{'name':'m','image':'ghcr.io/kubeflow/trainer/dataset-"
          "initializer:v2.3.0'}]}}",
          "" },
        { "{'spec':{'containers':[{'name':'m','image':'model-initializer'}]}}", "" },
    };
    check_rows(*state, rows);
}

static void test_references(void **state)
{
    static const struct row rows[] = {
        { CONTAINER(",'envFrom':[{'configMapRef':{'name':'cm'}},{'configMapRef':{'name':'no'}},"
                    "{'secretRef':{'name':'no'}},{'secretRef':{'name':'no','optional':true}}]"),
          "E " AT ".envFrom[1].configMapRef: ConfigMap ns/no was not supplied\n"
          "E " AT ".envFrom[2].secretRef: Secret ns/no was not supplied\n" },
        { CONTAINER(
              ",'env':[{'name':'A','valueFrom':{'configMapKeyRef':{'name':'cm','key':'key'}}},"
              "{'name':'B','valueFrom':{'configMapKeyRef':{'name':'cm','key':'no'}}},"
              "{'name':'C','valueFrom':{'secretKeyRef':{'name':'no','key':'k'}}}]"),
          "E " AT ".env[1].valueFrom.configMapKeyRef: couldn't find key no in ConfigMap ns/cm\n"
          "E " AT ".env[2].valueFrom.secretKeyRef: Secret ns/no was not supplied\n" },
        { CONTAINER(",'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}},"
                    "{'name':'B','valueFrom':{'fieldRef':{'fieldPath':'spec.x'}}}]"),
          "E " AT ".env[1].valueFrom.fieldRef.fieldPath: fieldPath \"spec.x\" is not supported\n" },
        { CONTAINER(
              ",'env':[{'name':'A','valueFrom':{'resourceFieldRef':{'resource':'limits.x'}}}]"),
          "E " AT
          ".env[0].valueFrom.resourceFieldRef: unsupported container resource : limits.x\n" },
        { CONTAINER(",'env':[{'name':'A','valueFrom':{'fileKeyRef':{'key':'k'}}}]"),
          "E " AT ".env[0].valueFrom.fileKeyRef: fileKeyRef is not read here; set value or use a "
          "configMapKeyRef\n" },
    };
    check_rows(*state, rows);
}

static void test_probes_and_hooks(void **state)
{
    static const struct row rows[] = {
        { CONTAINER(",'livenessProbe':{'grpc':{'port':1}}"),
          "E " AT ".livenessProbe.grpc: grpc probes are not made here; use tcpSocket, httpGet or "
          "exec\n" },
        { CONTAINER(",'readinessProbe':{'tcpSocket':{'port':'web'}}"),
          "E " AT ".readinessProbe: couldn't find port: web\n" },
        { CONTAINER(",'ports':[{'name':'web','containerPort':80}],"
                    "'readinessProbe':{'tcpSocket':{'port':'web'}}"),
          "" },
        { CONTAINER(",'startupProbe':{'exec':{'command':['x']},'successThreshold':2}"),
          "E " AT ".startupProbe.successThreshold: must be 1\n" },
        { CONTAINER(",'lifecycle':{'preStop':{'exec':{}},'stopSignal':'SIGUSR1'}"),
          "E " AT ".lifecycle.preStop: exec without a command\n"
          "E " AT ".lifecycle.stopSignal: stopSignal=SIGUSR1 has no local equivalent\n" },
        { CONTAINER(",'restartPolicyRules':[{'action':'Restart'}]"),
          "E " AT ".restartPolicy: must specify restartPolicy when restart rules are used\n" },
        { POD(",'initContainers':[{'name':'s','image':'i','command':['x'],'livenessProbe':"
              "{'exec':{'command':['x']}},'lifecycle':{'preStop':{'sleep':{'seconds':1}}}}]"),
          "W T.spec.initContainers[0].image: image i is not used; the command runs on this host's "
          "filesystem\n"
          "E T.spec.initContainers[0].livenessProbe: may not be set for init containers without "
          "restartPolicy=Always\n"
          "E T.spec.initContainers[0].lifecycle: may not be set for init containers without "
          "restartPolicy=Always\n" },
        { POD(",'initContainers':[{'name':'s','image':'j','command':['x'],'restartPolicy':'Always',"
              "'livenessProbe':{'exec':{'command':['x']}}}]"),
          "W T.spec.initContainers[0].image: image j is not used; the command runs on this host's "
          "filesystem\n" },
    };
    check_rows(*state, rows);
}

static void test_other_fields(void **state)
{
    static const struct row rows[] = {
        { CONTAINER(",'imagePullPolicy':'Always','tty':true,'stdin':false"),
          "W " AT ".imagePullPolicy: has no effect here\nW " AT ".tty: has no effect here\n" },
        { CONTAINER(",'volumeDevices':[{}]"),
          "E " AT ".volumeDevices: not available without a cluster\n" },
        { CONTAINER(",'resources':{'claims':[{'name':'g'}]}"),
          "E " AT ".resources.claims: not available without a cluster\n" },
        { CONTAINER(",'ports':[{'containerPort':1},{'containerPort':2,'hostPort':2}]"),
          "W " AT ".ports[1].hostPort: has no effect here\n" },
    };
    check_rows(*state, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_command_and_image),
        with_fixture(test_references),
        with_fixture(test_probes_and_hooks),
        with_fixture(test_other_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
