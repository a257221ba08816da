/* Decides which events are written, and how: a memory of recent events, without network and
 * clock. */
#ifndef TY_CONTROLLER_EVENTS_SERIES_H
#define TY_CONTROLLER_EVENTS_SERIES_H

#include "controller/events.h"

#define TY_EVENTS_FINISH_S  360  /* a series without a new event for so long has ended */
#define TY_EVENTS_REFRESH_S 1800 /* the count of a longer series is written in between */
#define TY_EVENTS_BURST     25   /* of writes about one object, then one each period */
#define TY_EVENTS_PERIOD_S  300

struct ty_events_series;
/* One event, or a series of equal ones. */
struct ty_events_series_entry {
    char *ns, *name; /* of the Event */
    char *body;      /* JSON, as it was created */
    int64_t first_ns, last_ns, wrote_ns;
    uint64_t count;   /* 1: no series */
    uint64_t written; /* the count that was last written */
};

struct ty_events_series *ty_events_series_new(void); /* gives */
void ty_events_series_free(struct ty_events_series *s);

enum ty_events_series_action {
    TY_EVENTS_SERIES_CREATE, /* *ret: new */
    TY_EVENTS_SERIES_PATCH,  /* *ret: becomes a series */
    TY_EVENTS_SERIES_COUNT,  /* nothing to write */
    TY_EVENTS_SERIES_DROP,   /* the limit of this object is exceeded */
};
/* instance: reportingInstance. *ret lives until the next call. */
enum ty_events_series_action ty_events_series_record(struct ty_events_series *s,
                                                     const struct ty_event *e, const char *instance,
                                                     int64_t now_ns,
                                                     const struct ty_events_series_entry **ret);
/* The next series whose count must be written, because it has ended or is long; each once. NULL:
 * none. The next call frees ended ones. all: without waiting until it is time. */
const struct ty_events_series_entry *ty_events_series_due(struct ty_events_series *s,
                                                          int64_t now_ns, bool all);
/* {"series":{"count":N,"lastObservedTime":T}} and the whole event; live with the arena. */
struct ty_str ty_events_series_patch(struct ty_arena *a, const struct ty_events_series_entry *said);

#endif
