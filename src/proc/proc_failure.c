/* Formats the step that failed between fork and exec. */
#include "proc/proc_failure.h"

#include <stdio.h>

void ty_proc_failure_text(const struct ty_proc_failure *step, char *ret, size_t size)
{
    snprintf(ret, size, "%s%s: %s", step->doing, step->what,
             step->advice ? step->advice : strerrordesc_np(step->code));
}
