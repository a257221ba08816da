/* Which events are written, and as what: a memory of what was said, without network and clock. */
#ifndef TY_CONTROLLER_EVENTS_SERIES_H
#define TY_CONTROLLER_EVENTS_SERIES_H

#include "controller/events.h"

#define TY_EVENTS_FINISH_S  360  /* a series without news for so long has ended */
#define TY_EVENTS_REFRESH_S 1800 /* a long one is written in between */
#define TY_EVENTS_BURST     25   /* writes about one object at once, then one a period */
#define TY_EVENTS_PERIOD_S  300

struct ty_events_series;
/* One thing that was said, once or more. */
struct ty_events_series_entry {
    char *ns, *name; /* of the Event */
    char *body;      /* as it was created */
    int64_t first_ns, last_ns, wrote_ns;
    uint64_t count; /* 1: no series */
    uint64_t told;  /* the count that was written */
};

struct ty_events_series *ty_events_series_new(void); /* gives */
void ty_events_series_free(struct ty_events_series *s);
size_t ty_events_series_size(const struct ty_events_series *s);

enum ty_events_series_action {
    TY_EVENTS_SERIES_CREATE, /* *ret: new */
    TY_EVENTS_SERIES_PATCH,  /* *ret: it is a series from now on */
    TY_EVENTS_SERIES_COUNT,  /* nothing to write */
    TY_EVENTS_SERIES_DROP,   /* too much about this object */
};
/* instance: reportingInstance. *ret lives until the next call. */
enum ty_events_series_action ty_events_series_record(struct ty_events_series *s,
                                                     const struct ty_event *e, const char *instance,
                                                     int64_t now_ns,
                                                     const struct ty_events_series_entry **ret);
/* The next one whose count must be written, because it has ended or is long: once each. NULL: none.
 * Ended ones are forgotten by the next call. all: whether or not it is time. */
const struct ty_events_series_entry *ty_events_series_due(struct ty_events_series *s,
                                                          int64_t now_ns, bool all);
/* {"series":{"count":N,"lastObservedTime":T}} and the whole event; live with the arena. */
struct ty_str ty_events_series_patch(struct ty_arena *a, const struct ty_events_series_entry *said);

#endif
