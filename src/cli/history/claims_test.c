#include "cli/history/claims.h"
#include "cli/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

static int setup(void **state)
{
    struct ty_cli_fixture *b = fixture_new(state);

    setenv("XDG_STATE_HOME", b->dir, 1);
    return mkdir("trainyard", 0700);
}

static void test_list(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct ty_err err = { 0 };
    struct ty_claim *v = NULL;
    size_t n = 7;

    assert_int_equal(ty_claims_list(b->cli.arena, &v, &n, &err), 0);
    assert_int_equal(n, 0); /* no directory */
    assert_int_equal(mkdir("trainyard/claims", 0700) | mkdir("trainyard/claims/b", 0700) |
                         mkdir("trainyard/claims/a.b", 0700) |
                         mkdir("trainyard/claims/.removed-1-x", 0700) |
                         symlink("/etc", "trainyard/claims/c"),
                     0);
    fixture_file("trainyard/claims/file", "");
    int used = open("trainyard/claims/b", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(used, LOCK_SH), 0);
    assert_int_equal(ty_claims_list(b->cli.arena, &v, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_string_equal(v[0].name, "a.b");
    assert_false(v[0].in_use);
    assert_string_equal(v[1].name, "b");
    assert_true(v[1].in_use && v[1].created_s > 0);
    assert_int_equal(ty_claims_find(b->cli.arena, "b"), 0);
    assert_int_equal(ty_claims_find(b->cli.arena, "c"), TY_NOT_FOUND);
    close(used);
}

static void test_remove(void **state)
{
    struct ty_cli_fixture *b = *state;
    struct ty_err err = { 0 };

    assert_int_equal(mkdir("trainyard/claims", 0700) | mkdir("trainyard/claims/a", 0700) |
                         mkdir("trainyard/claims/.removed-1-x", 0700) | mkdir("other", 0700) |
                         symlink("../../other", "trainyard/claims/link"),
                     0);
    fixture_file("trainyard/claims/a/data", "x");
    fixture_file("other/data", "x");
    int used = open("trainyard/claims/a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(used, LOCK_SH), 0);
    assert_int_equal(ty_claims_remove(b->cli.arena, "a", &err), -EBUSY);
    assert_string_equal(err.text, "persistentvolumeclaim \"a\": a job that runs uses it; delete or "
                                  "stop that job first");
    close(used);
    assert_int_equal(ty_claims_remove(b->cli.arena, "a", &err), 0);
    assert_int_equal(access("trainyard/claims/a", F_OK), -1);
    assert_int_equal(access("trainyard/claims/.removed-1-x", F_OK), -1);
    assert_int_equal(ty_claims_remove(b->cli.arena, "a", &err), TY_NOT_FOUND);
    assert_int_equal(ty_claims_remove(b->cli.arena, "link", &err), TY_NOT_FOUND);
    assert_int_equal(ty_claims_remove(b->cli.arena, "../runs", &err), TY_NOT_FOUND);
    assert_int_equal(access("other/data", F_OK), 0);
}

static void add_words(void *ctx, const char *name, bool for_job, bool with_job)
{
    ty_buf_printf(ctx, "%s%s%s ", name, for_job ? "+" : "", with_job ? "-" : "");
}

static void test_of_a_jobset(void **state)
{
    struct ty_cli_fixture *b = *state;
    static const char text[] =
        "{\"metadata\":{\"name\":\"js\"},\"spec\":{\"volumeClaimPolicies\":[{\"templates\":["
        "{\"metadata\":{\"name\":\"a\"}}],\"retentionPolicy\":{\"whenDeleted\":\"Delete\"}},"
        "{\"templates\":[{\"metadata\":{\"name\":\"b\"}}],\"retentionPolicy\":{"
        "\"whenDeleted\":\"Retain\"}}],\"replicatedJobs\":[{\"template\":{\"spec\":{\"template\":{"
        "\"spec\":{\"volumes\":[{\"emptyDir\":{}},{\"persistentVolumeClaim\":{\"claimName\":"
        "\"mine\"}}]}}}}}]}}";
    ty_auto_buf out = { 0 };

    ty_claims_each(b->cli.arena, ty_json_parse(b->cli.arena, ty_str(text), NULL, NULL), add_words,
                   &out);
    ty_claims_each(b->cli.arena, NULL, add_words, &out);
    assert_true(ty_str_is(ty_buf_str(&out), "a-js+- b-js+ mine "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_list, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_remove, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_of_a_jobset, setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
