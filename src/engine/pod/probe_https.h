/* HTTPS probes: one request on the loop, certificates are not verified, as in the kubelet. */
#ifndef TY_ENGINE_POD_PROBE_HTTPS_H
#define TY_ENGINE_POD_PROBE_HTTPS_H

#include <stdbool.h>

struct ty_engine;
struct ty_probe_https;
struct ty_probe;

/* `text`: the error; borrowed for the call. */
typedef void ty_probe_https_fn(void *ctx, bool ok, const char *text);
/* Valid until fn returns; fn is called once, from the loop. NULL: libcurl is not installed,
 * *ret_why (lives with the engine) says so. The caller enforces the timeout. */
struct ty_probe_https *ty_probe_https_start(struct ty_engine *e, const struct ty_probe *probe,
                                            const char *address, ty_probe_https_fn *fn, void *ctx,
                                            const char **ret_why);
void ty_probe_https_cancel(struct ty_probe_https *h); /* frees it; fn is not called */

#endif
