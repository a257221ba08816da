#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t hash(const char *text)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *v = ty_json_parse(a, ty_str(text), NULL, NULL);

    assert_non_null(v);
    return ty_json_hash(v);
}

static void test_what_means_the_same(void **state TY_UNUSED)
{
    assert_true(hash("{\"a\":1,\"b\":[true,null]}") == hash(" { \"b\": [true, null], \"a\": 1 }"));
    assert_true(hash("\"\\u0041\"") == hash("\"A\""));
    assert_true(hash("{\"a\":{\"x\":1,\"y\":2}}") == hash("{\"a\":{\"y\":2,\"x\":1}}"));
}

/* All of these have different hashes. */
static void test_what_does_not(void **state TY_UNUSED)
{
    static const char *const texts[] = { "null",
                                         "true",
                                         "false",
                                         "0",
                                         "1",
                                         "-1",
                                         "1.0",
                                         "\"1\"",
                                         "\"1.0\"",
                                         "\"\"",
                                         "\"true\"",
                                         "[]",
                                         "{}",
                                         "[[]]",
                                         "[{}]",
                                         "[null]",
                                         "[1,2]",
                                         "[2,1]",
                                         "[[1],2]",
                                         "[[1,2]]",
                                         "{\"a\":1}",
                                         "{\"a\":\"1\"}",
                                         "{\"1\":\"a\"}",
                                         "{\"a\":null}",
                                         "{\"a\":{}}",
                                         "{\"a\":{\"b\":1}}",
                                         "{\"a\":1,\"b\":2}",
                                         "{\"a\":2,\"b\":1}",
                                         "{\"ab\":1}",
                                         "{\"a\":{\"a\":1}}" };
    size_t n = TY_COUNT(texts);

    assert_true(ty_json_hash(NULL) != hash("null"));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (hash(texts[i]) == hash(texts[k]))
                fail_msg("%s and %s have one number", texts[i], texts[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_means_the_same),
        cmocka_unit_test(test_what_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
