/* Counts reconciles for the metrics of controller-runtime. */
#include <uv.h>

#include "controller/trainjob_controller_inner.h"

const double ty_trainjob_controller_buckets[] = {
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
    6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60,   0
};

void ty_trainjob_controller_count_init(struct ty_trainjob_controller *j)
{
    for (int i = 0; i < TY_CONTROLLERS; i++)
        j->kind_counts[i].seconds.bounds = ty_trainjob_controller_buckets;
}

void ty_trainjob_controller_count_done(const struct ty_inflight *w, bool bad)
{
    struct ty_controller_counts *c = &w->controller->kind_counts[w->key.kind];
    bool later = w->result.requeue_s > 0;

    ++*(bad ? &c->error : w->result.fetch ? &c->requeue : later ? &c->requeue_after : &c->success);
    ty_histogram_observe(&c->seconds, (double)(uv_hrtime() - w->begin_ns) / 1e9);
}

void ty_trainjob_controller_count(const struct ty_trainjob_controller *j,
                                  struct ty_trainjob_controller_counts *ret)
{
    *ret = j->counts;
}

void ty_trainjob_controller_count_of(const struct ty_trainjob_controller *j,
                                     enum ty_controller_kind of, struct ty_controller_counts *ret,
                                     const struct ty_queue_kind **ret_queue)
{
    uint64_t now = uv_hrtime();

    *ret = j->kind_counts[of];
    *ret_queue = ty_queue_kind(j->queue, of);
    ret->most = (size_t)j->s.in_flight;
    for (const struct ty_inflight *w = j->inflight; w; w = w->next) {
        double seconds = (double)(now - w->begin_ns) / 1e9;
        if (w->key.kind != (int)of)
            continue;
        ret->unfinished += seconds;
        ret->longest = seconds > ret->longest ? seconds : ret->longest;
    }
}
