/* Tells a process's own error from the words of one whose peers are gone. */
#ifndef TY_REPORT_FAILURE_SYMPTOMS_H
#define TY_REPORT_FAILURE_SYMPTOMS_H

#include "base/str.h"

enum ty_failure_symptom {
    TY_SYMPTOM_OWN,      /* an error of its own */
    TY_SYMPTOM_PEER,     /* a peer is gone, or does not answer */
    TY_SYMPTOM_STOPPED,  /* it was told to end */
    TY_SYMPTOM_LAUNCHER, /* a launcher, about the process that it started */
};

/* Whose connection was refused. */
enum ty_failure_refusal {
    TY_REFUSAL_NONE,
    TY_REFUSAL_OF_FRAMEWORK, /* it connects to peers only: one has not begun, or hangs */
    TY_REFUSAL_OF_PROGRAM,   /* Python's own exception: the server may be outside of the job */
};

/* The line of an error: "ConnectionResetError: [Errno 104] Connection reset by peer". At most its
 * first 512 bytes count. */
enum ty_failure_symptom ty_failure_symptom(struct ty_str error);
/* Of a lost peer: it did not answer in time, so it may be alive. */
bool ty_failure_symptom_timeout(struct ty_str error);
/* Of a lost peer: whose connection was refused. */
enum ty_failure_refusal ty_failure_symptom_refusal(struct ty_str error);

#endif
