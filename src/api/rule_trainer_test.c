#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/rule_trainer.h"

typedef bool rule_fn(const struct ty_json *self, const struct ty_json *old);
struct row {
    rule_fn *ok;
    const char *self, *old;
    bool want;
};

/* Every row was also put to kube-apiserver 1.36 with our CRDs, where its field can hold the value.
 */
static const struct row rows[] = {
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"a\"}}", NULL, true },
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"a-9\"}}", NULL, true },
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"1a\"}}", NULL, false },
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"a-\"}}", NULL, false },
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"a.b\"}}", NULL, false },
    { ty_rule_name_is_label, "{\"metadata\":{\"name\":\"aB\"}}", NULL, false },
    { ty_rule_name_is_label, "{\"metadata\":{}}", NULL, false },

    { ty_rule_storage_uri, "\"\"", NULL, true },
    { ty_rule_storage_uri, "\"hf://x\"", NULL, true },
    { ty_rule_storage_uri, "\"a+b.c-1://\u00e9\"", NULL, true },
    { ty_rule_storage_uri, "\"a:b://x\"", NULL, false },
    { ty_rule_storage_uri, "\"hf:/x\"", NULL, false },
    { ty_rule_storage_uri, "\"://x\"", NULL, false },
    { ty_rule_storage_uri, "\"1a://x\"", NULL, false },
    { ty_rule_storage_uri, "\"a_b://x\"", NULL, false },
    { ty_rule_storage_uri, "\"a://\"", NULL, false },
    { ty_rule_storage_uri, "\"a://x\\ny\"", NULL, false },
    { ty_rule_storage_uri, "\"plain\"", NULL, false },

    { ty_rule_managed_by, "\"trainer.kubeflow.org/trainjob-controller\"", NULL, true },
    { ty_rule_managed_by, "\"kueue.x-k8s.io/multikueue\"", NULL, true },
    { ty_rule_managed_by, "\"\"", NULL, false },
    { ty_rule_managed_by, "\"acme.io/x\"", NULL, false },

    { ty_rule_int_or_word, "4", NULL, true },
    { ty_rule_int_or_word, "-1", NULL, true },
    { ty_rule_int_or_word, "2147483648", NULL, false },
    { ty_rule_int_or_word, "-2147483649", NULL, false },
    { ty_rule_int_or_word, "\"auto\"", NULL, true },
    { ty_rule_int_or_word, "\"cpu\"", NULL, true },
    { ty_rule_int_or_word, "\"gpu\"", NULL, true },
    { ty_rule_int_or_word, "\"4\"", NULL, false },
    { ty_rule_int_or_word, "\"\"", NULL, false },

    { ty_rule_positive_or_word, "1", NULL, true },
    { ty_rule_positive_or_word, "2147483648", NULL, false },
    { ty_rule_positive_or_word, "0", NULL, false },
    { ty_rule_positive_or_word, "\"gpu\"", NULL, true },
    { ty_rule_positive_or_word, "\"x\"", NULL, false },

    { ty_rule_at_least_one, "1", NULL, true },
    { ty_rule_at_least_one, "0", NULL, false },

    { ty_rule_one_policy, "{\"numNodes\":2}", NULL, true },
    { ty_rule_one_policy, "{\"torch\":{},\"numNodes\":2}", NULL, true },
    { ty_rule_one_policy, "{\"tensorflow\":{}}", NULL, true },
    { ty_rule_one_policy, "{\"torch\":{},\"tensorflow\":{}}", NULL, false },
    { ty_rule_one_policy, "{\"mpi\":{},\"flux\":{}}", NULL, false },
    { ty_rule_one_policy, "{\"jax\":{},\"xgboost\":{}}", NULL, false },

    { ty_rule_elastic_range, "{}", NULL, true },
    { ty_rule_elastic_range, "{\"minNodes\":5}", NULL, true },
    { ty_rule_elastic_range, "{\"minNodes\":2,\"maxNodes\":2}", NULL, true },
    { ty_rule_elastic_range, "{\"minNodes\":3,\"maxNodes\":2}", NULL, false },

    { ty_rule_mpi_implementation, "\"OpenMPI\"", NULL, true },
    { ty_rule_mpi_implementation, "\"IntelMPI\"", NULL, true },
    { ty_rule_mpi_implementation, "\"Intel\"", NULL, true },
    { ty_rule_mpi_implementation, "\"MPICH\"", NULL, true },
    { ty_rule_mpi_implementation, "\"\"", NULL, true },
    { ty_rule_mpi_implementation, "\"openmpi\"", NULL, false },

    { ty_rule_not_node, "[\"a\",\"nodes\"]", NULL, true },
    { ty_rule_not_node, "[\"a\",\"node\"]", NULL, false },

    { ty_rule_has_update_time, "{\"lastUpdatedTime\":\"2026-01-01T00:00:00Z\"}", NULL, true },
    { ty_rule_has_update_time, "{\"progressPercentage\":3}", NULL, false },

    { ty_rule_trainer_unchanged, "{\"env\":[{\"name\":\"b\"},{\"name\":\"a\"}]}",
      "{\"env\":[{\"name\":\"a\"},{\"name\":\"b\"}]}", true },
    { ty_rule_trainer_unchanged, "{\"args\":[\"b\",\"a\"]}", "{\"args\":[\"a\",\"b\"]}", false },
    { ty_rule_trainer_unchanged, "{\"numProcPerNode\":\"auto\"}", "{\"numProcPerNode\":4}", false },
    { ty_rule_trainer_unchanged, "{\"resourcesPerNode\":{\"limits\":{\"cpu\":\"1\"}}}",
      "{\"resourcesPerNode\":{\"limits\":{\"cpu\":1}}}", false },
    { ty_rule_initializer_unchanged, "{\"model\":{\"env\":[{\"name\":\"b\"},{\"name\":\"a\"}]}}",
      "{\"model\":{\"env\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}", true },
    { ty_rule_initializer_unchanged, "{\"model\":{\"storageUri\":\"a://b\"}}", "{\"model\":{}}",
      false },
    { ty_rule_containers_unchanged,
      "[{\"name\":\"y\"},{\"name\":\"x\",\"env\":[{\"name\":\"b\"},{\"name\":\"a\"}]}]",
      "[{\"name\":\"x\",\"env\":[{\"name\":\"a\"},{\"name\":\"b\"}]},{\"name\":\"y\"}]", true },
    { ty_rule_containers_unchanged, "[{\"name\":\"x\",\"env\":[{\"name\":\"a\",\"value\":\"1\"}]}]",
      "[{\"name\":\"x\",\"env\":[{\"name\":\"a\"}]}]", false },
};

static void test_rows(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct row *r = &rows[i];
        const struct ty_json *self = ty_json_parse(a, ty_str(r->self), NULL, NULL);
        const struct ty_json *old = r->old ? ty_json_parse(a, ty_str(r->old), NULL, NULL) : NULL;
        if (!self || (r->old && !old))
            fail_msg("row %zu is not JSON: %s", i, r->self);
        if (r->ok(self, old) != r->want)
            fail_msg("row %zu: %s is %s", i, r->self, r->want ? "refused" : "accepted");
    }
}

/* CEL's size() counts code points, not bytes. */
static void test_name_is_short(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char text[64 * 2];
    struct ty_json *meta = ty_json_object(a), *job = ty_json_object(a);

    ty_json_set(a, job, "metadata", meta);
    assert_false(ty_rule_name_is_short(job, NULL));
    for (size_t i = 0; i < sizeof(text); i += 2) {
        text[i] = '\xc3';
        text[i + 1] = '\xa9';
    }
    ty_json_set(a, meta, "name", ty_json_str(a, (struct ty_str){ text, sizeof(text) - 2 }));
    assert_true(ty_rule_name_is_short(job, NULL));
    ty_json_set(a, meta, "name", ty_json_str(a, (struct ty_str){ text, sizeof(text) }));
    assert_false(ty_rule_name_is_short(job, NULL));
}

static void test_immutable(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *one = ty_json_int(a, 1), *two = ty_json_int(a, 2);

    assert_true(ty_rules_immutable[0].transition);
    assert_true(ty_rules_immutable[0].ok(one, one));
    assert_false(ty_rules_immutable[0].ok(one, two));
    assert_null(ty_rules_immutable[1].message);
    assert_true(ty_rules_immutable_by_name[0].transition);
    assert_null(ty_rules_immutable_by_name[1].message);
}

/* Both forms of the rule know every policy of the table, and nothing else. */
static void test_one_policy_follows_the_table(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *cel = ty_rule_one_policy_cel(a), *at = cel;
    size_t named = 0, policies = 0;

    for (; (at = strstr(at, "has(self.")); at++)
        named++;
    for (const struct ty_field *f = ty_schema_MLPolicy.fields; f->name; f++) {
        struct ty_json *two = ty_json_object(a);
        bool policy = ty_schema_is_policy(f);
        ty_json_set(a, two, "torch", ty_json_object(a));
        ty_json_set(a, two, f->name, ty_json_object(a));
        assert_int_equal(ty_rule_one_policy(two, NULL), !policy || strcmp(f->name, "torch") == 0);
        assert_int_equal(strstr(cel, ty_arena_printf(a, "has(self.%s)", f->name)) != NULL, policy);
        policies += policy;
    }
    assert_int_equal(named, policies);
    assert_int_equal(strncmp(cel, "[has(self.torch), has(self.mpi), ", 33), 0); /* as v2.3.0's */
    assert_string_equal(strchr(cel, ']'), "].filter(x, x).size() <= 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_name_is_short),
        cmocka_unit_test(test_immutable),
        cmocka_unit_test(test_one_policy_follows_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
