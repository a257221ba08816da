#include "fetch/fetch_run.h"
#include "fetch/testing.h"

static void test_one_file(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", NULL
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    char uri[256];
    peer_start(&p, answers);
    snprintf(uri, sizeof(uri), "%s/dir/a%%20b.txt?key=secret", p.url);
    trial_ok(&t, uri);
    peer_stop(&p);
    box_holds("d/a b.txt", "ok");
    assert_has(p.asked[0], "GET /dir/a%20b.txt?key=secret HTTP");
    assert_int_equal(t.done.total.files, 1);
    assert_int_equal(t.done.total.bytes, 2);
}

static void test_names_that_leave_the_folder(void **state)
{
    (void)state;
    static const char *const bad[] = { "http://h/..", "http://h/a/%2e%2e", "http://h/%2Fetc",
                                       "http://h/a%2F..%2Fb", "http://h/.trainyard" };
    struct ty_trial t = { 0 };
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        assert_true(trial(&t, bad[i]) < 0);
        assert_has(t.err.text, "is refused");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_one_file),
        box_test(test_names_that_leave_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
