#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "store/local/delta.h"

/* Makes, reads back, compares; the size of the delta. */
static size_t round_trip(struct ty_str base, struct ty_str text)
{
    ty_auto_buf delta = { 0 };
    ty_auto_buf back = { 0 };

    ty_delta_encode(base, text, &delta);
    assert_true(ty_delta_decode(base, ty_buf_str(&delta), &back));
    assert_int_equal(back.n, text.n);
    if (text.n)
        assert_memory_equal(back.p, text.p, text.n);
    return delta.n;
}

static void keeps_any_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "a", "1234567", "12345678", "123456781234567812345678", "no two bytes alike? hardly",
    };
    size_t n = TY_COUNT(texts);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            round_trip(ty_str(texts[i]), ty_str(texts[k]));
}

static void siblings_cost_their_difference(void **state)
{
    (void)state;
    ty_auto_buf one = { 0 };
    ty_auto_buf other = { 0 };

    for (int i = 0; i < 100; i++) {
        ty_buf_printf(&one, "{\"key-%d\":\"the same everywhere\"},", i);
        ty_buf_printf(&other, "{\"key-%d\":\"the same everywhere\"},", i);
        if (i % 50 == 7) {
            ty_buf_printf(&one, "\"name\":\"first\",");
            ty_buf_printf(&other, "\"name\":\"the second, longer\",");
        }
    }
    assert_true(round_trip(ty_buf_str(&one), ty_buf_str(&one)) < 8);
    assert_true(round_trip(ty_buf_str(&one), ty_buf_str(&other)) < 80);
}

static void a_stranger_is_hardly_longer(void **state)
{
    (void)state;
    char base[512], text[512];
    unsigned seed = 7;

    for (size_t i = 0; i < sizeof(base); i++) {
        seed = seed * 1103515245u + 12345u;
        base[i] = (char)(seed >> 16);
        text[i] = (char)(seed >> 24);
    }
    assert_true(round_trip((struct ty_str){ base, 512 }, (struct ty_str){ text, 512 }) <= 520);
}

/* Random edits of random texts over a small alphabet: matches overlap, repeat and run to the ends.
 */
static void random_edits(void **state)
{
    (void)state;
    char base[700], text[700];
    unsigned seed = 42;

    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + (size_t)round % sizeof(base);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            base[i] = text[i] = "ab"[seed >> 16 & 1];
        }
        for (int edit = 0; edit < round % 9; edit++) {
            seed = seed * 1103515245u + 12345u;
            text[(seed >> 16) % n] = 'x';
        }
        round_trip((struct ty_str){ base, n }, (struct ty_str){ text, n - (size_t)round % n });
        round_trip((struct ty_str){ base, n / 2 }, (struct ty_str){ text, n });
    }
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct ty_str base = TY_LIT("the base is longer than what is copied from it");
    ty_auto_buf delta = { 0 };
    ty_auto_buf back = { 0 };

    ty_delta_encode(base, base, &delta);
    assert_false(ty_delta_decode(TY_LIT("short"), ty_buf_str(&delta), &back));
    assert_false(ty_delta_decode(base, (struct ty_str){ "\x05q", 2 }, &back)); /* cut off */
    assert_false(ty_delta_decode(base, (struct ty_str){ "\xff\xff", 2 }, &back));
    assert_false(ty_delta_decode(base, (struct ty_str){ "\0\x03", 2 }, &back)); /* from where? */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_any_text),
        cmocka_unit_test(siblings_cost_their_difference),
        cmocka_unit_test(a_stranger_is_hardly_longer),
        cmocka_unit_test(random_edits),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
