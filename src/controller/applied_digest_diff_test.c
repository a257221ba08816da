/* Live objects below are as kube-apiserver 1.36 answered an apply of the wanted ones, shortened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/kind.h"
#include "controller/applied_digest_diff.h"
#include "json/json_testing.h"

#define POD(node, rest)                                                                            \
    "{'metadata':{'name':'t','labels':{'a':'b'" rest "}},'spec':{'replicatedJobs':[{'name':"       \
    "'node','template':{'spec':{'template':{'spec':{'containers':[{'name':'node'" node             \
    "}]}}}}}]}}"
#define CONTAINER "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"
#define FIELDS(node, meta)                                                                         \
    "{'f:metadata':{'f:labels':{'f:a':{}" meta "}},'f:spec':{'f:replicatedJobs':{"                 \
    "'k:{\\'name\\':\\'node\\'}':{'.':{},'f:name':{},'f:template':{'f:spec':{'f:template':{"       \
    "'f:spec':{'f:containers':{'k:{\\'name\\':\\'node\\'}':{'.':{},'f:name':{}" node "}}}}}}}}}}"

struct fixture {
    struct ty_arena *a;
    struct ty_field_changes changes;
};

static int setup(void **state)
{
    struct ty_arena *a = ty_arena_new((size_t)8 << 20);
    struct fixture *b = ty_new(a, struct fixture);

    b->a = a;
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    ty_arena_free(((struct fixture *)*state)->a);
    return 0;
}

static struct ty_json *entry(struct ty_arena *a, const char *manager, const char *how,
                             const char *fields)
{
    struct ty_json *e = ty_json_object(a);

    ty_json_set(a, e, "manager", ty_json_cstr(a, manager));
    ty_json_set(a, e, "operation", ty_json_cstr(a, how));
    ty_json_set(a, e, "fieldsV1", json_of(a, fields));
    return e;
}

/* live, of which `trainer` owns `mine`, and `kueue` owns `theirs` (NULL nothing). */
static void differ(struct fixture *b, const char *wanted, const char *filled, const char *live,
                   const char *mine, const char *theirs)
{
    struct ty_json *l = json_of(b->a, live), *list = ty_json_array(b->a);
    struct ty_applied_digest_diff_in in = { .schema = ty_kind_jobset.schema,
                                            .wanted = json_of(b->a, wanted),
                                            .live = l,
                                            .manager = "trainer" };

    in.filled = json_of(b->a, filled ? filled : wanted);
    if (theirs)
        ty_json_push(b->a, list, entry(b->a, "kueue", "Update", theirs));
    if (mine)
        ty_json_push(b->a, list, entry(b->a, "trainer", "Apply", mine));
    ty_json_set(b->a, ty_json_get(l, "metadata"), "managedFields", list);
    ty_applied_digest_diff(b->a, &in, &b->changes);
}

static void check_one(const struct fixture *b, const char *path, const char *was, const char *now)
{
    const struct ty_field_change *c = b->changes.first;

    assert_int_equal(b->changes.n, 1);
    assert_string_equal(c->path, path);
    assert_string_equal(c->was ? ty_json_text(b->a, c->was).p : "-", was);
    assert_string_equal(c->now ? ty_json_text(b->a, c->now).p : "-", now);
}

static void test_what_is_there_is_no_change(void **state)
{
    struct fixture *b = *state;

    /* A label of another manager, a default, members in another order. */
    differ(
        b, POD(",'command':['a'],'ports':[{'containerPort':29500}]", ""),
        POD(",'command':['a'],'ports':[{'containerPort':29500,'protocol':'TCP'}]", ""),
        POD(",'ports':[{'protocol':'TCP','containerPort':29500}],'command':['a']", ",'kueue':'q'"),
        FIELDS(",'f:command':{},'f:ports':{'k:{\\'containerPort\\':29500,\\'protocol\\':"
               "\\'TCP\\'}':{'.':{},'f:containerPort':{}}}",
               ""),
        "{'f:metadata':{'f:labels':{'f:kueue':{}}}}");
    assert_int_equal(b->changes.n, 0);
}

static void test_changed_added_taken_away(void **state)
{
    struct fixture *b = *state;

    differ(b, POD(",'image':'b'", ""), NULL, POD(",'image':'a'", ""), FIELDS(",'f:image':{}", ""),
           NULL);
    check_one(b, CONTAINER ".image", "\"a\"", "\"b\"");
    differ(b, POD(",'image':'b'", ""), NULL, POD("", ""), FIELDS("", ""), NULL);
    check_one(b, CONTAINER ".image", "-", "\"b\"");
    differ(b, POD("", ""), NULL, POD(",'image':'a'", ""), FIELDS(",'f:image':{}", ""), NULL);
    check_one(b, CONTAINER ".image", "\"a\"", "-");
}

static void test_a_whole_item_is_one_change(void **state)
{
    struct fixture *b = *state;

    differ(b, POD(",'env':[{'name':'A','value':'1'},{'name':'B','value':'2'}]", ""), NULL,
           POD(",'env':[{'name':'A','value':'1'}]", ""),
           FIELDS(",'f:env':{'k:{\\'name\\':\\'A\\'}':{'.':{},'f:name':{},'f:value':{}}}", ""),
           NULL);
    check_one(b, CONTAINER ".env[B]", "-", "{\"name\":\"B\",\"value\":\"2\"}");
    differ(b, POD(",'env':[{'name':'B','value':'2'}]", ""), NULL,
           POD(",'env':[{'name':'A','value':'1'},{'name':'B','value':'2'}]", ""),
           FIELDS(",'f:env':{'k:{\\'name\\':\\'A\\'}':{'.':{},'f:name':{},'f:value':{}},"
                  "'k:{\\'name\\':\\'B\\'}':{'.':{},'f:name':{},'f:value':{}}}",
                  ""),
           NULL);
    check_one(b, CONTAINER ".env[A]", "{\"name\":\"A\",\"value\":\"1\"}", "-");
}

static void test_what_others_own_too_stays(void **state)
{
    struct fixture *b = *state;
    const char *live = POD("", ",'kueue.x/q':'team'");

    differ(b, POD("", ""), NULL, live, FIELDS("", ",'f:kueue.x/q':{}"),
           "{'f:metadata':{'f:labels':{'f:kueue.x/q':{}}}}");
    assert_int_equal(b->changes.n, 0);
    differ(b, POD("", ""), NULL, live, FIELDS("", ",'f:kueue.x/q':{}"), NULL);
    check_one(b, "metadata.labels[kueue.x/q]", "\"team\"", "-");
    differ(b, POD("", ""), NULL, live, NULL, NULL); /* it was never applied */
    assert_int_equal(b->changes.n, 0);
}

static void test_an_empty_map_wants_nothing_of_it(void **state)
{
    struct fixture *b = *state;

    differ(b, "{'metadata':{'name':'t','annotations':{}},'spec':{}}", NULL,
           "{'metadata':{'name':'t','annotations':{'x':'y'}},'spec':{'suspend':true}}", NULL, NULL);
    assert_int_equal(b->changes.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_there_is_no_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed_added_taken_away, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_whole_item_is_one_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_others_own_too_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_empty_map_wants_nothing_of_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
