/* Prints doubles. */
#include "serve/metrics_number.h"

#include <math.h>

void ty_metrics_number(struct ty_buf *out, double v)
{
    char text[40];

    if (isnan(v) || isinf(v)) {
        ty_buf_cstr(out, isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    ty_buf_cstr(out, text);
}
