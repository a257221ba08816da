#include "base/testing.h"
#include "serve/jwt.h"
#include "serve/jwt_testing.h"

#define NOW  1000000
#define AUD  "\"aud\":[\"other\",\"here\"]"
#define SUB  "\"sub\":\"system:serviceaccount:ns:pod\""
#define EXP  "\"exp\":1000001"
#define GOOD "{" AUD "," SUB "," EXP "}"

static bool is_plausible(struct ty_arena *a, const char *token)
{
    /* exactly the bytes, so that ASan sees a read past their end */
    size_t n = strlen(token);
    char *copy = malloc(n ? n : 1);

    assert_non_null(copy);
    memcpy(copy, token, n);
    bool yes =
        ty_jwt_is_plausible(a, (struct ty_str){ copy, n }, TY_LIT("here"), TY_LIT("ns"), NOW);
    free(copy);
    return yes;
}

static void what_it_says(void **state TY_UNUSED)
{
    static const struct {
        const char *payload;
        bool want;
    } cases[] = {
        { GOOD, true },
        { "{\"aud\":\"here\"," SUB "," EXP "}", true },
        { "{" AUD "," SUB ",\"exp\":999700}", true }, /* clock skew */
        { "{" AUD "," SUB ",\"exp\":1000001.5}", true },
        { "{" AUD "," SUB ",\"exp\":999699}", false },
        { "{" AUD "," SUB ",\"exp\":-1}", false },
        { "{" AUD "," SUB ",\"exp\":\"1000001\"}", false },
        { "{" AUD "," SUB "}", false },
        { "{\"aud\":[\"other\"]," SUB "," EXP "}", false },
        { "{\"aud\":[]," SUB "," EXP "}", false },
        { "{\"aud\":7," SUB "," EXP "}", false },
        { "{" SUB "," EXP "}", false },
        { "{" AUD "," EXP "}", false },
        { "{" AUD ",\"sub\":\"system:serviceaccount:nsx:pod\"," EXP "}", false },
        { "{" AUD ",\"sub\":\"system:serviceaccount:ns:\"," EXP "}", false },
        { "{" AUD ",\"sub\":\"system:serviceaccount:ns\"," EXP "}", false },
        { "{" AUD ",\"sub\":\"ns:pod\"," EXP "}", false },
        { "{" AUD ",\"sub\":7," EXP "}", false },
        { "[" GOOD "]", false },
        { "{" AUD "," SUB "," EXP, false },
        { "", false },
        { "null", false },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    for (size_t i = 0; i < TY_COUNT(cases); i++)
        if (is_plausible(a, jwt_of(a, cases[i].payload, "sig")) != cases[i].want)
            fail_msg("%s", cases[i].payload);
}

static void its_form(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *body = jwt_part(a, GOOD);
    const char *const none[] = { "",
                                 ".",
                                 "..",
                                 "...",
                                 "h",
                                 body,
                                 ty_arena_printf(a, "h.%s", body),
                                 ty_arena_printf(a, "h.%s.", body),
                                 ty_arena_printf(a, ".%s.s", body),
                                 ty_arena_printf(a, "h.%s.s.s", body),
                                 ty_arena_printf(a, "h.%s=.s", body),
                                 ty_arena_printf(a, "h.%s.s+", body),
                                 ty_arena_printf(a, "h h.%s.s", body),
                                 "h.s.s",
                                 "h.sssss.s" };

    assert_true(is_plausible(a, ty_arena_printf(a, "h.%s.s", body)));
    for (size_t i = 0; i < TY_COUNT(none); i++)
        if (is_plausible(a, none[i]))
            fail_msg("%s", none[i]);
}

/* A long token, or one with many values, is refused and takes little memory. */
static void it_is_small(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char many[8000], deep[200];

    memset(many, ',', sizeof(many));
    for (size_t i = 0; i < sizeof(many); i += 2)
        many[i] = '1';
    many[sizeof(many) - 1] = 0;
    memset(deep, '[', 100);
    memset(deep + 100, ']', 99);
    deep[199] = 0;
    assert_false(is_plausible(
        a, jwt_of(a, ty_arena_printf(a, "{" AUD "," SUB "," EXP ",\"x\":[%s]}", many), "s")));
    assert_false(is_plausible(
        a, jwt_of(a, ty_arena_printf(a, "{" AUD "," SUB "," EXP ",\"x\":%s}", deep), "s")));
    assert_false(is_plausible(a, jwt_of(a, GOOD, ty_arena_printf(a, "%020000d", 1))));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_it_says), cmocka_unit_test(its_form),
                                        cmocka_unit_test(it_is_small) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
