#include "cli/run/run_nodes.h"

static struct ty_str skip(struct ty_str s, size_t n)
{
    return (struct ty_str){ s.p + n, s.n - n };
}

/* "-1" of "-1-0": the number and what follows it; false if it is none, or not below `n`. */
static bool take_index(struct ty_str *rest, int64_t n)
{
    struct ty_str digits = { rest->p + 1, 0 };
    int64_t v = 0;

    if (rest->n < 2 || rest->p[0] != '-')
        return false;
    while (digits.n + 1 < rest->n && digits.p[digits.n] >= '0' && digits.p[digits.n] <= '9')
        digits.n++;
    *rest = skip(*rest, digits.n + 1);
    return digits.n && ty_str_parse_i64(digits, &v) && v < n;
}

static bool is_pod_of(const struct ty_preflight_pods *set, struct ty_str name)
{
    size_t n = strlen(set->rjob);

    if (!ty_str_starts(name, ty_str(set->rjob)))
        return false;
    struct ty_str rest = skip(name, n);
    if (!take_index(&rest, set->replicas))
        return false;
    return set->indexed ? take_index(&rest, set->pods) && !rest.n : rest.n > 1;
}

bool ty_run_nodes_match(const struct ty_preflight_pods *pods, const char *name)
{
    for (const struct ty_preflight_pods *p = pods; p; p = p->next) {
        size_t n = strlen(p->job);
        bool whole = strncmp(name, p->job, n) == 0 && (name[n] == '/' || name[n] == '-');
        if (is_pod_of(p, ty_str(name)) || (whole && is_pod_of(p, ty_str(name + n + 1))))
            return true;
    }
    return false;
}

static bool several_jobs(const struct ty_preflight_pods *pods)
{
    for (const struct ty_preflight_pods *p = pods; p; p = p->next)
        if (strcmp(p->job, pods->job) != 0)
            return true;
    return false;
}

void ty_run_nodes_print(struct ty_buf *out, const struct ty_preflight_pods *pods)
{
    bool several = several_jobs(pods);

    for (const struct ty_preflight_pods *p = pods; p; p = p->next) {
        const char *job = several ? p->job : "", *slash = several ? "/" : "";
        if (p->replicas < 1 || p->pods < 1)
            continue;
        ty_buf_printf(out, "%s%s%s%s-0-0", out->n ? ", " : "", job, slash, p->rjob);
        if (p->replicas > 1 || p->pods > 1)
            ty_buf_printf(out, " … %s%s%s-%lld-%lld", job, slash, p->rjob,
                          (long long)p->replicas - 1, (long long)p->pods - 1);
    }
}
