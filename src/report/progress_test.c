#include "report/progress_testing.h"

static void test_words(void **state)
{
    (void)state;
    assert_progress("step 10/50", "20% 10/50");
    assert_progress("[default0]:step 10/50 loss 0.3412 20%", "20% 10/50 loss=0.3412");
    assert_progress("Step: [10/50], Loss: 0.5", "20% 10/50 Loss=0.5");
    assert_progress("iteration 5 of 9", "55% 5/9");
    assert_progress("global_step=10/50", "20% 10/50");
    assert_progress("Epoch 2/4", "25% 2/4"); /* it begins: one is done */
    assert_progress("epoch 2/4 val_loss=0.25", "50% 2/4 val_loss=0.25");
    assert_progress("Epoch 2/4 step 10/50 loss 0.31", "30% loss=0.31");
    assert_progress("epoch 3 loss 0.69", "loss=0.69");
    assert_progress("step 30 | loss 0.7", "30/-1 loss=0.7");
    assert_progress("step 3", "nothing");
    assert_progress("step 7/5", "nothing");
    assert_progress("round 20/20 rmse 0.1", "100% 20/20 rmse=0.1");
    assert_progress("[xgboost] Round 5 of 20", "25% 5/20");
    assert_progress("round 3", "nothing");
    assert_progress("around 3/5 of them", "nothing");
    assert_progress("step 0/0", "nothing");
    assert_progress("epoch 99999999999999999999/99999999999999999999", "nothing");
    assert_progress("stepping 3/5 stones", "nothing");
    assert_progress("date 10/11/2024", "nothing");
}

static void test_percent_alone(void **state)
{
    (void)state;
    assert_progress("45%", "45%");
    assert_progress("  45.9 %", "nothing");
    assert_progress("45.9%", "45%");
    assert_progress("[ 45%] Building", "45%");
    assert_progress("Progress: 45%", "45%");
    assert_progress("training 45% of the way", "45%");
    assert_progress("45% done", "45%");
    assert_progress("100% complete", "100%");
    assert_progress("disk 97% full", "nothing");
    assert_progress("97% of /data is used", "nothing");
    assert_progress("accuracy: 97%", "nothing");
    assert_progress("GPU util 12%, mem 40%", "nothing");
    assert_progress("progress 140%", "nothing");
    assert_progress("%", "nothing");
    assert_progress("-5%", "nothing");
}

static void test_nothing(void **state)
{
    char line[4096];

    (void)state;
    assert_progress("", "nothing");
    assert_progress("hello", "nothing");
    assert_progress("http://host/path?a=1", "nothing");
    assert_progress("rank=0 world_size=4", "nothing");
    memset(line, 'x', sizeof(line));
    snprintf(line + 2000, sizeof(line) - 2000, " step 1/2");
    assert_progress(line, "nothing"); /* too far in a line that long */
}

static void test_the_newest_wins(void **state)
{
    struct ty_progress now = TY_PROGRESS_NONE, next;

    (void)state;
    assert_true(ty_progress_fraction(&now) < 0);
    assert_true(ty_progress_parse(TY_LIT("100%|██████████| 3/3 [00:00<00:00, 8it/s]"), &next));
    ty_progress_merge(&now, &next);
    assert_true(ty_progress_parse(TY_LIT("{'loss': 0.51, 'epoch': 0.5}"), &next));
    ty_progress_merge(&now, &next);
    assert_int_equal(now.percent, 100);
    assert_int_equal(now.n_metrics, 2);
    assert_true(ty_progress_parse(TY_LIT("step 1/8 loss 0.4"), &next));
    ty_progress_merge(&now, &next);
    assert_int_equal(now.percent, 12); /* it goes back */
    assert_int_equal(now.eta_s, -1);
    assert_string_equal(now.metrics[0].value, "0.4");
    assert_string_equal(now.metrics[1].name, "epoch");
    assert_true(ty_progress_fraction(&now) > 0.124 && ty_progress_fraction(&now) < 0.126);
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
