#include "leader/leader_election.h"
#include "json/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ty_leader_election candidate(const char *me)
{
    struct ty_leader_election e = { .lease_ms = 15000, .renew_ms = 10000, .retry_ms = 2000 };
    snprintf(e.me, sizeof(e.me), "%s", me);
    return e;
}

static struct ty_leader_election_record held_by(const char *who, const char *renewed, int version)
{
    struct ty_leader_election_record r = { .duration_ms = 15000, .transitions = 4 };
    snprintf(r.holder, sizeof(r.holder), "%s", who);
    snprintf(r.renewed, sizeof(r.renewed), "%s", renewed);
    snprintf(r.acquired, sizeof(r.acquired), "then");
    snprintf(r.version, sizeof(r.version), "%d", version);
    return r;
}

/* The next action; *at is when a WAIT ends. */
static int64_t at;
static enum ty_leader_election_action next(struct ty_leader_election *e, int64_t now)
{
    at = -1;
    return ty_leader_election_next(e, now, &at);
}

/* A candidate after its first GET, which returned this. */
static struct ty_leader_election observing(const char *me,
                                           const struct ty_leader_election_record *r, int64_t now)
{
    struct ty_leader_election e = candidate(me);

    assert_int_equal(next(&e, now), TY_LEADER_ELECTION_GET);
    ty_leader_election_observed(&e, r, now);
    return e;
}

static void lead(struct ty_leader_election *e, int64_t now)
{
    assert_int_equal(next(e, now), TY_LEADER_ELECTION_GET);
    ty_leader_election_absent(e, now);
    assert_int_equal(next(e, now), TY_LEADER_ELECTION_CREATE);
    struct ty_leader_election_record r;
    ty_leader_election_desired(e, 0, &r);
    snprintf(r.version, sizeof(r.version), "1");
    ty_leader_election_updated(e, &r, now);
    assert_true(ty_leader_election_is_leader(e, now));
}

static void test_first_of_all(void **state)
{
    (void)state;
    struct ty_leader_election e = candidate("a");
    struct ty_leader_election_record r;
    assert_int_equal(next(&e, 100), TY_LEADER_ELECTION_GET);
    assert_int_equal(next(&e, 101), TY_LEADER_ELECTION_WAIT); /* one request at a time */
    ty_leader_election_absent(&e, 110);
    assert_int_equal(next(&e, 110), TY_LEADER_ELECTION_CREATE);
    ty_leader_election_desired(&e, 1700000000123456, &r);
    assert_string_equal(r.holder, "a");
    assert_string_equal(r.renewed, "2023-11-14T22:13:20.123456Z");
    assert_string_equal(r.acquired, r.renewed);
    assert_int_equal(r.transitions, 0);
    assert_string_equal(r.version, "");
    assert_false(ty_leader_election_is_leader(&e, 111));
    snprintf(r.version, sizeof(r.version), "7");
    ty_leader_election_updated(&e, &r, 120);
    assert_true(ty_leader_election_is_leader(&e, 120));
    assert_int_equal(next(&e, 120), TY_LEADER_ELECTION_WAIT);
    assert_int_equal(at, 2120);
    assert_int_equal(next(&e, 2120),
                     TY_LEADER_ELECTION_UPDATE); /* without a GET: nothing has changed */
    ty_leader_election_desired(&e, 1700000002000000, &r);
    assert_string_equal(r.version, "7");
    assert_string_equal(r.acquired, "2023-11-14T22:13:20.123456Z"); /* preserved */
    assert_string_equal(r.renewed, "2023-11-14T22:13:22.000000Z");
    assert_int_equal(r.transitions, 0);
}

static void test_waits_for_another(void **state)
{
    (void)state;
    struct ty_leader_election_record r =
        held_by("a", "1999-01-01", 5); /* clocks of other processes do not matter */
    struct ty_leader_election e = observing("b", &r, 1000);
    assert_int_equal(next(&e, 1000), TY_LEADER_ELECTION_WAIT);
    assert_int_equal(at, 3000);
    assert_string_equal(ty_leader_election_other_holder(&e), "a");
    for (int64_t now = 3000; now < 15000; now += 2000) {
        assert_int_equal(next(&e, now), TY_LEADER_ELECTION_GET);
        ty_leader_election_observed(&e, &r, now); /* unchanged */
        assert_int_equal(next(&e, now), TY_LEADER_ELECTION_WAIT);
    }
    assert_int_equal(next(&e, 15999), TY_LEADER_ELECTION_GET);
    r = held_by("a", "1999-01-02", 6);
    ty_leader_election_observed(&e, &r, 15999); /* it changed: 15 s from now */
    assert_int_equal(next(&e, 16000), TY_LEADER_ELECTION_WAIT);
    for (int64_t now = 18000; now < 30900; now += 2000) {
        assert_int_equal(next(&e, now), TY_LEADER_ELECTION_GET);
        ty_leader_election_observed(&e, &r, now);
        assert_int_equal(next(&e, now), TY_LEADER_ELECTION_WAIT);
    }
    assert_int_equal(at, 30999); /* the record expires before our next attempt */
    assert_int_equal(next(&e, 31005), TY_LEADER_ELECTION_GET); /* the timer was late */
    ty_leader_election_observed(&e, &r, 31006);
    assert_int_equal(next(&e, 31006), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_desired(&e, 0, &r);
    assert_string_equal(r.version, "6");
    assert_int_equal(r.transitions, 5);
}

static void test_released(void **state)
{
    (void)state;
    struct ty_leader_election_record r = held_by("a", "x", 5);
    struct ty_leader_election e = observing("b", &r, 1000);
    assert_int_equal(next(&e, 1000), TY_LEADER_ELECTION_WAIT);
    r = held_by("", "y", 6);
    ty_leader_election_watched(&e, &r, 1500); /* as a watch event */
    assert_int_equal(next(&e, 1500), TY_LEADER_ELECTION_UPDATE);
    /* and when it is deleted */
    r = held_by("a", "x", 5);
    struct ty_leader_election f = observing("b", &r, 1000);
    next(&f, 1000);
    ty_leader_election_watched(&f, NULL, 1500);
    assert_int_equal(next(&f, 1500), TY_LEADER_ELECTION_CREATE);
}

static void test_loser_of_a_race(void **state)
{
    (void)state;
    struct ty_leader_election_record r = held_by("", "x", 5);
    struct ty_leader_election e = observing("b", &r, 1000);
    assert_int_equal(next(&e, 1000), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_conflict(&e, 1010);
    assert_int_equal(next(&e, 1010), TY_LEADER_ELECTION_GET);
    r = held_by("c", "y", 6);
    ty_leader_election_observed(&e, &r, 1020);
    assert_int_equal(next(&e, 1020), TY_LEADER_ELECTION_WAIT);
    assert_false(ty_leader_election_is_leader(&e, 1020));
    /* conflicts without end do not become a busy loop */
    r = held_by("", "x", 5);
    struct ty_leader_election f = observing("b", &r, 0);
    int tries = 0;
    for (int64_t now = 0; now < 10000; now += 10) {
        switch (next(&f, now)) {
        case TY_LEADER_ELECTION_GET:
            ty_leader_election_observed(&f, &r, now);
            break;
        case TY_LEADER_ELECTION_UPDATE:
            ty_leader_election_conflict(&f, now);
            tries++;
            break;
        case TY_LEADER_ELECTION_WAIT:
            break;
        case TY_LEADER_ELECTION_CREATE:
        case TY_LEADER_ELECTION_LOST:
            fail();
        }
    }
    assert_in_range(tries, 4, 8);
}

static void test_lost_answers(void **state)
{
    (void)state;
    /* of the write that made us leader */
    struct ty_leader_election_record r = held_by("", "x", 5);
    struct ty_leader_election e = observing("a", &r, 0);
    assert_int_equal(next(&e, 0), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_failed(&e, 5000);
    assert_false(ty_leader_election_is_leader(&e, 5000));
    assert_int_equal(next(&e, 7000), TY_LEADER_ELECTION_GET);
    r = held_by("a", "then", 6); /* the server had executed it */
    ty_leader_election_observed(&e, &r, 7000);
    assert_false(
        ty_leader_election_is_leader(&e, 7000)); /* not before a write with a known result */
    assert_int_equal(next(&e, 7000), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_desired(&e, 0, &r);
    assert_int_equal(r.transitions, 4); /* it was ours already */
    ty_leader_election_updated(&e, &r, 7010);
    assert_true(ty_leader_election_is_leader(&e, 7010));
    /* of renewals: the version may have changed, so GET */
    assert_int_equal(next(&e, 9010), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_failed(&e, 10000);
    assert_true(ty_leader_election_is_leader(&e, 10000));
    assert_int_equal(next(&e, 12000), TY_LEADER_ELECTION_GET);
    r = held_by("a", "z", 9);
    ty_leader_election_observed(&e, &r, 12010);
    assert_int_equal(next(&e, 12010), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_desired(&e, 0, &r);
    assert_string_equal(r.version, "9");
}

static void test_answer_that_comes_too_late(void **state)
{
    (void)state;
    struct ty_leader_election_record r = held_by("", "x", 5);
    struct ty_leader_election e = observing("a", &r, 0);
    assert_int_equal(next(&e, 0), TY_LEADER_ELECTION_UPDATE);
    ty_leader_election_desired(&e, 0, &r);
    ty_leader_election_updated(&e, &r, 20000); /* after a SIGSTOP: another may lead by now */
    assert_false(ty_leader_election_is_leader(&e, 20000));
    assert_int_equal(next(&e, 20000), TY_LEADER_ELECTION_GET);
}

static void test_loss(void **state)
{
    (void)state;
    struct ty_leader_election e = candidate("a");
    lead(&e, 1000);
    for (int64_t now = 3000; now < 13000; now += 2500) {
        enum ty_leader_election_action what = next(&e, now);
        assert_true(what == TY_LEADER_ELECTION_UPDATE || what == TY_LEADER_ELECTION_GET);
        ty_leader_election_failed(&e, now + 500);
        assert_true(ty_leader_election_is_leader(&e, now + 500));
    }
    assert_int_equal(next(&e, 12999), TY_LEADER_ELECTION_WAIT);
    assert_int_equal(at, 13000); /* 10 s after the first failed attempt */
    assert_false(ty_leader_election_is_leader(&e, 13000));
    assert_int_equal(next(&e, 13000), TY_LEADER_ELECTION_LOST);
    struct ty_leader_election_record r = held_by("a", "x", 50);
    ty_leader_election_observed(&e, &r, 13001); /* a later answer changes nothing */
    assert_int_equal(next(&e, 13002), TY_LEADER_ELECTION_LOST);
    ty_leader_election_updated(&e, &r, 13003);
    assert_false(ty_leader_election_is_leader(&e, 13003));
    assert_int_equal(next(&e, 13004), TY_LEADER_ELECTION_LOST);
}

static void test_never_longer_than_the_lease(void **state)
{
    (void)state;
    struct ty_leader_election e = candidate("a");
    e.renew_ms = 14500; /* with the retry it would be 16.5 s */
    lead(&e, 1000);
    assert_true(
        ty_leader_election_is_leader(&e, 15749)); /* the rest is for requests on the network */
    assert_false(ty_leader_election_is_leader(&e, 15750));
    /* stopped until its lease has nearly expired: its first attempt to renew does not extend it */
    struct ty_leader_election g = candidate("a");
    lead(&g, 1000);
    assert_int_equal(next(&g, 12000), TY_LEADER_ELECTION_UPDATE);
    assert_true(ty_leader_election_is_leader(&g, 13499));
    assert_false(ty_leader_election_is_leader(&g, 13500));
    assert_int_equal(next(&g, 13500), TY_LEADER_ELECTION_LOST);
    /* stopped for long, for instance by a debugger: is_leader is false before LOST is returned */
    struct ty_leader_election f = candidate("a");
    lead(&f, 1000);
    assert_false(ty_leader_election_is_leader(&f, 100000));
    assert_int_equal(next(&f, 100000), TY_LEADER_ELECTION_LOST);
}

static void test_grace(void **state)
{
    (void)state;
    assert_int_equal(ty_leader_election_grace(15000, 10000), 2500);
    assert_int_equal(ty_leader_election_grace(2900, 1000), 500); /* whole seconds are written */
    assert_int_equal(ty_leader_election_grace(1900, 1800), 0);
}

static void test_another_took_it(void **state)
{
    (void)state;
    struct ty_leader_election e = candidate("a");
    struct ty_leader_election_record r = held_by("b", "x", 99);
    lead(&e, 1000);
    assert_true(ty_leader_election_watched(&e, &r, 1200));
    assert_false(ty_leader_election_is_leader(&e, 1200)); /* at once */
    assert_int_equal(next(&e, 1200), TY_LEADER_ELECTION_LOST);
    /* but an old watch event is ignored */
    struct ty_leader_election f = candidate("a");
    lead(&f, 1000);
    snprintf(f.seen.version, sizeof(f.seen.version), "100");
    assert_false(ty_leader_election_watched(&f, &r, 1200));
    assert_true(ty_leader_election_is_leader(&f, 1200));
    /* the Lease is deleted: we create it again */
    ty_leader_election_watched(&f, NULL, 1300);
    assert_int_equal(next(&f, 1300), TY_LEADER_ELECTION_CREATE);
}

/* The API server accepts no greater number: counting on would make every later acquisition fail. */
static void test_as_often_as_can_be_counted(void **state)
{
    (void)state;
    struct ty_leader_election_record r = held_by("b", "then", 5), want;
    r.transitions = INT32_MAX - 1;
    struct ty_leader_election e = observing("a", &r, 0);
    ty_leader_election_desired(&e, 0, &want);
    assert_int_equal(want.transitions, INT32_MAX);
    e.seen.transitions = INT32_MAX;
    ty_leader_election_desired(&e, 0, &want);
    assert_int_equal(want.transitions, INT32_MAX);
}

static void test_json(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_leader_election e = candidate("host_1");
    struct ty_leader_election_record r, back;
    struct ty_err err = { 0 };
    lead(&e, 1000);
    ty_leader_election_release(&e, 1700000000000001, &r);
    const struct ty_json *meta =
        ty_json_parse(a, ty_str("{\"labels\":{\"a\":\"b\"},\"uid\":\"u\"}"), NULL, &err);
    struct ty_str text = ty_leader_election_encode(a, ty_str("ns"), ty_str("n"), &r, meta);
    assert_true(ty_str_is(
        text,
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
        "\"namespace\":\"ns\",\"name\":\"n\",\"resourceVersion\":\"1\",\"labels\":{\"a\":\"b\"}},"
        "\"spec\":{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,"
        "\"acquireTime\":\"2023-11-14T22:13:20.000001Z\","
        "\"renewTime\":\"2023-11-14T22:13:20.000001Z\",\"leaseTransitions\":0}}"));
    assert_true(ty_leader_election_decode(ty_json_parse(a, text, NULL, &err), &back));
    assert_memory_equal(&r, &back, sizeof(r));
    assert_false(ty_leader_election_decode(
        ty_json_parse(a, ty_str("{\"kind\":\"Status\"}"), NULL, &err), &r));
    assert_true(
        ty_leader_election_decode(ty_json_parse(a, ty_str("{\"metadata\":{}}"), NULL, &err), &r));
    assert_string_equal(r.holder, ""); /* a Lease without a spec is free */
}

/* ---- three candidates and a lossy server ---- */

enum { N = 3 };
struct flight {
    enum ty_leader_election_action what;
    int64_t arrives, answers; /* at the server; at the client. -1: lost */
    struct ty_leader_election_record body, reply;
    int code; /* 200, 404, 409; 0 not there yet */
};
struct election_sim {
    struct ty_leader_election_record lease; /* version "": absent */
    int version;
    struct ty_leader_election e[N];
    struct flight f[N];
    int64_t offset[N]; /* their clocks do not agree */
    int64_t asleep[N]; /* stopped until then */
    int64_t now;
    int lossy; /* percent */
    int led[N], turns;
};

static void serve(struct election_sim *w, struct flight *f)
{
    if (f->what == TY_LEADER_ELECTION_GET) {
        f->code = *w->lease.version ? 200 : 404;
    } else if (f->what == TY_LEADER_ELECTION_CREATE
                   ? !*w->lease.version
                   : strcmp(f->body.version, w->lease.version) == 0) {
        f->code = 200;
        w->lease = f->body;
        snprintf(w->lease.version, sizeof(w->lease.version), "%d", ++w->version);
    } else {
        f->code = 409;
    }
    f->reply = w->lease;
}

static void answer(struct election_sim *w, int i)
{
    struct flight *f = &w->f[i];
    int64_t mine = w->now + w->offset[i];
    if (f->answers < 0 || f->code == 0)
        ty_leader_election_failed(&w->e[i], mine);
    else if (f->code == 404)
        ty_leader_election_absent(&w->e[i], mine);
    else if (f->code == 409)
        ty_leader_election_conflict(&w->e[i], mine);
    else if (f->what == TY_LEADER_ELECTION_GET)
        ty_leader_election_observed(&w->e[i], &f->reply, mine);
    else
        ty_leader_election_updated(&w->e[i], &f->reply, mine);
    f->what = TY_LEADER_ELECTION_WAIT;
}

static void step(struct election_sim *w, int i)
{
    struct flight *f = &w->f[i];
    int64_t mine = w->now + w->offset[i], ignored = 0;
    if (f->what != TY_LEADER_ELECTION_WAIT && !f->code && f->arrives >= 0 && w->now >= f->arrives)
        serve(w, f);
    if (w->asleep[i] > w->now)
        return;
    if (f->what != TY_LEADER_ELECTION_WAIT && w->now >= llabs(f->answers))
        answer(w, i);
    if (random() % 50 == 0 && *w->lease.version) /* a watch event, sometimes */
        ty_leader_election_watched(&w->e[i], &w->lease, mine);
    enum ty_leader_election_action what = ty_leader_election_next(&w->e[i], mine, &ignored);
    if (what == TY_LEADER_ELECTION_LOST) { /* the process exits, another one starts */
        char me[32];
        snprintf(me, sizeof(me), "%d-%d", i, ++w->turns);
        w->e[i] = candidate(me);
        *f = (struct flight){ 0 };
    } else if (what != TY_LEADER_ELECTION_WAIT) {
        *f = (struct flight){ .what = what };
        f->arrives = random() % 100 < w->lossy ? -1 : w->now + random() % 3000;
        f->answers = (f->arrives < 0 ? w->now : f->arrives) + random() % 3000;
        if (random() % 100 < w->lossy)
            f->answers = -(w->now + 5000); /* no answer: the timeout */
        ty_leader_election_desired(&w->e[i], 1000 * (w->now + w->offset[i] * 7), &f->body);
    }
    if (random() % 20000 == 0)
        w->asleep[i] = w->now + random() % 40000;
}

static void test_never_two(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct election_sim w = { .lossy = seed % 3 == 0 ? 0 : (int)(seed % 5) * 12 };
        srandom(seed);
        for (int i = 0; i < N; i++) {
            char me[32];
            snprintf(me, sizeof(me), "%d", i);
            w.e[i] = candidate(me);
            w.offset[i] = 100000 + random() % 10000000;
        }
        for (w.now = 1; w.now < 600000; w.now += 7) {
            int leaders = 0;
            for (int i = 0; i < N; i++)
                step(&w, i);
            for (int i = 0; i < N; i++) {
                bool leads = ty_leader_election_is_leader(&w.e[i], w.now + w.offset[i]);
                leaders += leads;
                w.led[i] += leads;
            }
            assert_true(leaders <= 1);
        }
        int all = w.led[0] + w.led[1] + w.led[2];
        assert_true(all > (w.lossy ? 0 : 600000 / 7 / 2)); /* and nearly always one */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_of_all),
        cmocka_unit_test(test_waits_for_another),
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_loser_of_a_race),
        cmocka_unit_test(test_lost_answers),
        cmocka_unit_test(test_answer_that_comes_too_late),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_never_longer_than_the_lease),
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_another_took_it),
        cmocka_unit_test(test_as_often_as_can_be_counted),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_never_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
