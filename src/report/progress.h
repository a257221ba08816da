/* clang-format off */
/* What a line of a training program's output says of its progress. Pure.
 *
 * Recognised, anywhere in a line, colours and rank prefixes left aside:
 *   tqdm       45%|████▌     | 45/100 [00:10<00:12,  4.5it/s, loss=0.3]   and   45it [00:10, 4.5it/s]
 *   Lightning  Epoch 3:  57%|█████▋    | 57/100 [00:05<00:04, 9.5it/s, loss=0.2, v_num=1]
 *   Keras      10/50 [=====>........] - ETA: 3s - loss: 0.31
 *   Trainer    {'loss': 0.51, 'learning_rate': 5e-05, 'epoch': 0.5}   (and the same as JSON)
 *   XGBoost    [20]    train-rmse:0.1    eval-rmse:0.2
 *   by hand    step 10/50, epoch 2/3, iteration 5 of 9, round 20/20, Epoch 2/3 step 10/50 loss 0.31
 *   percent    45%   [ 45%]   Progress: 45%   training 45%   45% done
 *
 * A percent sign alone proves little: disks are 97% full and models 97% right. It counts only when
 * it is all the line has, stands in brackets at its beginning, or has a word beside it that says
 * what it is of (progress, training, done, …). */
/* clang-format on */
#ifndef TY_REPORT_PROGRESS_H
#define TY_REPORT_PROGRESS_H

#include "base/str.h"

enum { TY_PROGRESS_METRICS = 8, TY_PROGRESS_METRIC_MAX = 32 };

struct ty_progress_metric {
    char name[TY_PROGRESS_METRIC_MAX], value[TY_PROGRESS_METRIC_MAX]; /* as printed */
};
struct ty_progress {
    int percent;         /* 0 to 100; -1 unknown */
    int64_t step, total; /* -1 unknown */
    int64_t eta_s;       /* seconds left, as the program estimates; -1 unknown */
    struct ty_progress_metric metrics[TY_PROGRESS_METRICS];
    size_t n_metrics;
};
#define TY_PROGRESS_NONE                                                                           \
    ((struct ty_progress){ .percent = -1, .step = -1, .total = -1, .eta_s = -1 })

/* True if the line says anything; *ret is filled then. Lines longer than 1 KiB are read that far.
 */
bool ty_progress_parse(struct ty_str line, struct ty_progress *ret);
/* The newest position wins, even if it is lower: training begins at 0 after a download was at 100.
 * Metrics that the new line does not name stay. */
void ty_progress_merge(struct ty_progress *now, const struct ty_progress *news);
/* How much is done, 0 to 1; -1 unknown. Finer than percent where steps are known. */
double ty_progress_fraction(const struct ty_progress *p);

#endif
