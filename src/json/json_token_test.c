/* Characters, escapes and numbers on their own. */
#include "json/json_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Every code point is well-formed at its own length and at no shorter one; surrogates never. */
static void utf8_all(void **state TY_UNUSED)
{
    for (uint32_t c = 0; c < 0x110000; c++) {
        char p[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
        uint32_t rest = c;
        for (size_t i = n - 1; i > 0; i--, rest >>= 6)
            p[i] = (char)(0x80 | (rest & 0x3f));
        p[0] = (char)(lead[n] | rest);
        bool half = c >= 0xd800 && c <= 0xdfff;
        assert_int_equal(ty_json_utf8_len(p, p + n), half ? 0 : n);
        assert_int_equal(ty_json_utf8_len(p, p + n - 1), 0);
    }
}

static void utf8_bad(void **state TY_UNUSED)
{
    static const char *const bad[] = {
        "\x80",
        "\xbf",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf",
        "\xff",
        "\xfe",
        "\xc2 ",
        "\xe1\x80",
        "\xe1\x80 ",
        "\xf4\x90\x80\x80",
        "\xf1\x80\x80 ",
        "\xf5\x80\x80\x80",
    };
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_int_equal(ty_json_utf8_len(bad[i], bad[i] + strlen(bad[i])), 0);
}

/* The quick scan finds what a byte-wise one finds, at every place and length. */
static void skips_plain(void **state TY_UNUSED)
{
    for (size_t n = 0; n < 50; n++) {
        char *p = malloc(n ? n : 1);
        assert_non_null(p);
        for (int c = 0; c < 256; c++) {
            bool plain = ty_json_is_plain((char)c);
            for (size_t at = 0; at < n; at++) {
                memset(p, 'a', n);
                p[at] = (char)c;
                assert_ptr_equal(ty_json_skip_plain(p, p + n), plain ? p + n : p + at);
                uint64_t w;
                if (n == 8) {
                    memcpy(&w, p, 8);
                    assert_int_equal(ty_json_odd_bytes(w) != 0, !plain);
                }
            }
        }
        free(p);
    }
}

static void escapes_as_go(void **state TY_UNUSED)
{
    const struct {
        struct ty_str text;
        const char *want;
    } cases[] = {
        { TY_LIT("\""), "\\\"" },
        { TY_LIT("\\"), "\\\\" },
        { TY_LIT("\n"), "\\n" },
        { TY_LIT("\r"), "\\r" },
        { TY_LIT("\t"), "\\t" },
        { TY_LIT("\b"), "\\b" },
        { TY_LIT("\f"), "\\f" },
        { TY_LIT("\0"), "\\u0000" },
        { TY_LIT("\x1f"), "\\u001f" },
        { TY_LIT("\v"), "\\u000b" },
        { TY_LIT("é"), "é" },
        { TY_LIT("\u2027"), "\u2027" },
        { TY_LIT("\u2028"), "\\u2028" },
        { TY_LIT("\u2029"), "\\u2029" },
        { TY_LIT("😀"), "😀" },
        { TY_LIT("\xff"), "\\ufffd" },
        { TY_LIT("\xe2\x80"), "\\ufffd" },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_buf out = { 0 };
        struct ty_str s = cases[i].text;
        size_t took = ty_json_escape(&out, s.p, s.p + s.n);
        assert_true(ty_str_is(ty_buf_str(&out), cases[i].want));
        assert_int_equal(took, strcmp(cases[i].want, "\\ufffd") == 0 ? 1 : s.n);
    }
}

static void unescapes(void **state TY_UNUSED)
{
    const struct {
        const char *text;
        size_t took;
        struct ty_str want;
    } cases[] = {
        { "\\\"", 2, TY_LIT("\"") },
        { "\\\\x", 2, TY_LIT("\\") },
        { "\\/", 2, TY_LIT("/") },
        { "\\n", 2, TY_LIT("\n") },
        { "\\b", 2, TY_LIT("\b") },
        { "\\f", 2, TY_LIT("\f") },
        { "\\u0000", 6, TY_LIT("\0") },
        { "\\u007F1", 6, TY_LIT("\x7f") },
        { "\\u07ff", 6, TY_LIT("\u07ff") },
        { "\\uFFFF", 6, TY_LIT("\uffff") },
        { "\\ud800\\udc00", 12, TY_LIT("\U00010000") },
        { "\\uDBFF\\uDFFF\\", 12, TY_LIT("\U0010ffff") },
        { "\\", 0, TY_LIT("") },
        { "\\a", 0, TY_LIT("") },
        { "\\u123", 0, TY_LIT("") },
        { "\\u12 4", 0, TY_LIT("") },
        { "\\ud800\\n", 0, TY_LIT("") },
        { "\\ud800\\u0041", 0, TY_LIT("") },
        { "\\ude00", 0, TY_LIT("") },
        { "\\ud800\\udc0", 0, TY_LIT("") },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        char room[4], *to = room;
        const char *p = cases[i].text;
        const char *wrong = ty_json_unescape(&p, p + strlen(p), &to);
        assert_int_equal(p - cases[i].text, cases[i].took);
        assert_int_equal(wrong != NULL, cases[i].took == 0);
        assert_true(ty_str_eq((struct ty_str){ room, (size_t)(to - room) }, cases[i].want));
    }
}

static void numbers(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *want; /* what was expected, or NULL */
        int took;
        bool whole;
    } cases[] = {
        { "0", NULL, 1, true },
        { "-10,", NULL, 3, true },
        { "1.50 ", NULL, 4, false },
        { "2E3]", NULL, 3, false },
        { "0e-09", NULL, 5, false },
        { "-0.0", NULL, 4, false },
        { "-", "a digit", 1, false },
        { "-.5", "a digit", 1, false },
        { "00", "no digit after a leading zero", 1, false },
        { "-01", "no digit after a leading zero", 2, false },
        { "1.e3", "a digit after the decimal point", 2, false },
        { "1e", "a digit of the exponent", 2, false },
        { "1e-x", "a digit of the exponent", 3, false },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *p = cases[i].text;
        bool whole = false;
        const char *want = ty_json_scan_number(&p, p + strlen(p), &whole);
        assert_string_equal(want ? want : "", cases[i].want ? cases[i].want : "");
        assert_int_equal(p - cases[i].text, cases[i].took);
        if (!want)
            assert_int_equal(whole, cases[i].whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_all),      cmocka_unit_test(utf8_bad),  cmocka_unit_test(skips_plain),
        cmocka_unit_test(escapes_as_go), cmocka_unit_test(unescapes), cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
