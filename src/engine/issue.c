/* What a TrainJob's processes are given to prove who they are. */
#include "engine/inner.h"
#include "trainer/trainjob.h"

const struct ty_host *ty_engine_host(struct ty_engine *e, struct ty_arena *a, struct ty_str ns,
                                     struct ty_str job)
{
    if (!e->o.token)
        return &e->o.host;
    struct ty_host *host = ty_new(a, struct ty_host);
    *host = e->o.host;
    host->token = e->o.token(e->o.token_ctx, a, ns, job);
    host->audience = ty_trainjob_audience(a, ns, job);
    return host;
}
