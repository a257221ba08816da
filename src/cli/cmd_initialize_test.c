/* Options, variables, and a copy from a local directory. tests/fetch has servers, interruptions and
 * checksums. */
#include "cli/testing.h"

#include <sys/stat.h>

static const char *const variables[] = { "STORAGE_URI",
                                         "IGNORE_PATTERNS",
                                         "ACCESS_TOKEN",
                                         "HF_TOKEN",
                                         "HF_ENDPOINT",
                                         "ENDPOINT",
                                         "ACCESS_KEY_ID",
                                         "SECRET_ACCESS_KEY",
                                         "REGION",
                                         "ROLE_ARN",
                                         "AWS_ACCESS_KEY_ID",
                                         "AWS_REGION",
                                         "AWS_SECRET_ACCESS_KEY",
                                         "AWS_SESSION_TOKEN" };

static int setup(void **state)
{
    fixture_new(state);
    for (size_t i = 0; i < TY_COUNT(variables); i++)
        unsetenv(variables[i]);
    assert_int_equal(mkdir("src", 0700), 0);
    assert_int_equal(mkdir("src/sub", 0700), 0);
    fixture_file("src/a.txt", "aaaa");
    fixture_file("src/b.json", "bb");
    fixture_file("src/sub/c.txt", "c");
    return 0;
}

static bool path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static char *path_here(struct ty_cli_fixture *b)
{
    return ty_arena_printf(b->cli.arena, "file://%s/src", b->dir);
}

static void test_a_folder(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--uri", path_here(b), "--to", "out"),
                     TY_EXIT_OK);
    assert_true(path_exists("out/a.txt") && path_exists("out/b.json") &&
                path_exists("out/sub/c.txt"));
    assert_has(b->out, "100%: 3 files, 7 B in out");
    assert_string_equal(b->err, "");
}

static void test_again_and_quiet(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(
        FIXTURE_RUN(b, "initialize", "model", "--uri", path_here(b), "--to", "out", "-q"),
        TY_EXIT_OK);
    assert_string_equal(b->out, "");
    assert_int_equal(FIXTURE_RUN(b, "initialize", "model", "--uri", path_here(b), "--to", "out"),
                     TY_EXIT_OK);
    assert_has(b->out, "; 3 were there before");
}

/* An option overrides its variable. */
static void test_patterns(void **state)
{
    struct ty_cli_fixture *b = *state;

    setenv("STORAGE_URI", path_here(b), 1);
    setenv("IGNORE_PATTERNS", "*.txt", 1);
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--to", "one"), TY_EXIT_OK);
    assert_true(path_exists("one/b.json") && !path_exists("one/a.txt") &&
                !path_exists("one/sub/c.txt"));
    assert_has(b->out, "; 2 left out by patterns");
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--to", "two", "--ignore", "*.json"),
                     TY_EXIT_OK);
    assert_true(path_exists("two/a.txt") && !path_exists("two/b.json"));
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--to", "three", "--ignore", "",
                                 "--include", "a*,*.json"),
                     TY_EXIT_OK);
    assert_true(path_exists("three/a.txt") && path_exists("three/b.json") &&
                !path_exists("three/sub/c.txt"));
}

static void test_words_that_are_wrong(void **state)
{
    static const struct {
        const char *words[6], *said;
    } rows[] = {
        { { NULL }, "say what to fetch: dataset or model" },
        { { "tokenizer" }, "say what to fetch: dataset or model" },
        { { "dataset", "model" }, "say what to fetch: dataset or model" },
        { { "dataset" }, "STORAGE_URI is not set and there is no --uri" },
        { { "dataset", "--uri", "" }, "" },
        { { "dataset", "--uri", "gopher://x" }, "gopher" },
        { { "dataset", "--uri", "file:///src", "--to", "" }, "--to: the folder's name is empty" },
        { { "dataset", "--uri", "file:///src", "--jobs", "0" },
          "--jobs: \"0\" is not a number from 1 to " },
        { { "dataset", "--uri", "file:///src", "--jobs", "-1" }, "--jobs: \"-1\" is not a number" },
        { { "dataset", "--uri", "file:///src", "--retries", "1001" },
          "--retries: \"1001\" is not a number from 0 to 1000" },
        { { "dataset", "--uri", "file:///src", "--stall-timeout", "1h" },
          "--stall-timeout: \"1h\" is not a number from 1 to 3600" },
    };
    struct ty_cli_fixture *b = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *words[8] = { "initialize" };
        for (size_t k = 0; k < 6 && rows[i].words[k]; k++)
            words[k + 1] = rows[i].words[k];
        assert_int_equal(fixture_run(b, words), TY_EXIT_USAGE);
        assert_has(b->err, rows[i].said);
    }
}

static void test_variables_that_are_wrong(void **state)
{
    struct ty_cli_fixture *b = *state;

    setenv("ACCESS_TOKEN", "secret\r\nX-Evil: 1", 1);
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--uri", path_here(b), "--to", "out"),
                     TY_EXIT_USAGE);
    assert_has(b->err, "a token or key in the environment holds white space");
    assert_null(strstr(b->err, "secret")); /* and it is not said */
    unsetenv("ACCESS_TOKEN");
    setenv("ACCESS_KEY_ID", "id", 1);
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--uri", "s3://b/p", "--to", "out"),
                     TY_EXIT_USAGE);
    assert_has(b->err, "ACCESS_KEY_ID and SECRET_ACCESS_KEY go together: one is not set");
    setenv("SECRET_ACCESS_KEY", "key", 1);
    setenv("ROLE_ARN", "arn:x", 1);
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--uri", "s3://b/p", "--to", "out"),
                     TY_EXIT_USAGE);
    assert_has(b->err, "ROLE_ARN: roles are not assumed here");
    assert_int_equal(FIXTURE_RUN(b, "initialize", "dataset", "--uri", path_here(b), "--to", "out"),
                     TY_EXIT_OK); /* of no matter to a folder */
}

static void test_what_is_not_there(void **state)
{
    struct ty_cli_fixture *b = *state;

    assert_int_equal(
        FIXTURE_RUN(b, "initialize", "dataset", "--uri", "file:///no/such/folder", "--to", "out"),
        TY_EXIT_BAD);
    assert_has(b->err, "error: ");
    assert_has(b->err, "/no/such/folder");
    fixture_file("taken", "a file");
    assert_int_equal(
        FIXTURE_RUN(b, "initialize", "dataset", "--uri", path_here(b), "--to", "taken/below"),
        TY_EXIT_BAD);
    assert_has(b->err, "taken");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_a_folder),
        T(test_again_and_quiet),
        T(test_patterns),
        T(test_words_that_are_wrong),
        T(test_variables_that_are_wrong),
        T(test_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
