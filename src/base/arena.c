/* Bump allocation from blocks that double in size. A block is never moved, so pointers into the
 * arena stay valid until it is freed. Under ASan, memory that is not allocated is poisoned, with a
 * gap after each allocation, so that an overrun inside the arena is reported like one on the heap.
 */
#include "base/arena.h"

#include <stdint.h>

#include "base/budget.h"
#include "base/xalloc.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define GAP        8u
#define hide(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define show(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GAP        0u
#define hide(p, n) ((void)(p), (void)(n))
#define show(p, n) ((void)(p), (void)(n))
#endif

#define FIRST_BLOCK ((size_t)16 << 10)
#define MAX_BLOCK   ((size_t)4 << 20)

struct block {
    struct block *next;
    size_t size; /* of bytes */
    _Alignas(max_align_t) char bytes[];
};

struct ty_arena {
    char *p, *end; /* the free part of `current` */
    struct block *current;
    struct block *first; /* all blocks, in the order of their allocation */
    struct block *last;
    size_t closed; /* bytes allocated from blocks other than `current` */
    size_t ceiling;
    struct ty_budget *budget;
    bool input; /* ty_arena_new_input: the ceiling makes it full, it does not abort */
    bool full;
    bool over; /* full because of its own ceiling, not only because of the budget */
};

static _Noreturn void die(size_t n, size_t ceiling)
{
    fprintf(stderr,
            "trainyard: arena full: %zu more bytes wanted, the ceiling is %zu; this is a bug\n", n,
            ceiling);
    abort();
}

static struct block *add_block(struct ty_arena *a, size_t size)
{
    struct block *b = ty_xalloc(malloc(sizeof(*b) + size));
    if (!ty_budget_charge(a->budget, sizeof(*b) + size))
        a->full = true;
    b->next = NULL;
    b->size = size;
    hide(b->bytes, size);
    ty_append(a->first, a->last, b);
    return b;
}

static size_t below_ceiling(const struct ty_arena *a)
{
    size_t used = ty_arena_used(a);

    return a->ceiling > used ? a->ceiling - used : 0;
}

/* The fast path compares with `end` only, so `end` is never beyond the ceiling. The exception is a
 * full arena, whose callers may still allocate until they check ty_arena_full. */
static void limit_end(struct ty_arena *a)
{
    size_t left = below_ceiling(a);
    if (!a->full && (size_t)(a->end - a->p) > left)
        a->end = a->p + left;
}

static void use_block(struct ty_arena *a, struct block *b)
{
    a->current = b;
    a->p = b->bytes;
    a->end = b->bytes + b->size;
    limit_end(a);
}

static struct ty_arena *arena_new(size_t ceiling)
{
    struct ty_arena *a = ty_xalloc(calloc(1, sizeof(*a)));
    a->ceiling = ceiling;
    return a;
}

struct ty_arena *ty_arena_new_small(size_t ceiling, size_t first)
{
    struct ty_arena *a = arena_new(ceiling);
    use_block(a, add_block(a, first));
    return a;
}

struct ty_arena *ty_arena_new(size_t ceiling)
{
    return ty_arena_new_small(ceiling, FIRST_BLOCK);
}

struct ty_arena *ty_arena_new_input(size_t ceiling, struct ty_budget *budget)
{
    struct ty_arena *a = arena_new(ceiling);
    a->budget = budget;
    a->input = true;
    use_block(a, add_block(a, FIRST_BLOCK));
    return a;
}

bool ty_arena_full(const struct ty_arena *a)
{
    return a->full;
}

bool ty_arena_starved(const struct ty_arena *a)
{
    return a->full && !a->over;
}

/* What the budget has left, plus the rest of the current block, which is charged already. */
static size_t below_budget(const struct ty_arena *a)
{
    size_t left = ty_budget_left(a->budget), here = (size_t)(a->end - a->p);

    return left < SIZE_MAX - here ? left + here : SIZE_MAX;
}

size_t ty_arena_left(const struct ty_arena *a)
{
    size_t left = below_ceiling(a), budget = below_budget(a);

    if (!a->input)
        return SIZE_MAX;
    return a->full ? 0 : left < budget ? left : budget;
}

void ty_arena_fill(struct ty_arena *a)
{
    if (!a->input)
        die(0, a->ceiling);
    /* The caller found that an allocation does not fit; the smaller of the two limits is the
     * reason. */
    if (!a->full)
        a->over = below_ceiling(a) <= below_budget(a);
    a->full = true;
}

static void free_blocks(struct ty_arena *a, struct block *b)
{
    while (b) {
        struct block *next = b->next;
        show(b->bytes, b->size);
        ty_budget_release(a->budget, sizeof(*b) + b->size);
        free(b);
        b = next;
    }
}

void ty_arena_free(struct ty_arena *a)
{
    if (!a)
        return;
    free_blocks(a, a->first);
    free(a);
}

void ty_arena_reset(struct ty_arena *a)
{
    free_blocks(a, a->first->next);
    a->first->next = NULL;
    a->last = a->first;
    a->closed = 0;
    a->full = false;
    a->over = false;
    hide(a->first->bytes, a->first->size);
    use_block(a, a->first);
}

size_t ty_arena_used(const struct ty_arena *a)
{
    return a->closed + (size_t)(a->p - a->current->bytes);
}

/* Aborts, unless it is an input arena: that becomes full and allocates on within its slack. */
static void reach_ceiling(struct ty_arena *a, size_t used, size_t n)
{
    size_t most = a->ceiling < SIZE_MAX / 2 ? a->ceiling + TY_ARENA_SLACK : a->ceiling;

    if (!a->input || used > most || n > most - used)
        die(n, a->ceiling);
    a->full = true;
    a->over = true;
}

/* n bytes at the start of a new block. An allocation of more than half the next block's size gets a
 * block of its own, and the current block stays in use for small ones. */
static char *alloc_slow(struct ty_arena *a, size_t n)
{
    size_t used = ty_arena_used(a);
    if (used > a->ceiling || n > a->ceiling - used)
        reach_ceiling(a, used, n);
    size_t size = a->last->size < MAX_BLOCK / 2 ? a->last->size * 2 : MAX_BLOCK;
    if (n > size / 2) {
        a->closed += n;
        limit_end(a);
        return add_block(a, n)->bytes;
    }
    a->closed = used;
    use_block(a, add_block(a, size));
    char *p = a->p;
    a->p += n;
    return p;
}

void *ty_arena_raw(struct ty_arena *a, size_t n, size_t align)
{
    if (GAP && align < 8)
        align = 8; /* ASan's granularity */
    size_t pad = (size_t)(-(uintptr_t)a->p & (align - 1));
    size_t room = (size_t)(a->end - a->p);
    char *p;
    size_t lost = pad + GAP;
    if (room >= lost && n <= room - lost) {
        p = a->p + pad;
        a->p = p + n + GAP;
    } else {
        if (n > SIZE_MAX / 4)
            die(n, a->ceiling);
        p = alloc_slow(a, n + GAP);
    }
    show(p, n);
    return p;
}

void *ty_arena_alloc(struct ty_arena *a, size_t n, size_t align)
{
    void *p = ty_arena_raw(a, n, align);
    if (n > 0)
        memset(p, 0, n);
    return p;
}

void *ty_arena_room(struct ty_arena *a, void *v, size_t n, size_t *cap, size_t size, size_t align)
{
    if (n < *cap)
        return v;
    size_t more = ty_xalloc_cap(n, *cap, size);
    void *copy = ty_arena_alloc(a, more * size, align);
    if (*cap)
        memcpy(copy, v, *cap * size);
    *cap = more;
    return copy;
}

char *ty_arena_strndup(struct ty_arena *a, const char *p, size_t n)
{
    char *copy = ty_arena_raw(a, n + 1, 1);
    if (n > 0)
        memcpy(copy, p, n);
    copy[n] = '\0';
    return copy;
}

char *ty_arena_vprintf(struct ty_arena *a, const char *fmt, va_list ap)
{
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), fmt, ap);
    char *text;
    if (n < 0) {
        text = ty_arena_strndup(a, "", 0);
    } else if ((size_t)n < sizeof(small)) {
        text = ty_arena_strndup(a, small, (size_t)n);
    } else {
        text = ty_arena_raw(a, (size_t)n + 1, 1);
        vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return text;
}

char *ty_arena_printf(struct ty_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = ty_arena_vprintf(a, fmt, ap);
    va_end(ap);
    return text;
}
