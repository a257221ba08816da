/* Records events (events.k8s.io/v1) as client-go does: the same event within six minutes becomes a
 * series of the first. Best effort: a failed write is retried a few times, then logged and
 * dropped.
 *
 * Limits: TY_EVENTS_KEYS series in memory, TY_EVENTS_QUEUE events waiting to be written, and for
 * each object a burst of 25 writes and then one every 5 minutes, so that a loop in the controller
 * cannot flood the server. Dropped events are counted and logged. */
#ifndef TY_CONTROLLER_EVENTS_H
#define TY_CONTROLLER_EVENTS_H

#include "log/log.h"
#include "store/kube/kube.h"

struct ty_events;

#define TY_EVENTS_KEYS  4096
#define TY_EVENTS_QUEUE 1000
#define TY_EVENTS_NOTE  1024 /* bytes; the API server refuses more */

struct ty_events_settings {
    struct uv_loop_s *loop;
    struct ty_kube *kube;
    const struct ty_log *log;  /* may be NULL */
    const char *host;          /* "trainer-trainjob-controller" gets instance "...-HOST"; copied */
    int64_t (*now_ns)(void *); /* Unix time; NULL: the system's */
    void *ctx;
};

struct ty_event {               /* all borrowed */
    const char *controller;     /* "trainer-trainjob-controller" */
    const struct ty_kind *kind; /* of the regarding object */
    struct ty_str ns, name, uid, version;
    const char *type; /* "Normal", "Warning" */
    const char *reason, *action;
    struct ty_str note; /* cut to TY_EVENTS_NOTE bytes, at a character boundary */
    /* Not empty: written once for this object, under any leader. The event's name follows from it
     * and the uid, so the API server refuses a second one (as long as it keeps the first: an hour).
     * At most 32 bytes of a DNS subdomain. */
    struct ty_str once;
};

struct ty_events_counts {
    uint64_t written, series, dropped, failed;
};

struct ty_events *ty_events_new(const struct ty_events_settings *s); /* gives */
void ty_events_record(struct ty_events *e, const struct ty_event *event);
/* Writes the counts of open series; call it at shutdown, then run the loop until idle. */
void ty_events_flush(struct ty_events *e);
bool ty_events_idle(const struct ty_events *e); /* no event is waiting or in flight */
void ty_events_count(const struct ty_events *e, struct ty_events_counts *ret);
/* takes; drops waiting events; before its client; NULL is fine. The loop must run once more. */
void ty_events_free(struct ty_events *e);

/* The note of v2.3.0's only event: "TrainJob resources reconciliation failed: " and the first 950
 * bytes of the error, followed by " ..." if it is longer. Lives with the arena. */
struct ty_str ty_events_failed_note(struct ty_arena *a, struct ty_str error);

#endif
