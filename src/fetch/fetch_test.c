/* The main line over files of this machine; the other sources have their own tests. */
#include "fetch/fetch.h"
#include "fetch/patterns.h"
#include "fetch/testing.h"

static char *uri_of(char *to, size_t n, const char *below)
{
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    snprintf(to, n, "file://%s/%s", cwd, below);
    return to;
}

static void test_many_files_and_patterns(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_trial t = { 0 };
    char uri[5000], name[64];
    assert_int_equal(mkdir("src", 0777), 0);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "src/%03d.%s", i, i % 2 ? "txt" : "bin");
        box_write(name, name);
    }
    t.opts.ignore = ty_patterns_split(a, "*0.bin");
    t.opts.include = ty_patterns_split(a, "0*,1*.txt");
    trial_ok(&t, uri_of(uri, sizeof(uri), "src"));
    assert_int_equal(t.done.total.files, 100 - 10 + 50);
    assert_int_equal(t.done.total.files_done, t.done.total.files);
    assert_int_equal(t.done.ignored, 60);
    assert_int_equal(t.done.total.bytes, t.done.total.bytes_done);
    box_holds("d/002.bin", "src/002.bin");
    struct stat st;
    assert_true(stat("d/010.bin", &st) < 0 && stat("d/100.bin", &st) < 0);
    assert_true(t.n_progress > 0);
}

static void test_bad_uris_do_nothing(void **state)
{
    (void)state;
    struct ty_trial t = { 0 };
    struct stat st;
    assert_true(trial(&t, "gs://x/y") < 0);
    assert_true(stat("d", &st) < 0);
}

/* A file with the right checksum is not fetched, even if another program wrote it. */
static void test_known_by_its_checksum(void **state)
{
    (void)state;
#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
#define LIST                                                                                       \
    HEAD "{\"sha\":\"0123456789012345678901234567890123456789\"}",                                 \
        HEAD "[{\"type\":\"file\",\"path\":\"f\",\"size\":6,"                                      \
             "\"oid\":\"ce013625030ba8dba906f756967f9e9ca394464a\"}]"
    static const char *const answers[] = { LIST, LIST,
                                           "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                                           "Connection: close\r\n\r\nhello\n",
                                           NULL };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    assert_int_equal(mkdir("d", 0777), 0);
    box_write("d/f", "hello\n");
    peer_start(&p, answers);
    t.opts.hub = p.url;
    trial_ok(&t, "hf://o/n");
    assert_int_equal(t.done.files_there, 1);
    box_write("d/f", "hellO\n"); /* same size, other content, a new time */
    trial_ok(&t, "hf://o/n");
    peer_stop(&p);
    assert_int_equal(t.done.files_there, 0);
    box_holds("d/f", "hello\n");
}

static void test_no_room(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "{\"sha\":\"0123456789012345678901234567890123456789\"}",
        HEAD "[{\"type\":\"file\",\"path\":\"f\",\"size\":4000000000000000000,"
             "\"oid\":\"ce013625030ba8dba906f756967f9e9ca394464a\"}]",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    assert_true(meet(&p, answers, &t, "hf://o/n") < 0);
    assert_has(t.err.text, "no room on the disk of d: 4000000000000000000 bytes are to come, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_many_files_and_patterns),
        box_test(test_bad_uris_do_nothing),
        box_test(test_known_by_its_checksum),
        box_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
