/* The work queue: keys are queued once, delayed keys when they are due. */
#include "engine/engine_testing.h"

/* Many changes of one object cause one pass. */
static void a_key_is_queued_once(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    for (int i = 0; i < 100; i++) {
        ty_engine_queue_add(&w->e->queue, &ty_kind_job, "default", "a");
        ty_engine_queue_add(&w->e->queue, &ty_kind_pod, "default", "a");
    }
    assert_int_equal(w->e->queue.n, 2);
    assert_false(ty_engine_done(w->e));
    fixture_run(w); /* neither object exists: the queue is empty after one pass */
    assert_int_equal(w->e->queue.n, 0);
}

static void the_earlier_time_counts(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    int64_t now = (int64_t)uv_now(&w->loop);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "a", 500000);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "a", 1000);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "a", 700000);
    assert_non_null(w->e->queue.delayed);
    assert_null(w->e->queue.delayed->next);
    assert_int_equal(w->e->queue.delayed->at_ms, now + 1000);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "b",
                              -5); /* due already: now */
    assert_int_equal(uv_timer_get_due_in(&w->e->queue.timer), 0);
}

static bool b_was_reconciled(struct engine_fixture *w)
{
    return w->e->queue.delayed && !w->e->queue.delayed->next && w->e->queue.n == 0;
}

static void due_keys_are_reconciled(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "a", 1000000);
    ty_engine_queue_add_after(&w->e->queue, &ty_kind_job, "default", "b", 5);
    w->enough = b_was_reconciled;
    fixture_run(w);
    assert_string_equal(w->e->queue.delayed->key, "Job/default/a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_key_is_queued_once),
        ENGINE_TEST(the_earlier_time_counts),
        ENGINE_TEST(due_keys_are_reconciled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
