#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/rule_jobset.h"

typedef bool rule_fn(const struct ty_json *self, const struct ty_json *old);

static void check(rule_fn *ok, const char *self, const char *old, bool want)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *now = ty_json_parse(a, ty_str(self), NULL, NULL);
    const struct ty_json *was = old ? ty_json_parse(a, ty_str(old), NULL, NULL) : NULL;

    assert_non_null(now);
    assert_true(was || !old);
    if (ok(now, was) != want)
        fail_msg("%s (before: %s) is %s", self, old ? old : "-", want ? "refused" : "accepted");
}

static void test_unchanged(void **state TY_UNUSED)
{
    check(ty_rule_unchanged, "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true);
    check(ty_rule_unchanged, "[1,2]", "[2,1]", false);
    check(ty_rule_unchanged, "\"x\"", "\"y\"", false);
    check(ty_rule_unchanged, "{}", "{\"a\":1}", false);
}

static void test_unchanged_by_name(void **state TY_UNUSED)
{
    const char *ab = "[{\"name\":\"a\",\"status\":\"Ready\"},{\"name\":\"b\"}]";
    const char *ba = "[{\"name\":\"b\"},{\"name\":\"a\",\"status\":\"Ready\"}]";

    check(ty_rule_unchanged_by_name, ab, ba, true);
    check(ty_rule_unchanged_by_name, "[]", "[]", true);
    check(ty_rule_unchanged_by_name, ab, "[{\"name\":\"a\",\"status\":\"Ready\"}]", false);
    check(ty_rule_unchanged_by_name, "[{\"name\":\"b\"},{\"name\":\"a\"}]", ab, false);
    check(ty_rule_unchanged_by_name, "[{\"name\":\"c\"}]", "[{\"name\":\"a\"}]", false);
}

/* Each answer was seen from kube-apiserver 1.36 with the same object. */
static void test_startup_or_depends(void **state TY_UNUSED)
{
    rule_fn *ok = ty_rule_startup_or_depends;

    check(ok, "{}", NULL, true);
    check(ok,
          "{\"startupPolicy\":{\"startupPolicyOrder\":\"AnyOrder\"},"
          "\"replicatedJobs\":[{\"dependsOn\":[{\"name\":\"a\"}]}]}",
          NULL, true);
    check(ok, "{\"replicatedJobs\":[{\"dependsOn\":[{\"name\":\"a\"}]}]}", NULL, true);
    check(ok,
          "{\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},"
          "\"replicatedJobs\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
          NULL, true);
    check(ok,
          "{\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},"
          "\"replicatedJobs\":[{\"name\":\"a\"},{\"dependsOn\":[]}]}",
          NULL, false);
    check(ok, "{\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"}}", NULL, false);
}

static void test_claims_without_namespace(void **state TY_UNUSED)
{
    rule_fn *ok = ty_rule_claims_without_namespace;

    check(ok, "{\"templates\":[]}", NULL, true);
    check(ok, "{\"templates\":[{\"metadata\":{\"name\":\"x\"}}]}", NULL, true);
    check(ok, "{\"templates\":[{\"metadata\":{\"namespace\":\"\"}}]}", NULL, true);
    check(ok, "{\"templates\":[{\"metadata\":{}},{\"metadata\":{\"namespace\":\"a\"}}]}", NULL,
          false);
    check(ok, "{\"templates\":[{\"spec\":{}}]}", NULL, false);
    check(ok, "{}", NULL, false);
}

static void check_text(bool (*ok)(struct ty_str s), const char *s, bool want)
{
    if (ok(ty_str(s)) != want)
        fail_msg("'%s' is %s", s, want ? "refused" : "accepted");
}

static void test_reason(void **state TY_UNUSED)
{
    static const char *const good[] = { "A", "JobsCompleted", "a_b", "a,b:c", "a_", "Z9" };
    static const char *const bad[] = { "", "9a", "_a", "a,", "a:", "a b", "a-b", "\xc3\xa9" };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        check_text(ty_rule_pattern_reason, good[i], true);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        check_text(ty_rule_pattern_reason, bad[i], false);
    assert_false(ty_rule_pattern_reason((struct ty_str){ "a\0b", 3 }));
}

static void test_condition_type(void **state TY_UNUSED)
{
    static const char *const good[] = { "A",   "Complete", "9", "a-b_c.d", "acme.io/Ready",
                                        "a/b", "a-b.c9/X" };
    static const char *const bad[] = {
        "",       "-a",   "a-",   "a.",     "/a",     "a/",    "A/b",
        "a..b/c", "-a/b", "a-/b", "a.-b/c", "a-.b/c", "a/b/c", "a b"
    };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        check_text(ty_rule_pattern_condition_type, good[i], true);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        check_text(ty_rule_pattern_condition_type, bad[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_unchanged_by_name),
        cmocka_unit_test(test_startup_or_depends),
        cmocka_unit_test(test_claims_without_namespace),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_condition_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
