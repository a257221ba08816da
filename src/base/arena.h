/* Memory for one pass: allocate freely, free once. Everything a pass makes lives with its arena. */
#ifndef TY_BASE_ARENA_H
#define TY_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define TY_AUTO(fn)     __attribute__((cleanup(fn)))
#define TY_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define TY_UNUSED       __attribute__((unused))

struct ty_arena;
struct ty_budget;

/* gives. For what input cannot make large: more than `ceiling` bytes is our own bug, and aborts.
 * tests/tools/arenas.tsv lists who may make one, and why input does not reach its ceiling. */
struct ty_arena *ty_arena_new(size_t ceiling);
/* gives. For what is made from input. More than `ceiling` bytes, or than `budget` (counts blocks;
 * outlives the arena; may be NULL) has left, makes it full, for good: allocations go on, so that
 * code in between need not look, but whoever loops over input asks ty_arena_full, stops, and says
 * -EFBIG. Only TY_ARENA_SLACK beyond the ceiling it aborts: somebody loops without asking. */
struct ty_arena *ty_arena_new_input(size_t ceiling, struct ty_budget *budget);
#define TY_ARENA_SLACK ((size_t)64 << 20)
bool ty_arena_full(const struct ty_arena *a); /* until a reset; false of ty_arena_new's */
/* Full because of the budget, not of its own ceiling: the input may fit when others have given
 * back what they hold. Then it is -EAGAIN, not -EFBIG. */
bool ty_arena_starved(const struct ty_arena *a);
/* What may be allocated before it is full; SIZE_MAX of ty_arena_new's. For who makes one large
 * piece, elsewhere at first: it looks before it begins, and says that it did not fit. */
size_t ty_arena_left(const struct ty_arena *a);
void ty_arena_fill(struct ty_arena *a); /* full from now on; of ty_arena_new_input's only */
/* The same, beginning with `first` bytes: for those of which there are thousands. */
struct ty_arena *ty_arena_new_small(size_t ceiling, size_t first);
void ty_arena_free(struct ty_arena *a);  /* takes; NULL is fine */
void ty_arena_reset(struct ty_arena *a); /* forgets everything, keeps the first block for reuse */
size_t ty_arena_used(const struct ty_arena *a); /* bytes handed out so far */

void *ty_arena_alloc(struct ty_arena *a, size_t n, size_t align); /* zeroed, never NULL */
/* The same without zeroing, for callers that write every byte. */
void *ty_arena_raw(struct ty_arena *a, size_t n, size_t align);
/* Copies, NUL-terminated; live with the arena. */
char *ty_arena_strndup(struct ty_arena *a, const char *p, size_t n);
char *ty_arena_printf(struct ty_arena *a, const char *fmt, ...) TY_PRINTF(2, 3);
char *ty_arena_vprintf(struct ty_arena *a, const char *fmt, va_list ap) TY_PRINTF(2, 0);

/* A list that can take an item at [n]: v itself, or a copy with twice the room or more. *cap is its
 * room in items, 0 at first, when v may be NULL; what is new is zeroed. See ty_room. */
void *ty_arena_room(struct ty_arena *a, void *v, size_t n, size_t *cap, size_t size, size_t align);

static inline void ty_arena_freep(struct ty_arena **a)
{
    ty_arena_free(*a);
}
#define ty_auto_arena        TY_AUTO(ty_arena_freep) struct ty_arena
#define ty_new(a, type)      ((type *)ty_arena_alloc((a), sizeof(type), _Alignof(type)))
#define ty_new_n(a, type, n) ((type *)ty_arena_alloc((a), sizeof(type) * (n), _Alignof(type)))
/* After it v[n] may be written. */
#define ty_room(a, v, n, cap)                                                                      \
    ((v) = ty_arena_room((a), (void *)(v), (n), &(cap), sizeof(*(v)), _Alignof(__typeof__(*(v)))))

#endif
