/* How much memory the kernel lets this process use. */
#ifndef TY_PROC_MEMORY_H
#define TY_PROC_MEMORY_H

#include <stddef.h>

struct ty_memory_limit {
    size_t bytes;   /* 0: none */
    char from[256]; /* the file that says so, cut; "": none */
};
/* The smallest limit of our cgroup and of those above it, version 1 or 2. `proc` is "/proc/self",
 * `sys` "/sys/fs/cgroup": tests have folders of their own. */
void ty_memory_limit(const char *proc, const char *sys, struct ty_memory_limit *ret);
/* Large pieces of the heap go back to the kernel when they are freed. Left alone, glibc takes each
 * freed one as a sign to cache the next (up to 32 MiB of them). Once, at the start. */
void ty_memory_return_large(void);

#endif
