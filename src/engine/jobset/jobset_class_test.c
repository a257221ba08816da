#include "engine/jobset/jobset_class.h"

#include <regex.h>
#include <stdint.h>

#include "api/schema_testing.h"

/* What is printed must be the same set for POSIX as it was for us. */
static void means_what_was_read(const char *text, const char *members)
{
    ty_auto_buf out = { 0 };
    struct ty_regex_class set = { 0 };
    const char *why = NULL;
    size_t end = ty_jobset_class_parse(ty_str(text), 0, &set, &why);
    regex_t re;

    if (why)
        fail_msg("%s: %s", text, why);
    assert_int_equal(end, strlen(text));
    ty_buf_cstr(&out, "^");
    ty_jobset_class_print(&set, &out);
    ty_buf_cstr(&out, "$");
    ty_buf_chr(&out, '\0');
    assert_int_equal(regcomp(&re, out.p, REG_EXTENDED | REG_NOSUB), 0);
    for (int c = 1; c < 128; c++) {
        char one[2] = { (char)c, '\0' };
        bool want = (strchr(members, c) != NULL) != (members[0] == '!' && members[1] != '\0');
        if ((regexec(&re, one, 0, NULL, 0) == 0) != (c == '!' && members[0] == '!' ? true : want))
            fail_msg("%s is %s: wrong for %d", text, out.p, c);
    }
    regfree(&re);
}

static void prints_posix_brackets(void **state TY_UNUSED)
{
    means_what_was_read("[abc]", "abc");
    means_what_was_read("[a-c]", "abc");
    means_what_was_read("[]a]", "]a");
    means_what_was_read("[\\]a]", "]a");
    means_what_was_read("[a-]", "a-");
    means_what_was_read("[a\\-c]", "a-c");
    means_what_was_read("[\\^-]", "^-");
    means_what_was_read("[\\^]", "^");
    means_what_was_read("[[]", "[");
    means_what_was_read("[[.]", "[.");
    means_what_was_read("[[=:.]", "[=:.");
    means_what_was_read("[\\[\\]^-]", "[]^-");
    means_what_was_read("[\\d_]", "0123456789_");
    means_what_was_read("[[:xdigit:]]", "0123456789abcdefABCDEF");
    means_what_was_read("[\\x41\\t]", "A\t");
    means_what_was_read("[+--]", "+,-");
    means_what_was_read("[.*\\\\]", ".*\\");
    means_what_was_read("[^ab]", "!ab"); /* all but these */
    means_what_was_read("[^\\]^-]", "!]^-");
    means_what_was_read("[^[:^digit:]]", "0123456789");
}

static void knows_gos_names(void **state TY_UNUSED)
{
    static const char *const names[] = { "alnum", "alpha", "ascii", "blank", "cntrl",
                                         "digit", "graph", "lower", "print", "punct",
                                         "space", "upper", "word",  "xdigit" };
    static const int sizes[] = { 62, 52, 128, 2, 33, 10, 94, 26, 95, 32, 6, 26, 63, 22 };

    for (size_t i = 0; i < TY_COUNT(names); i++) {
        char text[32];
        struct ty_regex_class set = { 0 };
        const char *why = NULL;
        int n = 0;
        (void)snprintf(text, sizeof(text), "[[:%s:]]", names[i]);
        (void)ty_jobset_class_parse(ty_str(text), 0, &set, &why);
        assert_null(why);
        for (int c = 0; c < 128; c++)
            n += set.has[c];
        if (n != sizes[i])
            fail_msg("%s has %d", names[i], n);
    }
}

static void an_empty_set_never_matches(void **state TY_UNUSED)
{
    ty_auto_buf out = { 0 };
    struct ty_regex_class none = { 0 }, all = { .negated = true };
    regex_t re;

    ty_jobset_class_print(&none, &out);
    ty_buf_chr(&out, '\0');
    assert_int_equal(regcomp(&re, out.p, REG_EXTENDED | REG_NOSUB), 0);
    assert_int_not_equal(regexec(&re, "a\nb", 0, NULL, 0), 0);
    regfree(&re);
    out.n = 0;
    ty_jobset_class_print(&all, &out);
    assert_true(ty_str_is(ty_buf_str(&out), "(.|\n)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_posix_brackets),
        cmocka_unit_test(knows_gos_names),
        cmocka_unit_test(an_empty_set_never_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
