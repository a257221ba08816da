/* Parses #SBATCH lines: numbers and resources are converted, other options cause a warning each. */
#include "convert/sbatch.h"
#include <ctype.h>

typedef void option_fn(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to);

static void parse_number(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    int64_t n = 0;
    if (ty_str_parse_i64(v, &n) && n > 0 && n <= 1000000)
        *to = n;
    else
        ty_sbatch_note(b, true, path, "\"%.*s\" is no whole number from 1 to 1000000", TY_ARG(v));
}

/* "2", "2-4": uses the minimum. */
static void parse_nodes(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    struct ty_str least, most = ty_str_cut(v, '-', &least);
    if (most.p)
        ty_sbatch_note(b, false, path, "a TrainJob has a fixed number of nodes: %.*s",
                       TY_ARG(least));
    parse_number(b, path, least, to);
}

/* "4", "a100:4" or "a100"; without a number it is 1. */
static void parse_count(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    struct ty_str type, number = ty_str_cut(v, ':', &type);
    int64_t n = 0;
    if (!number.p && ty_str_parse_i64(v, &n)) {
        parse_number(b, path, v, to);
        return;
    }
    if (number.p)
        parse_number(b, path, number, to);
    else
        *to = 1;
    ty_sbatch_note(b, false, path,
                   "GPUs of type %.*s become nvidia.com/gpu: choose the type by a nodeSelector",
                   TY_ARG(type));
}

/* "gpu", "gpu:4", "gpu:a100:4", or several of them separated by commas. */
static void parse_gres(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    while (v.p) {
        struct ty_str item, name;
        v = ty_str_cut(v, ',', &item);
        struct ty_str rest = ty_str_cut(item, ':', &name);
        if (ty_str_is(name, "gpu") && !rest.p)
            *to = 1;
        else if (ty_str_is(name, "gpu"))
            parse_count(b, path, rest, to);
        else
            ty_sbatch_note(b, false, path,
                           "not carried over: %.*s is no GPU, trainyard knows no name for it",
                           TY_ARG(item));
    }
}

static bool no_limit(struct ty_str v)
{
    return ty_str_is(v, "0") || ty_str_is(v, "UNLIMITED") || ty_str_is(v, "INFINITE") ||
           ty_str_is(v, "infinite") || ty_str_is(v, "unlimited");
}

/* Up to three numbers separated by colons; returns their count, 0 if one is invalid. */
static size_t clock_parts(struct ty_str v, int64_t n[3])
{
    size_t k = 0;
    while (v.p) {
        struct ty_str part;
        v = ty_str_cut(v, ':', &part);
        if (k == 3 || !ty_str_parse_i64(part, &n[k]) || n[k] < 0 || n[k] >= 1000000)
            return 0;
        k++;
    }
    return k;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]] */
static void parse_duration(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    struct ty_str days;
    struct ty_str clock = ty_str_cut(v, '-', &days);
    int64_t d = 0, n[3] = { 0 };
    bool has_days = clock.p != NULL;
    if (no_limit(v))
        return;
    size_t parts = clock_parts(has_days ? clock : v, n);
    if (!parts || (has_days && (!ty_str_parse_i64(days, &d) || d < 0 || d > 100000)))
        ty_sbatch_note(b, true, path, "\"%.*s\" is no time", TY_ARG(v));
    else if (has_days || parts == 3)
        *to = d * 86400 + n[0] * 3600 + n[1] * 60 + n[2];
    else
        *to = n[0] * 60 + n[1];
}

/* A number with K, M (the default), G or T. */
static void parse_memory(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    static const char units[] = "KMGT";
    size_t digits = v.n && isalpha((unsigned char)v.p[v.n - 1]) ? v.n - 1 : v.n;
    char letter = digits < v.n ? (char)toupper((unsigned char)v.p[digits]) : 'M';
    const char *unit = strchr(units, letter);
    int64_t n = 0;
    if (!unit || !ty_str_parse_i64((struct ty_str){ v.p, digits }, &n) || n < 0 || n > 1000000000) {
        ty_sbatch_note(b, true, path, "\"%.*s\" is no amount of memory", TY_ARG(v));
        return;
    }
    *to = n << (10 * (unit - units));
    if (n == 0)
        ty_sbatch_note(b, false, path,
                       "all memory of a node is not known here: no limit is set for it");
}

void ty_sbatch_name(struct ty_sbatch *b, const char *path, struct ty_str v)
{
    char *s = ty_arena_strndup(b->arena, v.p, v.n > 40 ? 40 : v.n), *at = s;
    size_t n = 0;
    for (const char *p = s; *p; p++) {
        char ch = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
        if (n || isalpha((unsigned char)ch))
            at[n++] = ch;
    }
    while (n && at[n - 1] == '-')
        n--;
    at[n] = 0;
    if (n)
        b->name = s;
    if (path && !ty_str_is(v, b->name))
        ty_sbatch_note(b, false, path, "the TrainJob is called %s", b->name);
}

static void job_name(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    (void)to;
    ty_sbatch_name(b, path, v);
}

/* "0-15%4", "1,3,5-7": only the first task is converted. */
static void parse_array(struct ty_sbatch *b, const char *path, struct ty_str v, int64_t *to)
{
    size_t digits = 0;
    while (digits < v.n && isdigit((unsigned char)v.p[digits]))
        digits++;
    if (!digits || digits > 9 || !ty_str_parse_i64((struct ty_str){ v.p, digits }, to)) {
        ty_sbatch_note(b, true, path, "\"%.*s\" is no list of array tasks", TY_ARG(v));
        return;
    }
    b->array = true;
    ty_sbatch_note(b, false, path,
                   "a TrainJob is one task of an array, this one is task %lld: for each of the "
                   "others change metadata.name and SLURM_ARRAY_TASK_ID",
                   (long long)*to);
}

static const struct option {
    const char *name;
    char letter;
    bool flag; /* has no value */
    option_fn *fn;
    size_t at; /* offset of the number in struct ty_sbatch */
    const char *why;
} options[] = {
#define AT(m) offsetof(struct ty_sbatch, m)
    { "nodes", 'N', false, parse_nodes, AT(nodes), NULL },
    { "ntasks", 'n', false, parse_number, AT(ntasks), NULL },
    { "ntasks-per-node", 0, false, parse_number, AT(per_node), NULL },
    { "tasks-per-node", 0, false, parse_number, AT(per_node), NULL },
    { "cpus-per-task", 'c', false, parse_number, AT(cpus), NULL },
    { "gpus", 'G', false, parse_count, AT(gpus), NULL },
    { "gpus-per-node", 0, false, parse_count, AT(gpus_per_node), NULL },
    { "gpus-per-task", 0, false, parse_count, AT(gpus_per_task), NULL },
    { "gres", 0, false, parse_gres, AT(gpus_per_node), NULL },
    { "mem", 0, false, parse_memory, AT(mem), NULL },
    { "mem-per-cpu", 0, false, parse_memory, AT(mem_per_cpu), NULL },
    { "mem-per-gpu", 0, false, parse_memory, AT(mem_per_gpu), NULL },
    { "time", 't', false, parse_duration, AT(seconds), NULL },
    { "job-name", 'J', false, job_name, AT(nodes), NULL },
    { "array", 'a', false, parse_array, AT(task), NULL },
    { "output", 'o', false, NULL, 0, "logs are those of the pods: trainyard logs, kubectl logs" },
    { "error", 'e', false, NULL, 0, "logs are those of the pods: trainyard logs, kubectl logs" },
    { "partition", 'p', false, NULL, 0, "use a nodeSelector, or a Kueue queue" },
    { "constraint", 'C', false, NULL, 0, "use a nodeSelector" },
    { "nodelist", 'w', false, NULL, 0, "use a nodeSelector" },
    { "exclude", 'x', false, NULL, 0, "use an affinity" },
    { "account", 'A', false, NULL, 0, "use a namespace, or a Kueue queue" },
    { "qos", 'q', false, NULL, 0, "use a PriorityClass" },
    { "dependency", 'd', false, NULL, 0, "TrainJobs do not wait for each other" },
    { "chdir", 'D', false, NULL, 0, "images have working directories of their own" },
    { "export", 0, false, NULL, 0, "containers see no environment of the submitting shell" },
    { "mail-type", 0, false, NULL, 0, "nobody is written to" },
    { "mail-user", 0, false, NULL, 0, "nobody is written to" },
    { "signal", 0, false, NULL, 0, "pods get SIGTERM, and then terminationGracePeriodSeconds" },
    { "exclusive", 0, true, NULL, 0, "ask for all of a node's resources" },
    { "requeue", 0, true, NULL, 0, "use restartPolicy and maxRestarts of a runtime" },
    { "no-requeue", 0, true, NULL, 0, "use restartPolicy and maxRestarts of a runtime" },
    { NULL, 0, false, NULL, 0, NULL },
};

static const struct option *find_option(struct ty_str word, struct ty_str *ret_value)
{
    bool is_long = ty_str_starts(word, TY_LIT("--"));
    struct ty_str name = word;
    *ret_value = (struct ty_str){ 0 };
    if (is_long)
        *ret_value = ty_str_cut((struct ty_str){ word.p + 2, word.n - 2 }, '=', &name);
    for (const struct option *o = options; o->name; o++) {
        if (is_long && ty_str_is(name, o->name))
            return o;
        if (!is_long && word.n > 1 && o->letter && word.p[1] == o->letter) {
            if (word.n > 2)
                *ret_value = (struct ty_str){ word.p + 2, word.n - 2 };
            return o;
        }
    }
    return NULL;
}

/* The value may be a separate word: --nodes 2, -N 2. */
static struct ty_str own_word(struct ty_sbatch *b, struct ty_str *rest)
{
    struct ty_str at = ty_str_trim(*rest);
    return at.n && at.p[0] != '-' && at.p[0] != '#' ? ty_sbatch_word(b, rest)
                                                    : (struct ty_str){ 0 };
}

void ty_sbatch_options(struct ty_sbatch *b, struct ty_str rest)
{
    for (struct ty_str w = ty_sbatch_word(b, &rest); w.n; w = ty_sbatch_word(b, &rest)) {
        struct ty_str v = { 0 };
        const char *path = ty_arena_printf(b->arena, "#SBATCH %.*s", TY_ARG(w));
        if (w.p[0] == '#')
            return; /* a comment after the options */
        const struct option *o = w.p[0] == '-' ? find_option(w, &v) : NULL;
        if (w.p[0] == '-' && !v.n && !(o && o->flag))
            v = own_word(b, &rest);
        if (!o || !o->fn)
            ty_sbatch_note(b, false, path, "not carried over: %s",
                           o ? o->why : "trainyard knows nothing like it in a TrainJob");
        else if (!v.n)
            ty_sbatch_note(b, true, path, "a value is needed");
        else
            o->fn(b, path, v, (int64_t *)(void *)((char *)b + o->at));
    }
}
