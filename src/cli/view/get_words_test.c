#include "cli/testing.h"
#include "cli/view/get_words.h"

static struct ty_get_words read_words(struct ty_arena *a, const char *const *words)
{
    struct ty_strlist list = { 0 };
    struct ty_get_words ret;

    for (; *words; words++)
        ty_strlist_add(a, &list, *words);
    ty_get_words_read(a, &list, &ret);
    return ret;
}
#define WORDS(...) read_words(a, (const char *const[]){ __VA_ARGS__, NULL })

static void test_kinds(void **state)
{
    static const struct {
        const char *word;
        const struct ty_kind *kind;
    } kinds[] = {
        { "trainjobs", &ty_kind_trainjob },
        { "trainjob", &ty_kind_trainjob },
        { "js", &ty_kind_jobset },
        { "jobset", &ty_kind_jobset },
        { "jobs", &ty_kind_job },
        { "po", &ty_kind_pod },
        { "Pod", &ty_kind_pod },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        struct ty_get_words w = WORDS(kinds[i].word, "x");
        assert_ptr_equal(w.view->kind, kinds[i].kind);
        assert_null(w.no_kind);
        assert_int_equal(w.n_names, 1);
        assert_string_equal(w.names[0], "x");
    }
    assert_true(WORDS("ev").events);
    assert_true(WORDS("claims").claims);
}

static void test_names(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    struct ty_get_words none = read_words(a, (const char *const[]){ NULL });
    assert_ptr_equal(none.view->kind, &ty_kind_trainjob);
    assert_int_equal(none.n_names, 0);
    assert_null(none.no_kind);
    struct ty_get_words name = WORDS("ddp", "eval");
    assert_ptr_equal(name.view->kind, &ty_kind_trainjob);
    assert_string_equal(name.no_kind, "ddp");
    assert_int_equal(name.n_names, 2);
    struct ty_get_words pods = WORDS("pod/a", "pod/b");
    assert_ptr_equal(pods.view->kind, &ty_kind_pod);
    assert_int_equal(pods.n_names, 2);
    assert_string_equal(pods.names[0], "a");
    assert_string_equal(pods.names[1], "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_kinds),
                                        cmocka_unit_test(test_names) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
