/* A few texts and the times when they were logged. */
#include "log/log_dedup.h"

#include <string.h>

bool ty_log_dedup(struct ty_log_dedup *l, struct ty_str text, int64_t now_ms)
{
    size_t n = text.n < TY_LOG_DEDUP_BYTES ? text.n : TY_LOG_DEDUP_BYTES, oldest = 0;

    for (size_t i = 0; i < TY_LOG_DEDUP_TEXTS; i++) {
        if (l->said[i].used && l->said[i].n == n &&
            ty_str_eq((struct ty_str){ l->said[i].text, n }, (struct ty_str){ text.p, n })) {
            bool lately = now_ms - l->said[i].at_ms < TY_LOG_DEDUP_MS;
            if (!lately)
                l->said[i].at_ms = now_ms;
            return lately;
        }
        if (!l->said[i].used || (l->said[oldest].used && l->said[i].at_ms < l->said[oldest].at_ms))
            oldest = i;
    }
    if (n)
        memcpy(l->said[oldest].text, text.p, n);
    l->said[oldest].n = n;
    l->said[oldest].at_ms = now_ms;
    l->said[oldest].used = true;
    return false;
}
