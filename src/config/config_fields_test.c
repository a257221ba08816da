#include "config/config_inner.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Both tables have the same fields: each row is in the schema, each leaf of the schema has a
 * row. */
static const struct ty_schema *at_path(const char *path)
{
    const struct ty_schema *s = &ty_config_schema;
    struct ty_str rest = ty_str(path), key;
    while (s && rest.n) {
        rest = ty_str_cut(rest, '.', &key);
        const struct ty_field *f = s->fields;
        while (f && f->name && !ty_str_is(key, f->name))
            f++;
        s = f && f->name ? f->schema : s->type == TY_T_MAP ? s->items : NULL;
    }
    return s;
}

static void test_rows_are_in_the_shape(void **state)
{
    (void)state;
    for (const struct ty_config_row *row = ty_config_rows; row->path; row++)
        assert_non_null(at_path(row->path));
}

static size_t leaves(const struct ty_schema *s, const char *path)
{
    size_t n = 0;
    char longer[256];
    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        snprintf(longer, sizeof(longer), "%s%s%s", path, *path ? "." : "", f->name);
        n += leaves(f->schema, longer);
    }
    if (s->fields)
        return n;
    for (const struct ty_config_row *row = ty_config_rows; row->path; row++)
        if (strcmp(row->path, path) == 0)
            return 1;
    /* gates are read by another function, the resource lock is only checked */
    assert_true(strcmp(path, "apiVersion") == 0 || strcmp(path, "kind") == 0 ||
                strcmp(path, "featureGates") == 0 ||
                strcmp(path, "leaderElection.resourceLock") == 0);
    return 1;
}

static void test_leaves_have_rows(void **state)
{
    (void)state;
    assert_int_equal(leaves(&ty_config_schema, ""), 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows_are_in_the_shape),
                                        cmocka_unit_test(test_leaves_have_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
