/* The step that failed between fork and exec, where nothing may be allocated. */
#ifndef TY_PROC_PROC_FAILURE_H
#define TY_PROC_PROC_FAILURE_H

#include <errno.h>
#include <string.h>

/* Recorded in the child; formatted later, in a process that may allocate. */
struct ty_proc_failure {
    const char *doing;  /* "mount", "exec", … */
    int code;           /* errno */
    char what[152];     /* " path", cut; or "". A copy: the failing frame may be that of a clone */
    const char *advice; /* instead of the errno's words; NULL: none */
};
/* Notes the step with errno; returns -errno. */
static inline int ty_proc_failure_set(struct ty_proc_failure *step, const char *doing,
                                      const char *what)
{
    size_t n = what ? strlen(what) : 0;
    if (n > sizeof(step->what) - 2)
        n = sizeof(step->what) - 2;
    step->doing = doing;
    step->code = errno;
    step->advice = NULL;
    step->what[0] = what ? ' ' : 0;
    if (what) {
        memcpy(step->what + 1, what, n);
        step->what[n + 1] = 0;
    }
    return -step->code;
}
/* "exec torchrun: No such file or directory" */
void ty_proc_failure_text(const struct ty_proc_failure *step, char *ret, size_t size);

#endif
