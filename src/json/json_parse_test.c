/* The reader: values, places, every kind of mistake and its sentence, ceilings. */
#include "json/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void values(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *want; /* compact again */
        enum ty_json_type type;
    } cases[] = {
        { " null ", "null", TY_JSON_NULL },
        { "true", "true", TY_JSON_BOOL },
        { "\t\r\n false\n", "false", TY_JSON_BOOL },
        { "0", "0", TY_JSON_INT },
        { "-1", "-1", TY_JSON_INT },
        { "9223372036854775807", "9223372036854775807", TY_JSON_INT },
        { "-9223372036854775808", "-9223372036854775808", TY_JSON_INT },
        { "9223372036854775808", "9223372036854775808", TY_JSON_NUMBER },
        { "-9223372036854775809", "-9223372036854775809", TY_JSON_NUMBER },
        { "18446744073709551616", "18446744073709551616", TY_JSON_NUMBER },
        { "-0", "-0", TY_JSON_NUMBER },
        { "1.0", "1.0", TY_JSON_NUMBER },
        { "1e3", "1e3", TY_JSON_NUMBER },
        { "-0.5E-7", "-0.5E-7", TY_JSON_NUMBER },
        { "1E+400", "1E+400", TY_JSON_NUMBER },
        { "\"\"", "\"\"", TY_JSON_STRING },
        { "\"a\\u0062\\/\\\"\\\\\"", "\"ab/\\\"\\\\\"", TY_JSON_STRING },
        { "\"\\b\\f\\n\\r\\t\\u001f\"", "\"\\b\\f\\n\\r\\t\\u001f\"", TY_JSON_STRING },
        { "\"\\u00e9\\u20ac\\ud83d\\uDE00\"", "\"é€😀\"", TY_JSON_STRING },
        { "\"é€😀\x7f\"", "\"é€😀\x7f\"", TY_JSON_STRING },
        { "\"\\u2028\"", "\"\\u2028\"", TY_JSON_STRING },
        { "[ ]", "[]", TY_JSON_ARRAY },
        { "[1 , [2,[ 3]],\"\"]", "[1,[2,[3]],\"\"]", TY_JSON_ARRAY },
        { "{ }", "{}", TY_JSON_OBJECT },
        { "{\"b\" : 1 ,\"a\":{}, \"\":[{}]}", "{\"b\":1,\"a\":{},\"\":[{}]}", TY_JSON_OBJECT },
        { "{\"\\u0061\\n\":\"1\"}", "{\"a\\n\":\"1\"}", TY_JSON_OBJECT },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_err err = { 0 };
        const struct ty_json *v = ty_json_parse(a, ty_str(cases[i].text), NULL, &err);
        if (!v) {
            fail_msg("%s: %s", cases[i].text, err.text);
            return;
        }
        assert_int_equal(v->type, cases[i].type);
        assert_string_equal(ty_json_text(a, v).p, cases[i].want);
    }
}

static void sentences(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "line 1, column 1: expected a value, but the text ends here" },
        { " \n ", "line 2, column 2: expected a value, but the text ends here" },
        { "\xef\xbb\xbf{}", "line 1, column 1: expected a value, found byte 0xef" },
        { "{\n  \"a\": tru }", "line 2, column 8: expected a value, found 't'" },
        { "nul", "line 1, column 1: expected a value, found 'n'" },
        { "'a'", "line 1, column 1: expected a value, found '''" },
        { "+1", "line 1, column 1: expected a value, found '+'" },
        { "01", "line 1, column 2: expected no digit after a leading zero, found '1'" },
        { "-", "line 1, column 2: expected a digit, but the text ends here" },
        { "[1.]", "line 1, column 4: expected a digit after the decimal point, found ']'" },
        { "1e+", "line 1, column 4: expected a digit of the exponent, but the text ends here" },
        { "1 2", "line 1, column 3: expected the end of the text, found '2'" },
        { "{}\f", "line 1, column 3: expected the end of the text, found byte 0x0c" },
        { "[1 2]", "line 1, column 4: expected ',' or ']' after a list item, found '2'" },
        { "[1,]", "line 1, column 4: expected a value, found ']'" },
        { "[", "line 1, column 2: expected a value, but the text ends here" },
        { "{a:1}", "line 1, column 2: expected a key in quotes, found 'a'" },
        { "{\"a\" 1}", "line 1, column 6: expected ':' after a key, found '1'" },
        { "{\"a\":1,}", "line 1, column 8: expected a key in quotes, found '}'" },
        { "{\"a\":1",
          "line 1, column 7: expected ',' or '}' after a member, but the text ends here" },
        { "\"abc", "line 1, column 5: the text ends inside a string" },
        { "\"a\nb\"",
          "line 1, column 3: a control character in a string must be written as an escape" },
        { "\"\\x\"",
          "line 1, column 2: no such escape: after \\ comes one of \" \\ / b f n r t u" },
        { "\"a\\", "line 1, column 3: no such escape: after \\ comes one of \" \\ / b f n r t u" },
        { "\"\\u12g4\"", "line 1, column 2: \\u needs four hexadecimal digits" },
        { "\"\\ud800x\"", "line 1, column 2: half of a surrogate pair" },
        { "\"\\ud800\\ud800\"", "line 1, column 2: half of a surrogate pair" },
        { "\"\\udc00\\ud800\"", "line 1, column 2: half of a surrogate pair" },
        { "\"a\xc0\x80\"", "line 1, column 3: the text is not UTF-8" },
        { "\"\\n\xff\"", "line 1, column 4: the text is not UTF-8" },
        { "{\"a\":1,\n \"b\":2, \"a\":3}", "line 2, column 9: the key \"a\" is there twice" },
        { "{\"a\":1,\"\\u0061\":3}", "line 1, column 17: the key \"a\" is there twice" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_err err = { 0 };
        if (ty_json_parse(a, ty_str(cases[i].text), NULL, &err))
            fail_msg("accepted: %s", cases[i].text);
        assert_string_equal(err.text, cases[i].want);
        assert_true(err.code < 0);
        assert_null(ty_json_parse(a, ty_str(cases[i].text), NULL, NULL));
    }
    assert_null(ty_json_parse(a, (struct ty_str){ 0 }, NULL, NULL));
}

/* Every prefix of a good text is refused, and nothing behind its end is read. */
static void prefixes(void **state TY_UNUSED)
{
    static const char text[] = "{\"k\":[1.5e+3,true,false,null,\"x\\u00e9\\ud83d\\ude00€ and long "
                               "enough for a whole block\",-12],\"o\":{\"\":{}}}";
    ty_auto_arena *a = ty_arena_new(1 << 22);
    for (size_t n = 0; n < sizeof(text); n++) {
        char *exact = malloc(n + 1);
        assert_non_null(exact);
        char *p = memcpy(exact + 1, text, n); /* at an odd address, its end at the block's end */
        bool good = ty_json_parse(a, (struct ty_str){ p, n }, NULL, NULL);
        free(exact);
        assert_int_equal(good, n == sizeof(text) - 1);
    }
}

static void places(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *v =
        ty_json_parse(a, TY_LIT("{\n  \"a\": [1,\n\t\"é\", {}],\r\n\"b\":null}"), NULL, NULL);
    const struct ty_json *l = ty_json_get(v, "a"), *b = ty_json_get(v, "b");
    assert_int_equal(v->line * 100 + v->col, 101);
    assert_int_equal(l->line * 100 + l->col, 208);
    assert_int_equal(l->items[0]->line * 100 + l->items[0]->col, 209);
    assert_int_equal(l->items[1]->line * 100 + l->items[1]->col, 302);
    assert_int_equal(l->items[2]->line * 100 + l->items[2]->col, 308); /* bytes, not letters */
    assert_int_equal(b->line * 100 + b->col, 405);
}

static struct ty_str nested(struct ty_buf *out, size_t depth)
{
    out->n = 0;
    for (size_t i = 0; i < depth; i++)
        ty_buf_cstr(out, i % 2 ? "{\"a\":" : "[");
    ty_buf_chr(out, '1');
    for (size_t i = depth; i-- > 0;)
        ty_buf_chr(out, i % 2 ? '}' : ']');
    return ty_buf_str(out);
}

static void ceilings(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    ty_auto_buf out = { 0 };
    struct ty_err err = { 0 };
    assert_non_null(ty_json_parse(a, nested(&out, TY_JSON_MAX_DEPTH), NULL, NULL));
    assert_null(ty_json_parse(a, nested(&out, TY_JSON_MAX_DEPTH + 1), NULL, &err));
    assert_string_equal(err.text, "line 1, column 1537: nested deeper than 512 levels");
    const struct ty_json_limits small = { .bytes = 5, .depth = 2 };
    assert_non_null(ty_json_parse(a, TY_LIT("[[1]]"), &small, NULL));
    assert_null(ty_json_parse(a, TY_LIT("[[1]] "), &small, &err));
    assert_string_equal(err.text,
                        "line 1, column 1: the text has 6 bytes, more than the 5 allowed");
    assert_null(
        ty_json_parse(a, TY_LIT("[[[]]]"), &(const struct ty_json_limits){ .depth = 2 }, &err));
    assert_string_equal(err.text, "line 1, column 3: nested deeper than 2 levels");
    const struct ty_json_limits four = { .values = 4 };
    assert_non_null(ty_json_parse(a, TY_LIT("{\"a\":[1,null]}"), &four, NULL));
    assert_null(ty_json_parse(a, TY_LIT("{\"a\":[1,null,\"\"]}"), &four, &err));
    assert_string_equal(err.text, "line 1, column 14: there are more values than are taken here");
    assert_int_equal(err.code, -E2BIG);
}

/* What does not fit into an arena of input is refused wherever it becomes full, and within it. */
static void a_full_arena(void **state TY_UNUSED)
{
    static const char *const items[] = { "{}", "[]", "1", "\"\\n\"", "{\"k\":{}}", "[[[1]]]" };

    for (size_t i = 0; i < TY_COUNT(items); i++)
        for (size_t n = 20000; n <= 80000; n += 20000) {
            ty_auto_arena *a = ty_arena_new_input(256 << 10, NULL);
            ty_auto_buf out = { 0 };
            struct ty_err err = { 0 };
            for (size_t k = 0; k < n; k++)
                ty_buf_printf(&out, "%c%s", k ? ',' : '[', items[i]);
            ty_buf_chr(&out, ']');
            assert_null(ty_json_parse(a, ty_buf_str(&out), NULL, &err));
            assert_int_equal(err.code, -EFBIG);
            assert_non_null(strstr(err.text, "the text takes more memory than it may"));
            assert_true(ty_arena_used(a) < 2 << 20); /* it stopped soon */
        }
    ty_auto_arena *a = ty_arena_new_input(1000, NULL);
    assert_non_null(ty_json_parse(a, TY_LIT("[1,2,3]"), NULL, NULL));
    assert_null(
        ty_json_parse(a, TY_LIT("[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2]"), NULL, NULL));
}

/* Many keys that share a length and their first and last letters: the worst for our shortcut. */
static void twice_in_big(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
    ty_auto_buf out = { 0 };
    struct ty_err err = { 0 };
    for (int i = 0; i < 100000; i++)
        ty_buf_printf(&out, "%c\"k%06dk\":%d", i ? ',' : '{', (i * 7919) % 100000, i);
    ty_buf_chr(&out, '}');
    assert_non_null(ty_json_parse(a, ty_buf_str(&out), NULL, &err));
    out.n--;
    ty_buf_cstr(&out, ",\n\"k000007k\":0,\"k000006k\":0}");
    assert_null(ty_json_parse(a, ty_buf_str(&out), NULL, &err));
    assert_string_equal(err.text, "line 2, column 1: the key \"k000007k\" is there twice");
}

/* What a caller must know to choose an arena's ceiling: see the header. */
static void memory(void **state TY_UNUSED)
{
    static const char *const items[] = { "0", "[]", "[0]", "{}", "{\"\":0}", "\"\\n\"", "[[[]]]" };
    for (size_t k = 0; k < TY_COUNT(items); k++) {
        ty_auto_arena *a = ty_arena_new((size_t)1 << 26);
        ty_auto_buf out = { 0 };
        for (int i = 0; i < 50000; i++)
            ty_buf_printf(&out, "%c%s", i ? ',' : '[', items[k]);
        ty_buf_chr(&out, ']');
        assert_non_null(ty_json_parse(a, ty_buf_str(&out), NULL, NULL));
        assert_in_range(ty_arena_used(a), out.n, out.n * 24 + 8192);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),       cmocka_unit_test(a_full_arena), cmocka_unit_test(sentences),
        cmocka_unit_test(prefixes),     cmocka_unit_test(places),       cmocka_unit_test(ceilings),
        cmocka_unit_test(twice_in_big), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
