#include "engine/progress_testing.h"

static void test_words(void **state)
{
    (void)state;
    reads("step 10/50", "20% 10/50");
    reads("[default0]:step 10/50 loss 0.3412 20%", "20% 10/50 loss=0.3412");
    reads("Step: [10/50], Loss: 0.5", "20% 10/50 Loss=0.5");
    reads("iteration 5 of 9", "55% 5/9");
    reads("global_step=10/50", "20% 10/50");
    reads("Epoch 2/4", "25% 2/4"); /* it begins: one is done */
    reads("epoch 2/4 val_loss=0.25", "50% 2/4 val_loss=0.25");
    reads("Epoch 2/4 step 10/50 loss 0.31", "30% loss=0.31");
    reads("epoch 3 loss 0.69", "loss=0.69");
    reads("step 30 | loss 0.7", "30/-1 loss=0.7");
    reads("step 3", "nothing");
    reads("step 7/5", "nothing");
    reads("step 0/0", "nothing");
    reads("epoch 99999999999999999999/99999999999999999999", "nothing");
    reads("stepping 3/5 stones", "nothing");
    reads("date 10/11/2024", "nothing");
}

static void test_percent_alone(void **state)
{
    (void)state;
    reads("45%", "45%");
    reads("  45.9 %", "nothing");
    reads("45.9%", "45%");
    reads("[ 45%] Building", "45%");
    reads("Progress: 45%", "45%");
    reads("training 45% of the way", "45%");
    reads("45% done", "45%");
    reads("100% complete", "100%");
    reads("disk 97% full", "nothing");
    reads("97% of /data is used", "nothing");
    reads("accuracy: 97%", "nothing");
    reads("GPU util 12%, mem 40%", "nothing");
    reads("progress 140%", "nothing");
    reads("%", "nothing");
    reads("-5%", "nothing");
}

static void test_nothing(void **state)
{
    char line[4096];

    (void)state;
    reads("", "nothing");
    reads("hello", "nothing");
    reads("http://host/path?a=1", "nothing");
    reads("rank=0 world_size=4", "nothing");
    memset(line, 'x', sizeof(line));
    snprintf(line + 2000, sizeof(line) - 2000, " step 1/2");
    reads(line, "nothing"); /* too far in a line that long */
}

static void test_the_newest_wins(void **state)
{
    struct ty_progress now = TY_NO_PROGRESS, next;

    (void)state;
    assert_true(ty_progress_part(&now) < 0);
    assert_true(ty_progress_read(TY_LIT("100%|██████████| 3/3 [00:00<00:00, 8it/s]"), &next));
    ty_progress_merge(&now, &next);
    assert_true(ty_progress_read(TY_LIT("{'loss': 0.51, 'epoch': 0.5}"), &next));
    ty_progress_merge(&now, &next);
    assert_int_equal(now.percent, 100);
    assert_int_equal(now.n_metrics, 2);
    assert_true(ty_progress_read(TY_LIT("step 1/8 loss 0.4"), &next));
    ty_progress_merge(&now, &next);
    assert_int_equal(now.percent, 12); /* it goes back */
    assert_int_equal(now.eta_s, -1);
    assert_string_equal(now.metrics[0].value, "0.4");
    assert_string_equal(now.metrics[1].name, "epoch");
    assert_true(ty_progress_part(&now) > 0.124 && ty_progress_part(&now) < 0.126);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_percent_alone),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_the_newest_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
