/* Memory for one pass: allocations are freed together, with their arena. */
#ifndef TY_BASE_ARENA_H
#define TY_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define TY_AUTO(fn)     __attribute__((cleanup(fn)))
#define TY_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define TY_UNUSED       __attribute__((unused))
#define TY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Appends to a list, `first` to `last`, of items that are linked by their member `next`. */
#define ty_append(first, last, item)                                                               \
    do {                                                                                           \
        if (last)                                                                                  \
            (last)->next = (item);                                                                 \
        else                                                                                       \
            (first) = (item);                                                                      \
        (last) = (item);                                                                           \
    } while (0)

struct ty_arena;
struct ty_budget;

/* gives. For data whose size does not depend on input: more than `ceiling` bytes is a bug of this
 * program, and aborts. tests/tools/arenas.tsv lists all callers, and why input cannot reach the
 * ceiling. */
struct ty_arena *ty_arena_new(size_t ceiling);
/* gives. For data that is built from input. The arena becomes full when it exceeds `ceiling`, or
 * what `budget` has left (counted in blocks; the budget outlives the arena and may be NULL), and
 * stays full until a reset. Allocations still succeed, so that not every caller must check; every
 * loop over input calls ty_arena_full and returns -EFBIG. TY_ARENA_SLACK beyond the ceiling the
 * arena aborts: some loop does not check. */
struct ty_arena *ty_arena_new_input(size_t ceiling, struct ty_budget *budget);
#define TY_ARENA_SLACK ((size_t)64 << 20)
bool ty_arena_full(const struct ty_arena *a); /* until a reset; always false for ty_arena_new */
/* Full because of the budget and not because of its own ceiling: the same input may fit later, when
 * other arenas are freed. Callers return -EAGAIN then, not -EFBIG. */
bool ty_arena_starved(const struct ty_arena *a);
/* Bytes that can be allocated before the arena is full; SIZE_MAX for ty_arena_new. For callers that
 * build one large piece outside the arena first and must know whether it will fit. */
size_t ty_arena_left(const struct ty_arena *a);
void ty_arena_fill(struct ty_arena *a); /* makes it full; only for ty_arena_new_input */
/* As ty_arena_new, with a first block of `first` bytes: for arenas of which thousands exist. */
struct ty_arena *ty_arena_new_small(size_t ceiling, size_t first);
void ty_arena_free(struct ty_arena *a);  /* takes; NULL is fine */
void ty_arena_reset(struct ty_arena *a); /* frees all allocations and all blocks but the first */
size_t ty_arena_used(const struct ty_arena *a); /* bytes allocated so far */

void *ty_arena_alloc(struct ty_arena *a, size_t n, size_t align); /* zeroed, never NULL */
/* As ty_arena_alloc, not zeroed: for callers that write every byte. */
void *ty_arena_raw(struct ty_arena *a, size_t n, size_t align);
/* Copies, NUL-terminated; live with the arena. */
char *ty_arena_strndup(struct ty_arena *a, const char *p, size_t n);
char *ty_arena_printf(struct ty_arena *a, const char *fmt, ...) TY_PRINTF(2, 3);
char *ty_arena_vprintf(struct ty_arena *a, const char *fmt, va_list ap) TY_PRINTF(2, 0);

/* Grows an array for an item at index n: returns v, or a copy of at least twice the capacity. *cap
 * is the capacity in items; 0 at first, then v may be NULL. New items are zeroed. Use ty_room. */
void *ty_arena_room(struct ty_arena *a, void *v, size_t n, size_t *cap, size_t size, size_t align);

static inline char *ty_arena_strdup(struct ty_arena *a, const char *c)
{
    return ty_arena_strndup(a, c, strlen(c));
}
static inline char *ty_arena_cstr(struct ty_arena *a, struct ty_str s)
{
    return ty_arena_strndup(a, s.p, s.n);
}
static inline struct ty_str ty_arena_str(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_cstr(a, s), s.n };
}

static inline void ty_arena_freep(struct ty_arena **a)
{
    ty_arena_free(*a);
}
#define ty_auto_arena        TY_AUTO(ty_arena_freep) struct ty_arena
#define ty_new(a, type)      ((type *)ty_arena_alloc((a), sizeof(type), _Alignof(type)))
#define ty_new_n(a, type, n) ((type *)ty_arena_alloc((a), sizeof(type) * (n), _Alignof(type)))
/* Grows v so that v[n] may be written. */
#define ty_room(a, v, n, cap)                                                                      \
    ((v) = ty_arena_room((a), (void *)(v), (n), &(cap), sizeof(*(v)), _Alignof(__typeof__(*(v)))))

#endif
