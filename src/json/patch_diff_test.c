#include "json/json_testing.h"
#include "json/patch_diff.h"
#include "json/patch_testing.h"

static void operations(void **state TY_UNUSED)
{
    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        { "{}", "{}", "[]" },
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "[]" },
        { "1", "2", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]" },
        { "{\"a\":1}", "{\"b\":null}",
          "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"add\",\"path\":\"/b\",\"value\":null}]" },
        { "{\"x\":{\"a/b~c\":1}}", "{\"x\":{\"a/b~c\":2}}",
          "[{\"op\":\"replace\",\"path\":\"/x/a~1b~0c\",\"value\":2}]" },
        { "{\"l\":[{\"t\":1},{\"t\":2}]}", "{\"l\":[{\"t\":1},{\"t\":2,\"u\":[]}]}",
          "[{\"op\":\"add\",\"path\":\"/l/1/u\",\"value\":[]}]" },
        { "{\"l\":[1,2]}", "{\"l\":[1]}", "[{\"op\":\"replace\",\"path\":\"/l\",\"value\":[1]}]" },
        { "{\"l\":[1]}", "{\"l\":{\"0\":1}}",
          "[{\"op\":\"replace\",\"path\":\"/l\",\"value\":{\"0\":1}}]" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 22);

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_json *from = json_read(a, cases[i].from), *to = json_read(a, cases[i].to);
        struct ty_json *ops = ty_patch_diff(a, from, to);
        assert_string_equal(ty_json_text(a, ops).p, cases[i].want);
        struct ty_json *got = json_patched(a, from, ops);
        assert_true(got && ty_json_eq(got, to));
    }
}

static struct ty_json *random_value(struct ty_arena *a, uint64_t *seed, int depth)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    unsigned kind = (unsigned)(*seed >> 60) % (depth ? 4 : 2), n = (unsigned)(*seed >> 40) % 4;

    if (kind < 2)
        return kind ? ty_json_int(a, n) : ty_json_null(a);
    struct ty_json *v = kind == 2 ? ty_json_array(a) : ty_json_object(a);
    for (unsigned i = 0; i < n; i++) {
        static const char *const keys[] = { "a", "b/", "~c", "" };
        struct ty_json *x = random_value(a, seed, depth - 1);
        if (kind == 2)
            ty_json_push(a, v, x);
        else
            ty_json_set(a, v, keys[(*seed >> 33) % 4], x);
    }
    return v;
}

static void any_two_documents(void **state TY_UNUSED)
{
    uint64_t seed = 1;

    for (int i = 0; i < 3000; i++) {
        ty_auto_arena *a = ty_arena_new(1 << 22);
        struct ty_json *from = random_value(a, &seed, 4), *to = random_value(a, &seed, 4);
        struct ty_json *got = json_patched(a, from, ty_patch_diff(a, from, to));
        if (!got || !ty_json_eq(got, to))
            fail_msg("%s -> %s", ty_json_text(a, from).p, ty_json_text(a, to).p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(any_two_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
