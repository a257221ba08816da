/* Events (events.k8s.io/v1) about objects, as client-go records them: the same thing said again
 * within six minutes becomes a series of the first event. Never in the way: what cannot be written
 * is tried again a few times, then logged and dropped.
 *
 * Bounds: TY_EVENTS_KEYS things remembered, TY_EVENTS_QUEUE events waiting to be written, and per
 * object 25 writes at once and then one every 5 minutes, so that a loop gone mad cannot flood the
 * server. What is dropped is counted and logged. */
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
    const struct ty_kind *kind; /* of what it is about */
    struct ty_str ns, name, uid, version;
    const char *type; /* "Normal", "Warning" */
    const char *reason, *action;
    struct ty_str note; /* cut to TY_EVENTS_NOTE at a character's end */
};

struct ty_events_counts {
    uint64_t written, series, dropped, failed;
};

struct ty_events *ty_events_new(const struct ty_events_settings *s); /* gives */
void ty_events_record(struct ty_events *e, const struct ty_event *event);
/* Writes what series have gathered; call it when ending, then let the loop turn until idle. */
void ty_events_flush(struct ty_events *e);
bool ty_events_idle(const struct ty_events *e); /* nothing waits, nothing is in flight */
void ty_events_count(const struct ty_events *e, struct ty_events_counts *ret);
/* takes, drops what waits; before its client; NULL is fine. The loop must turn once more. */
void ty_events_free(struct ty_events *e);

/* v2.3.0's one event: "TrainJob resources reconciliation failed: " and the first 950 bytes of the
 * error, with " ..." after them when it is longer. Lives with the arena. */
struct ty_str ty_events_failed_note(struct ty_arena *a, struct ty_str error);

#endif
