/* HTTPS probes: one request on the loop, any certificate is believed, as the kubelet does. */
#ifndef TY_ENGINE_POD_PROBE_HTTPS_H
#define TY_ENGINE_POD_PROBE_HTTPS_H

#include <stdbool.h>

struct ty_engine;
struct ty_probe_https;
struct ty_probe;

/* `text`: what went wrong, for people; borrowed for the call. */
typedef void ty_probe_https_fn(void *ctx, bool ok, const char *text);
/* gives until fn returns. fn comes once, from the loop. NULL: there is no libcurl here, and
 * *ret_why (lives with the engine) says so. The caller keeps the time. */
struct ty_probe_https *ty_probe_https_start(struct ty_engine *e, const struct ty_probe *probe,
                                            const char *address, ty_probe_https_fn *fn, void *ctx,
                                            const char **ret_why);
void ty_probe_https_cancel(struct ty_probe_https *h); /* takes; fn is not called any more */

#endif
