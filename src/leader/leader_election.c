/* Two rules prevent two leaders: a standby waits for the whole duration of a record that has not
 * changed, by its own clock; and a leader stops before that time can be over, counted from when it
 * sent the last successful renewal, and early enough that its last requests have arrived or are
 * dropped. */
#include "leader/leader_election.h"
#include "json/json.h"
#include <stdio.h>
#include <time.h>

static bool holds_lease(const struct ty_leader_election *e)
{
    return e->known && strcmp(e->seen.holder, e->me) == 0;
}

int64_t ty_leader_election_grace(int64_t lease_ms, int64_t renew_ms)
{
    int64_t grace = (lease_ms / 1000 * 1000 - renew_ms) / 2;
    return grace > 0 ? grace : 0;
}

/* How long a renewal is valid. */
static int64_t good_ms(const struct ty_leader_election *e)
{
    return e->lease_ms - ty_leader_election_grace(e->lease_ms, e->renew_ms);
}

/* When we must stop writing. */
static int64_t renew_deadline(const struct ty_leader_election *e)
{
    int64_t tries = (e->first_ms ? e->first_ms : e->sent_ms + e->retry_ms) + e->renew_ms;
    int64_t lease = e->sent_ms + good_ms(e);
    return tries < lease ? tries : lease;
}

/* When the observed record expires if it does not change. */
static int64_t record_expiry(const struct ty_leader_election *e)
{
    return *e->seen.holder ? e->seen_ms + e->seen.duration_ms : e->seen_ms;
}

static int64_t min_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum ty_leader_election_action
start_request(struct ty_leader_election *e, enum ty_leader_election_action what, int64_t now_ms)
{
    e->busy = true;
    e->asked_ms = now_ms;
    e->fresh = false;
    if (e->leading && !e->first_ms)
        e->first_ms = now_ms;
    return what;
}

static enum ty_leader_election_action next_of_leader(struct ty_leader_election *e, int64_t now_ms,
                                                     int64_t *ret_at_ms)
{
    int64_t end = renew_deadline(e);
    if (now_ms >= end || (e->known && !holds_lease(e))) {
        e->lost = true;
        e->leading = false;
        return TY_LEADER_ELECTION_LOST;
    }
    if (e->busy || now_ms < e->next_ms) {
        *ret_at_ms = e->busy ? end : min_ms(e->next_ms, end);
        return TY_LEADER_ELECTION_WAIT;
    }
    if (e->absent)
        return start_request(e, TY_LEADER_ELECTION_CREATE, now_ms);
    return start_request(e, e->fresh ? TY_LEADER_ELECTION_UPDATE : TY_LEADER_ELECTION_GET, now_ms);
}

static enum ty_leader_election_action next_of_standby(struct ty_leader_election *e, int64_t now_ms,
                                                      int64_t *ret_at_ms)
{
    if (e->busy) {
        *ret_at_ms = INT64_MAX;
        return TY_LEADER_ELECTION_WAIT;
    }
    if (e->fresh && e->absent)
        return start_request(e, TY_LEADER_ELECTION_CREATE, now_ms);
    if (e->fresh && (holds_lease(e) || now_ms >= record_expiry(e)))
        return start_request(e, TY_LEADER_ELECTION_UPDATE, now_ms);
    if (e->fresh) { /* held by another: wait */
        e->fresh = false;
        e->next_ms = now_ms + e->retry_ms;
    }
    int64_t at = e->next_ms;
    if (e->known && *e->seen.holder &&
        e->asked_ms < record_expiry(e)) /* get it once when it expires */
        at = min_ms(at, record_expiry(e));
    if (now_ms < at) {
        *ret_at_ms = at;
        return TY_LEADER_ELECTION_WAIT;
    }
    return start_request(e, TY_LEADER_ELECTION_GET, now_ms);
}

enum ty_leader_election_action ty_leader_election_next(struct ty_leader_election *e, int64_t now_ms,
                                                       int64_t *ret_at_ms)
{
    if (e->lost)
        return TY_LEADER_ELECTION_LOST;
    return e->leading ? next_of_leader(e, now_ms, ret_at_ms)
                      : next_of_standby(e, now_ms, ret_at_ms);
}

/* ---- results of requests ---- */

static bool record_equal(const struct ty_leader_election_record *a,
                         const struct ty_leader_election_record *b)
{
    return strcmp(a->holder, b->holder) == 0 && strcmp(a->acquired, b->acquired) == 0 &&
           strcmp(a->renewed, b->renewed) == 0 && a->duration_ms == b->duration_ms &&
           a->transitions == b->transitions;
}

static void set_observed(struct ty_leader_election *e, const struct ty_leader_election_record *r,
                         int64_t now_ms)
{
    if (!e->known || !record_equal(&e->seen, r))
        e->seen_ms = now_ms;
    e->seen = *r;
    e->known = true;
    e->absent = false;
}

static void set_absent(struct ty_leader_election *e, int64_t now_ms)
{
    e->seen = (struct ty_leader_election_record){ 0 };
    e->seen_ms = now_ms;
    e->known = false;
    e->absent = true;
}

void ty_leader_election_observed(struct ty_leader_election *e,
                                 const struct ty_leader_election_record *r, int64_t now_ms)
{
    e->busy = false;
    set_observed(e, r, now_ms);
    e->fresh = true;
    e->next_ms = now_ms;
}

void ty_leader_election_absent(struct ty_leader_election *e, int64_t now_ms)
{
    e->busy = false;
    set_absent(e, now_ms);
    e->fresh = true;
    e->next_ms = now_ms;
}

void ty_leader_election_updated(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms)
{
    e->busy = false;
    set_observed(e, r, now_ms);
    e->conflicts = 0;
    if (e->lost || !holds_lease(e))
        return;
    if (now_ms - e->asked_ms >= good_ms(e)) { /* the answer is too old to count: get it first */
        e->fresh = false;
        e->next_ms = now_ms;
        return;
    }
    e->leading = true;
    e->sent_ms = e->asked_ms;
    e->first_ms = 0;
    e->fresh = true; /* the version for the next renewal */
    e->next_ms = now_ms + e->retry_ms;
}

void ty_leader_election_conflict(struct ty_leader_election *e, int64_t now_ms)
{
    e->busy = false;
    e->fresh = false;
    e->absent = false;
    e->conflicts++;
    e->next_ms = e->conflicts < 2 ? now_ms : now_ms + e->retry_ms;
}

void ty_leader_election_failed(struct ty_leader_election *e, int64_t now_ms)
{
    e->busy = false;
    e->fresh = false; /* the server may have executed it */
    e->absent = false;
    e->next_ms = now_ms + e->retry_ms;
}

/* Whether b is older than a. Versions that are no numbers are not compared. */
static bool is_older_version(const char *a, const char *b)
{
    uint64_t x = 0, y = 0;
    return ty_str_parse_u64(ty_str(a), &x) && ty_str_parse_u64(ty_str(b), &y) && y < x;
}

bool ty_leader_election_watched(struct ty_leader_election *e,
                                const struct ty_leader_election_record *r, int64_t now_ms)
{
    if (r && e->known && is_older_version(e->seen.version, r->version))
        return false; /* the watch event is older than what we know */
    if (r)
        set_observed(e, r, now_ms);
    else if (e->leading && e->busy)
        return true; /* the answer in flight decides */
    else
        set_absent(e, now_ms);
    if (e->busy)
        return true;
    bool free = !r || !*r->holder || holds_lease(e);
    if (!e->leading || !r)
        e->fresh = free;
    if (free && (!e->leading || !r)) /* try at once */
        e->next_ms = now_ms;
    return true;
}

/* ---- queries ---- */

static void format_time(char ret[40], int64_t wall_us)
{
    time_t s = (time_t)(wall_us / 1000000);
    struct tm tm;
    gmtime_r(&s, &tm);
    size_t n = strftime(ret, 40, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(ret + n, 40 - n, ".%06dZ", (int)(wall_us % 1000000));
}

void ty_leader_election_desired(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret)
{
    struct ty_leader_election_record r = { .duration_ms = e->lease_ms };
    memcpy(r.holder, e->me, sizeof(r.holder));
    format_time(r.renewed, wall_us);
    memcpy(r.acquired, r.renewed, sizeof(r.acquired));
    if (e->known) {
        memcpy(r.version, e->seen.version, sizeof(r.version));
        r.transitions = e->seen.transitions;
        if (!holds_lease(e) &&
            r.transitions < INT32_MAX) /* the maximum that the API server accepts */
            r.transitions++;
    }
    if (holds_lease(e) && *e->seen.acquired)
        memcpy(r.acquired, e->seen.acquired, sizeof(r.acquired));
    *ret = r;
}

void ty_leader_election_release(const struct ty_leader_election *e, int64_t wall_us,
                                struct ty_leader_election_record *ret)
{
    struct ty_leader_election_record r = { .duration_ms = 1000,
                                           .transitions = e->seen.transitions };
    memcpy(r.version, e->seen.version, sizeof(r.version));
    format_time(r.renewed, wall_us);
    memcpy(r.acquired, r.renewed, sizeof(r.acquired));
    *ret = r;
}

bool ty_leader_election_is_leader(const struct ty_leader_election *e, int64_t now_ms)
{
    return e->leading && !e->lost && holds_lease(e) && now_ms < renew_deadline(e);
}

const char *ty_leader_election_other_holder(const struct ty_leader_election *e)
{
    return e->known && !holds_lease(e) ? e->seen.holder : "";
}

/* ---- as JSON ---- */

static void copy_text(char *to, size_t size, struct ty_str s)
{
    size_t n = s.n < size - 1 ? s.n : size - 1;
    if (n)
        memcpy(to, s.p, n);
    to[n] = '\0';
}

bool ty_leader_election_decode(const struct ty_json *lease, struct ty_leader_election_record *ret)
{
    struct ty_leader_election_record r = { 0 };
    int64_t seconds = 0;
    if (!ty_json_is(ty_json_get(lease, "metadata"), TY_JSON_OBJECT))
        return false;
    copy_text(r.version, sizeof(r.version), ty_json_str_at(lease, "metadata.resourceVersion"));
    copy_text(r.holder, sizeof(r.holder), ty_json_str_at(lease, "spec.holderIdentity"));
    copy_text(r.acquired, sizeof(r.acquired), ty_json_str_at(lease, "spec.acquireTime"));
    copy_text(r.renewed, sizeof(r.renewed), ty_json_str_at(lease, "spec.renewTime"));
    ty_json_int_at(lease, "spec.leaseDurationSeconds", &seconds);
    ty_json_int_at(lease, "spec.leaseTransitions", &r.transitions);
    r.duration_ms = seconds > 0 && seconds <= INT32_MAX ? seconds * 1000 : 0;
    *ret = r;
    return true;
}

struct ty_str ty_leader_election_encode(struct ty_arena *a, struct ty_str ns, struct ty_str name,
                                        const struct ty_leader_election_record *r,
                                        const struct ty_json *meta)
{
    static const char *const kept[] = { "labels", "annotations", "ownerReferences", "finalizers" };
    struct ty_json *o = ty_json_object(a), *m = ty_json_object(a), *s = ty_json_object(a);
    ty_json_set(a, o, "apiVersion", ty_json_cstr(a, "coordination.k8s.io/v1"));
    ty_json_set(a, o, "kind", ty_json_cstr(a, "Lease"));
    ty_json_set(a, o, "metadata", m);
    ty_json_set(a, o, "spec", s);
    ty_json_set(a, m, "namespace", ty_json_str(a, ns));
    ty_json_set(a, m, "name", ty_json_str(a, name));
    if (*r->version)
        ty_json_set(a, m, "resourceVersion", ty_json_cstr(a, r->version));
    for (size_t i = 0; i < TY_COUNT(kept); i++)
        if (ty_json_get(meta, kept[i]))
            ty_json_set(a, m, kept[i], ty_json_get(meta, kept[i]));
    ty_json_set(a, s, "holderIdentity", ty_json_cstr(a, r->holder));
    ty_json_set(a, s, "leaseDurationSeconds", ty_json_int(a, r->duration_ms / 1000));
    ty_json_set(a, s, "acquireTime", ty_json_cstr(a, r->acquired));
    ty_json_set(a, s, "renewTime", ty_json_cstr(a, r->renewed));
    ty_json_set(a, s, "leaseTransitions", ty_json_int(a, r->transitions));
    return ty_json_text(a, o);
}
