#include "api/schema_testing.h"

static const char *merge(struct ty_arena *a, const struct ty_schema *s, const char *doc,
                         const char *patch)
{
    struct ty_err err = { 0 };
    struct ty_json *d = parse(a, doc), *p = parse(a, patch), *out = NULL;
    const char *doc_before = json_show(a, d), *patch_before = json_show(a, p);

    if (ty_patch_strategic(a, d, p, &ty_schema_patch_meta, s, 0, &out, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(json_show(a, d), doc_before);
    assert_string_equal(json_show(a, p), patch_before);
    return json_show(a, out);
}

static void answers_from_the_tables(void **state TY_UNUSED)
{
    const struct ty_patch_schema *g = &ty_schema_patch_meta;
    struct ty_patch_meta t = g->member(&ty_schema_PodSpec, TY_LIT("containers"));

    assert_int_equal(t.how, TY_PATCH_MERGE_BY_KEY);
    assert_string_equal(t.key, "name");
    assert_ptr_equal(g->item(t.type), &ty_schema_Container);
    t = g->member(&ty_schema_Container, TY_LIT("volumeMounts"));
    assert_string_equal(t.key, "mountPath");
    assert_int_equal(g->member(&ty_schema_Container, TY_LIT("args")).how, TY_PATCH_REPLACE);
    assert_int_equal(g->member(&ty_schema_PodSpec, TY_LIT("tolerations")).how, TY_PATCH_REPLACE);
    assert_int_equal(g->member(&ty_schema_ObjectMeta, TY_LIT("finalizers")).how,
                     TY_PATCH_MERGE_SET);
    t = g->member(&ty_schema_PodSpec, TY_LIT("nodeSelector"));
    assert_int_equal(t.how, TY_PATCH_MERGE);
    assert_int_equal(g->member(t.type, TY_LIT("any")).how, TY_PATCH_MERGE);
    assert_null(g->member(&ty_schema_PodSpec, TY_LIT("unknown")).type);
    assert_null(g->member(NULL, TY_LIT("x")).type);
    assert_null(g->item(NULL));
}

static void a_volume_has_one_source(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *doc = "{'volumes':[{'name':'v','emptyDir':{'medium':'Memory'}}]}";

    assert_string_equal(
        merge(a, &ty_schema_PodSpec, doc,
              "{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}"),
        "{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}");
    /* The same kind of source is merged as Kubernetes merges it. */
    assert_string_equal(merge(a, &ty_schema_PodSpec, doc,
                              "{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1Gi'}}]}"),
                        "{'volumes':[{'name':'v','emptyDir':{'medium':'Memory','sizeLimit':'1Gi'}"
                        "}]}");
    assert_string_equal(merge(a, &ty_schema_PodSpec, doc, "{'volumes':[{'name':'v'}]}"), doc);
}

static void a_variable_has_one_source(void **state TY_UNUSED)
{
    static const struct {
        const char *doc, *patch, *want;
    } cases[] = {
        { "'value':'x'", "'valueFrom':{'fieldRef':{'fieldPath':'p'}}",
          "'valueFrom':{'fieldRef':{'fieldPath':'p'}}" },
        { "'valueFrom':{'fieldRef':{'fieldPath':'p'}}", "'value':''", "'value':''" },
        { "'valueFrom':{'fieldRef':{'fieldPath':'p'}}",
          "'valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}",
          "'valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}" },
        { "'valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}",
          "'valueFrom':{'secretKeyRef':{'name':'t'}}",
          "'valueFrom':{'secretKeyRef':{'name':'t','key':'k'}}" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        assert_string_equal(merge(a, &ty_schema_Container,
                                  ty_arena_printf(a, "{'env':[{'name':'A',%s}]}", cases[i].doc),
                                  ty_arena_printf(a, "{'env':[{'name':'A',%s}]}", cases[i].patch)),
                            ty_arena_printf(a, "{'env':[{'name':'A',%s}]}", cases[i].want));
    }
}

static void a_mount_is_the_patchs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    assert_string_equal(
        merge(a, &ty_schema_Container,
              "{'volumeMounts':[{'mountPath':'/d','name':'old','subPath':'s','readOnly':true},"
              "{'mountPath':'/e','name':'e'}]}",
              "{'volumeMounts':[{'name':'new','mountPath':'/d'}]}"),
        "{'volumeMounts':[{'mountPath':'/d','name':'new'},{'mountPath':'/e','name':'e'}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_from_the_tables),
        cmocka_unit_test(a_volume_has_one_source),
        cmocka_unit_test(a_variable_has_one_source),
        cmocka_unit_test(a_mount_is_the_patchs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
