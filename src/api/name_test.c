#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/name.h"

#define REPEAT_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define REPEAT_64 REPEAT_63 "a"
#define LONG_HOST REPEAT_63 "." REPEAT_63 "." REPEAT_63 "." REPEAT_63 /* 255 bytes */

static void check(bool (*is)(struct ty_str s), const char *s, bool want)
{
    if (is(ty_str(s)) != want)
        fail_msg("'%s' is %s", s, want ? "refused" : "accepted");
}

static void test_dns1123_label(void **state TY_UNUSED)
{
    static const char *const good[] = { "a", "1", "a-b", "node", "a--b", "0ab9", REPEAT_63 };
    static const char *const bad[] = { "",   "-a",  "a-",   "A",       "a.b",
                                       "a_", "a b", "\xc3", REPEAT_64, "a/b" };
    for (size_t i = 0; i < TY_COUNT(good); i++)
        check(ty_name_is_dns1123_label, good[i], true);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        check(ty_name_is_dns1123_label, bad[i], false);
    assert_false(ty_name_is_dns1123_label((struct ty_str){ "a\0b", 3 }));
}

static void test_dns1123_subdomain(void **state TY_UNUSED)
{
    struct ty_str longest = { LONG_HOST, 253 }, longer = { LONG_HOST, 254 };

    check(ty_name_is_dns1123_subdomain, "acme.io", true);
    check(ty_name_is_dns1123_subdomain, "a.b-c.9", true);
    check(ty_name_is_dns1123_subdomain, REPEAT_64 ".io",
          true); /* a part may be longer than a label */
    check(ty_name_is_dns1123_subdomain, "", false);
    check(ty_name_is_dns1123_subdomain, ".", false);
    check(ty_name_is_dns1123_subdomain, "a.", false);
    check(ty_name_is_dns1123_subdomain, ".a", false);
    check(ty_name_is_dns1123_subdomain, "a..b", false);
    check(ty_name_is_dns1123_subdomain, "a.-b", false);
    check(ty_name_is_dns1123_subdomain, "Acme.io", false);
    assert_true(ty_name_is_dns1123_subdomain(longest));
    assert_false(ty_name_is_dns1123_subdomain(longer));
}

static void test_dns1035_label(void **state TY_UNUSED)
{
    check(ty_name_is_dns1035_label, "a1-b", true);
    check(ty_name_is_dns1035_label, REPEAT_63, true);
    check(ty_name_is_dns1035_label, "1a", false);
    check(ty_name_is_dns1035_label, "", false);
    check(ty_name_is_dns1035_label, "a.b", false);
    check(ty_name_is_dns1035_label, REPEAT_64, false);
}

static void test_labels(void **state TY_UNUSED)
{
    check(ty_name_is_qualified, "app", true);
    check(ty_name_is_qualified, "nvidia.com/gpu", true);
    check(ty_name_is_qualified, "a.io/My_Name.1", true);
    check(ty_name_is_qualified, REPEAT_63, true);
    check(ty_name_is_qualified, "", false);
    check(ty_name_is_qualified, "/a", false);
    check(ty_name_is_qualified, "a.io/", false);
    check(ty_name_is_qualified, "a/b/c", false);
    check(ty_name_is_qualified, "A.io/b", false);
    check(ty_name_is_qualified, "-a", false);
    check(ty_name_is_qualified, REPEAT_64, false);
    check(ty_name_is_label_value, "", true);
    check(ty_name_is_label_value, "My_value.1", true);
    check(ty_name_is_label_value, "_a", false);
    check(ty_name_is_label_value, "a/b", false);
    check(ty_name_is_label_value, REPEAT_64, false);
}

static void problem(const char *s, unsigned nth, const char *value, const char *text)
{
    struct ty_str blamed = { 0 };
    const char *got = ty_name_domain_path_problem(ty_str(s), nth, &blamed);

    assert_non_null(got);
    assert_string_equal(got, text);
    assert_true(ty_str_is(blamed, value));
}

static void test_domain_path(void **state TY_UNUSED)
{
    static const char whole[] = "must be a domain-prefixed path (such as \"acme.io/foo\")";
    static const char path[] =
        "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
    struct ty_str blamed;

    assert_null(ty_name_domain_path_problem(TY_LIT("acme.io/foo"), 0, &blamed));
    assert_null(ty_name_domain_path_problem(TY_LIT("acme.io/a/b-C_%20~(x)"), 0, &blamed));
    problem("plainname", 0, "plainname", whole);
    problem("", 0, "", whole);
    problem("/foo", 0, "/foo", whole);
    problem("acme.io/", 0, "acme.io/", whole);
    problem("Upper.Example/x", 0, "Upper.Example", ty_name_dns1123_subdomain_msg);
    problem("acme.io/bad path", 0, "bad path", path);
    problem("Upper/bad path", 0, "Upper", ty_name_dns1123_subdomain_msg);
    problem("Upper/bad path", 1, "bad path", path);
    assert_null(ty_name_domain_path_problem(TY_LIT("Upper/bad path"), 2, &blamed));
    assert_null(ty_name_domain_path_problem(TY_LIT("plainname"), 1, &blamed));
    problem(LONG_HOST "/x", 0, LONG_HOST, "must be no more than 253 characters");
    assert_null(ty_name_domain_path_problem(TY_LIT(LONG_HOST "/x"), 1, &blamed));
}

/* Kubernetes' texts, letter by letter (two spaces before "or" are its own). */
static void test_messages(void **state TY_UNUSED)
{
    assert_string_equal(
        ty_name_dns1123_subdomain_msg,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used "
        "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    assert_string_equal(
        ty_name_dns1123_label_msg,
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    assert_string_equal(
        ty_name_dns1035_label_msg,
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dns1123_label), cmocka_unit_test(test_dns1123_subdomain),
        cmocka_unit_test(test_dns1035_label), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_domain_path),   cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
