/* Many at once is the same as one after the other, whatever the keys. */
#include "json/json_testing.h"

#include <stdlib.h>

/* As it would be, one by one. */
static void put_each(struct ty_arena *a, struct ty_json *into, const struct ty_json *from)
{
    ty_each_member (m, from)
        ty_json_put(a, into, m->key, ty_json_copy(a, m->value, 7));
}

static void upsert_each(struct ty_arena *a, struct ty_json *list, const struct ty_json *from)
{
    ty_each_item (it, from) {
        size_t at = 0;
        if (ty_json_find_item(list, "name", ty_json_str_at(*it, "name"), &at))
            list->items[at] = *it;
        else
            ty_json_push(a, list, *it);
    }
}

static struct ty_json *random_object(struct ty_arena *a, int keys)
{
    struct ty_json *v = ty_json_object(a);

    for (int i = rand() % (keys + 1); i > 0; i--)
        ty_json_put(a, v, ty_str(ty_arena_printf(a, "k%d", rand() % keys)), ty_json_int(a, rand()));
    return v;
}

/* Some share a name, some have none, or none that is text; some are no objects. */
static struct ty_json *random_list(struct ty_arena *a, int keys)
{
    struct ty_json *v = ty_json_array(a);

    for (int i = rand() % (keys + 1); i > 0; i--) {
        struct ty_json *item = ty_json_object(a);
        ty_json_set(a, item, "value", ty_json_int(a, rand()));
        if (rand() % 10)
            ty_json_set(a, item, "name",
                        rand() % 20 ? ty_json_strf(a, "n%d", rand() % keys) : ty_json_int(a, 1));
        ty_json_push(a, v, rand() % 30 ? item : ty_json_null(a));
    }
    return v;
}

static void put_all_is_put_each(void **state TY_UNUSED)
{
    srand(7);
    for (int round = 0; round < 2000; round++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_json *into = random_object(a, 30), *from = random_object(a, 30);
        struct ty_json *one = ty_json_copy(a, into, 0);
        put_each(a, one, from);
        ty_json_put_all(a, into, from, 7);
        assert_string_equal(ty_json_text(a, into).p, ty_json_text(a, one).p);
        for (uint32_t i = 0; i < into->n; i++)
            assert_int_equal(into->members[i].value->origin, one->members[i].value->origin);
    }
}

static void upsert_all_is_upsert_each(void **state TY_UNUSED)
{
    srand(8);
    for (int round = 0; round < 2000; round++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_json *into = random_list(a, 20), *from = random_list(a, 20);
        struct ty_json *one = ty_json_copy(a, into, 0);
        upsert_each(a, one, from);
        ty_json_upsert_all(a, into, "name", from);
        assert_string_equal(ty_json_text(a, into).p, ty_json_text(a, one).p);
    }
}

static void nothing_is_fine(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *o = ty_json_object(a), *l = ty_json_array(a);

    ty_json_put_all(a, o, NULL, 0);
    ty_json_upsert_all(a, l, "name", NULL);
    assert_int_equal(o->n + l->n, 0);
    ty_json_put_all(a, o, json_of(a, "[1,2]"), 0);
    ty_json_upsert_all(a, l, "name", json_of(a, "{\"a\":{},\"b\":{}}"));
    ty_json_upsert_all(a, o, "name", json_of(a, "[{}]"));
    assert_int_equal(o->n + l->n, 0);
    ty_json_set(a, o, "k", l); /* it can still be changed */
    ty_json_push(a, l, ty_json_null(a));
    assert_string_equal(ty_json_text(a, o).p, "{\"k\":[null]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_all_is_put_each),
        cmocka_unit_test(upsert_all_is_upsert_each),
        cmocka_unit_test(nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
