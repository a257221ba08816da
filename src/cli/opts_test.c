#include "cli/testing.h"

#include <errno.h>

static const char *const colours[] = { "red", "green", NULL };
struct test_opts {
    struct ty_args args;
    struct ty_strlist files;
    const char *output;
    bool recursive;
    const char *dry;
};
static const struct ty_opt options[] = {
    { "filename", 'f', TY_OPT_WORDS, "FILE", "a file", NULL, TY_OPT_AT(struct test_opts, files) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "a colour", colours,
      TY_OPT_AT(struct test_opts, output) },
    { "recursive", 'R', TY_OPT_FLAG, NULL, "all below", NULL,
      TY_OPT_AT(struct test_opts, recursive) },
    { "dry-run", 0, TY_OPT_CHOICE, NULL, "…", colours, TY_OPT_AT(struct test_opts, dry) },
    TY_OPT_HELP(struct test_opts),
    TY_OPT_END,
};

static int parse_words(struct ty_arena *a, bool one_dash, const char *const *words,
                       struct test_opts *ret, struct ty_err *err)
{
    char *argv[16];
    int n = 0;
    for (; words[n]; n++)
        argv[n] = ty_arena_strdup(a, words[n]);
    const struct ty_opts opts = TY_OPTS(options, struct test_opts);
    struct ty_args *args = NULL;
    int r = ty_opts_parse(a, &opts, one_dash, n, argv, &args, err);
    if (r == 0)
        memcpy(ret, args, sizeof(*ret));
    else
        assert_null(args);
    return r;
}
#define PARSE(...)    parse_words(a, false, (const char *const[]){ __VA_ARGS__, NULL }, &opts, &err)
#define PARSE_GO(...) parse_words(a, true, (const char *const[]){ __VA_ARGS__, NULL }, &opts, &err)

/* An option whose value may be missing never takes the next word. */
static void test_choice(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { 0 };
    struct ty_err err = { 0 };

    assert_int_equal(PARSE("--dry-run", "x"), 0);
    assert_string_equal(opts.dry, colours[0]);
    assert_int_equal(opts.args.operands.n, 1);
    assert_int_equal(PARSE(ty_arena_printf(a, "--dry-run=%s", colours[1])), 0);
    assert_string_equal(opts.dry, colours[1]);
    assert_true(PARSE("--dry-run=maybe") < 0);
}

static void test_every_spelling(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { 0 };
    struct ty_err err = { 0 };
    assert_int_equal(PARSE("-f", "1", "-f2", "-f=3", "--filename", "4", "--filename=5", "-", "-Rf6",
                           "--output=red", "--", "-o"),
                     0);
    assert_int_equal(opts.files.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(opts.files.v[i][0], '1' + (int)i);
    assert_true(opts.recursive);
    assert_string_equal(opts.output, "red");
    assert_int_equal(opts.args.operands.n, 2); /* "-" is standard input, "--" ends options */
    assert_string_equal(opts.args.operands.v[0], "-");
    assert_string_equal(opts.args.operands.v[1], "-o");
}

static void test_flags_can_be_denied(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { 0 };
    struct ty_err err = { 0 };
    assert_int_equal(PARSE("-R", "--recursive=false"), 0);
    assert_false(opts.recursive);
    assert_int_equal(PARSE("--recursive=True"), 0);
    assert_true(opts.recursive);
    assert_int_equal(PARSE("-R", "--recursive=F"), 0);
    assert_false(opts.recursive);
    assert_true(PARSE("--recursive=") < 0);
    assert_true(PARSE("--recursive=perhaps") < 0);
    assert_string_equal(err.text, "--recursive is true or false, not \"perhaps\"");
}

static void test_mistakes(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { .output = "untouched" };
    struct ty_err err = { 0 };
    assert_true(PARSE("--filenam", "x") < 0);
    assert_string_equal(err.text, "unknown option --filenam (did you mean --filename?)");
    assert_true(PARSE("--zzzzzzzzzz") < 0);
    assert_string_equal(err.text, "unknown option --zzzzzzzzzz");
    assert_true(PARSE("-x") < 0);
    assert_string_equal(err.text, "unknown option -x");
    assert_true(PARSE("-f") < 0);
    assert_string_equal(err.text, "--filename needs a value: FILE");
    assert_true(PARSE("-o", "blue") < 0);
    assert_string_equal(err.text, "--output: \"blue\" is not one of red, green");
    assert_string_equal(opts.output, "untouched");
}

static void test_one_dash(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { 0 };
    struct ty_err err = { 0 };
    assert_int_equal(PARSE_GO("-filename", "1", "-filename=2", "--filename", "3", "-f", "4",
                              "-recursive", "-output=red", "-", "--", "-output"),
                     0);
    assert_int_equal(opts.files.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(opts.files.v[i][0], '1' + (int)i);
    assert_true(opts.recursive);
    assert_string_equal(opts.output, "red");
    assert_int_equal(opts.args.operands.n, 2);
    assert_string_equal(opts.args.operands.v[1], "-output");
    assert_int_equal(PARSE_GO("-recursive=false", "-output", "green", "-h"), 0);
    assert_false(opts.recursive);
    assert_string_equal(opts.output, "green");
    assert_true(opts.args.help);
}

static void test_one_dash_mistakes(void **state)
{
    static const char *const rows[][2] = {
        { "-filenam=x", "unknown option -filenam (did you mean --filename?)" },
        { "--filenam=x", "unknown option --filenam (did you mean --filename?)" },
        { "---filename=x", "unknown option ---filename" },
        { "-x", "unknown option -x" },
        { "-Rh", "unknown option -Rh" }, /* Go joins no letters */
        { "-filename", "--filename needs a value: FILE" },
        { "-output=blue", "--output: \"blue\" is not one of red, green" },
        { "-recursive=perhaps", "--recursive is true or false, not \"perhaps\"" },
    };
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct test_opts opts = { .output = "untouched" };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_err err = { 0 };
        assert_int_equal(PARSE_GO(rows[i][0]), -EINVAL);
        assert_has(err.text, rows[i][1]);
    }
    assert_string_equal(opts.output, "untouched");
}

static void test_raw(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_opts opts = TY_OPTS(options, struct test_opts);
    char *argv[] = { (char[]){ "-l" }, (char[]){ "--help" }, (char[]){ "--" }, (char[]){ "-h" } };

    const struct ty_args *none = ty_opts_parse_raw(a, &opts, 0, argv);
    assert_false(none->help);
    assert_int_equal(none->operands.n, 0);
    const struct ty_args *words = ty_opts_parse_raw(a, &opts, 4, argv);
    assert_false(words->help); /* it is not the first word: an argument of the remote command */
    assert_int_equal(words->operands.n, 4);
    assert_string_equal(words->operands.v[1], "--help");
    assert_string_equal(words->operands.v[2], "--");
    assert_true(ty_opts_parse_raw(a, &opts, 3, argv + 1)->help);
    assert_true(ty_opts_parse_raw(a, &opts, 1, argv + 3)->help);
}

static void test_help(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    ty_opts_help(f, options);
    fclose(f);
    assert_has(text, "  -f, --filename FILE  a file\n");
    assert_has(text, "  -R, --recursive      all below\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_every_spelling),
        cmocka_unit_test(test_flags_can_be_denied),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_one_dash),
        cmocka_unit_test(test_one_dash_mistakes),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
