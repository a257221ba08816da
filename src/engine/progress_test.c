#include "engine/progress.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* "45% 45/100 eta=12 loss=0.3": all that was read, in one string to compare. */
static void reads(const char *line, const char *want)
{
    struct ty_progress p;
    char got[512] = "nothing";
    size_t n = 0;

    if (ty_progress_read(ty_str(line), &p)) {
        if (p.percent >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%d%% ", p.percent);
        if (p.step >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%lld/%lld ", (long long)p.step,
                                  (long long)p.total);
        if (p.eta_s >= 0)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "eta=%lld ", (long long)p.eta_s);
        for (size_t i = 0; i < p.n_metrics; i++)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%s=%s ", p.metrics[i].name,
                                  p.metrics[i].value);
        got[n ? n - 1 : 0] = '\0';
    }
    if (strcmp(got, want) != 0)
        fail_msg("%s\n  got  %s\n  want %s", line, got, want);
}

/* Recorded from tqdm 4.67. */
static void test_tqdm(void **state)
{
    (void)state;
    reads("  0%|          | 0/100 [00:00<?, ?it/s]", "0% 0/100");
    reads(" 45%|████▌     | 45/100 [00:10<00:12,  4.5it/s, loss=0.3]",
          "45% 45/100 eta=12 loss=0.3");
    reads(" 75%|####2     | 75/100 [00:00<1:02:03, 165.97it/s, loss=0.0115, lr=1e-5]",
          "75% 75/100 eta=3723 loss=0.0115 lr=1e-5");
    reads("model.safetensors:  20%|██        | 1.00M/5.00M [00:00<00:05, 8.72MB/s]", "20% eta=5");
    reads("Epoch 2/3:  33%|███▎      | 1/3 [00:00<00:00,  8.33it/s]", "44% epoch=2");
    reads("3it [00:00,  6.65it/s]", "3/-1");
    reads("7it [01:00,  6.65it/s, loss=nan]", "7/-1 loss=nan");
    reads("\033[32m 50%|█████     | 5/10 [00:01<00:01,  5it/s]\033[0m", "50% 5/10 eta=1");
    reads("100%|██████████| 3/3 [00:00<00:00,  8.30it/s]", "100% 3/3 eta=0");
}

static void test_lightning(void **state)
{
    (void)state;
    reads("Epoch 3:  57%|█████▋ | 57/100 [00:17<01:02, 4.47s/it, loss=0.2, v_num=1]",
          "57% 57/100 eta=62 loss=0.2 epoch=3");
    reads("Epoch 0:   2%|▏         | 3744/150000 [3:12:36<125:24:04,  0.32it/s, v_num=35a4, ...]",
          "2% 3744/150000 eta=451444 epoch=0");
    /* its own count: from 0 to 9 are ten epochs */
    reads("Epoch 3/9:  50%|█████  | 50/100 [00:05<00:05, 9.5it/s, v_num=1, train_loss=0.25]",
          "35% train_loss=0.25 epoch=3");
    reads("Training: 0it [00:00, ?it/s]", "0/-1");
}

static void test_trainer(void **state)
{
    (void)state;
    reads("{'loss': 0.51, 'grad_norm': 1.2039, 'learning_rate': 5e-05, 'epoch': 0.5}",
          "loss=0.51 grad_norm=1.2039 learning_rate=5e-05 epoch=0.5");
    reads("{'loss': '0.51', 'epoch': '0.5'}", "loss=0.51 epoch=0.5");
    reads("{\"eval_runtime\": 1.5, \"epoch\": 1.0}", "eval_runtime=1.5 epoch=1.0");
    reads("{'name': 'bert', 'layers': 12}", "nothing");
    reads("{'layers': 12, 'heads': 8}", "nothing");
    reads("{'loss': 0.5", "nothing"); /* cut off */
}

static void test_keras(void **state)
{
    (void)state;
    reads("10/50 [=====>........................] - ETA: 3s - loss: 0.3100 - accuracy: 0.90",
          "20% 10/50 eta=3 loss=0.3100 accuracy=0.90");
    reads(" 10/50 ━━━━━━━━━━ 1s 20ms/step - accuracy: 0.1 - loss: 2.3",
          "20% 10/50 accuracy=0.1 loss=2.3");
    reads("10/50 [..............................] - ETA: 1:02 - loss: 1",
          "20% 10/50 eta=62 loss=1");
    reads("10/50 files", "nothing");
}

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

static void test_many_metrics(void **state)
{
    struct ty_progress p;

    (void)state;
    assert_true(ty_progress_read(
        TY_LIT("1it [00:01, 1it/s, a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, a=10]"), &p));
    assert_int_equal(p.n_metrics, TY_PROGRESS_METRICS);
    assert_string_equal(p.metrics[0].value, "10");
    assert_true(ty_progress_read(
        TY_LIT("loss 0.5 this_name_is_longer_than_a_name_of_a_metric_may_be_loss 3"), &p));
    assert_int_equal(p.n_metrics, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tqdm),         cmocka_unit_test(test_lightning),
        cmocka_unit_test(test_trainer),      cmocka_unit_test(test_keras),
        cmocka_unit_test(test_words),        cmocka_unit_test(test_percent_alone),
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_the_newest_wins),
        cmocka_unit_test(test_many_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
