/* Metrics in a line of output: "loss 0.31", "{'loss': 0.31}". Texts end with NUL. */
#ifndef TY_REPORT_PROGRESS_METRICS_H
#define TY_REPORT_PROGRESS_METRICS_H

#include "report/progress.h"

/* In place of the one of that name; names and values that are too long, and more than there is room
 * for, are left out. */
void ty_progress_metric_add(struct ty_progress *to, const char *name, size_t name_n,
                            const char *value, size_t value_n);
/* "loss 0.31", "loss: 0.31", "loss=0.31"; names that are not known only where `any`, with "=". */
void ty_progress_metrics_scan(const char *p, bool any, struct ty_progress *to);
/* A whole line that is a dict of numbers and names at least one measure of training. */
bool ty_progress_metrics_dict(const char *text, struct ty_progress *ret);
/* "[20]  train-rmse:0.1  eval-rmse:0.2" of XGBoost, whose rounds have no total. */
bool ty_progress_metrics_rounds(const char *text, struct ty_progress *ret);

#endif
