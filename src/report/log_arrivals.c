/* The index has a fixed size: when it is full, every second entry of its older half goes. So the
 * newest entries are exact, and the distance doubles with the age. */
#include "report/log_arrivals.h"

static void thin_out(struct ty_log_arrivals *x)
{
    size_t to = 0;

    for (size_t i = 0; i < x->n; i++)
        if (i >= TY_LOG_ARRIVALS / 2 || i % 2 == 0)
            x->v[to++] = x->v[i];
    x->n = to;
}

void ty_log_arrivals_add(struct ty_log_arrivals *x, int64_t bytes, int64_t ms)
{
    int64_t since = x->n ? ms - x->v[x->n - 1].ms : -1;

    if (since < 0 || since >= TY_LOG_ARRIVALS_APART_MS) { /* < 0: the clock was set back */
        if (x->n == TY_LOG_ARRIVALS)
            thin_out(x);
        x->v[x->n++] = (struct ty_log_arrival){ x->bytes, ms };
    }
    x->bytes += bytes;
}

int64_t ty_log_arrivals_find(const struct ty_log_arrival *v, size_t n, int64_t offset)
{
    size_t low = 0;

    for (size_t high = n; high - low > 1;) {
        size_t mid = low + (high - low) / 2;
        if (v[mid].offset <= offset)
            low = mid;
        else
            high = mid;
    }
    return v[low].ms;
}
