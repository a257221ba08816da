/* Any JSON as a pod: texts are bounded, on one line and without control characters; the ends can be
 * added to a failure summary. */
#include "report/pod_failure.h"

#include <stdlib.h>

#include "report/failure_summary.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_line(const char *text, size_t most)
{
    check(strlen(text) <= most);
    for (; *text; text++)
        check((unsigned char)*text >= ' ' && *text != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)64 << 20, NULL);
    struct ty_json_limits limits = { .bytes = 1 << 16, .depth = 64 };
    struct ty_json *pod =
        ty_json_parse(a, (struct ty_str){ (const char *)data, size }, &limits, NULL);
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container *ends = NULL;
    struct ty_pod_problem p = { 0 };
    size_t n = ty_pod_failure_ended(a, pod, TY_LIT("ddp"), &ends);

    check(n <= TY_POD_FAILURE_ENDS);
    for (size_t i = 0; i < n; i++) {
        check_line(ends[i].node, 90);
        check_line(ends[i].container, 63);
        check(ends[i].code >= 0 && ends[i].restarts >= 0 && ends[i].memory_limit >= 0);
        if (ends[i].never)
            check_line(ends[i].never, TY_POD_FAILURE_MESSAGE);
        ty_failure_summary_add(v, &ends[i]);
    }
    if (ty_pod_failure_problem(a, pod, TY_LIT("ddp"), &p)) {
        check_line(p.text, TY_POD_FAILURE_TEXT);
        check_line(p.reason, 32);
    }
    ty_failure_summary_free(v);
    return 0;
}
