#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/json_testing.h"
#include "json/patch.h"

#define CEILING ((size_t)64 << 20)

/* A type is a row of fields, as in the schema tables; enough of a pod to show every rule. */
struct field {
    const char *name;
    struct ty_patch_meta how;
};
static const struct field leaf[] = { { 0 } };
static const struct field container[] = {
    { "env", { TY_PATCH_MERGE_BY_KEY, "name", false, leaf } },
    { "ports", { TY_PATCH_MERGE_BY_KEY, "containerPort", false, leaf } },
    { 0 },
};
static const struct field pod[] = {
    { "containers", { TY_PATCH_MERGE_BY_KEY, "name", false, container } },
    { "volumes", { TY_PATCH_MERGE_BY_KEY, "name", true, leaf } },
    { "finalizers", { TY_PATCH_MERGE_SET, NULL, false, leaf } },
    { "strategy", { TY_PATCH_MERGE, NULL, true, leaf } },
    { "atomic", { TY_PATCH_REPLACE, NULL, false, leaf } },
    { 0 },
};

static struct ty_patch_meta test_member(const void *type, struct ty_str key)
{
    for (const struct field *f = type; f && f->name; f++) {
        if (ty_str_is(key, f->name))
            return f->how;
    }
    return (struct ty_patch_meta){ .how = TY_PATCH_MERGE };
}

static const void *test_item(const void *type)
{
    return type;
}

static void count_merged(struct ty_arena *a, const void *type, struct ty_json *merged,
                         const struct ty_json *patch)
{
    int64_t n = 0;
    (void)type;
    assert_true(ty_json_is(patch, TY_JSON_OBJECT));
    ty_json_int_at(merged, "merged", &n);
    ty_json_set(a, merged, "merged", ty_json_int(a, n + 1));
}

static const struct ty_patch_schema guide = { test_member, test_item, NULL };
static const struct ty_patch_schema counting = { test_member, test_item, count_merged };

static void merges(const char *doc_text, const char *patch_text, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_err err = { 0 };
    struct ty_json *doc = json_of(a, doc_text), *patch = json_of(a, patch_text), *got = NULL;
    const char *doc_before = ty_json_text(a, doc).p, *patch_before = ty_json_text(a, patch).p;

    if (ty_patch_strategic(a, doc, patch, &guide, pod, 0, &got, &err) != 0)
        fail_msg("%s: %s", patch_text, err.text);
    assert_string_equal(ty_json_text(a, got).p, ty_json_text(a, json_of(a, want)).p);
    assert_string_equal(ty_json_text(a, doc).p, doc_before);
    assert_string_equal(ty_json_text(a, patch).p, patch_before);
}

static void refuses(const char *doc_text, const char *patch_text, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_err err = { 0 };
    struct ty_json *got = NULL;

    assert_int_equal(ty_patch_strategic(a, json_of(a, doc_text), json_of(a, patch_text), &guide,
                                        pod, 0, &got, &err),
                     -EINVAL);
    assert_string_equal(err.text, want);
    assert_null(got);
}

static void test_objects(void **state TY_UNUSED)
{
    merges("{'a':1,'b':2}", "{'b':3,'c':4}", "{'a':1,'b':3,'c':4}");
    merges("{'a':1,'b':2}", "{'a':null,'x':null}", "{'b':2}");
    merges("{'l':{'a':'1','b':'2'}}", "{'l':{'b':'3','c':'4'}}", "{'l':{'a':'1','b':'3','c':'4'}}");
    merges("{'a':1}", "{'a':{'b':null,'c':[{'d':null}]}}", "{'a':{'c':[{}]}}");
    merges("{'a':{'b':1}}", "{'a':'x'}", "{'a':'x'}");
    merges("{'list':[1,2]}", "{'list':[3]}", "{'list':[3]}");
    merges("{'atomic':{'a':1}}", "{'atomic':{'b':2}}", "{'atomic':{'b':2}}");
    merges("{'atomic':{'a':1}}", "{'atomic':{}}", "{'atomic':{}}");
    merges("{}", "{}", "{}");
}

static void test_lists(void **state TY_UNUSED)
{
    merges(
        "{'containers':[{'name':'n','image':'i','env':[{'name':'I1'},{'name':'I2','value':'2'}]}]}",
        "{'containers':[{'name':'n','env':[{'name':'I3'},{'name':'I2','value':'x'}]}]}",
        "{'containers':[{'name':'n','image':'i','env':[{'name':'I3'},{'name':'I1'},"
        "{'name':'I2','value':'x'}]}]}");
    merges("{'volumes':[{'name':'v','a':1},{'name':'w'}]}",
           "{'volumes':[{'name':'v','a':2},{'name':'n'}]}",
           "{'volumes':[{'name':'v','a':2},{'name':'n'},{'name':'w'}]}");
    merges("{'containers':[{'name':'n','ports':[{'containerPort':1,'x':1},{'containerPort':2}]}]}",
           "{'containers':[{'name':'n','ports':[{'containerPort':1,'y':1}]}]}",
           "{'containers':[{'name':'n','ports':[{'containerPort':1,'x':1,'y':1},"
           "{'containerPort':2}]}]}");
    merges("{'containers':[]}", "{'containers':[{'name':'a','x':null}]}",
           "{'containers':[{'name':'a'}]}");
    merges("{'containers':[{'name':'a'}]}", "{'containers':[]}", "{'containers':[{'name':'a'}]}");
    /* one key twice in the patch: the second is merged into the first */
    merges("{'containers':[]}", "{'containers':[{'name':'a','x':1},{'name':'a','y':2}]}",
           "{'containers':[{'name':'a','x':1,'y':2}]}");
    merges("{'finalizers':['a','b','a']}", "{'finalizers':['c','b','c']}",
           "{'finalizers':['c','a','b']}");
}

/* A volume has one source: the patch's, if it names one. */
static void test_union(void **state TY_UNUSED)
{
    merges("{'volumes':[{'name':'v','emptyDir':{'medium':'Memory'}}]}",
           "{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}",
           "{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}");
    merges("{'volumes':[{'name':'v','emptyDir':{'medium':'Memory'}}]}",
           "{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1'}}]}",
           "{'volumes':[{'name':'v','emptyDir':{'medium':'Memory','sizeLimit':'1'}}]}");
    merges("{'volumes':[{'name':'v','emptyDir':{}}]}", "{'volumes':[{'name':'v'}]}",
           "{'volumes':[{'name':'v','emptyDir':{}}]}");
    merges("{'strategy':{'type':'RollingUpdate','rollingUpdate':{}}}",
           "{'strategy':{'type':'Recreate'}}", "{'strategy':{'type':'Recreate'}}");
}

static void test_directives(void **state TY_UNUSED)
{
    merges("{'a':{'b':1}}", "{'a':{'$patch':'replace','c':2,'d':null}}", "{'a':{'c':2}}");
    merges("{'a':{'b':1},'c':1}", "{'a':{'$patch':'delete'}}", "{'a':{},'c':1}");
    merges("{'a':1}", "{'$patch':'replace','b':1}", "{'b':1}");
    merges("{'x':1}", "{'a':{'$patch':'delete'},'b':{'$patch':'replace','c':1}}",
           "{'x':1,'b':{'c':1}}");
    merges("{'containers':[{'name':'a'},{'name':'b'}]}",
           "{'containers':[{'name':'a','$patch':'delete'},{'name':'c'}]}",
           "{'containers':[{'name':'c'},{'name':'b'}]}");
    merges("{'containers':[{'name':'a'}]}", "{'containers':[{'name':'c'},{'$patch':'replace'}]}",
           "{'containers':[{'name':'c'}]}");
    merges("{}", "{'containers':[{'name':'a','$patch':'delete'},{'name':'b'}]}",
           "{'containers':[{'name':'b'}]}");
    merges("{'s':{'a':1,'b':2,'c':3}}", "{'s':{'$retainKeys':['a','d'],'d':4}}",
           "{'s':{'a':1,'d':4}}");
    merges("{'finalizers':['a','b','c']}",
           "{'$deleteFromPrimitiveList/finalizers':['b','x'],'finalizers':['d']}",
           "{'finalizers':['d','a','c']}");
    merges("{}", "{'$deleteFromPrimitiveList/finalizers':['b']}", "{}");
    merges("{}", "{'n':{'$retainKeys':['a'],'$setElementOrder/l':[],'a':1}}", "{'n':{'a':1}}");
}

static void test_element_order(void **state TY_UNUSED)
{
    merges("{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}",
           "{'$setElementOrder/containers':[{'name':'c'},{'name':'a'}]}",
           "{'containers':[{'name':'b'},{'name':'c'},{'name':'a'}]}");
    merges("{'containers':[{'name':'a'},{'name':'b'}]}",
           "{'$setElementOrder/containers':[{'name':'b'},{'name':'n'},{'name':'a'}],"
           "'containers':[{'name':'n'}]}",
           "{'containers':[{'name':'b'},{'name':'n'},{'name':'a'}]}");
    merges("{'finalizers':['a','b']}",
           "{'$setElementOrder/finalizers':['b','c','a'],'finalizers':['c']}",
           "{'finalizers':['b','c','a']}");
    merges("{}", "{'$setElementOrder/containers':[{'name':'a'}]}", "{}");
    merges("{}", "{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'name':'a'}]}",
           "{'containers':[{'name':'a'}]}");
}

static void test_refused(void **state TY_UNUSED)
{
    refuses("{}", "[]", "strategic merge: the document and the patch must be objects");
    refuses("[]", "{}", "strategic merge: the document and the patch must be objects");
    refuses("{'containers':[{'name':'a'}]}", "{'containers':[{'name':'b'},{'image':'x'}]}",
            "containers[1]: the item has no 'name', by which its list is merged");
    refuses("{'containers':[{'image':'x'}]}", "{'containers':[{'name':'b'}]}",
            "containers[0]: the item has no 'name', by which its list is merged");
    refuses("{'containers':[{'name':'a','ports':[]}]}",
            "{'containers':[{'name':'a','ports':[8080]}]}",
            "containers[0].ports[0]: the item has no 'containerPort', by which its list is merged");
    refuses("{'containers':[{'name':'a'}]}", "{'containers':[{'$patch':'delete'}]}",
            "containers[0]: the item has no 'name', by which its list is merged");
    refuses("{'containers':[{'name':'a'}]}", "{'containers':[{'name':'a','$patch':'merge'}]}",
            "containers[0]: 'merge' is no $patch directive of a list's item");
    refuses("{'a':{}}", "{'a':{'$patch':'merge'}}",
            "a: 'merge' is no $patch directive of an object");
    refuses("{'a':{}}", "{'$patch':1}", "the patch: '' is no $patch directive of an object");
    refuses("{'a':{'b':1}}", "{'a':{'$retainKeys':'b'}}", "a: $retainKeys is not a list");
    refuses("{'a':{'b':1}}", "{'a':{'$retainKeys':['b'],'c':1}}",
            "a: $retainKeys does not list 'c'");
    refuses("{'finalizers':[]}", "{'$deleteFromPrimitiveList/finalizers':1}",
            "$deleteFromPrimitiveList/finalizers: it is not a list");
    refuses("{'containers':[]}", "{'$setElementOrder/containers':{}}",
            "$setElementOrder/containers: it is not a list");
    refuses("{'containers':[{'name':'a'},{'name':'b'}]}",
            "{'$setElementOrder/containers':[{'name':'a'},{'name':'b'}],"
            "'containers':[{'name':'b'},{'name':'a'}]}",
            "containers[1]: its place is not that of $setElementOrder/");
    refuses("{'containers':[]}",
            "{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'name':'b'}]}",
            "containers[0]: its place is not that of $setElementOrder/");
}

/* Only what the patch brought carries its origin; the rest is the document's own nodes. */
static void test_origin(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *doc =
        json_of(a, "{'keep':{'x':1},'l':{'a':1,'b':1},'containers':[{'name':'a'}]}");
    struct ty_json *patch =
        json_of(a, "{'l':{'b':2},'containers':[{'name':'a','env':[{'name':'E'}]}]}");
    struct ty_json *got = NULL;

    ty_json_set_origin(doc, 1);
    assert_int_equal(ty_patch_strategic(a, doc, patch, &guide, pod, 7, &got, NULL), 0);
    assert_ptr_equal(ty_json_get(got, "keep"), ty_json_get(doc, "keep"));
    assert_int_equal(ty_json_at(got, "l")->origin, 1);
    assert_int_equal(ty_json_at(got, "l.a")->origin, 1);
    assert_int_equal(ty_json_at(got, "l.b")->origin, 7);
    struct ty_json *merged = ty_json_item(ty_json_get(got, "containers"), 0);
    assert_int_equal(merged->origin, 1);
    struct ty_json *env = ty_json_item(ty_json_get(merged, "env"), 0);
    assert_int_equal(env->origin, 7);
    assert_int_equal(ty_json_get(env, "name")->origin, 7);
    assert_int_equal(ty_json_at(patch, "l.b")->origin, 0);
    assert_int_equal(env->line, 1);
}

static void test_merged(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *doc = json_of(a, "{'a':{'b':{}},'containers':[{'name':'x'},{'name':'y'}]}");
    struct ty_json *patch = json_of(a, "{'a':{},'n':{},'containers':[{'name':'y'},{'name':'z'}]}");
    struct ty_json *got = NULL;

    assert_int_equal(ty_patch_strategic(a, doc, patch, &counting, pod, 0, &got, NULL), 0);
    struct ty_json *want =
        json_of(a, "{'a':{'b':{},'merged':1},'containers':[{'name':'x'},{'name':'y','merged':1},"
                   "{'name':'z'}],'n':{},'merged':1}");
    assert_string_equal(ty_json_text(a, got).p, ty_json_text(a, want).p);
    got = NULL;
    assert_int_equal(ty_patch_strategic(a, NULL, patch, &guide, pod, 0, &got, NULL), 0);
    assert_true(ty_json_eq(got, patch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),       cmocka_unit_test(test_lists),
        cmocka_unit_test(test_union),         cmocka_unit_test(test_directives),
        cmocka_unit_test(test_element_order), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_origin),        cmocka_unit_test(test_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
