/* What a line of a log says about its process by itself: why it ends, or that it goes on. Python's
 * tracebacks take several: failure_findings.c. Pure. */
#ifndef TY_REPORT_FAILURE_LINES_H
#define TY_REPORT_FAILURE_LINES_H

#include "base/str.h"

/* "ValueError: boom", "torch.cuda.OutOfMemoryError: …", "KeyboardInterrupt" */
bool ty_failure_lines_exception(struct ty_str line);
/* The head of a traceback of Python's; torchrun's table has "traceback : Traceback (…". */
bool ty_failure_lines_traceback(struct ty_str line);
/* The line of a process that dies at once: of assert(), glibc's heap checks, Go, Rust, MPI, absl.
 * *ret_error: what of it is the error, a part of the line. */
bool ty_failure_lines_crash(struct ty_str line, struct ty_str *ret_error);
/* "thread 'main' panicked at src/main.rs:3:5:": Rust's message is the next line. */
bool ty_failure_lines_panic(struct ty_str line);
/* "    at Throws.main(Throws.java:1)": a frame below the error, of Java, JavaScript or C#. */
bool ty_failure_lines_frame(struct ty_str line);
/* What of the line above such frames is the error: 'Exception in thread "main" java.io.IOException:
 * boom' without its beginning. */
struct ty_str ty_failure_lines_thrown(struct ty_str line);
/* A last line such as "error: no such file", which explains an exit code. */
bool ty_failure_lines_explain(struct ty_str line);
/* "Exception in thread Thread-1 (f):", "Process SpawnProcess-1:" */
bool ty_failure_lines_aside(struct ty_str line);
/* Of a process that ends, after the traceback, too. Trackers print the last metrics once more. */
bool ty_failure_lines_farewell(struct ty_str line);
/* A step of the training. */
bool ty_failure_lines_progress(struct ty_str line);
/* "step 7", "Epoch: 3": alone it may be anything, several of them are a loop. */
bool ty_failure_lines_bare_step(struct ty_str line);
/* "ERROR:root:cache miss", "2026-11-17 23:05:34 [WARNING] retrying": of Python's logging */
bool ty_failure_lines_logged(struct ty_str line);
bool ty_failure_lines_says_something(struct ty_str line); /* more than marks */

#endif
