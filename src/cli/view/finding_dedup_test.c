#include "base/testing.h"
#include "cli/view/finding_dedup.h"

#include <string.h>

/* The reference implementation: compares with every earlier finding. */
static bool within(const char *path, const char *above)
{
    size_t n = strlen(above);
    return strncmp(path, above, n) == 0 && (!path[n] || path[n] == '.' || path[n] == '[');
}

static bool echo_plainly(const struct ty_finding_key *v, size_t n, const struct ty_finding_key *it)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i].object != it->object)
            continue;
        if (it->whole && (!*it->path || within(it->path, v[i].path)))
            return true;
        if (!it->whole && v[i].whole && strcmp(it->path, v[i].path) == 0)
            return true;
        if (v[i].shape && within(it->path, v[i].path) && strcmp(it->path, v[i].path) != 0)
            return true;
    }
    return false;
}

static void test_as_told_plainly(void **state)
{
    enum { ROUNDS = 300, MOST = 30 };
    static const char *const parts[] = { "",  "a",   ".a",     "[0]", "[1]",     ".ab",
                                         ".", "a.a", "a[0].a", "b",   "[a.b/c]", ".a.a" };
    static const struct ty_json objects[2];
    uint64_t seed = 7;
    size_t echoes = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_finding_dedup b = { .arena = a };
        struct ty_finding_key had[MOST];
        for (size_t n = 0; n < MOST; n++) {
            uint64_t dice[3];
            for (int i = 0; i < 3; i++)
                dice[i] = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33;
            had[n] =
                (struct ty_finding_key){ .object = &objects[dice[0] & 1],
                                         .path = ty_arena_printf(a, "%s%s", parts[dice[1] % 12],
                                                                 parts[dice[2] % 12]),
                                         .whole = dice[0] % 7 == 0,
                                         .shape = dice[0] % 5 == 0 };
            bool want = echo_plainly(had, n, &had[n]);
            echoes += want;
            if (ty_finding_dedup_repeats(&b, &had[n]) != want)
                fail_msg("\"%s\" after %zu others: %d", had[n].path, n, want);
            ty_finding_dedup_add(&b, &had[n]);
        }
        ty_finding_dedup_done(&b);
    }
    assert_in_range(echoes, ROUNDS, ROUNDS * (MOST - 1)); /* some are and some are not */
}

/* A question looks at the steps of its own path: there are as many entries as steps, and those of
 * the twenty thousand beside it are not among them. */
static void test_many_side_by_side(void **state)
{
    enum { MANY = 20000 };
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_finding_dedup b = { .arena = a };
    static const struct ty_json object;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        struct ty_finding_key it = { .object = &object,
                                     .path = ty_arena_printf(a, "spec.key%d", i) };
        assert_false(ty_finding_dedup_repeats(&b, &it));
        ty_finding_dedup_add(&b, &it);
    }
    assert_int_equal(b.steps.n, 2 + MANY); /* the object, spec, and each */
    assert_true(ty_finding_dedup_repeats(
        &b, &(struct ty_finding_key){ .object = &object, .path = "spec.key77", .whole = true }));
    ty_finding_dedup_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_as_told_plainly),
                                        cmocka_unit_test(test_many_side_by_side) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
