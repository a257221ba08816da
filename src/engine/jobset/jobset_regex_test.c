#include "engine/jobset/jobset_regex.h"

#include <errno.h>
#include <stdint.h>

#include "api/schema_testing.h"

struct sample {
    const char *pattern, *text;
    bool found;
};

/* Answers taken from Go's regexp.MatchString. */
static const struct sample samples[] = {
    { "some message", "this is some message with critical error", true },
    { "some message", "some critical error with a message", false },
    { "", "anything", true },
    { "^Job", "Job has", true },
    { "^has", "Job has", false },
    { "has$", "Job has", true },
    { "\\AJob has\\z", "Job has", true },
    { "exit code (5|42)\\b", "failed with exit code 42 matching", true },
    { "exit code (5|42)\\b", "failed with exit code 425 matching", false },
    { "exit code \\d{3}", "exit code 42 ", false },
    { "exit code \\d+?", "exit code 42", true },
    { "pod \\w+/[\\w-]+", "for pod default/mypod-0 failed", true },
    { "(?i)BACKOFF limit", "the specified backoff limit", true },
    { "BACKOFF", "backoff", false },
    { "a.c", "a\nc", false },
    { "(?s)a.c", "a\nc", true },
    { "(?is)A.C", "a\nc", true },
    { "[^x]", "\n", true },
    { "(?:ab)+c", "ababc", true },
    { "(?P<year>\\d+)-(?<day>\\d+)", "on 2023-14", true },
    { "a{2}", "aa", true },
    { "a{2}", "a", false },
    { "a{2,}$", "aaa", true },
    { "^a{1,2}$", "aaa", false },
    { "a{,2}", "a{,2}", true }, /* not a repeat in Go */
    { "x{", "x{", true },
    { "}", "}", true },
    { "]", "]", true },
    { "\\.", "a", false },
    { "\\x41\\x{42}\\t", "AB\t", true },
    { "a||b", "", true },
    { "()", "", true },
    { "\xc3\xa9+$", "\xc3\xa9\xc3\xa9", true },
    { "a$.b", "a\nb", false }, /* glibc takes the newline for an end */
    { "\\D", "123", false },
    { "[^\\D]", "x1", true },
};

static void answers_as_go_does(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);

    for (size_t i = 0; i < TY_COUNT(samples); i++) {
        const struct sample *s = &samples[i];
        struct ty_err err = { 0 };
        if (ty_jobset_regex_check(a, ty_str(s->pattern), &err) != 0)
            fail_msg("%s: %s", s->pattern, err.text);
        if (ty_jobset_regex_found(a, ty_str(s->pattern), ty_str(s->text)) != s->found)
            fail_msg("%s on %s", s->pattern, s->text);
    }
}

static void refuses(const char *pattern, const char *why)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct ty_err err = { 0 };

    assert_int_equal(ty_jobset_regex_check(a, ty_str(pattern), &err), -EINVAL);
    if (!strstr(err.text, why))
        fail_msg("%s: %s", pattern, err.text);
    assert_false(ty_jobset_regex_found(a, ty_str(pattern), TY_LIT("x")));
}

static void refuses_what_it_cannot_say(void **state TY_UNUSED)
{
    /* Go refuses these too */
    refuses("(", "a parenthesis is not closed at byte 1");
    refuses("a)", "a parenthesis was not opened at byte 1");
    refuses("*a", "nothing to repeat");
    refuses("a|*", "nothing to repeat");
    refuses("{2}", "nothing to repeat");
    refuses("a**", "a repeat cannot be repeated");
    refuses("a{2}{3}", "a repeat cannot be repeated");
    refuses("a{1001}", "a repeat count");
    refuses("a{3,2}", "a repeat count");
    refuses("[a", "a class has no end");
    refuses("[z-a]", "a range is the wrong way round");
    refuses("[[:nope:]]", "no class of this name");
    refuses("(?=a)", "no looking ahead");
    refuses("(?<=a)", "looking behind");
    refuses("(?P<n", "a group's name has no end");
    refuses("\\1", "this escape is not supported");
    refuses("a\\", "this escape is not supported");
    /* Go would take these */
    refuses("\\pL", "this escape is not supported");
    refuses("\\Qa.b\\E", "this escape is not supported");
    refuses("(?m)^a", "only the flags (?i) and (?s)");
    refuses("a(?i)b", "only the flags (?i) and (?s)");
    refuses("^*", "an anchor cannot be repeated");
    refuses("[\xc3\xa9]", "only ASCII");
}

static void refuses_what_would_take_too_long(void **state TY_UNUSED)
{
    char deep[401], wide[3000];

    refuses("((a{100}){100}){100}", "the repeats make too large an expression");
    memset(deep, '(', 200);
    memset(deep + 200, ')', 200);
    deep[400] = '\0';
    refuses(deep, "groups are nested too deep");
    memset(wide, 'a', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    refuses(wide, "the pattern is longer than 2048 bytes");
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_err err = { 0 };
    assert_int_equal(ty_jobset_regex_check(a, TY_LIT("a\0b"), &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_go_does),
        cmocka_unit_test(refuses_what_it_cannot_say),
        cmocka_unit_test(refuses_what_would_take_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
