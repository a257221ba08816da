/* Releases memory that only the start of the program needed. */
#ifndef TY_PROC_MEMORY_TRIM_H
#define TY_PROC_MEMORY_TRIM_H

#include <stddef.h>

/* Lets go of the pages of libraries and of our own program that are unchanged in their files: what
 * is used again comes back from the page cache at its next touch, what only starting needed (most
 * of libcurl's thirty libraries) does not. Also gives back free heap. For programs that run long,
 * once they are ready. Gives the bytes that were let go; 0 where /proc is not to be read. */
size_t ty_memory_trim(void);

#endif
