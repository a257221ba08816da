#include "base/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void cleaned(const char *in, const char *want)
{
    char out[256];
    size_t n = ty_text_clean(ty_str(in), out, sizeof(out) - 1);

    out[n] = 0;
    assert_string_equal(out, want);
}

static void test_plain_text_stays(void **state)
{
    (void)state;
    cleaned("", "");
    cleaned("loss 0.5 … ü 漢 🚂", "loss 0.5 … ü 漢 🚂");
}

static void test_escape_sequences_go(void **state)
{
    (void)state;
    cleaned("\033[31mred\033[0m", "red");
    cleaned("a\033[2J\033[1;1Hb", "ab");
    cleaned("\033]0;title\007x", "x");
    cleaned("\033]8;;http://h/\033\\link\033]8;;\033\\", "link");
    cleaned("\033Psixel\033\\y", "y");
    cleaned("\033(Bz", "z");
    cleaned("\0337saved\0338", "saved");
    cleaned("cut\033[31", "cut");
    cleaned("cut\033]0;never ends", "cut");
    cleaned("end\033", "end");
}

static void colored(const char *in, const char *want, bool colors)
{
    char out[256];
    bool any = false;
    size_t n = ty_text_clean_color(ty_str(in), out, &any);

    out[n] = 0;
    assert_string_equal(out, want);
    assert_int_equal(any, colors);
}

static void test_colors_may_stay(void **state)
{
    (void)state;
    colored("", "", false);
    colored("a\tb\r\n\a", "a\tb", false);
    colored("\033[1;31mred\033[m\033[38:5:9m", "\033[1;31mred\033[m\033[38:5:9m", true);
    colored("\033[2J\033]0;title\007x\033[31mr", "x\033[31mr", true);
    colored("\033]0;\033[31mr", "31mr", false); /* inside of a string, as a terminal reads it */
    colored("\033[?31m\033[>4m\033[31", "", false);
    colored("\033P\tq\033\\z", "z", false);
    colored("ü\xff\033[0m", "ü?\033[0m", true);
}

static void test_controls_go(void **state)
{
    (void)state;
    cleaned("a\b\a\r\nb\tc\x7f", "ab c");
    cleaned("\xc2\x9b"
            "31mx",
            "31mx"); /* CSI as one character */
    cleaned("abc\xe2\x80\xae"
            "def",
            "abcdef"); /* right to left */
    cleaned("\xe2\x80\xa8x\xef\xbb\xbfy", "xy");
}

static void test_what_is_no_utf8(void **state)
{
    (void)state;
    cleaned("a\xff"
            "b\xc3",
            "a?b?");
    cleaned("\xc0\x80", "??");           /* overlong */
    cleaned("\xed\xa0\x80", "???");      /* a lone surrogate */
    cleaned("\xf4\x90\x80\x80", "????"); /* past the end of Unicode */
    cleaned("\xe2\x82", "??");           /* cut */
}

static void test_cut_between_characters(void **state)
{
    char out[4];

    (void)state;
    assert_int_equal(ty_text_clean(TY_LIT("aüüü"), out, sizeof(out)), 3);
    assert_memory_equal(out, "aü", 3);
    assert_int_equal(ty_text_clean(TY_LIT("abc"), out, 0), 0);
}

static void test_valid(void **state)
{
    char out[16];

    (void)state;
    assert_int_equal(ty_text_valid(TY_LIT("a\t\033ü\xff"), out), 6);
    assert_memory_equal(out, "a\t\033ü?", 6);
    assert_int_equal(ty_text_valid(TY_LIT(""), out), 0);
}

static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(ty_text_width(TY_LIT("")), 0);
    assert_int_equal(ty_text_width(TY_LIT("abc")), 3);
    assert_int_equal(ty_text_width(TY_LIT("漢字")), 4);
    assert_int_equal(ty_text_width(TY_LIT("🚂")), 2);
    assert_int_equal(ty_text_width(TY_LIT("e\xcc\x81")), 1);
    assert_int_equal(ty_text_width(TY_LIT("████▌")), 5);
}

static void test_cut_to_columns(void **state)
{
    (void)state;
    assert_int_equal(ty_text_cut(TY_LIT("abc"), 2).n, 2);
    assert_int_equal(ty_text_cut(TY_LIT("abc"), 0).n, 0);
    assert_int_equal(ty_text_cut(TY_LIT("abc"), -1).n, 0);
    assert_int_equal(ty_text_cut(TY_LIT("漢字"), 3).n, 3); /* half of one is none */
    assert_int_equal(ty_text_cut(TY_LIT("e\xcc\x81x"), 1).n, 3);
    assert_int_equal(ty_text_cut(TY_LIT("abc"), 9).n, 3);
}

static void test_kept_bytes(void **state)
{
    (void)state;
    struct ty_str in = TY_LIT("a\033[1\nb\0\r\033]0;t\n\033[0mc\n");
    char out[64];
    assert_int_equal(ty_text_clean_keep(in, "\n", out), 6);
    assert_memory_equal(out, "a\nb\nc\n", 6);
    assert_int_equal(ty_text_clean_keep(in, "\r\n", out), 7);
    assert_memory_equal(out, "a\nb\r\nc\n", 7);
    assert_int_equal(ty_text_clean_keep((struct ty_str){ 0 }, "\n", out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_text_stays),
        cmocka_unit_test(test_escape_sequences_go),
        cmocka_unit_test(test_colors_may_stay),
        cmocka_unit_test(test_controls_go),
        cmocka_unit_test(test_what_is_no_utf8),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_cut_to_columns),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_kept_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
