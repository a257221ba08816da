#include "report/progress_bars.h"
#include "report/progress_testing.h"

/* Recorded from tqdm 4.67. */
static void test_tqdm(void **state)
{
    (void)state;
    assert_progress("  0%|          | 0/100 [00:00<?, ?it/s]", "0% 0/100");
    assert_progress(" 45%|████▌     | 45/100 [00:10<00:12,  4.5it/s, loss=0.3]",
                    "45% 45/100 eta=12 loss=0.3");
    assert_progress(" 75%|####2     | 75/100 [00:00<1:02:03, 165.97it/s, loss=0.0115, lr=1e-5]",
                    "75% 75/100 eta=3723 loss=0.0115 lr=1e-5");
    assert_progress("model.safetensors:  20%|██        | 1.00M/5.00M [00:00<00:05, 8.72MB/s]",
                    "20% eta=5");
    assert_progress("Epoch 2/3:  33%|███▎      | 1/3 [00:00<00:00,  8.33it/s]", "44% epoch=2");
    assert_progress("3it [00:00,  6.65it/s]", "3/-1");
    assert_progress("7it [01:00,  6.65it/s, loss=nan]", "7/-1 loss=nan");
    assert_progress("\033[32m 50%|█████     | 5/10 [00:01<00:01,  5it/s]\033[0m", "50% 5/10 eta=1");
    assert_progress("100%|██████████| 3/3 [00:00<00:00,  8.30it/s]", "100% 3/3 eta=0");
}

static void test_lightning(void **state)
{
    (void)state;
    assert_progress("Epoch 3:  57%|█████▋ | 57/100 [00:17<01:02, 4.47s/it, loss=0.2, v_num=1]",
                    "57% 57/100 eta=62 loss=0.2 epoch=3");
    assert_progress(
        "Epoch 0:   2%|▏         | 3744/150000 [3:12:36<125:24:04,  0.32it/s, v_num=35a4, ...]",
        "2% 3744/150000 eta=451444 epoch=0");
    /* its own count: from 0 to 9 are ten epochs */
    assert_progress(
        "Epoch 3/9:  50%|█████  | 50/100 [00:05<00:05, 9.5it/s, v_num=1, train_loss=0.25]",
        "35% train_loss=0.25 epoch=3");
    assert_progress("Training: 0it [00:00, ?it/s]", "0/-1");
}

static void test_keras(void **state)
{
    (void)state;
    assert_progress(
        "10/50 [=====>........................] - ETA: 3s - loss: 0.3100 - accuracy: 0.90",
        "20% 10/50 eta=3 loss=0.3100 accuracy=0.90");
    assert_progress(" 10/50 ━━━━━━━━━━ 1s 20ms/step - accuracy: 0.1 - loss: 2.3",
                    "20% 10/50 accuracy=0.1 loss=2.3");
    assert_progress("10/50 [..............................] - ETA: 1:02 - loss: 1",
                    "20% 10/50 eta=62 loss=1");
    assert_progress("10/50 files", "nothing");
}

/* Near misses: nothing is written then. */
static void test_what_is_no_bar(void **state TY_UNUSED)
{
    static const char *const lines[] = { "45%|",   "-45%| | 1/2", "101%|##| 1/2", "it [00:10]",
                                         "x it [", "3it [x]",     "10/50 - x",    "10/5 [=>" };

    for (size_t i = 0; i < TY_COUNT(lines); i++) {
        struct ty_progress p = { .percent = 77 };
        char text[64];
        snprintf(text, sizeof(text), "%s", lines[i]);
        if (ty_progress_bar_tqdm(text, &p) || ty_progress_bar_open(text, &p) ||
            ty_progress_bar_keras(text, &p))
            fail_msg("%s", lines[i]);
        assert_int_equal(p.percent, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tqdm),
        cmocka_unit_test(test_lightning),
        cmocka_unit_test(test_keras),
        cmocka_unit_test(test_what_is_no_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
