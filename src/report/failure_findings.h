/* Everything in the end of a log that says how a process failed. */
#ifndef TY_REPORT_FAILURE_FINDINGS_H
#define TY_REPORT_FAILURE_FINDINGS_H

#include "report/failure_log.h"
#include "report/failure_symptoms.h"

enum {
    TY_FAILURE_FINDINGS = 256, /* kept; the newest count */
    TY_FAILURE_CHILDREN = 64,
    TY_FAILURE_COUNTED = 3, /* bare steps ("step 7") after a traceback: training has gone on */
};

/* A traceback with all that it was chained to, or another last word. */
struct ty_failure_finding {
    struct ty_str error; /* of the root: "ValueError: boom" */
    enum ty_failure_symptom symptom;
    int64_t rank, local;  /* who said it; -1 unknown */
    struct ty_str stream; /* its mark */
    size_t line;          /* of the error */
    size_t end;           /* the last line of the chain */
    size_t after;         /* lines that its process wrote after it */
    size_t steps;         /* of the training, that any process wrote before it */
    bool survived;        /* the process went on after it */
    bool wordy;           /* many lines follow: it went on, or its message or its exit has many */
    bool aside;           /* of a thread, or of a process that Python started: not the last word */
    bool logged;          /* by a logger, so it was caught */
    bool crash;           /* it died of a signal: terminate, assert, a fatal error of Python's */
};
/* A process as its launcher reports it (torchrun's table, mpirun, DeepSpeed). */
struct ty_failure_child {
    int64_t rank, local; /* -1 unknown */
    int code, sig;       /* one of them is not 0 */
    struct ty_str said;  /* the launcher's word on it; or empty */
    struct ty_str error; /* of its traceback, if the launcher has one; or empty */
    bool root;           /* torchrun's root cause */
    size_t line;
};
struct ty_failure_findings {
    struct ty_failure_finding v[TY_FAILURE_FINDINGS];
    size_t n;
    struct ty_failure_child children[TY_FAILURE_CHILDREN];
    size_t n_children;
    size_t steps;  /* of the training, in all of the log */
    size_t report; /* the line where the launcher's report begins; SIZE_MAX: none */
    size_t last;   /* the last line of a program; SIZE_MAX: none */
    size_t plain;  /* the last one without a mark; SIZE_MAX: none */
    bool many;     /* several processes write to the log */
};
/* procs: processes that write to the log; 0: unknown, the words of a launcher tell. */
void ty_failure_findings_read(const struct ty_failure_log *log, int64_t procs,
                              struct ty_failure_findings *ret);

#endif
