/* What plain words, numbers and tags mean. Wanted values are those of sigs.k8s.io/yaml v1.6.0. */
#include "json/yaml_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
    const char *text, *want;
};

static const struct row plain[] = {
    { "", "null" },
    { "~", "null" },
    { "null", "null" },
    { "Null", "null" },
    { "NULL", "null" },
    { "nULL", "\"nULL\"" },
    { "true", "true" },
    { "True", "true" },
    { "TRUE", "true" },
    { "tRUE", "\"tRUE\"" },
    { "yes", "true" },
    { "Yes", "true" },
    { "yEs", "\"yEs\"" },
    { "on", "true" },
    { "ON", "true" },
    { "y", "true" },
    { "Y", "true" },
    { "false", "false" },
    { "no", "false" },
    { "NO", "false" },
    { "off", "false" },
    { "Off", "false" },
    { "n", "false" },
    { "N", "false" },
    { "nope", "\"nope\"" },
    { "0", "0" },
    { "-0", "0" },
    { "12", "12" },
    { "+12", "12" },
    { "-12", "-12" },
    { "1_000", "1000" },
    { "1__0", "10" },
    { "_1", "\"_1\"" },
    { "0777", "511" },
    { "0_7", "7" },
    { "08", "8" },
    { "0o17", "15" },
    { "0O17", "15" },
    { "0x1F", "31" },
    { "0X1f", "31" },
    { "0x", "\"0x\"" },
    { "-0x10", "-16" },
    { "0b11", "3" },
    { "-0b11", "-3" },
    { "0b2", "\"0b2\"" },
    { "9223372036854775807", "9223372036854775807" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "9223372036854775808", "9223372036854775808" },
    { "18446744073709551615", "18446744073709551615" },
    { "0x8000000000000000", "9223372036854775808" },
    { "18446744073709551616", "18446744073709552000" },
    { "123456789012345678901234567890", "1.2345678901234568e+29" },
    { "1.0", "1" },
    { "1.50", "1.5" },
    { "0.1", "0.1" },
    { ".5", "0.5" },
    { "5.", "5" },
    { "+.5", "0.5" },
    { "-.5", "-0.5" },
    { ".5_0", "0.5" },
    { "._5", "\"._5\"" },
    { ".e3", "\".e3\"" },
    { ".1e5", "10000" },
    { "1_000.5", "1000.5" },
    { "1e3", "1000" },
    { "1e3_0", "1e+30" },
    { "1e", "\"1e\"" },
    { "1e20", "100000000000000000000" },
    { "1e21", "1e+21" },
    { "0.000001", "0.000001" },
    { "1e-7", "1e-7" },
    { "1.5e-10", "1.5e-10" },
    { "-0.0", "-0" },
    { "123456789.123456789", "123456789.12345679" },
    { "1e400", "\"1e400\"" },
    { "1e-400", "0" },
    { "0x1p4", "\"0x1p4\"" },
    { "nan", "\"nan\"" },
    { "+inf", "\"+inf\"" },
    { "--1", "\"--1\"" },
    { "+", "\"+\"" },
    { ".", "\".\"" },
    { "=", "\"=\"" },
    { "<<", "\"<<\"" },
    { "2001-01-01", "\"2001-01-01\"" },
    { "2001-01-01T00:00:00Z", "\"2001-01-01T00:00:00Z\"" },
    { "12:30", "\"12:30\"" },
    { "190:20:30", "\"190:20:30\"" },
    { "10Gi", "\"10Gi\"" },
    { "1.2.3", "\"1.2.3\"" },
};

static void reads_plain(void **state TY_UNUSED)
{
    for (size_t i = 0; i < TY_COUNT(plain); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        const struct ty_yaml_scalar in = { .text = ty_str(plain[i].text), .plain = true };
        struct ty_json v = { 0 };
        const char *why = NULL;
        assert_true(ty_yaml_scalar_parse(a, &in, &v, &why));
        const char *got = ty_json_text(a, &v).p;
        if (strcmp(got, plain[i].want) != 0)
            fail_msg("%s: got %s, want %s", plain[i].text, got, plain[i].want);
    }
}

/* What is no string when plain must never be printed plain. */
static void knows_words(void **state TY_UNUSED)
{
    for (size_t i = 0; i < TY_COUNT(plain); i++)
        if (plain[i].want[0] != '"' && !ty_yaml_scalar_is_word(ty_str(plain[i].text)))
            fail_msg("%s is a word", plain[i].text);
    assert_true(ty_yaml_scalar_is_word(TY_LIT("<<")));
    assert_true(ty_yaml_scalar_is_word(TY_LIT("=")));
    assert_true(ty_yaml_scalar_is_word(TY_LIT(".NaN")));
    assert_false(ty_yaml_scalar_is_word(TY_LIT("10Gi")));
    assert_false(ty_yaml_scalar_is_word(TY_LIT("torch")));
}

static void quoted_is_string(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *why = NULL;
    const char *texts[] = { "", "yes", "1", ".inf", "~" };
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        const struct ty_yaml_scalar in = { .text = ty_str(texts[i]) };
        struct ty_json v = { 0 };
        assert_true(ty_yaml_scalar_parse(a, &in, &v, &why));
        assert_true(ty_str_is(ty_json_as_str(&v), texts[i]));
        assert_int_equal(v.type, TY_JSON_STRING);
    }
}

static void obeys_tags(void **state TY_UNUSED)
{
    static const struct {
        const char *tag, *text, *want; /* starts with '!': why not */
    } rows[] = {
        { "tag:yaml.org,2002:str", "1", "\"1\"" },
        { "!", "12", "\"12\"" },
        { "tag:yaml.org,2002:timestamp", "2001-01-01", "\"2001-01-01\"" },
        { "tag:yaml.org,2002:int", "1", "1" },
        { "tag:yaml.org,2002:int", "0x1e", "30" },
        { "tag:yaml.org,2002:int", "x", "!\"x\" is not a value of !!int" },
        { "tag:yaml.org,2002:int", "1.0", "!\"1.0\" is not a value of !!int" },
        { "tag:yaml.org,2002:float", "1", "1" },
        { "tag:yaml.org,2002:float", "1.5", "1.5" },
        { "tag:yaml.org,2002:float", ".inf", "!\".inf\" is not a value of !!float" },
        { "tag:yaml.org,2002:bool", "yes", "true" },
        { "tag:yaml.org,2002:bool", "1", "!\"1\" is not a value of !!bool" },
        { "tag:yaml.org,2002:null", "", "null" },
        { "tag:yaml.org,2002:null", "x", "!\"x\" is not a value of !!null" },
        { "tag:yaml.org,2002:binary", "aGVs\n bG8=", "\"hello\"" },
        { "tag:yaml.org,2002:binary", "", "\"\"" },
        { "tag:yaml.org,2002:binary", "aGk=x", "!the !!binary value is not base64" },
        { "tag:yaml.org,2002:binary", "a===", "!the !!binary value is not base64" },
        { "tag:yaml.org,2002:binary", "aGVsbG8", "!the !!binary value is not base64" },
        { "tag:yaml.org,2002:binary",
          "gIE=", "!the !!binary value is not UTF-8 text, which is all that JSON can hold" },
        { "!foo", "x", "!the tag !foo means nothing here" },
        { "tag:yaml.org,2002:set", "x", "!the tag !!set means nothing here" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        const struct ty_yaml_scalar in = { ty_str(rows[i].text), ty_str(rows[i].tag), true };
        struct ty_json v = { 0 };
        const char *why = NULL;
        if (ty_yaml_scalar_parse(a, &in, &v, &why))
            assert_string_equal(ty_json_text(a, &v).p, rows[i].want);
        else
            assert_string_equal(ty_arena_printf(a, "!%s", why), rows[i].want);
    }
}

static void refuses_infinity(void **state TY_UNUSED)
{
    const char *texts[] = { ".inf", "-.Inf", "+.INF", ".nan", ".NaN" };
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        const struct ty_yaml_scalar in = { .text = ty_str(texts[i]), .plain = true };
        struct ty_json v = { 0 };
        const char *why = NULL;
        assert_false(ty_yaml_scalar_parse(a, &in, &v, &why));
        assert_string_equal(
            why, ty_arena_printf(a, "JSON has no number %s; put a string in quotes", texts[i]));
    }
}

static void makes_keys(void **state TY_UNUSED)
{
    static const struct row rows[] = {
        { "true", "true" },
        { "yes", "true" },
        { "off", "false" },
        { "1", "1" },
        { "0x10", "16" },
        { "1.0", "1" },
        { "1.5", "1.5" },
        { "1e7", "10000000" },
        { "1500000.5", "1.5000005e+06" },
        { "0.00001", "1e-05" },
        { "18446744073709551615", "18446744073709551615" },
        { "2001-01-01", "2001-01-01" },
        { "name", "name" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        const struct ty_yaml_scalar in = { .text = ty_str(rows[i].text), .plain = true };
        struct ty_json v = { 0 };
        struct ty_str key = { 0 };
        const char *why = NULL;
        assert_true(ty_yaml_scalar_parse(a, &in, &v, &why));
        assert_true(ty_yaml_scalar_key(a, &v, &key));
        assert_string_equal(ty_arena_cstr(a, key), rows[i].want);
    }
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_str key = { 0 };
    assert_false(ty_yaml_scalar_key(a, ty_json_null(a), &key));
    assert_false(ty_yaml_scalar_key(a, ty_json_array(a), &key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain),      cmocka_unit_test(knows_words),
        cmocka_unit_test(quoted_is_string), cmocka_unit_test(obeys_tags),
        cmocka_unit_test(refuses_infinity), cmocka_unit_test(makes_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
