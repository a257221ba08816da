/* Leader election: client-go's algorithm as a state machine without clock and network. The caller
 * reports observed records and results of requests, and asks for the next action. `now_ms` is a
 * monotonic clock of this process that counts suspended time (CLOCK_BOOTTIME). Clocks of other
 * processes are never compared with ours: their records are only checked for changes.
 *
 *                   +---------- held by another, and it changes ----------+
 *                   v                                                     |
 *   start --> GET --+-- absent: CREATE --+                                |
 *                   +-- free, or unchanged for its duration: UPDATE --+---+-- conflict: GET
 *                                        |                            v
 *                                        +----------------------> leading -- UPDATE every retry_ms
 *                                                                     |
 *                     not renewed for renew_ms, or another holds it --+--> LOST, for ever */
#ifndef TY_LEADER_LEADER_ELECTION_H
#define TY_LEADER_LEADER_ELECTION_H

#include "base/arena.h"
#include "base/str.h"

struct ty_json;

/* The fields of a Lease that matter. The state machine owns the texts. */
struct ty_leader_election_record {
    char holder[256], version[64];  /* holder "": free */
    char acquired[40], renewed[40]; /* as written, RFC 3339 with microseconds */
    int64_t duration_ms, transitions;
};

enum ty_leader_election_action {
    TY_LEADER_ELECTION_WAIT,   /* until `at_ms`, or until a record is observed */
    TY_LEADER_ELECTION_GET,    /* then ty_leader_election_observed, _absent or _failed */
    TY_LEADER_ELECTION_CREATE, /* ty_leader_election_desired; then _wrote, _failed */
    TY_LEADER_ELECTION_UPDATE, /* ty_leader_election_desired, with version; then _wrote, _conflict,
                                  _failed */
    TY_LEADER_ELECTION_LOST,   /* stop writing now; nothing comes after it */
};

struct ty_leader_election {
    /* set by the caller */
    char me[256];
    int64_t lease_ms, renew_ms, retry_ms; /* 15000, 10000, 2000 */
    /* private to the state machine */
    struct ty_leader_election_record seen;
    bool known, absent;       /* known: seen is a record; absent: the server has none */
    bool fresh;               /* known or absent is the answer to the last request */
    bool busy, leading, lost; /* busy: a request is in flight */
    int conflicts;            /* in a row */
    int64_t seen_ms;          /* when `seen` last changed */
    int64_t next_ms;          /* earliest time of the next attempt */
    int64_t asked_ms;         /* when the last request was sent */
    int64_t sent_ms,
        first_ms; /* of the last successful renewal; of the first attempt since, or 0 */
};

/* The next action. GET, CREATE, UPDATE: the request counts as in flight; WAIT until its result is
 * reported. */
enum ty_leader_election_action ty_leader_election_next(struct ty_leader_election *e, int64_t now_ms,
                                                       int64_t *ret_at_ms);
/* The record to write for the last CREATE or UPDATE; wall_us: Unix time, microseconds. */
void ty_leader_election_desired(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret);
/* Results of requests. */
void ty_leader_election_observed(struct ty_leader_election *e,
                                 const struct ty_leader_election_record *r, int64_t now_ms);
void ty_leader_election_absent(struct ty_leader_election *e, int64_t now_ms);
void ty_leader_election_updated(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms);
void ty_leader_election_conflict(struct ty_leader_election *e,
                                 int64_t now_ms); /* exists, or another version */
void ty_leader_election_failed(struct ty_leader_election *e,
                               int64_t now_ms); /* no answer, or a refusal */
/* A watch event: as _observed, but the request in flight stays in flight. NULL: the Lease was
 * deleted. False: a newer record is known already. */
bool ty_leader_election_watched(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms);

/* How long before another process can take over the leader stops: requests that it has sent by then
 * arrive within that time, or are dropped. */
int64_t ty_leader_election_grace(int64_t lease_ms, int64_t renew_ms);
/* Whether we may write at this moment; false as soon as another process may take over, even before
 * LOST is returned. */
bool ty_leader_election_is_leader(const struct ty_leader_election *e, int64_t now_ms);
/* The record that releases the lease. */
void ty_leader_election_release(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret);

/* The identity of another leader, or "". */
const char *ty_leader_election_other_holder(const struct ty_leader_election *e);

/* From and to the Lease's JSON. _decode: false if it is no Lease. _encode: meta is the live
 * metadata, whose labels and other members are preserved; NULL: none. */
bool ty_leader_election_decode(const struct ty_json *lease, struct ty_leader_election_record *ret);
struct ty_str ty_leader_election_encode(struct ty_arena *a, struct ty_str ns, struct ty_str name,
                                        const struct ty_leader_election_record *r,
                                        const struct ty_json *meta);

#endif
