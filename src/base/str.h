/* A string view: not NUL-terminated; it does not own its bytes. */
#ifndef TY_BASE_STR_H
#define TY_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ty_str {
    const char *p; /* may be NULL only when n is 0 */
    size_t n;
};

/* For printf: "%.*s", TY_ARG(s) */
#define TY_ARG(s)   (int)(s).n, ((s).p ? (s).p : "")
#define TY_LIT(lit) ((struct ty_str){ "" lit, sizeof(lit) - 1 })

struct ty_opt_i32 {
    bool set;
    int32_t v;
};

static inline struct ty_str ty_str(const char *c)
{
    return (struct ty_str){ c, c ? strlen(c) : 0 };
}
static inline bool ty_str_eq(struct ty_str a, struct ty_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool ty_str_is(struct ty_str a, const char *c)
{
    return ty_str_eq(a, ty_str(c));
}
int ty_str_cmp(struct ty_str a, struct ty_str b); /* byte order, as Go sorts strings */
bool ty_str_starts(struct ty_str s, struct ty_str prefix);
bool ty_str_ends(struct ty_str s, struct ty_str suffix);
bool ty_str_contains(struct ty_str s, struct ty_str part);
struct ty_str ty_str_trim(struct ty_str s); /* without leading and trailing white space */
/* At most `most` bytes of s, cut between UTF-8 characters, because the result may become JSON. */
struct ty_str ty_str_head(struct ty_str s, size_t most);
/* Cuts at the first `c`: *ret_head is what precedes it, the result what follows. If `c` does not
 * occur, the result is empty with p == NULL, and *ret_head is all of s. */
struct ty_str ty_str_cut(struct ty_str s, char c, struct ty_str *ret_head);

/* Decimal numbers. True, and *ret_v set, only if all of s is a number in range. */
bool ty_str_parse_i64(struct ty_str s, int64_t *ret_v);
bool ty_str_parse_u64(struct ty_str s, uint64_t *ret_v);

/* The name that is nearest to `typed` (for "did you mean …?"), or NULL if none is similar. */
const char *ty_str_nearest(struct ty_str typed, const char *const *names, size_t n);

#endif
