#include "report/progress_metrics.h"
#include "report/progress_testing.h"

static void test_trainer(void **state)
{
    (void)state;
    assert_progress("{'loss': 0.51, 'grad_norm': 1.2039, 'learning_rate': 5e-05, 'epoch': 0.5}",
                    "loss=0.51 grad_norm=1.2039 learning_rate=5e-05 epoch=0.5");
    assert_progress("{'loss': '0.51', 'epoch': '0.5'}", "loss=0.51 epoch=0.5");
    assert_progress("{\"eval_runtime\": 1.5, \"epoch\": 1.0}", "eval_runtime=1.5 epoch=1.0");
    assert_progress("{'name': 'bert', 'layers': 12}", "nothing");
    assert_progress("{'layers': 12, 'heads': 8}", "nothing");
    assert_progress("{'loss': 0.5", "nothing"); /* cut off */
}

static void test_many_metrics(void **state)
{
    struct ty_progress p;

    (void)state;
    assert_true(ty_progress_parse(
        TY_LIT("1it [00:01, 1it/s, a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, a=10]"), &p));
    assert_int_equal(p.n_metrics, TY_PROGRESS_METRICS);
    assert_string_equal(p.metrics[0].value, "10");
    assert_true(ty_progress_parse(
        TY_LIT("loss 0.5 this_name_is_longer_than_a_name_of_a_metric_may_be_loss 3"), &p));
    assert_int_equal(p.n_metrics, 1);
}

static void measures(const char *text, bool any, const char *want)
{
    struct ty_progress p = TY_PROGRESS_NONE;
    char got[256] = "";
    size_t n = 0;

    ty_progress_metrics_scan(text, any, &p);
    for (size_t i = 0; i < p.n_metrics; i++)
        n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s=%s", n ? " " : "", p.metrics[i].name,
                              p.metrics[i].value);
    assert_string_equal(got, want);
}

/* A name that is not known needs "=" and a place where only measures stand. */
static void test_names_and_numbers(void **state TY_UNUSED)
{
    measures("loss 0.31 LOSS: -1e-3 val_loss=inf", false, "loss=0.31 LOSS=-1e-3 val_loss=inf");
    measures("speed=3 loss=0.5", false, "loss=0.5");
    measures("speed=3 loss=0.5 v_num=7", true, "speed=3 loss=0.5");
    measures("speed 3", true, "");
    measures("loss 5% lr 3/4 acc 12:30 loss info loss nano loss", false, "");
    measures("loss .5 lr 5. acc . mse +2", false, "loss=.5 lr=5. mse=+2");
    measures("", true, "");
}

static void test_rounds_of_xgboost(void **state TY_UNUSED)
{
    assert_progress("[20]\ttrain-rmse:0.10412", "20/-1 train-rmse=0.10412");
    assert_progress("[0]\ttrain-rmse:0.5\teval-rmse:0.51", "0/-1 train-rmse=0.5 eval-rmse=0.51");
    assert_progress("[default0]:[7]\tvalidation_0-mlogloss:1.2e-05 ",
                    "7/-1 validation_0-mlogloss=1.2e-05");
    assert_progress("[12:30:01] [3]\ttrain-ndcg@10:0.9-", "nothing");
    assert_progress("[3]\ttrain-ndcg@10:0.9", "3/-1 train-ndcg@10=0.9");
    assert_progress("[1]\ttrain-rmse:0.50+0.01\ttest-rmse:0.6+0.02",
                    "1/-1 train-rmse=0.50 test-rmse=0.6");
    assert_progress("[20] listening on node-1:8080", "nothing");
    assert_progress("[20] host-1:8080 is up", "nothing");
    assert_progress("[20] train-rmse:", "nothing");
    assert_progress("[20] ", "nothing");
    assert_progress("[20]", "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trainer),
        cmocka_unit_test(test_many_metrics),
        cmocka_unit_test(test_names_and_numbers),
        cmocka_unit_test(test_rounds_of_xgboost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
