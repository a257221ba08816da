#include "engine/pod/pod_testing.h"
#include "engine/pod/pod_volumes.h"

#define MOUNTS(mounts)                                                                             \
    "'containers':[{'name':'m','image':'i','command':['x'],'env':[{'name':'POD','value':'p-0'},"   \
    "{'name':'E','value':''}],'volumeMounts':[" mounts "]}]"

static void test_kinds(void **state)
{
    struct fixture *f = *state;
    const struct ty_volume *v;

    assert_int_equal(
        make(f,
             "{'volumes':[{'name':'plain'},{'name':'dir','emptyDir':{}},{'name':'mem','emptyDir':"
             "{'medium':'Memory'}},{'name':'host','hostPath':{'path':'/data','type':'Directory'}},"
             "{'name':'claim','persistentVolumeClaim':{'claimName':'c'}},"
             "{'name':'files','configMap':{'name':'cm'}}]," MOUNTS("") "}"),
        0);
    v = f->plan.volumes;
    assert_string_equal(v->name, "plain");
    assert_int_equal(v->kind, TY_MOUNT_SCRATCH);
    assert_int_equal((v = v->next)->kind, TY_MOUNT_SCRATCH);
    assert_int_equal((v = v->next)->kind, TY_MOUNT_MEMORY);
    assert_int_equal((v = v->next)->kind, TY_MOUNT_HOST);
    assert_string_equal(v->host_path, "/data");
    assert_string_equal(v->host_type, "Directory");
    assert_int_equal((v = v->next)->kind, TY_MOUNT_CLAIM);
    assert_string_equal(v->claim, "c");
    assert_int_equal((v = v->next)->kind, TY_MOUNT_FILES);
    assert_non_null(v->files);
    assert_null(v->next);
}

static void test_mounts(void **state)
{
    struct fixture *f = *state;
    const struct ty_mount *m;

    assert_int_equal(
        make(f, "{'volumes':[{'name':'v'},{'name':'c','persistentVolumeClaim':{'claimName':'c',"
                "'readOnly':true}}]," MOUNTS(
                    "{'name':'v','mountPath':'/a/b/c','subPath':'s/t'},"
                    "{'name':'v','mountPath':'/a','readOnly':true},"
                    "{'name':'c','mountPath':'rel'},"
                    "{'name':'v','mountPath':'/a/b','subPathExpr':'x/$(POD)'}") "}"),
        0);
    m = f->plan.containers[0].mounts; /* parents first */
    assert_string_equal(m->path, "/a");
    assert_true(m->read_only);
    assert_null(m->sub_path);
    m = m->next;
    assert_string_equal(m->path, "/rel");
    assert_true(m->read_only); /* the claim is */
    assert_string_equal(m->volume->name, "c");
    m = m->next;
    assert_string_equal(m->path, "/a/b");
    assert_string_equal(m->sub_path, "x/p-0");
    m = m->next;
    assert_string_equal(m->path, "/a/b/c");
    assert_string_equal(m->sub_path, "s/t");
    assert_false(m->read_only);
    assert_null(m->next);
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {
        { "{" MOUNTS("{'name':'no','mountPath':'/m'}") "}",
          "container m: cannot find volume \"no\" to mount into container \"m\"" },
        { "{'volumes':[{'name':'v'}]," MOUNTS("{'name':'v','mountPath':'/m','subPath':'../x'}") "}",
          "container m: subPath \"../x\" must be relative and without '..'" },
        { "{'volumes':[{'name':'v'}]," MOUNTS(
              "{'name':'v','mountPath':'/m','subPathExpr':'$(NO)'}") "}",
          "container m: missing value for NO" },
        { "{'volumes':[{'name':'v'}]," MOUNTS(
              "{'name':'v','mountPath':'/m','subPathExpr':'$(E)'}") "}",
          "container m: missing value for E" },
        { "{'volumes':[{'name':'v'}]," MOUNTS(
              "{'name':'v','mountPath':'/m','subPathExpr':'/$(POD)'}") "}",
          "container m: subPath \"/p-0\" must be relative and without '..'" },
        { "{'volumes':[{'name':'v','nfs':{}}]," MOUNTS("") "}",
          "volume v: its source is not available here" },
        { "{'volumes':[{'name':'v','secret':{'secretName':'no'}}]," MOUNTS("") "}",
          "volume v: Secret ns/no was not supplied" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_true(make(f, rows[i][0]) < 0);
        assert_string_equal(f->err.text, rows[i][1]);
    }
}

static void test_paths(void **state)
{
    (void)state;
    assert_true(ty_pod_path_ok(TY_LIT("a")));
    assert_true(ty_pod_path_ok(TY_LIT("a/..b/c..")));
    assert_false(ty_pod_path_ok(TY_LIT("")));
    assert_false(ty_pod_path_ok(TY_LIT("/a")));
    assert_false(ty_pod_path_ok(TY_LIT("..")));
    assert_false(ty_pod_path_ok(TY_LIT("a/../b")));
    assert_false(ty_pod_path_ok(TY_LIT("a/..")));
    assert_false(ty_pod_path_ok((struct ty_str){ "a\0b", 3 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_kinds),
        with_fixture(test_mounts),
        with_fixture(test_refusals),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
