#include <errno.h>

#include "json/json_testing.h"
#include "json/patch.h"

#define CEILING ((size_t)64 << 20)

/* Document, operations, result. A.n: RFC 6902's appendix. */
static void test_good(void **state)
{
    static const char *const cases[][3] = {
        /* A.1 to A.7 */
        { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
          "{\"foo\":\"bar\",\"baz\":\"qux\"}" },
        { "{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
          "{\"foo\":[\"bar\",\"qux\",\"baz\"]}" },
        { "{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
          "{\"foo\":\"bar\"}" },
        { "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
          "{\"foo\":[\"bar\",\"baz\"]}" },
        { "{\"baz\":\"qux\",\"foo\":\"bar\"}",
          "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
          "{\"baz\":\"boo\",\"foo\":\"bar\"}" },
        { "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
          "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
          "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}" },
        { "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
          "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
          "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}" },
        /* A.8, A.10, A.11 */
        { "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
          "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
          "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
          "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}" },
        { "{\"foo\":\"bar\"}",
          "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
          "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}" },
        { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
          "{\"foo\":\"bar\",\"baz\":\"qux\"}" },
        /* A.14, A.16 */
        { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
          "{\"/\":9,\"~1\":10}" },
        { "{\"foo\":[\"bar\"]}",
          "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
          "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}" },
        /* ours */
        { "{\"a\":1}", "[]", "{\"a\":1}" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", "[1]" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":null}]", "null" },
        { "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":1}}]", "{\"a\":1}" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}" },
        { "{\"\":1}", "[{\"op\":\"replace\",\"path\":\"/\",\"value\":2}]", "{\"\":2}" },
        { "{\"a/b\":{\"m~n\":1}}", "[{\"op\":\"remove\",\"path\":\"/a~1b/m~0n\"}]",
          "{\"a/b\":{}}" },
        { "{\"a\":[1,2]}", "[{\"op\":\"replace\",\"path\":\"/a/1\",\"value\":3}]",
          "{\"a\":[1,3]}" },
        { "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/1\",\"value\":2}]", "{\"a\":[1,2]}" },
        { "{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/0\"}]",
          "{\"a\":[[1],1]}" },
        { "{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a/c\"}]",
          "{\"a\":{\"b\":1,\"c\":{\"a\":{\"b\":1}}}}" },
        { "{\"a\":{\"b\":1},\"ab\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]",
          "{\"ab\":{\"b\":1}}" },
        { "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", "{\"a\":1}" },
        /* a copy is a value of its own */
        { "{\"a\":{\"b\":1}}",
          "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"},"
          "{\"op\":\"replace\",\"path\":\"/a/b\",\"value\":2}]",
          "{\"a\":{\"b\":2},\"c\":{\"b\":1}}" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_err err = { 0 };
        struct ty_json *doc = json_read(a, cases[i][0]), *ops = json_read(a, cases[i][1]),
                       *got = NULL;
        if (ty_patch_json(a, doc, ops, &got, &err) != 0)
            fail_msg("%s: %s", cases[i][1], err.text);
        assert_string_equal(ty_json_text(a, got).p, cases[i][2]);
        assert_string_equal(ty_json_text(a, doc).p, cases[i][0]);
        assert_string_equal(ty_json_text(a, ops).p, cases[i][1]);
    }
}

/* Document, operations, sentence. */
static void test_bad(void **state)
{
    static const char *const cases[][3] = {
        { "{\"baz\":\"qux\"}", /* A.9 */
          "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
          "operation 0: test '/baz': the value is another" },
        { "{\"foo\":\"bar\"}", /* A.12 */
          "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
          "operation 0: add '/baz/bat': there is nothing at '/baz'" },
        { "{\"/\":9,\"~1\":10}", /* A.15 */
          "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]",
          "operation 0: test '/~01': the value is another" },
        { "{\"a\":1}", "{}", "a JSON patch must be a list of operations" },
        { "{\"a\":1}", "[1]", "operation 0: '' is no operation of a JSON patch" },
        { "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1},{\"op\":\"put\"}]",
          "operation 1: 'put' is no operation of a JSON patch" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"value\":1}]", "operation 0: add needs a path" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\"}]", "operation 0: add needs a value" },
        { "{\"a\":1}", "[{\"op\":\"move\",\"path\":\"/a\"}]", "operation 0: move needs a from" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"a\"}]",
          "operation 0: remove 'a': 'a' is not a JSON pointer: it must start with '/'" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/a~2\"}]",
          "operation 0: remove '/a~2': 'a~2' is not well escaped" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/a~\"}]",
          "operation 0: remove '/a~': 'a~' is not well escaped" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]",
          "operation 0: remove '/b': there is nothing at '/b'" },
        { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":1}]",
          "operation 0: replace '/b': there is nothing at '/b'" },
        { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]",
          "operation 0: remove '': the whole document cannot be removed" },
        { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]",
          "operation 0: add '/a/b': 'b' is looked for in what is neither object nor list" },
        { "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/2\",\"value\":1}]",
          "operation 0: add '/a/2': '2' is no index of a list of 1" },
        { "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/00\"}]",
          "operation 0: remove '/a/00': '00' is no index of a list of 1" },
        { "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/+0\"}]",
          "operation 0: remove '/a/+0': '+0' is no index of a list of 1" },
        { "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/-\"}]",
          "operation 0: remove '/a/-': there is nothing at '/a/-'" },
        { "{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"/b\",\"path\":\"/c\"}]",
          "operation 0: copy '/c': there is nothing at '/b'" },
        { "{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]",
          "operation 0: move '/a/b': '/a' cannot move into itself" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_err err = { 0 };
        struct ty_json *doc = json_read(a, cases[i][0]), *got = NULL;
        int r = ty_patch_json(a, doc, json_read(a, cases[i][1]), &got, &err);
        assert_string_equal(err.text, cases[i][2]);
        assert_int_equal(r, strstr(err.text, "the value is another") ? -ECANCELED : -EINVAL);
        assert_null(got);
        assert_string_equal(ty_json_text(a, doc).p, cases[i][0]);
    }
}

/* A list of `n` times the same operation. */
static struct ty_json *times(struct ty_arena *a, size_t n, const char *op)
{
    struct ty_json *ops = ty_json_array(a), *one = json_read(a, op);
    for (size_t i = 0; i < n; i++)
        ty_json_push(a, ops, one);
    return ops;
}

static void test_bounds(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_err err = { 0 };
    struct ty_json *got = NULL;

    (void)state;
    struct ty_json *doubling = times(a, 64, "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"}");
    assert_int_equal(ty_patch_json(a, json_read(a, "[1]"), doubling, &got, &err), -EINVAL);
    assert_has(err.text, "the patch copies too much");
    struct ty_json *deeper = times(a, 600, "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a\"}");
    assert_int_equal(ty_patch_json(a, json_read(a, "{}"), deeper, &got, &err), -EINVAL);
    assert_string_equal(err.text, "operation 511: copy '/a': the result is nested deeper than 512");
    assert_int_equal(ty_patch_json(a, json_read(a, "[1]"), doubling, &got, NULL), -EINVAL);
    assert_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
