#include "store/kube/kube_flowcontrol.h"

#include <sys/random.h>
#include <unistd.h>

void ty_kube_limiter_init(struct ty_kube_limiter *l, double qps, int burst, int64_t now_ms)
{
    double depth = burst > 0 ? burst : qps;
    if (depth < 1)
        depth = 1;
    *l = (struct ty_kube_limiter){ .qps = qps, .burst = depth, .tokens = depth, .at_ms = now_ms };
}

int64_t ty_kube_limiter_take(struct ty_kube_limiter *l, int64_t now_ms)
{
    if (l->qps <= 0)
        return 0;
    if (now_ms > l->at_ms) {
        l->tokens += (double)(now_ms - l->at_ms) * l->qps / 1000;
        if (l->tokens > l->burst)
            l->tokens = l->burst;
        l->at_ms = now_ms;
    }
    l->tokens -= 1;
    if (l->tokens >= 0)
        return 0;
    double wait = -l->tokens * 1000 / l->qps;
    int64_t ms = wait < 1e15 ? (int64_t)wait : (int64_t)1e15;
    return (double)ms < wait ? ms + 1 : ms; /* round up */
}

uint64_t ty_kube_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t ty_kube_random_seed(void)
{
    uint64_t seed = 0;
    /* In the first moments after boot the kernel may have no randomness; jitter does not need it.
     */
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
        return (uint64_t)getpid();
    return seed;
}

int64_t ty_kube_backoff_next(struct ty_kube_backoff *b)
{
    int64_t now = b->next_ms ? b->next_ms : b->first_ms;
    b->next_ms = now > b->most_ms / 2 ? b->most_ms : now * 2;
    int64_t half = now / 2;
    return now - (int64_t)(ty_kube_random_next(&b->random) % (uint64_t)(half + 1));
}

void ty_kube_backoff_reset(struct ty_kube_backoff *b)
{
    b->next_ms = 0;
}
