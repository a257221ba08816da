#include "engine/pod/pod_files.h"
#include "engine/preflight/preflight_testing.h"

#define VOLUME(source) POD(",'volumes':[{'name':'v'," source "}]")
#define MOUNTED(source, mount)                                                                     \
    "{'spec':{'volumes':[{'name':'v'," source "}],'containers':[{'name':'main','image':'i',"       \
    "'command':['x'],'volumeMounts':[{'name':'v','mountPath':'/m'" mount "}]}]}}"
#define AT "T.spec.volumes[0]"

static void test_sources(void **state)
{
    static const struct row rows[] = {
        { POD(",'volumes':[{'name':'v'}]"), "" },
        { VOLUME("'emptyDir':{'medium':'Memory'}"), "" },
        { VOLUME("'hostPath':{'path':'/data'}"), "" },
        { VOLUME("'configMap':{'name':'cm'}"), "" },
        { VOLUME("'nfs':{'server':'s'}"),
          "E " AT
          ".nfs: volume source nfs is not available; use persistentVolumeClaim, hostPath or "
          "emptyDir\n" },
        { VOLUME("'csi':{}"),
          "E " AT
          ".csi: volume source csi is not available; use persistentVolumeClaim, hostPath or "
          "emptyDir\n" },
        { VOLUME("'emptyDir':{'medium':'HugePages','sizeLimit':'1Gi'}"),
          "E " AT ".emptyDir.medium: medium=HugePages has no local equivalent\n"
          "W " AT ".emptyDir.sizeLimit: sizeLimit 1Gi not enforced: no quota here\n" },
        { VOLUME("'configMap':{'name':'no'}"),
          "E " AT ".configMap: ConfigMap ns/no was not supplied\n" },
        { VOLUME("'configMap':{'name':'no','optional':true}"), "" },
        { VOLUME("'secret':{'secretName':'no'}"),
          "E " AT ".secret: Secret ns/no was not supplied\n" },
        { VOLUME("'configMap':{'name':'cm','items':[{'key':'no','path':'p'}]}"),
          "E " AT ".configMap: configmap references non-existent config key: no\n" },
        { VOLUME("'secret':{'secretName':'sec','items':[{'key':'no','path':'p'}]}"),
          "E " AT ".secret: references non-existent secret key: no\n" },
        { VOLUME("'configMap':{'name':'cm','defaultMode':512,'items':[{'key':'key','path':'p',"
                 "'mode':-1}]}"),
          "E " AT ".configMap.defaultMode: must be a number between 0 and 0777 (octal), both "
          "inclusive\n"
          "E " AT ".configMap.items[0].mode: must be a number between 0 and 0777 (octal), both "
          "inclusive\n" },
    };
    check_rows(*state, rows);
}

static void test_claims(void **state)
{
    struct fixture *f = *state;
    static const char pod[] = VOLUME("'persistentVolumeClaim':{'claimName':'data'}");

    assert_string_equal(template_lines(f, pod),
                        "E " AT ".persistentVolumeClaim.claimName: claim data is unknown; add the "
                        "PersistentVolumeClaim to the input\n");
    assert_has(template_lines(f, VOLUME("'persistentVolumeClaim':{'claimName':'../up'}")),
               "claimName: a lowercase RFC 1123 subdomain must consist of");
    f->host.claims = parse(f->a, "{'data':'/srv/data'}");
    assert_string_equal(template_lines(f, pod), "");
    f->host.claims = NULL;
    f->view.ctx = parse(f->a, "[{'kind':'PersistentVolumeClaim','metadata':{'name':'data',"
                              "'namespace':'ns'},'spec':{'accessModes':['ReadWriteOnce']}}]");
    assert_string_equal(template_lines(f, pod),
                        "W " AT
                        ".persistentVolumeClaim.accessModes: not enforced; claim is a plain "
                        "directory\n");
}

static void test_projected(void **state)
{
    struct fixture *f = *state;
    static const char token[] = MOUNTED("'projected':{'sources':[{'serviceAccountToken':{'path':"
                                        "'token'}},{'configMap':{'name':'no'}}]}",
                                        "");
    static const struct row rows[] = {
        { token,
          "E " AT
          ".projected.sources[0].serviceAccountToken: no token issuer here; program will not "
          "find /m/token\n"
          "E " AT ".projected.sources[1]: ConfigMap ns/no was not supplied\n" },
        { MOUNTED("'projected':{'sources':[{'clusterTrustBundle':{'path':'ca'}}]}", ""),
          "E " AT
          ".projected.sources[0].clusterTrustBundle: no token issuer here; program will not "
          "find /m/ca\n" },
        { MOUNTED(
              "'projected':{'sources':[{'configMap':{'name':'cm'}},{'configMap':{'name':'cm2'}}]}",
              ""),
          "E " AT ".projected: conflicting duplicate paths: A\n" },
        { MOUNTED("'projected':{'sources':[{'configMap':{'name':'cm'}},{'secret':{'name':'sec'}}]}",
                  ""),
          "" },
    };

    check_rows(f, rows);
    f->host.token = "t";
    assert_string_equal(template_lines(f, token),
                        "E " AT ".projected.sources[1]: ConfigMap ns/no was not supplied\n");
}

static void test_mounts(void **state)
{
    static const struct row rows[] = {
        { MOUNTED("'emptyDir':{}", ",'mountPropagation':'HostToContainer','recursiveReadOnly':"
                                   "'IfPossible','subPath':'a/b'"),
          "" },
        { CONTAINER(",'volumeMounts':[{'name':'no','mountPath':'/m'}]"),
          "E T.spec.containers[0].volumeMounts[0].name: cannot find volume \"no\" to mount into "
          "container \"main\"\n" },
        { MOUNTED("'emptyDir':{}", ",'subPath':'../x'"),
          "E T.spec.containers[0].volumeMounts[0].subPath: must be a relative path without "
          "'..'\n" },
        { MOUNTED("'emptyDir':{}", ",'mountPropagation':'Bidirectional'"),
          "E T.spec.containers[0].volumeMounts[0].mountPropagation: mountPropagation=Bidirectional "
          "has no local equivalent\n" },
        { MOUNTED("'emptyDir':{}", ",'recursiveReadOnly':'Enabled'"),
          "E T.spec.containers[0].volumeMounts[0].recursiveReadOnly: recursiveReadOnly=Enabled has "
          "no local equivalent\n" },
    };
    check_rows(*state, rows);
}

static void test_without_private_mounts(void **state)
{
    struct fixture *f = *state;

    f->host.mounts = false;
    f->host.no_mounts = "Operation not permitted (user namespaces are switched off)";
    assert_string_equal(template_lines(f, MOUNTED("'emptyDir':{}", "")),
                        "E T.spec.containers[0].volumeMounts[0].mountPath: cannot mount at /m: "
                        "Operation not permitted (user namespaces are switched off)\n");
    assert_string_equal(template_lines(f, MOUNTED("'hostPath':{'path':'/m'}", "")), "");
    assert_string_equal(
        template_lines(f, "{'spec':{'volumes':[{'name':'v','emptyDir':{'medium':'Memory'}}],"
                          "'containers':[{'name':'main','image':'i','command':['x'],'volumeMounts':"
                          "[{'name':'v','mountPath':'/dev/shm'}]}]}}"),
        "W " AT ".emptyDir.medium: a plain directory is used instead of memory\n");
}

static void test_too_many_mounts(void **state)
{
    struct fixture *f = *state;

    for (int extra = 0; extra < 2; extra++) {
        ty_auto_buf b = { 0 };
        for (int i = 0; i < TY_POD_FILES_MOUNTS_MAX + extra; i++)
            ty_buf_printf(&b, "%s{'name':'v','mountPath':'/m/%d'}", i ? "," : "", i);
        const char *pod = ty_arena_printf(
            f->a,
            "{'spec':{'volumes':[{'name':'v','emptyDir':{}}],'containers':[{'name':'main',"
            "'image':'i','command':['x'],'volumeMounts':[%.*s]}]}}",
            (int)b.n, b.p);
        assert_string_equal(template_lines(f, pod),
                            extra ? "E T.spec.containers[0].volumeMounts: has 256 items; a local "
                                    "run mounts at most 255 in a container\n"
                                  : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_sources),         with_fixture(test_claims),
        with_fixture(test_projected),       with_fixture(test_mounts),
        with_fixture(test_too_many_mounts), with_fixture(test_without_private_mounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
