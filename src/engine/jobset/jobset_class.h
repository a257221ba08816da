/* Character classes of Go's regular expressions as sets of ASCII, printed as POSIX brackets. */
#ifndef TY_ENGINE_JOBSET_JOBSET_CLASS_H
#define TY_ENGINE_JOBSET_JOBSET_CLASS_H

#include "base/buf.h"
#include "base/str.h"

struct ty_regex_class {
    bool has[128];
    bool negated; /* everything else, beyond ASCII too */
};

/* Both read at `at` ("\d", "[^a-z]") and give the place behind; on failure *ret_why says why. */
size_t ty_jobset_class_escape(struct ty_str in, size_t at, struct ty_regex_class *ret_set,
                              const char **ret_why);
size_t ty_jobset_class_parse(struct ty_str in, size_t at, struct ty_regex_class *ret_set,
                             const char **ret_why);
void ty_jobset_class_print(const struct ty_regex_class *set, struct ty_buf *out);

#endif
