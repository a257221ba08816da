/* Sets of completion indexes. A Job may have millions of them: a set is a list of runs, in order,
 * of which no two touch. */
#include "engine/job/job_indexes.h"

#include "base/buf.h"

/* Appends a run that starts at or after the start of the last one. */
static void append_range(struct ty_job_indexes *s, struct ty_index_range r)
{
    struct ty_index_range *last = s->n ? &s->v[s->n - 1] : NULL;

    if (!last || r.first > last->last + 1)
        s->v[s->n++] = r;
    else if (last->last < r.last)
        last->last = r.last;
}

static bool parse_range(struct ty_str part, struct ty_index_range *ret)
{
    struct ty_str first;
    struct ty_str rest = ty_str_cut(part, '-', &first);

    if (!ty_str_parse_i64(first, &ret->first) || ret->first < 0)
        return false;
    if (first.n == part.n)
        ret->last = ret->first;
    else if (!ty_str_parse_i64(rest, &ret->last))
        return false;
    return ret->last >= ret->first;
}

struct ty_job_indexes ty_job_indexes_parse(struct ty_arena *a, struct ty_str text,
                                           int64_t completions)
{
    struct ty_job_indexes s = { 0 };
    size_t parts = 1;

    if (text.n == 0)
        return s;
    for (size_t i = 0; i < text.n; i++)
        parts += text.p[i] == ',';
    s.v = ty_new_n(a, struct ty_index_range, parts);
    while (text.n) {
        struct ty_str part;
        struct ty_index_range r;
        text = ty_str_cut(text, ',', &part);
        if (!parse_range(part, &r))
            continue;
        if (r.first >= completions)
            break;
        if (r.last >= completions)
            r.last = completions - 1;
        if (s.n && r.first < s.v[s.n - 1].first)
            continue; /* out of order: no controller writes that */
        append_range(&s, r);
    }
    return s;
}

struct ty_str ty_job_indexes_text(struct ty_arena *a, const struct ty_job_indexes *s)
{
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < s->n; i++) {
        const struct ty_index_range *r = &s->v[i];
        ty_buf_printf(&b, "%s%lld", i ? "," : "", (long long)r->first);
        if (r->last > r->first)
            ty_buf_printf(&b, "%c%lld", r->last == r->first + 1 ? ',' : '-', (long long)r->last);
    }
    return ty_arena_str(a, ty_buf_str(&b));
}

static int compare_i64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

struct ty_job_indexes ty_job_indexes_from(struct ty_arena *a, int64_t *v, size_t n)
{
    struct ty_job_indexes s = { 0 };
    bool sorted = true; /* pods usually come in the order of their creation */

    if (n == 0)
        return s;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = v[i - 1] <= v[i];
    if (!sorted)
        qsort(v, n, sizeof(*v), compare_i64);
    s.v = ty_new_n(a, struct ty_index_range, n);
    for (size_t i = 0; i < n; i++)
        append_range(&s, (struct ty_index_range){ v[i], v[i] });
    return s;
}

struct ty_job_indexes ty_job_indexes_join(struct ty_arena *a, const struct ty_job_indexes *x,
                                          const struct ty_job_indexes *y)
{
    struct ty_job_indexes s = { 0 };
    size_t i = 0, j = 0;

    if (x->n == 0 || y->n == 0)
        return x->n == 0 ? *y : *x;
    s.v = ty_new_n(a, struct ty_index_range, x->n + y->n);
    while (i < x->n || j < y->n) {
        bool left = j == y->n || (i < x->n && x->v[i].first < y->v[j].first);
        append_range(&s, left ? x->v[i++] : y->v[j++]);
    }
    return s;
}

int64_t ty_job_indexes_total(const struct ty_job_indexes *s)
{
    int64_t total = 0;

    for (size_t i = 0; i < s->n; i++)
        total += s->v[i].last - s->v[i].first + 1;
    return total;
}

bool ty_job_indexes_has(const struct ty_job_indexes *s, int64_t index)
{
    size_t lo = 0, hi = s->n; /* the first run that ends at or after index lies in lo..hi */

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->v[mid].last >= index)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < s->n && s->v[lo].first <= index;
}

int64_t ty_job_indexes_common(const struct ty_job_indexes *x, const struct ty_job_indexes *y)
{
    int64_t total = 0;

    for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
        const struct ty_index_range *p = &x->v[i], *q = &y->v[j];
        int64_t first = p->first > q->first ? p->first : q->first;
        int64_t last = p->last < q->last ? p->last : q->last;
        if (last >= first)
            total += last - first + 1;
        if (p->last < q->last)
            i++;
        else
            j++;
    }
    return total;
}

size_t ty_job_indexes_missing(const struct ty_job_indexes *s, int64_t completions, int64_t *ret_v,
                              size_t n)
{
    int64_t candidate = 0;
    size_t found = 0;

    for (size_t i = 0; i <= s->n; i++) {
        int64_t end = i < s->n && s->v[i].first < completions ? s->v[i].first : completions;
        for (; candidate < end && found < n; candidate++)
            ret_v[found++] = candidate;
        if (i < s->n)
            candidate = s->v[i].last + 1;
    }
    return found;
}
