/* Fenced writes in every state that they can be in when the fence closes. */
#include "net/h2_testing.h"
#include "store/kube/kube_testing.h"

#define SLOWLY "HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\nslowly"
#define ONE    OK "{\"metadata\":{\"resourceVersion\":\"5\"}}"
#define WRITES 12

struct world {
    struct kube_world k; /* of what is fenced: how often it ended, and how the last did */
    bool closed;
    int slow;   /* the fence closes after so many 429 responses; 0: not by itself */
    int seen;   /* ends of requests */
    int others; /* what is not fenced and was answered well */
    struct ty_far far;
};

static bool is_open(void *ctx)
{
    const struct world *w = ctx;
    return !w->closed && (!w->slow || w->seen < w->slow);
}

static void on_seen(void *ctx, const struct ty_kube_request_result *seen)
{
    struct world *w = ctx;
    assert_true(seen->whole); /* what is canceled is no failure of the server */
    w->seen++;
}

static void on_other(void *ctx, const struct ty_kube_response *answer)
{
    struct world *w = ctx;
    w->others += answer->r == 0 || answer->r == -EPROTO; /* it answers with a sentence */
}

static void start_client(struct world *w, const char *const *answers)
{
    w->k.set.fence = (struct ty_fence){ .open = is_open, .ctx = w };
    w->k.set.seen = on_seen;
    w->k.set.ctx = w;
    kube_begin(&w->k, answers);
}

/* Uses an HTTP/2 server that can stop answering, instead of the scripted peer. */
static void begin_far(struct world *w)
{
    static const char *const none[] = { NULL };
    struct ty_err err = { 0 };

    start_client(w, none);
    ty_kube_free(w->k.kube);
    far_start(&w->far, "h2");
    w->k.config.server = w->far.url;
    w->k.config.ca.file = w->far.ca;
    assert_int_equal(ty_kube_new(&w->k.kube, &w->k.set, &err), 0);
}

static void finish_far(struct world *w)
{
    kube_finish(&w->k);
    far_stop(&w->far);
}

static void write_one(struct world *w)
{
    ty_kube_start(w->k.kube, &(struct ty_kube_request){ .verb = TY_KUBE_APPLY,
                                                        .path = "/ok",
                                                        .manager = "m",
                                                        .force = true,
                                                        .body = TY_LIT("{}"),
                                                        .fenced = true,
                                                        .fn = kube_on_end,
                                                        .ctx = &w->k });
}

static void ask_another(struct world *w)
{
    ty_kube_start(w->k.kube, &(struct ty_kube_request){ .path = "/ok", .fn = on_other, .ctx = w });
}

static void before_it_is_sent(void **state)
{
    static const char *const answers[] = { ONE, NULL };
    struct world w = { .closed = true };
    (void)state;
    start_client(&w, answers);
    write_one(&w);
    kube_run(&w.k);
    assert_ended(&w.k, -ECANCELED, TY_FENCE_CLOSED);
    assert_int_equal(ty_kube_requests(w.k.kube), 0);
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), 1); /* counted, though it was over */
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), 0);
    kube_finish(&w.k);
}

/* The fence closes while the operation waits for Retry-After. */
static void before_it_is_sent_again(void **state)
{
    static const char *const answers[] = { SLOWLY, ONE, NULL };
    struct world w = { .slow = 1 };
    (void)state;
    start_client(&w, answers);
    write_one(&w);
    kube_run(&w.k);
    assert_ended(&w.k, -ECANCELED, TY_FENCE_CLOSED);
    assert_int_equal(ty_kube_requests(w.k.kube), 1);
    assert_int_equal(w.k.peer.n, 1);
    kube_finish(&w.k);
}

/* Operations that wait for the limiter are canceled, once, and reported from the loop; requests
 * that are not fenced continue. */
static void while_they_wait_for_their_turn(void **state)
{
    static const char *const answers[] = { ONE, NULL };
    struct world w = { .k.set = { .qps = 0.001, .burst = 1 } };
    (void)state;
    start_client(&w, answers);
    ask_another(&w);
    for (int i = 0; i < WRITES; i++)
        write_one(&w);
    w.closed = true;
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), WRITES);
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), 0);
    kube_run(&w.k);
    assert_int_equal(w.k.ends, WRITES);
    assert_int_equal(w.k.r, -ECANCELED);
    assert_int_equal(w.others, 1);
    kube_finish(&w.k);
}

/* Operations that wait for a connection are not sent when it is ready, with or without
 * ty_kube_cancel_fenced; requests that are not fenced have their own connection and are answered.
 */
static void while_they_wait_for_a_connection(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct world w = { 0 };
        begin_far(&w);
        w.far.holds = true;
        for (int i = 0; i < WRITES; i++)
            write_one(&w);
        ask_another(&w);
        while (w.far.connections < 2)
            uv_run(&w.k.loop, UV_RUN_NOWAIT);
        w.closed = true;
        if (told)
            assert_int_equal(ty_kube_cancel_fenced(w.k.kube), WRITES);
        w.far.holds = false;
        kube_run(&w.k);
        assert_int_equal(w.k.ends, WRITES);
        assert_int_equal(w.k.r, -ECANCELED);
        assert_int_equal(w.others, 1);
        assert_int_equal(w.far.requests, 1);
        assert_int_equal(ty_kube_cancel_fenced(w.k.kube), told ? 0 : WRITES);
        finish_far(&w);
    }
}

/* Operations that were sent and have no response: the connection is reset. */
static void while_the_server_has_them(void **state)
{
    struct world w = { 0 };
    (void)state;
    begin_far(&w);
    write_one(&w);
    kube_run(&w.k);
    w.far.holds = true;
    w.k.ends = 0;
    for (int i = 0; i < WRITES; i++)
        write_one(&w);
    uv_run(&w.k.loop, UV_RUN_NOWAIT);
    w.closed = true;
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), WRITES);
    uv_run(&w.k.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.k.ends, WRITES);
    assert_int_equal(w.k.r, -ECANCELED);
    w.far.holds = false;
    far_wait_for_reset(&w.far);
    finish_far(&w);
}

static void canceled_by_their_owner(void **state)
{
    struct world w = { 0 };
    (void)state;
    begin_far(&w);
    w.far.holds = true;
    struct ty_kube_request ask = { .path = "/ok", .fenced = true, .fn = kube_on_end, .ctx = &w.k };
    struct ty_kube_op *op = ty_kube_start(w.k.kube, &ask), *next = ty_kube_start(w.k.kube, &ask);
    assert_int_equal(ty_kube_cancel_fenced(w.k.kube), 2);
    ty_kube_cancel(op);
    ty_kube_cancel(next);
    w.far.holds = false;
    kube_run(&w.k);
    assert_int_equal(w.k.ends, 0);
    finish_far(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_it_is_sent),
        cmocka_unit_test(before_it_is_sent_again),
        cmocka_unit_test(while_they_wait_for_their_turn),
        cmocka_unit_test(while_they_wait_for_a_connection),
        cmocka_unit_test(while_the_server_has_them),
        cmocka_unit_test(canceled_by_their_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
