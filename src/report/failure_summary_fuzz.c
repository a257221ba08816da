/* Any ends of containers: the summary blames one of them, always the same whatever the order in
 * which they are added, and prints whole lines without controls.
 *
 * The input is a list of containers: two bytes of flags, then the log up to a NUL. */
#include "report/failure_summary.h"

#include <stdlib.h>

#include "report/failure_summary_tail.h"
#include "report/log_arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTAINERS = 8 };

static void check(bool good)
{
    if (!good)
        abort();
}

static const char *const nodes[CONTAINERS] = { "node-0-0", "node-0-1", "node-0-2", "node-0-3",
                                               "node-0-4", "node-0-5", "node-0-6", "node-0-7" };

static size_t read_containers(const uint8_t *data, size_t size, struct ty_ended_container *v,
                              struct ty_log_arrival *arrive)
{
    size_t n = 0;

    while (size > 2 && n < CONTAINERS) {
        const uint8_t *end = memchr(data + 2, 0, size - 2);
        size_t len = end ? (size_t)(end - data) - 2 : size - 2;
        /* Times differ, so that evidence and time decide, never the order. */
        arrive[n] = (struct ty_log_arrival){ 0, 1000 + (int64_t)n };
        v[n] = (struct ty_ended_container){
            .node = nodes[n],
            .container = "node",
            .code = data[0] & 0x0f,
            .sig = data[0] & 0x10 ? 9 : 0,
            .stopped = data[0] & 0x20,
            .asked = data[0] & 0x40,
            .sidecar = data[0] & 0x80,
            .procs = data[1] & 3,
            .first_rank = data[1] & 0x3c,
            .stop_ms = data[1] & 0x40 ? 1002 : 0,
            .began_ms = 1,
            .ended_ms = 2000 + (int64_t)n,
            .log = { (const char *)data + 2, len < TY_TAIL_BYTES ? len : TY_TAIL_BYTES },
            .arrive = &arrive[n],
            .n_arrive = data[1] & 0x80 ? 1 : 0,
        };
        n++;
        data += 2 + len;
        size -= 2 + len;
        if (size > 0) { /* the NUL */
            data++;
            size--;
        }
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ty_ended_container v[CONTAINERS];
    struct ty_log_arrival arrive[CONTAINERS];
    struct ty_failure_summary *a = ty_failure_summary_new(), *b = ty_failure_summary_new();
    size_t n = read_containers(data, size, v, arrive);
    ty_auto_buf text = { 0 };

    for (size_t i = 0; i < n; i++) {
        ty_failure_summary_add(a, &v[i]);
        ty_failure_summary_add(b, &v[n - 1 - i]);
    }
    check(ty_failure_summary_any(a) == ty_failure_summary_any(b));
    if (ty_failure_summary_any(a)) {
        check(strcmp(ty_failure_summary_node(a), ty_failure_summary_node(b)) == 0);
        check(ty_failure_summary_rank(a) == ty_failure_summary_rank(b));
    }
    ty_failure_summary_print(a, 0, &text);
    check((text.n > 0) == ty_failure_summary_any(a));
    check(text.n == 0 || text.p[text.n - 1] == '\n');
    for (size_t i = 0; i < text.n; i++)
        check((unsigned char)text.p[i] >= ' ' || text.p[i] == '\n');
    ty_failure_summary_free(a);
    ty_failure_summary_free(b);
    return 0;
}
