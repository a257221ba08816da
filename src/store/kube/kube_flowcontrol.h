/* A client-side rate limiter and an exponential back-off. Pure: the caller passes the time. */
#ifndef TY_STORE_KUBE_KUBE_FLOWCONTROL_H
#define TY_STORE_KUBE_KUBE_FLOWCONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* A token bucket as in client-go: full at first, `burst` tokens deep, refilled with `qps` tokens a
 * second. */
struct ty_kube_limiter {
    double qps; /* 0: no limit */
    double burst, tokens;
    int64_t at_ms; /* the time for which `tokens` is valid */
};
void ty_kube_limiter_init(struct ty_kube_limiter *l, double qps, int burst, int64_t now_ms);
/* Takes a token, a future one if there is none; returns the milliseconds until it is available. */
int64_t ty_kube_limiter_take(struct ty_kube_limiter *l, int64_t now_ms);

/* Doubles from first to most; each pause is random between half and all of that, so that clients
 * that failed together do not retry together. */
struct ty_kube_backoff {
    int64_t first_ms, most_ms;
    int64_t next_ms; /* 0: not failed yet */
    uint64_t random; /* state; its seed must differ between processes */
};
int64_t ty_kube_backoff_next(struct ty_kube_backoff *b);
void ty_kube_backoff_reset(struct ty_kube_backoff *b); /* after a success */
uint64_t ty_kube_random_next(uint64_t *state);         /* splitmix64; not for secrets */
uint64_t ty_kube_random_seed(void);                    /* from the kernel */

#endif
