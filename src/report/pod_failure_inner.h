/* Between pod_failure.c and pod_failure_problem.c. */
#ifndef TY_REPORT_POD_FAILURE_INNER_H
#define TY_REPORT_POD_FAILURE_INNER_H

#include "base/arena.h"

struct ty_json;

/* At most `most` bytes of untrusted text in one line, without control characters. */
char *ty_pod_failure_clean(struct ty_arena *a, struct ty_str text, size_t most);
/* What the cluster did to the pod, in words and as a reason; NULL if nothing is known. Why is the
 * message of the object, cleaned, or empty. */
struct ty_pod_outside {
    const char *reason; /* Evicted, Preempted, NodeLost, NodeRejected, DeadlineExceeded */
    const char *words;  /* "was evicted" */
    int64_t at_s;       /* when, if known */
};
bool ty_pod_failure_outside(const struct ty_json *pod, struct ty_pod_outside *ret,
                            struct ty_str *ret_message);
/* The spec of a container, init containers included; or NULL. */
const struct ty_json *ty_pod_failure_spec(const struct ty_json *pod, bool init, struct ty_str name);
bool ty_pod_failure_is_start_error(struct ty_str reason);
/* The useful end of a runtime's message: without the names of the layers it came through. */
struct ty_str ty_pod_failure_start_message(struct ty_str message);

#endif
