/* Numbers as Prometheus reads them. */
#ifndef TY_SERVE_METRICS_NUMBER_H
#define TY_SERVE_METRICS_NUMBER_H

#include "base/buf.h"

/* The shortest text that is read as the same number; "+Inf", "-Inf", "NaN". */
void ty_metrics_number(struct ty_buf *out, double v);

#endif
