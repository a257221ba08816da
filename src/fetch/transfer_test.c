/* Transfers against a peer that misbehaves byte by byte. */
#include "fetch/testing.h"
#include "fetch/transfer.h"

#define OK(n)                                                                                      \
    "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"e\"\r\nContent-Length: " #n "\r\n\r\n"
#define REST(from, to, all)                                                                        \
    "HTTP/1.1 206 Partial\r\nConnection: close\r\nETag: \"e\"\r\nContent-Range: bytes " #from      \
    "-" #to "/" #all "\r\n\r\n"
#define HELLO "#sha256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

static void test_goes_on_where_it_was_lost(void **state)
{
    (void)state;
    static const char *const answers[] = { OK(5) "he", REST(2, 4, 5) "l", REST(3, 4, 5) "lo",
                                           NULL };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 1 };
    /* One retry is enough for two losses: each had brought something. */
    meet_ok(&p, answers, &t, "/f");
    box_holds("d/f", "hello");
    assert_has(p.asked[1], "Range: bytes=2-\r\n");
    assert_has(p.asked[1], "If-Range: \"e\"\r\n");
    assert_has(p.asked[2], "Range: bytes=3-\r\n");
    assert_int_equal(t.done.total.bytes_got, 5);
}

static void test_gives_up_without_progress(void **state)
{
    (void)state;
    static const char *const answers[] = { OK(5) "he", REST(2, 4, 5), NULL };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 0 };
    assert_true(meet(&p, answers, &t, "/f") < 0);
    assert_has(t.err.text, "f: ");
}

static void test_a_changed_file_starts_over(void **state)
{
    (void)state;
    static const char *const answers[] = { OK(5) "he", OK(4) "newx", NULL };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 1 };
    meet_ok(&p, answers, &t, "/f"); /* 200 to an If-Range: it is another file now */
    box_holds("d/f", "newx");
}

static void test_wrong_ranges(void **state)
{
    (void)state;
    static const char *const answers[] = { OK(5) "he", REST(1, 4, 5) "ello", OK(5) "hello", NULL };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 1 };
    meet_ok(&p, answers, &t, "/f" HELLO);
    box_holds("d/f", "hello");
    assert_has(t.notes, "other bytes than those asked for");
}

static void test_no_such_range(void **state)
{
    (void)state;
    static const char *const answers[] = {
        OK(5) "he",
        "HTTP/1.1 416 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        OK(5) "hello",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 1 };
    meet_ok(&p, answers, &t, "/f");
    box_holds("d/f", "hello");
}

static void test_corrupt_bytes(void **state)
{
    (void)state;
    static const char *const answers[] = { OK(5) "hellO", OK(5) "hello", NULL };
    static const char *const never[] = { OK(5) "hellO", OK(5) "hellO", OK(5) "hellO", NULL };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    struct stat st;
    assert_true(meet(&p, never, &t, "/f" HELLO) < 0);
    assert_has(t.err.text, "sha256 checksum is ");
    assert_has(t.err.text, "in 3 attempts");
    assert_true(stat("d/f", &st) < 0);
    meet_ok(&p, answers, &t, "/f" HELLO);
    box_holds("d/f", "hello");
    assert_has(t.notes, "fetching it again");
}

static void test_not_twice(void **state)
{
    (void)state;
    static const char *const answers[] = {
        OK(5) "hello",
        "HTTP/1.1 304 Same\r\nConnection: close\r\nETag: \"e\"\r\n\r\n",
        OK(3) "new",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    char uri[256];
    peer_start(&p, answers);
    snprintf(uri, sizeof(uri), "%s/f", p.url);
    trial_ok(&t, uri);
    trial_ok(&t, uri);
    assert_int_equal(t.done.files_there, 1);
    assert_int_equal(t.done.total.bytes_got, 0);
    box_holds("d/f", "hello");
    trial_ok(&t, uri);
    box_holds("d/f", "new");
    peer_stop(&p);
    assert_has(p.asked[1], "If-None-Match: \"e\"\r\n");
    assert_null(strstr(p.asked[1], "Range"));
}

static void test_without_sizes(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nhe\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    char uri[256];
    peer_start(&p, answers);
    snprintf(uri, sizeof(uri), "%s/f", p.url);
    trial_ok(&t, uri);
    box_holds("d/f", "hello");
    trial_ok(&t, uri); /* no validator: it is fetched again */
    box_holds("d/f", "he");
    trial_ok(&t, uri);
    box_holds("d/f", "");
    peer_stop(&p);
}

static void test_refusals_end_the_run(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 404 Gone\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnope", NULL
    };
    struct ty_peer p;
    struct ty_trial t = { .opts.retries = 5 };
    struct stat st;
    assert_true(meet(&p, answers, &t, "/f") < 0);
    assert_string_equal(t.err.text, "f: the server answers 404");
    assert_true(stat("d/f", &st) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_goes_on_where_it_was_lost),
        box_test(test_gives_up_without_progress),
        box_test(test_a_changed_file_starts_over),
        box_test(test_wrong_ranges),
        box_test(test_no_such_range),
        box_test(test_corrupt_bytes),
        box_test(test_not_twice),
        box_test(test_without_sizes),
        box_test(test_refusals_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
