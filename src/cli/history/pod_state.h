/* State of a pod and of its containers, in kubectl's words. */
#ifndef TY_CLI_HISTORY_POD_STATE_H
#define TY_CLI_HISTORY_POD_STATE_H

#include "json/json.h"

/* As kubectl's STATUS column. cut_off: the run ended without recording the pod's end, so a running
 * pod is Interrupted, and one that never ran NotStarted. */
const char *ty_pod_state_text(struct ty_arena *a, const struct ty_json *pod, bool cut_off,
                              bool gone);
/* As kubectl's RESTARTS: with sidecars, and with init containers until the pod is initialized. */
int64_t ty_pod_state_restarts(const struct ty_json *pod);
const char *ty_pod_state_ready(struct ty_arena *a, const struct ty_json *pod); /* "1/1" */
/* From one container status: "Running", "Completed", "Error", "Waiting". */
const char *ty_pod_state_container(struct ty_arena *a, const struct ty_json *status, bool cut_off);
/* "7", "signal 15", or "" if it has not ended. */
const char *ty_pod_state_container_exit(struct ty_arena *a, const struct ty_json *status);

#endif
