#include "workqueue/queue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <uv.h>

static struct ty_key key(int kind, const char *ns, const char *name)
{
    return (struct ty_key){ kind, ty_str(ns), ty_str(name) };
}

/* The next name, or "" when there is none. */
static const char *next(struct ty_queue *q)
{
    static char name[64];
    struct ty_key k;
    if (!ty_queue_next(q, &k))
        return "";
    snprintf(name, sizeof(name), "%d:%.*s/%.*s", k.kind, TY_ARG(k.ns), TY_ARG(k.name));
    return name;
}

static size_t depth(struct ty_queue *q)
{
    size_t n = 0;
    for (int i = 0; i < TY_QUEUE_KINDS; i++)
        n += ty_queue_kind(q, i)->depth;
    return n;
}

static struct ty_queue *fresh(void)
{
    return ty_queue_new(&(struct ty_queue_settings){ 0 });
}

static void test_order_and_once(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    assert_string_equal(next(q), "");
    ty_queue_add(q, key(1, "a", "x"));
    ty_queue_add(q, key(1, "a", "y"));
    ty_queue_add(q, key(1, "a", "x"));
    ty_queue_add(q, key(2, "a", "x"));  /* another kind */
    ty_queue_add(q, key(1, "", "a/x")); /* not the same as a, x */
    ty_queue_add(q, key(1, "ax", ""));
    assert_int_equal(ty_queue_kind(q, 1)->adds, 4);
    assert_int_equal(ty_queue_kind(q, 2)->adds, 1);
    assert_int_equal(depth(q), 5);
    assert_string_equal(next(q), "1:a/x");
    assert_string_equal(next(q), "1:a/y");
    assert_string_equal(next(q), "2:a/x");
    assert_string_equal(next(q), "1:/a/x");
    assert_string_equal(next(q), "1:ax/");
    assert_string_equal(next(q), "");
    assert_int_equal(depth(q), 0);
    ty_queue_free(q);
}

/* By kind; from the time of the add, also while working. */
static void test_how_long_it_took(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    struct ty_key x = key(1, "a", "x");
    ty_queue_tick(q, 1000);
    ty_queue_add(q, x);
    ty_queue_tick(q, 3000);
    assert_string_equal(next(q), "1:a/x");
    ty_queue_tick(q, 3040);
    ty_queue_add(q, x);
    ty_queue_tick(q, 3050);
    ty_queue_done(q, x);
    ty_queue_tick(q, 4040);
    assert_string_equal(next(q), "1:a/x");
    const struct ty_queue_kind *k = ty_queue_kind(q, 1);
    assert_int_equal(k->adds, 2);
    assert_int_equal(k->waited.n, 2);
    assert_true(k->waited.sum > 2.99 && k->waited.sum < 3.01); /* 2 s, then 1 s */
    assert_int_equal(k->waited.counts[8], 1);                  /* up to 1 s */
    assert_int_equal(k->waited.counts[9], 1);                  /* up to 10 s */
    assert_int_equal(k->worked.n, 1);
    assert_true(k->worked.sum > 0.049 && k->worked.sum < 0.051);
    assert_int_equal(ty_queue_kind(q, 2)->adds, 0);
    assert_int_equal(ty_queue_kind(q, 2)->waited.n, 0);
    ty_queue_free(q);
}

static void test_not_twice_at_once(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    struct ty_key x = key(1, "a", "x");
    ty_queue_add(q, x);
    assert_string_equal(next(q), "1:a/x");
    ty_queue_add(q, x); /* it changed during its reconcile */
    ty_queue_add(q, x);
    assert_string_equal(next(q), "");
    ty_queue_add_after(q, x, 10);
    ty_queue_tick(q, 20); /* due, but working */
    assert_string_equal(next(q), "");
    ty_queue_done(q, x);
    assert_string_equal(next(q), "1:a/x"); /* once more, and once only */
    assert_string_equal(next(q), "");
    ty_queue_done(q, x);
    assert_string_equal(next(q), "");
    ty_queue_done(q, x); /* nothing was taken: nothing happens */
    assert_int_equal(ty_queue_kind(q, 1)->worked.n, 2);
    assert_int_equal(ty_queue_kind(q, 1)->adds, 2);
    ty_queue_free(q);
}

static void test_delays(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    ty_queue_tick(q, 1000);
    ty_queue_add_after(q, key(1, "a", "late"), 500);
    ty_queue_add_after(q, key(1, "a", "soon"), 100);
    ty_queue_add_after(q, key(1, "a", "late"), 300);    /* the earlier time wins */
    ty_queue_add_after(q, key(1, "a", "soon"), 900000); /* this one does not */
    ty_queue_add_after(q, key(1, "a", "never"), INT64_MAX);
    ty_queue_add_after(q, key(1, "a", "now"), 0);
    assert_string_equal(next(q), "1:a/now");
    assert_int_equal(ty_queue_tick(q, 1099), 1);
    assert_string_equal(next(q), "");
    assert_int_equal(ty_queue_tick(q, 1100), 200);
    assert_string_equal(next(q), "1:a/soon");
    assert_string_equal(next(q), "");
    ty_queue_add(q, key(1, "a", "late")); /* now, and the delayed one still comes */
    assert_string_equal(next(q), "1:a/late");
    ty_queue_done(q, key(1, "a", "late"));
    ty_queue_tick(q, 1300);
    assert_string_equal(next(q), "1:a/late");
    ty_queue_free(q);
}

static void test_back_off(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    struct ty_key x = key(1, "a", "x");
    int64_t now = 0, want = 5;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(ty_queue_retry(q, x), want);
        assert_int_equal(ty_queue_tick(q, now), want);
        now += want;
        ty_queue_tick(q, now);
        assert_string_equal(next(q), "1:a/x");
        ty_queue_done(q, x);
        want = want * 2 > 1000000 ? 1000000 : want * 2;
    }
    assert_int_equal(ty_queue_kind(q, 1)->retries, 40);
    assert_int_equal(ty_queue_retry(q, key(1, "a", "y")), 5); /* each its own */
    ty_queue_forget(q, x);
    ty_queue_forget(q, key(9, "un", "known"));
    assert_int_equal(ty_queue_retry(q, x), 5);
    ty_queue_free(q);
}

/* Thousands of keys in a random order of calls, against a plain model: an array. */
static void test_against_a_model(void **state)
{
    (void)state;
    enum { KEYS = 3000, STEPS = 200000 };
    static bool waiting[KEYS], working[KEYS], again[KEYS];
    static int64_t due[KEYS];
    struct ty_queue *q = fresh();
    int64_t now = 0, number = 0;
    char name[32];
    size_t n_waiting = 0;
    srandom(7);
    for (int step = 0; step < STEPS; step++) {
        int k = (int)(random() % KEYS);
        snprintf(name, sizeof(name), "job-%d", k);
        struct ty_key x = key(1, "team", name), got;
        switch (random() % 5) {
        case 0:
            ty_queue_add(q, x);
            again[k] |= working[k];
            n_waiting += !working[k] && !waiting[k];
            waiting[k] |= !working[k];
            break;
        case 1: {
            int64_t ms = 1 + random() % 1000;
            ty_queue_add_after(q, x, ms);
            due[k] = !due[k] || now + ms < due[k] ? now + ms : due[k];
            break;
        }
        case 2:
            if (!ty_queue_next(q, &got)) {
                assert_int_equal(n_waiting, 0);
                break;
            }
            assert_true(
                ty_str_parse_i64((struct ty_str){ got.name.p + 4, got.name.n - 4 }, &number));
            k = (int)number;
            assert_true(waiting[k] && !working[k]);
            waiting[k] = false;
            working[k] = true;
            n_waiting--;
            break;
        case 3:
            ty_queue_done(q, x);
            n_waiting += working[k] && again[k];
            waiting[k] |= working[k] && again[k];
            again[k] = working[k] = false;
            break;
        default:
            now += random() % 20;
            ty_queue_tick(q, now);
            for (k = 0; k < KEYS; k++) {
                if (!due[k] || due[k] > now)
                    continue;
                due[k] = 0;
                again[k] |= working[k];
                n_waiting += !working[k] && !waiting[k];
                waiting[k] |= !working[k];
            }
        }
        assert_int_equal(depth(q), n_waiting);
    }
    assert_true(ty_queue_kind(q, 1)->adds > KEYS);
    ty_queue_free(q);
}

/* Every third key is delayed, the others are in a back-off: retry_now queues these now, those when
 * they are due and in order, and the next back-off is longer all the same. */
static void test_hurry(void **state)
{
    (void)state;
    enum { KEYS = 60 };
    struct ty_queue *q = fresh();
    char name[16], want[32];
    for (int i = 0; i < KEYS; i++) {
        snprintf(name, sizeof(name), "%02d", i);
        if (i % 3 == 0)
            ty_queue_add_after(q, key(1, "a", name), 100 + i);
        for (int k = 0; i % 3 && k < 10 + i % 7; k++) /* a failure more doubles it */
            ty_queue_retry(q, key(1, "a", name));
    }
    ty_queue_tick(q, 4);
    assert_int_equal(depth(q), 0);
    ty_queue_retry_now(q);
    assert_int_equal(depth(q), KEYS - KEYS / 3);
    assert_int_equal(ty_queue_tick(q, 4), 96); /* the first of the others */
    struct ty_key got;
    while (ty_queue_next(q, &got))
        assert_int_not_equal((got.name.p[0] * 10 + got.name.p[1] - '0' * 11) % 3, 0);
    for (int i = 0; i < KEYS; i += 3) {
        ty_queue_tick(q, 100 + i);
        snprintf(want, sizeof(want), "1:a/%02d", i);
        assert_string_equal(next(q), want);
        assert_string_equal(next(q), "");
    }
    ty_queue_done(q, key(1, "a", "01"));
    assert_int_equal(ty_queue_retry(q, key(1, "a", "01")), 5 << 11);
    ty_queue_free(q);
}

/* ---- on a loop ---- */

struct looped {
    struct ty_queue *q;
    uv_loop_t loop;
    int calls;
    char seen[256];
};

static void on_ready(void *ctx)
{
    struct looped *l = ctx;
    const char *name;
    l->calls++;
    while (*(name = next(l->q)))
        snprintf(l->seen + strlen(l->seen), sizeof(l->seen) - strlen(l->seen), "%s ", name);
}

static void test_on_a_loop(void **state)
{
    (void)state;
    struct looped l = { 0 };
    uv_loop_init(&l.loop);
    l.q =
        ty_queue_new(&(struct ty_queue_settings){ .loop = &l.loop, .ready = on_ready, .ctx = &l });
    ty_queue_add_after(l.q, key(1, "a", "second"), 30);
    ty_queue_add_after(l.q, key(1, "a", "first"), 5);
    ty_queue_add(l.q, key(1, "a", "now"));
    ty_queue_add(l.q, key(1, "a", "too"));
    assert_int_equal(l.calls, 0); /* never inside the call */
    uv_run(&l.loop, UV_RUN_DEFAULT);
    assert_string_equal(l.seen, "1:a/now 1:a/too 1:a/first 1:a/second ");
    assert_in_range(l.calls, 1, 3); /* once for both that came together */
    ty_queue_free(l.q);
    while (uv_run(&l.loop, UV_RUN_DEFAULT))
        ;
    assert_int_equal(uv_loop_close(&l.loop), 0);
}

static void test_drop(void **state)
{
    (void)state;
    static const char *const orders[] = { "abc", "bca",
                                          "cab" }; /* drops the first, the middle and the last */
    for (size_t i = 0; i < 3; i++) {
        struct ty_queue *q = fresh();
        ty_queue_add(q, key(1, "", "a"));
        ty_queue_add(q, key(1, "", "b"));
        ty_queue_add(q, key(1, "", "c"));
        for (size_t n = 0; n < 3; n++) {
            char name[2] = { orders[i][n], 0 };
            ty_queue_drop(q, key(1, "", name));
            ty_queue_drop(q, key(1, "", name)); /* not in the queue */
            assert_int_equal(depth(q), 2 - n);
        }
        ty_queue_add(q, key(1, "", "d")); /* the list is intact */
        assert_string_equal(next(q), "1:/d");
        assert_string_equal(next(q), "");
        ty_queue_free(q);
    }
}

/* Drops from any place of the heap; the rest comes in order. */
static void test_drop_what_is_delayed(void **state)
{
    (void)state;
    for (int gone = 0; gone < 20; gone++) {
        struct ty_queue *q = fresh();
        char name[8];
        for (int i = 0; i < 20; i++) {
            snprintf(name, sizeof(name), "%02d", i);
            ty_queue_add_after(q, key(1, "", name), 1 + (i * 7) % 20);
        }
        snprintf(name, sizeof(name), "%02d", gone);
        ty_queue_drop(q, key(1, "", name));
        for (int ms = 1; ms <= 20; ms++) {
            ty_queue_tick(q, ms);
            for (int i = 0; i < 20; i++)
                if (1 + (i * 7) % 20 == ms && i != gone) {
                    char want[16];
                    snprintf(want, sizeof(want), "1:/%02d", i);
                    assert_string_equal(next(q), want);
                }
            assert_string_equal(next(q), "");
        }
        ty_queue_free(q);
    }
}

static void test_drop_what_is_in_work(void **state)
{
    (void)state;
    struct ty_queue *q = fresh();
    struct ty_key x = key(1, "a", "x");
    ty_queue_add(q, x);
    assert_string_equal(next(q), "1:a/x");
    ty_queue_add(q, x);
    ty_queue_retry(q, x);
    ty_queue_drop(q, x);
    ty_queue_done(q, x);
    assert_int_equal(ty_queue_tick(q, 1000), -1);
    assert_string_equal(next(q), "");          /* neither again nor later */
    assert_int_equal(ty_queue_retry(q, x), 5); /* its back-off is forgotten */
    ty_queue_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_once),
        cmocka_unit_test(test_how_long_it_took),
        cmocka_unit_test(test_not_twice_at_once),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_back_off),
        cmocka_unit_test(test_against_a_model),
        cmocka_unit_test(test_hurry),
        cmocka_unit_test(test_on_a_loop),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_drop_what_is_delayed),
        cmocka_unit_test(test_drop_what_is_in_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
