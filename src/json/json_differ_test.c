/* Our reader beside jansson: the same texts are accepted and refused, and mean the same. The
 * differences that are meant are named in the tables. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "json/json.h"

#define FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

static bool same(const struct ty_json *v, json_t *w);

static bool same_members(const struct ty_json *v, json_t *w)
{
    if (v->n != json_object_size(w))
        return false;
    const char *key;
    json_t *value;
    uint32_t i = 0;
    json_object_foreach(w, key, value)
    { /* both keep the order */
        if (!ty_str_is(v->members[i].key, key) || !same(v->members[i].value, value))
            return false;
        i++;
    }
    return true;
}

static bool same(const struct ty_json *v, json_t *w)
{
    char text[400];
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        return json_is_null(w);
    case TY_JSON_BOOL:
        return json_is_boolean(w) && json_is_true(w) == v->b;
    case TY_JSON_INT:
        return json_is_integer(w) && json_integer_value(w) == v->i;
    case TY_JSON_NUMBER:
        snprintf(text, sizeof(text), "%.*s", (int)v->n, v->s);
        return json_is_number(w) && json_number_value(w) == strtod(text, NULL);
    case TY_JSON_STRING:
        return json_is_string(w) && json_string_length(w) == v->n &&
               memcmp(json_string_value(w), v->s, v->n) == 0;
    case TY_JSON_ARRAY:
        if (!json_is_array(w) || json_array_size(w) != v->n)
            return false;
        for (uint32_t i = 0; i < v->n; i++)
            if (!same(v->items[i], json_array_get(w, i)))
                return false;
        return true;
    case TY_JSON_OBJECT:
        return json_is_object(w) && same_members(v, w);
    }
    return false;
}

enum verdict { BOTH_REFUSE, BOTH_ACCEPT, WE_ACCEPT, WE_REFUSE };

static enum verdict judge(struct ty_str text, enum json_error_code *ret_why)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    json_error_t why;
    const struct ty_json *v = ty_json_parse(a, text, NULL, NULL);
    json_t *w = json_loadb(text.p, text.n, FLAGS, &why);
    enum verdict verdict = v ? (w ? BOTH_ACCEPT : WE_ACCEPT) : (w ? WE_REFUSE : BOTH_REFUSE);
    *ret_why = w ? json_error_unknown : json_error_code(&why);
    if (verdict == BOTH_ACCEPT && !same(v, w))
        fail_msg("read in two ways: %.*s", TY_ARG(text));
    json_decref(w);
    return verdict;
}

static void check(const struct ty_str *texts, size_t n, enum verdict want)
{
    enum json_error_code why;
    for (size_t i = 0; i < n; i++) {
        enum verdict got = judge(texts[i], &why);
        if (got != want)
            fail_msg("text %zu: verdict %d, not %d: %.*s", i, got, want, TY_ARG(texts[i]));
    }
}
#define CHECK(list, want) check((list), TY_COUNT(list), (want))

static void accepted(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("null"),
        TY_LIT("true"),
        TY_LIT("false"),
        TY_LIT(" \t\r\n0\n"),
        TY_LIT("-1"),
        TY_LIT("\"\""),
        TY_LIT("[]"),
        TY_LIT("{}"),
        TY_LIT("[[]]"),
        TY_LIT("[{}]"),
        TY_LIT("{\"\":{}}"),
        TY_LIT("-0"),
        TY_LIT("-0.0"),
        TY_LIT("0.1"),
        TY_LIT("0e0"),
        TY_LIT("0E+1"),
        TY_LIT("1e-400"),
        TY_LIT("1.25e2"),
        TY_LIT("123456789012345678"),
        TY_LIT("9223372036854775807"),
        TY_LIT("-9223372036854775808"),
        TY_LIT("3.141592653589793238462643383279502884"),
        TY_LIT("1e308"),
        TY_LIT("[1,-2,3.5,4e1]"),
        TY_LIT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
        TY_LIT("\"\\u0041\\u00e9\\u20AC\\uFFFF\""),
        TY_LIT("\"\\ud83d\\ude00\""),
        TY_LIT("\"\\uD800\\uDC00\\uDBFF\\uDFFF\""),
        TY_LIT("\"\\u0000\""),
        TY_LIT("\"a\\u0000b\""),
        TY_LIT("\"\x7f\""),
        TY_LIT("\"\xc2\x80\xdf\xbf\""),
        TY_LIT("\"\xe0\xa0\x80\xef\xbf\xbf\""),
        TY_LIT("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""),
        TY_LIT("\"\u2028\u2029\""),
        TY_LIT("{\"a\":1,\"A\":2,\"aa\":3}"),
        TY_LIT("{\"a\":{\"a\":{\"a\":1}}}"),
        TY_LIT("[\"a\",\"a\"]"),
        TY_LIT("{\"\\u0061\":1,\"b\":2}"),
        TY_LIT("{\"k\":\"0123456789abcde\\n0123456789abcdef\xc3\xa9"
               "0123456789abcdef\"}"),
        TY_LIT("[ 1 , 2 , { \"a\" : [ ] , \"b\" : null } ]"),
        TY_LIT("\"//\""),
        TY_LIT("[\"]\",\"}\"]"),
        TY_LIT("{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"10\":10,"
               "\"11\":11,\"12\":12,\"13\":13,\"14\":14,\"15\":15,\"16\":16,\"17\":17,\"18\":18}"),
    };
    CHECK(texts, BOTH_ACCEPT);
}

static void refused_words(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT(""),          TY_LIT(" "),        TY_LIT("\xef\xbb\xbf{}"),
        TY_LIT("nul"),       TY_LIT("nullx"),    TY_LIT("True"),
        TY_LIT("NaN"),       TY_LIT("Infinity"), TY_LIT("-Infinity"),
        TY_LIT("undefined"), TY_LIT("'a'"),      TY_LIT("a"),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void refused_numbers(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("+1"),  TY_LIT("01"),  TY_LIT("-01"),   TY_LIT("00"),   TY_LIT("-"),
        TY_LIT("--1"), TY_LIT(".5"),  TY_LIT("-.5"),   TY_LIT("1."),   TY_LIT("1.e1"),
        TY_LIT("1e"),  TY_LIT("1e+"), TY_LIT("1e1.5"), TY_LIT("0x10"), TY_LIT("1_000"),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void refused_lists_and_objects(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("1 2"),
        TY_LIT("[1 2]"),
        TY_LIT("[1,]"),
        TY_LIT("[,1]"),
        TY_LIT("[,]"),
        TY_LIT("["),
        TY_LIT("]"),
        TY_LIT("[1"),
        TY_LIT("[1,"),
        TY_LIT("[}"),
        TY_LIT("{]"),
        TY_LIT("{"),
        TY_LIT("}"),
        TY_LIT("{,}"),
        TY_LIT("{\"a\"}"),
        TY_LIT("{\"a\":}"),
        TY_LIT("{\"a\":1,}"),
        TY_LIT("{\"a\" 1}"),
        TY_LIT("{\"a\":1 \"b\":2}"),
        TY_LIT("{a:1}"),
        TY_LIT("{1:1}"),
        TY_LIT("{null:1}"),
        TY_LIT("{\"a\"::1}"),
        TY_LIT("{\"a\":1:2}"),
        TY_LIT("{\"a\":1,\"a\":2}"),
        TY_LIT("{\"a\":1,\"\\u0061\":2}"),
        TY_LIT("[{\"b\":0,\"a\":1,\"a\":1}]"),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void refused_strings(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("\""),
        TY_LIT("\"a"),
        TY_LIT("\"\\\""),
        TY_LIT("\"\\x41\""),
        TY_LIT("\"\\a\""),
        TY_LIT("\"\\'\""),
        TY_LIT("\"\\u\""),
        TY_LIT("\"\\u12\""),
        TY_LIT("\"\\u123g\""),
        TY_LIT("\"\\U0041\""),
        TY_LIT("\"\\ud800\""),
        TY_LIT("\"\\udc00\""),
        TY_LIT("\"\\ud800\\ud800\""),
        TY_LIT("\"\\ud800\\u0041\""),
        TY_LIT("\"\\ud800\\n\""),
        TY_LIT("\"\\ud800abcdef\""),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void refused_bytes(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("\"\n\""),
        TY_LIT("\"\t\""),
        TY_LIT("\"\x01\""),
        TY_LIT("\"\0\""),
        TY_LIT("\0"),
        TY_LIT("\"\x80\""),
        TY_LIT("\"\xff\""),
        TY_LIT("\"\xc0\x80\""),
        TY_LIT("\"\xc3\""),
        TY_LIT("\"\xe2\x82\""),
        TY_LIT("\"\xed\xa0\x80\""),
        TY_LIT("\"\xe0\x80\x80\""),
        TY_LIT("\"\xf4\x90\x80\x80\""),
        TY_LIT("\"\xf8\x88\x80\x80\x80\""),
        TY_LIT("\xc3\xa9"),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void refused_rests(void **state TY_UNUSED)
{
    const struct ty_str texts[] = {
        TY_LIT("{}{}"),         TY_LIT("[]\v"),          TY_LIT("[]\f"),    TY_LIT("\xc2\xa0[]"),
        TY_LIT("/**/1"),        TY_LIT("1//x"),          TY_LIT("[1]]"),    TY_LIT("{\"a\":tru}"),
        TY_LIT("[true false]"), TY_LIT("[\"a\" \"b\"]"), TY_LIT("\\u0031"),
    };
    CHECK(texts, BOTH_REFUSE);
}

static void differences_meant(void **state TY_UNUSED)
{
    const struct ty_str ours[] = {
        /* Numbers have no ceiling here: their text is kept. */
        TY_LIT("9223372036854775808"),
        TY_LIT("-9223372036854775809"),
        TY_LIT("[1e309,-1e999]"),
        /* A key is a view: a NUL in it is a character as others are. */
        TY_LIT("{\"a\\u0000b\":1}"),
    };
    const struct ty_str theirs[] = {
        TY_LIT("1\0"), /* more text here, the end of it there */
    };
    CHECK(ours, WE_ACCEPT);
    CHECK(theirs, WE_REFUSE);
    /* Depth: 512 levels here, 2048 there. */
    ty_auto_buf deep = { 0 };
    enum json_error_code why;
    for (unsigned i = 0; i < 513; i++)
        ty_buf_chr(&deep, '[');
    for (unsigned i = 0; i < 513; i++)
        ty_buf_chr(&deep, ']');
    assert_int_equal(judge(ty_buf_str(&deep), &why), WE_REFUSE);
    assert_int_equal(judge((struct ty_str){ deep.p + 1, 1024 }, &why), BOTH_ACCEPT);
}

/* xorshift: the same texts on every machine */
static uint32_t next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* A good text with one to four bytes replaced, dropped or doubled. */
static void mutated(void **state TY_UNUSED)
{
    static const char good[] = "{\"apiVersion\":\"v1\",\"n\":[0,-1,2.5e+3,12345678901],\"s\":"
                               "\"a\\u00e9\\ud83d\\ude00é€\",\n"
                               " \"on\":true,\"off\":false,\"no\":null,\"in\":{\"a\":{},\"b\":[[],["
                               "{}]],\"c\":\"\\\"\\\\\"}}";
    static const char likely[] = "\"\\{}[]:,0123456789.eE+-tfnu \n\x80\xc3\xa9\xf0\x01";
    uint32_t seed = 2463534242u;
    unsigned count[4] = { 0 };
    for (int round = 0; round < 30000; round++) {
        char text[sizeof(good) + 8];
        size_t n = sizeof(good) - 1;
        memcpy(text, good, n);
        for (uint32_t k = next(&seed) % 4 + 1; k > 0; k--) {
            size_t at = next(&seed) % n;
            uint32_t how = next(&seed) % 4;
            if (how == 0) {
                memmove(text + at, text + at + 1, n - at - 1);
                n--;
            } else if (how == 1) {
                memmove(text + at + 1, text + at, n - at);
                n++;
            } else {
                text[at] = likely[next(&seed) % (sizeof(likely) - 1)];
            }
        }
        enum json_error_code why;
        enum verdict got = judge((struct ty_str){ text, n }, &why);
        bool meant = got == WE_ACCEPT &&
                     (why == json_error_numeric_overflow || why == json_error_null_byte_in_key);
        if (got > BOTH_ACCEPT && !meant)
            fail_msg("verdict %d: %.*s", got, (int)n, text);
        count[got]++;
    }
    assert_true(count[BOTH_ACCEPT] > 1000 && count[BOTH_REFUSE] > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),        cmocka_unit_test(refused_words),
        cmocka_unit_test(refused_numbers), cmocka_unit_test(refused_lists_and_objects),
        cmocka_unit_test(refused_strings), cmocka_unit_test(refused_bytes),
        cmocka_unit_test(refused_rests),   cmocka_unit_test(differences_meant),
        cmocka_unit_test(mutated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
