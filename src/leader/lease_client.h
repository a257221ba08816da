/* Leader election by a Lease, as in client-go, on the program's loop: leader_election.h decides,
 * this sends the requests. A standby also watches the Lease, so it takes over as soon as the lease
 * is released; if its role may not watch leases (v2.3.0's may not), it polls every
 * TY_LEASE_CLIENT_POLL_MS instead.
 *
 * `lost` is called once and is final: the process must stop writing at once and exit with 1, as
 * v2.3.0's manager does ("leader election lost"), because another process writes now. Call
 * ty_lease_client_held before every write: after a SIGSTOP or a suspend `lost` comes late, but
 * ty_lease_client_held is always right. */
#ifndef TY_LEADER_LEASE_CLIENT_H
#define TY_LEADER_LEASE_CLIENT_H

#include "log/log.h"
#include "store/kube/kube.h"

struct ty_lease_client;
#define TY_LEASE_CLIENT_POLL_MS 700

struct ty_lease_client_settings { /* texts are copied */
    struct uv_loop_s *loop;
    struct ty_kube *kube;
    const struct ty_log *log;             /* may be NULL */
    const char *ns, *name;                /* name: "trainer.kubeflow.org" */
    const char *identity;                 /* see ty_lease_client_identity */
    int64_t lease_ms, renew_ms, retry_ms; /* 15000, 10000, 2000 */
    void (*leading)(void *ctx);           /* we may write from now on */
    void (*lost)(void *ctx, const char *why);
    void (*holder)(void *ctx, const char *who); /* another process leads; may be NULL */
    void *ctx;
};

/* "host_UUID", a new one for each call; lives with the arena. */
const char *ty_lease_client_identity(struct ty_arena *a);

struct ty_lease_client *ty_lease_client_new(
    const struct ty_lease_client_settings
        *s); /* gives; starts at once. The callbacks may release it, `lost` may free it */
bool ty_lease_client_held(
    const struct ty_lease_client *l); /* reads the clock: may we write at this moment? */
/* Releases the lease, if we hold it, so that another process takes over at once; call it when no
 * write is in flight. `done` is called once, from the loop, within renew_ms, in any case; it may
 * free the lease client and the kube client. Neither `leading` nor `lost` is called after this. */
void ty_lease_client_release(struct ty_lease_client *l, void (*done)(void *ctx), void *ctx);
/* takes; sends nothing; before its client. NULL is fine. The loop must run once more. */
void ty_lease_client_free(struct ty_lease_client *l);

#endif
