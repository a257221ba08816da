/* Leader election by a Lease, as client-go does it, on the program's loop: leader_election.h
 * decides, this asks the API server. A standby watches the Lease besides trying every retry_ms, so
 * it takes over as soon as the lease is given back; where its role may not watch leases (v2.3.0's
 * may not) it looks every TY_LEASE_CLIENT_POLL_MS instead.
 *
 * Loss. `lost` is told once and is final. The process must stop writing at once and end with code
 * 1, as v2.3.0's manager does ("leader election lost"): another one is writing now. Ask
 * ty_lease_client_held before every write: a process that was stopped or suspended is told late,
 * but never lies there. */
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
    void (*leading)(void *ctx);           /* from now on we write */
    void (*lost)(void *ctx, const char *why);
    void (*holder)(void *ctx, const char *who); /* another one leads; may be NULL */
    void *ctx;
};

/* "host_UUID": a new one each time; lives with the arena. */
const char *ty_lease_client_identity(struct ty_arena *a);

struct ty_lease_client *
ty_lease_client_new(const struct ty_lease_client_settings *s); /* gives; begins at once. The
                                                    callbacks may release it, `lost` may free it */
bool ty_lease_client_held(
    const struct ty_lease_client *l); /* looks at the clock: may we write at this moment? */
const char *ty_lease_client_holder(
    const struct ty_lease_client *l); /* who leads, "" nobody; until the next turn */
/* Gives the lease back, if it is ours, so that another takes over at once: call it when nothing is
 * being written any more. `done` comes once, from the loop, within renew_ms, whatever happens;
 * it may free the lease and the client.
 * Neither leading nor lost is told after this call. */
void ty_lease_client_release(struct ty_lease_client *l, void (*done)(void *ctx), void *ctx);
/* takes, without a word to the server; before its client. NULL is fine. The loop must turn once
 * more. */
void ty_lease_client_free(struct ty_lease_client *l);

#endif
