/* Who leads: client-go's algorithm as a machine without clock and network. Feed it what was seen
 * and what came of what it asked for; ask it what to do. Times: `now_ms` is a clock of this process
 * that only goes forward and counts suspended time (CLOCK_BOOTTIME); the clocks of other processes
 * are never compared with ours, their records are only looked at for change.
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

/* What of a Lease matters. All text is owned by the machine that it was given to. */
struct ty_leader_election_record {
    char holder[256], version[64];  /* holder "": free */
    char acquired[40], renewed[40]; /* as written, RFC 3339 with microseconds */
    int64_t duration_ms, transitions;
};

enum ty_leader_election_action {
    TY_LEADER_ELECTION_WAIT,   /* until `at_ms`, or until something is seen */
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
    /* the machine's own */
    struct ty_leader_election_record seen;
    bool known, absent;       /* seen is a record; there is none, as far as we know */
    bool fresh;               /* and that is what the server said just now */
    bool busy, leading, lost; /* busy: something is in flight */
    int conflicts;            /* in a row */
    int64_t seen_ms;          /* when `seen` was last different */
    int64_t next_ms;          /* not to try before */
    int64_t asked_ms;         /* when what is in flight, or was last, was sent */
    int64_t sent_ms,
        first_ms; /* of the last renewal that was taken; of the first try since, or 0 */
};

/* What to do now. GET, CREATE, UPDATE: it is in flight from now on; WAIT meanwhile. */
enum ty_leader_election_action ty_leader_election_next(struct ty_leader_election *e, int64_t now_ms,
                                                       int64_t *ret_at_ms);
/* The record to write for the last CREATE or UPDATE; wall_us: Unix time, microseconds. */
void ty_leader_election_desired(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret);
/* What came of it. */
void ty_leader_election_observed(struct ty_leader_election *e,
                                 const struct ty_leader_election_record *r, int64_t now_ms);
void ty_leader_election_absent(struct ty_leader_election *e, int64_t now_ms);
void ty_leader_election_updated(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms);
void ty_leader_election_conflict(struct ty_leader_election *e,
                                 int64_t now_ms); /* exists, or another version */
void ty_leader_election_failed(struct ty_leader_election *e,
                               int64_t now_ms); /* no answer, or a refusal */
/* A watch tells, nothing was asked: as _saw, but what is in flight stays so. NULL: it was deleted.
 * False: something newer is known already. */
bool ty_leader_election_watched(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms);

/* How long before another may take over a leader stops: what it has sent by then arrives within
 * that time, or is dropped. */
int64_t ty_leader_election_grace(int64_t lease_ms, int64_t renew_ms);
/* May we write at this moment? False as soon as another may take over, told or not. */
bool ty_leader_election_is_leader(const struct ty_leader_election *e, int64_t now_ms);
/* The record that gives the lease back. */
void ty_leader_election_release(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret);

/* Another one that leads, or "". */
const char *ty_leader_election_other_holder(const struct ty_leader_election *e);

/* From and to the Lease's JSON. _read: false if it is no Lease. _body: meta is the live metadata,
 * whose labels and the like are kept; NULL: none. */
bool ty_leader_election_decode(const struct ty_json *lease, struct ty_leader_election_record *ret);
struct ty_str ty_leader_election_encode(struct ty_arena *a, struct ty_str ns, struct ty_str name,
                                        const struct ty_leader_election_record *r,
                                        const struct ty_json *meta);

#endif
