/* Runs probes and lifecycle hooks; the results go to the pod's lifecycle. */
#ifndef TY_ENGINE_POD_POD_PROBES_H
#define TY_ENGINE_POD_POD_PROBES_H

#include "engine/pod/pod_lifecycle.h"

struct ty_pod_runtime;
struct ty_shim_event;
struct ty_http_client;

struct ty_pod_probes {
    uint32_t next_id;             /* of a probe's process */
    struct ty_http_client *https; /* NULL until the first HTTPS probe */
};

void ty_pod_probes_run(struct ty_pod_runtime *p, size_t c, enum ty_probe_use use);
void ty_pod_probes_run_hook(struct ty_pod_runtime *p, size_t c, bool post_start);
/* True: it was a check's. */
bool ty_pod_probes_on_shim_event(struct ty_pod_runtime *p, const struct ty_shim_event *n);
void ty_pod_probes_close(struct ty_pod_runtime *p); /* cancels those of one pod */
void ty_pod_probes_done(struct ty_pod_probes *probes);

#endif
