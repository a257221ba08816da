#include "fetch/fetch_run.h"
#include "fetch/patterns.h"
#include "fetch/testing.h"

static char *uri_of(char *to, size_t n, const char *below)
{
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    snprintf(to, n, "file://%s/%s", cwd, below);
    return to;
}

static void test_a_folder(void **state)
{
    (void)state;
    struct ty_trial t = { 0 };
    char uri[5000];
    assert_int_equal(mkdir("src", 0777) | mkdir("src/sub", 0777) | mkdir("src/.trainyard", 0777),
                     0);
    box_write("src/a", "1");
    box_write("src/sub/b", "22");
    box_write("src/.trainyard/lock", "not data");
    box_write("outside", "333");
    assert_int_equal(symlink("../outside", "src/link"), 0);
    assert_int_equal(mkfifo("src/fifo", 0600), 0);
    trial_ok(&t, uri_of(uri, sizeof(uri), "src"));
    box_holds("d/a", "1");
    box_holds("d/sub/b", "22");
    box_holds("d/link", "333"); /* what it points to, not the link */
    struct stat st;
    assert_int_equal(lstat("d/link", &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_true(lstat("d/fifo", &st) < 0);
    assert_int_equal(t.done.total.files, 3);
    assert_int_equal(t.done.total.bytes, 6);

    trial_ok(&t, uri);
    assert_int_equal(t.done.files_there, 3);
    assert_int_equal(unlink("src/a"), 0);
    box_write("src/a", "changed");
    trial_ok(&t, uri);
    assert_int_equal(t.done.files_there, 2);
    box_holds("d/a", "changed");
}

static void test_one_file_and_patterns(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_trial t = { 0 };
    char uri[5000];
    box_write("a b.txt", "1");
    trial_ok(&t, uri_of(uri, sizeof(uri), "a%20b.txt"));
    box_holds("d/a b.txt", "1");
    t.opts.ignore = ty_patterns_split(a, "*.txt");
    assert_true(trial(&t, uri) < 0);
    assert_has(t.err.text, "all 1 files are left out by the patterns");
}

static void test_what_is_refused(void **state)
{
    (void)state;
    struct ty_trial t = { 0 };
    char uri[5000];
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "none")) < 0);
    assert_has(t.err.text, "No such file");
    assert_int_equal(mkdir("empty", 0777), 0);
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "empty")) < 0);
    assert_has(t.err.text, "there is nothing");
    assert_int_equal(symlink("nowhere", "empty/link"), 0);
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "empty")) < 0);
    assert_has(t.err.text, "a link to nothing");
    assert_int_equal(unlink("empty/link"), 0);
    assert_int_equal(symlink(".", "empty/loop"), 0);
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "empty")) < 0);
    assert_has(t.err.text, "leads back");
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "")) < 0); /* d is in it */
    assert_has(t.err.text, "d lies in ");
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "d")) < 0);
    assert_has(t.err.text, "d lies in ");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_true(trial(&t, uri_of(uri, sizeof(uri), "fifo")) < 0);
    assert_has(t.err.text, "neither a file nor a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_a_folder),
        box_test(test_one_file_and_patterns),
        box_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
