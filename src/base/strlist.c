/* The array doubles in size; old arrays stay in the arena. One entry more than the capacity is
 * allocated, zeroed, so the list always ends with NULL. */
#include "base/strlist.h"
#include <string.h>

void ty_strlist_add(struct ty_arena *a, struct ty_strlist *w, const char *word)
{
    if ((w->n & (w->n - 1)) == 0) { /* n is 0 or a power of two: the array is full */
        const char **more = ty_new_n(a, const char *, (w->n ? w->n * 2 : 1) + 1);
        if (w->n)
            memcpy(more, w->v, w->n * sizeof(*more));
        w->v = more;
    }
    w->v[w->n++] = word;
}
