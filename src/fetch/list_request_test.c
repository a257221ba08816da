#include "fetch/list_request.h"
#include "fetch/testing.h"

#include <errno.h>

struct asker {
    struct ty_arena *a;
    struct ty_fetch_run run;
    struct ty_fetch_opts opts;
    struct ty_peer peer;
    struct ty_trial notes;
};

static void asker_open(struct asker *q, unsigned retries, const char *const *answers)
{
    memset(q, 0, sizeof(*q));
    q->a = ty_arena_new((size_t)64 << 20);
    q->opts = (struct ty_fetch_opts){
        .retries = retries, .stall_s = 5, .note = trial_note, .ctx = &q->notes
    };
    q->run = (struct ty_fetch_run){ .arena = q->a, .opts = &q->opts };
    assert_int_equal(ty_fetch_run_open(&q->run, NULL), 0);
    peer_start(&q->peer, answers);
}

static void asker_close(struct asker *q)
{
    peer_stop(&q->peer);
    ty_fetch_run_close(&q->run);
    ty_arena_free(q->a);
}

#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n"

static void test_answer_and_next_page(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "Link: <http://h/1>; rel=\"prev\", <http://h/2?a,b>; rel=\"next\"\r\n"
             "Content-Length: 2\r\n\r\nok",
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\nX-Error-Message: no \x1b such repo\r\n"
        "Link: <http://h/1>; rel=\"prev\"\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };
    struct asker q;
    struct ty_list_response r;
    asker_open(&q, 0, answers);
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, NULL), 0);
    assert_int_equal(r.status, 200);
    assert_true(ty_str_is(r.body, "ok"));
    assert_string_equal(r.next, "http://h/2?a,b");
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, NULL), 0);
    assert_int_equal(r.status, 404);
    assert_null(r.next);
    assert_string_equal(r.words, "404: no   such repo"); /* nothing that a terminal obeys */
    asker_close(&q);
}

static void test_tries_again(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 5\r\n\r\nlater",
        HEAD "Content-Length: 9\r\n\r\nhal",
        HEAD "Content-Length: 4\r\n\r\nfull",
        NULL,
    };
    struct asker q;
    struct ty_list_response r;
    asker_open(&q, 2, answers);
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, NULL), 0);
    assert_true(ty_str_is(r.body, "full")); /* nothing of the others in it */
    assert_has(q.notes.notes, ": 503; trying again in 0.");
    assert_has(q.notes.notes, "(2 of 2)");
    asker_close(&q);
}

static void test_gives_up(void **state)
{
    (void)state;
    static const char *const answers[] = { "", "", NULL };
    struct asker q;
    struct ty_list_response r = { .status = 7 };
    struct ty_err err = { 0 };
    asker_open(&q, 1, answers);
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, &err), -EIO);
    assert_has(err.text, "Empty reply");
    assert_int_equal(r.status, 7);
    asker_close(&q);
}

static void test_what_refusals_say(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 403 No\r\nConnection: close\r\n\r\n<?xml version=\"1.0\"?>"
        "<Error><Code>AccessDenied</Code><Message>go away</Message></Error>",
        "HTTP/1.1 400 No\r\nConnection: close\r\n\r\n<Error><Code>AuthorizationHeaderMalformed"
        "</Code><Message>wrong</Message><Region>eu-x</Region></Error>",
        "HTTP/1.1 401 No\r\nConnection: close\r\n\r\n{\"error\":\"Invalid token\"}",
        "HTTP/1.1 418 No\r\nConnection: close\r\n\r\n<html>",
        NULL,
    };
    static const char *const want[] = {
        "403: AccessDenied: go away",
        "400: AuthorizationHeaderMalformed: wrong; the bucket is in region eu-x",
        "401: Invalid token",
        "418",
    };
    struct asker q;
    asker_open(&q, 0, answers);
    for (size_t i = 0; i < 4; i++) {
        struct ty_list_response r;
        assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, NULL), 0);
        assert_string_equal(r.words, want[i]);
    }
    asker_close(&q);
}

static void test_a_listing_ends(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "Content-Length: 2\r\n\r\nok",
        HEAD "Content-Length: 2\r\n\r\nok",
        HEAD "Content-Length: 2\r\n\r\nok",
        NULL,
    };
    struct asker q;
    struct ty_list_response r = { .status = 7 };
    struct ty_err err = { 0 };
    asker_open(&q, 0, answers);
    q.run.uri.shown = "hf://o/n";
    q.run.listed_bytes = TY_LIST_BYTES - 3;
    q.run.listed_pages = TY_LIST_PAGES - 3;
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, &err), 0);
    r.status = 7;
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, &err), -E2BIG);
    assert_string_equal(err.text, "hf://o/n: the listing has more than 1024 MB: name a part of it");
    assert_int_equal(r.status, 7);
    q.run.listed_bytes = 0;
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, &err), 0);
    assert_int_equal(ty_list_request(&q.run, q.a, q.peer.url, &r, &err),
                     -E2BIG); /* without a request */
    assert_has(err.text, "more than 100000 pages");
    asker_close(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_and_next_page),
        cmocka_unit_test(test_tries_again),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_what_refusals_say),
        cmocka_unit_test(test_a_listing_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
