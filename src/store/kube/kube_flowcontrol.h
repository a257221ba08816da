/* When to ask: a limit on requests a second, and pauses that grow while nothing works. Pure: the
 * caller has the clock. */
#ifndef TY_STORE_KUBE_KUBE_FLOWCONTROL_H
#define TY_STORE_KUBE_KUBE_FLOWCONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* A token bucket, as client-go's: full at first, `burst` deep, `qps` tokens a second flow in. */
struct ty_kube_limiter {
    double qps; /* 0: no limit */
    double burst, tokens;
    int64_t at_ms; /* when tokens was right */
};
void ty_kube_limiter_init(struct ty_kube_limiter *l, double qps, int burst, int64_t now_ms);
/* Takes a token, of those to come if there is none; gives the milliseconds until it is there. */
int64_t ty_kube_limiter_take(struct ty_kube_limiter *l, int64_t now_ms);

/* Doubles from first to most; each pause is between half and all of that, so that many who failed
 * together do not come back together. */
struct ty_kube_backoff {
    int64_t first_ms, most_ms;
    int64_t next_ms; /* 0: not failed yet */
    uint64_t random; /* state; seed it with what differs between processes */
};
int64_t ty_kube_backoff_next(struct ty_kube_backoff *b);
void ty_kube_backoff_reset(struct ty_kube_backoff *b); /* it works */
uint64_t ty_kube_random_next(uint64_t *state);         /* splitmix64; not for secrets */
uint64_t ty_kube_random_seed(void);                    /* from the kernel */

#endif
