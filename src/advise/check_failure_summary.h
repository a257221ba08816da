/* Whether the operator's configuration enables failure summaries. */
#ifndef TY_ADVISE_CHECK_FAILURE_SUMMARY_H
#define TY_ADVISE_CHECK_FAILURE_SUMMARY_H

#include "base/arena.h"

struct ty_doctor_in;

/* False if the configuration cannot be read. */
bool ty_check_failure_summary_enabled(struct ty_arena *a, const struct ty_doctor_in *in);

#endif
