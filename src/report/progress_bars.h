/* Progress bars of tqdm and Keras. Texts end with NUL. False: the text is no such bar, *ret is
 * unchanged. */
#ifndef TY_REPORT_PROGRESS_BARS_H
#define TY_REPORT_PROGRESS_BARS_H

#include "report/progress.h"

/* Cuts the text off before the bar. */
bool ty_progress_bar_tqdm(char *text, struct ty_progress *ret);
/* "45it [00:10, 4.5it/s, loss=0.3]": no total, hence no percent. */
bool ty_progress_bar_open(const char *text, struct ty_progress *ret);
/* "10/50 [=====>....] - ETA: 3s - loss: 0.31", "10/50 ━━━━━━ 3s 20ms/step - loss: 0.31" */
bool ty_progress_bar_keras(const char *text, struct ty_progress *ret);

#endif
