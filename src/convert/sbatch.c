/* A Slurm batch script becomes a TrainJob, as well as can be: #SBATCH lines are numbers and
 * resources, the step that srun or mpirun starts is the command of every node. */
#include "base/buf.h"
#include "convert/convert.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

struct batch {
    struct ty_arena *arena;
    struct ty_converted *out;
    const char *name;
    int64_t nodes, ntasks, per_node, cpus, gpus, gpus_per_node, seconds;
    struct ty_str mem;
    struct ty_buf script;
    bool mpi, torchrun, stepped, in_body;
    unsigned line;
};

static void tell(struct batch *b, bool bad, const char *path, const char *fmt, ...) TY_PRINTF(4, 5);
static void tell(struct batch *b, bool bad, const char *path, const char *fmt, ...)
{
    struct ty_convert_note *n = ty_new(b->arena, struct ty_convert_note);
    va_list ap;
    va_start(ap, fmt);
    *n = (struct ty_convert_note){ .path = path, .line = b->line };
    n->text = ty_arena_vprintf(b->arena, fmt, ap);
    va_end(ap);
    if (bad) {
        if (!b->out->bad)
            b->out->bad = n;
        return;
    }
    if (b->out->last)
        b->out->last->next = n;
    else
        b->out->warnings = n;
    b->out->last = n;
}

bool ty_convert_is_sbatch(struct ty_str text)
{
    return ty_str_starts(text, TY_LIT("#!")) && ty_str_contains(text, TY_LIT("\n#SBATCH"));
}

/* ---- #SBATCH ---- */

typedef void option_fn(struct batch *b, const char *path, struct ty_str v, int64_t *to);

static void whole(struct batch *b, const char *path, struct ty_str v, int64_t *to)
{
    int64_t n = 0;
    if (ty_parse_i64(v, &n) && n > 0 && n <= 1000000)
        *to = n;
    else
        tell(b, true, path, "\"%.*s\" is no whole number from 1 to 1000000", TY_ARG(v));
}

/* "4", "gpu:4", "gpu:a100:4", "a100:4": the number is last. */
static void devices(struct batch *b, const char *path, struct ty_str v, int64_t *to)
{
    struct ty_str part = v, rest = v;
    int64_t n = 0;
    while (rest.p)
        rest = ty_str_cut(rest, ':', &part);
    if (!ty_parse_i64(part, &n)) {
        tell(b, false, path, "only numbers of GPUs are understood: \"%.*s\" is not carried over",
             TY_ARG(v));
        return;
    }
    if (!ty_str_eq(part, v) && !ty_str_starts(v, TY_LIT("gpu:")))
        tell(b, false, path, "the type of the GPU is not carried over: use a nodeSelector");
    whole(b, path, part, to);
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]] */
static void duration(struct batch *b, const char *path, struct ty_str v, int64_t *to)
{
    struct ty_str days, part, rest = ty_str_cut(v, '-', &days);
    int64_t d = 0, n[3] = { 0 };
    size_t k = 0;
    bool ok = !rest.p || ty_parse_i64(days, &d);
    bool has_days = rest.p != NULL;
    for (rest = has_days ? rest : v; rest.p && k < 3 && ok; k++) {
        rest = ty_str_cut(rest, ':', &part);
        ok = ty_parse_i64(part, &n[k]) && n[k] >= 0 && n[k] < 1000000;
    }
    if (!ok || rest.p || d < 0 || d > 100000) {
        tell(b, true, path, "\"%.*s\" is no time", TY_ARG(v));
        return;
    }
    if (has_days || k == 3)
        *to = d * 86400 + n[0] * 3600 + n[1] * 60 + n[2];
    else
        *to = n[0] * 60 + n[1];
}

static void memory(struct batch *b, const char *path, struct ty_str v, int64_t *to)
{
    (void)to;
    size_t digits = 0;
    while (digits < v.n && isdigit((unsigned char)v.p[digits]))
        digits++;
    char unit = digits < v.n ? (char)toupper((unsigned char)v.p[digits]) : 'M';
    if (!digits || digits > 12 || v.n > digits + 1 || !strchr("KMGT", unit)) {
        tell(b, true, path, "\"%.*s\" is no amount of memory", TY_ARG(v));
        return;
    }
    char *text = ty_arena_printf(b->arena, "%.*s%ci", (int)digits, v.p, unit == 'K' ? 'K' : unit);
    b->mem = ty_str(text);
}

/* A name as Kubernetes wants it. */
static void job_name(struct batch *b, const char *path, struct ty_str v, int64_t *to)
{
    (void)to;
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
        tell(b, false, path, "the TrainJob is called %s", b->name);
}

static const struct option {
    const char *name;
    char letter;
    option_fn *fn;
    size_t at; /* of the number in struct batch */
    const char *why;
} options[] = {
#define AT(m) offsetof(struct batch, m)
    { "nodes", 'N', whole, AT(nodes), NULL },
    { "ntasks", 'n', whole, AT(ntasks), NULL },
    { "ntasks-per-node", 0, whole, AT(per_node), NULL },
    { "cpus-per-task", 'c', whole, AT(cpus), NULL },
    { "gpus", 'G', devices, AT(gpus), NULL },
    { "gpus-per-node", 0, devices, AT(gpus_per_node), NULL },
    { "gres", 0, devices, AT(gpus_per_node), NULL },
    { "mem", 0, memory, AT(nodes), NULL },
    { "time", 't', duration, AT(seconds), NULL },
    { "job-name", 'J', job_name, AT(nodes), NULL },
    { "array", 'a', NULL, 0, "a TrainJob is one task of an array: make one for each" },
    { "output", 'o', NULL, 0, "logs are those of the pods: trainyard logs, kubectl logs" },
    { "error", 'e', NULL, 0, "logs are those of the pods: trainyard logs, kubectl logs" },
    { "partition", 'p', NULL, 0, "use a nodeSelector, or a Kueue queue" },
    { "account", 'A', NULL, 0, "use a namespace, or a Kueue queue" },
    { "qos", 'q', NULL, 0, "use a PriorityClass" },
    { "dependency", 'd', NULL, 0, "TrainJobs do not wait for each other" },
    { "chdir", 'D', NULL, 0, "images have working directories of their own" },
    { "export", 0, NULL, 0, "containers see no environment of the submitting shell" },
    { "mail-type", 0, NULL, 0, "nobody is written to" },
    { "mail-user", 0, NULL, 0, "nobody is written to" },
    { "exclusive", 0, NULL, 0, "ask for all of a node's resources" },
    { NULL, 0, NULL, 0, NULL },
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

static struct ty_str next_word(struct ty_str *rest)
{
    *rest = ty_str_trim(*rest);
    size_t n = 0;
    while (n < rest->n && !isspace((unsigned char)rest->p[n]))
        n++;
    struct ty_str w = { rest->p, n };
    *rest = (struct ty_str){ rest->p + n, rest->n - n };
    return w;
}

static void directive(struct batch *b, struct ty_str rest)
{
    for (struct ty_str w = next_word(&rest); w.n; w = next_word(&rest)) {
        struct ty_str v;
        const char *path = ty_arena_printf(b->arena, "#SBATCH %.*s", TY_ARG(w));
        if (w.p[0] == '#')
            return; /* a comment behind the options */
        const struct option *o = find_option(w, &v);
        if (o && o->fn && !v.n)
            v = next_word(&rest);
        if (!o || !o->fn)
            tell(b, false, path, "not carried over: %s",
                 o ? o->why : "trainyard knows nothing like it in a TrainJob");
        else if (!v.n)
            tell(b, true, path, "a value is needed");
        else
            o->fn(b, path, v, (int64_t *)(void *)((char *)b + o->at));
        if (o && !o->fn && !v.n && rest.n && ty_str_trim(rest).p[0] != '-')
            next_word(&rest); /* the value of what was left out */
    }
}

/* ---- the script ---- */

static bool takes_value(struct ty_str w)
{
    return w.n == 2 && strchr("nNcGtJpAwxoe", w.p[1]);
}

/* srun's own options are those of the nodes already. */
static struct ty_str skip_options(struct batch *b, struct ty_str rest, const char *path)
{
    for (;;) {
        struct ty_str at = rest, w = next_word(&at);
        if (!w.n || w.p[0] != '-')
            return ty_str_trim(rest);
        tell(b, false, path, "%.*s is not carried over: every node runs the step once", TY_ARG(w));
        if (takes_value(w))
            next_word(&at);
        rest = at;
    }
}

static void step(struct batch *b, struct ty_str line, struct ty_str rest)
{
    const char *path = ty_arena_printf(b->arena, "line %u", b->line);
    if (b->stepped) {
        tell(b, false, path, "not carried over: a TrainJob has one step, and this is another one");
        return;
    }
    b->stepped = true;
    if (ty_str_starts(line, TY_LIT("srun")))
        line = skip_options(b, rest, path);
    else
        b->mpi = true;
    b->torchrun = ty_str_contains(line, TY_LIT("torchrun")) ||
                  ty_str_contains(line, TY_LIT("torch.distributed."));
    if (!line.n)
        tell(b, true, path, "srun starts nothing");
    ty_buf_printf(&b->script, "exec %.*s\n", TY_ARG(line));
}

static void body(struct batch *b, struct ty_str line)
{
    struct ty_str rest = line, first = next_word(&rest);
    const char *path = ty_arena_printf(b->arena, "line %u", b->line);
    b->in_body = true;
    if (ty_str_contains(line, TY_LIT("SLURM_")))
        tell(b, false, path,
             "SLURM_NNODES, SLURM_JOB_NUM_NODES, SLURM_NODEID and SLURM_JOB_NAME are set; other "
             "variables of Slurm are not");
    if (ty_str_is(first, "module") || ty_str_is(first, "ml"))
        tell(b, false, path, "not carried over: software comes from the image, not from modules");
    else if (ty_str_is(first, "srun") || ty_str_is(first, "mpirun") || ty_str_is(first, "mpiexec"))
        step(b, line, rest);
    else if (b->stepped)
        tell(b, false, path, "not carried over: what follows the step has nobody to run it");
    else
        ty_buf_printf(&b->script, "%.*s\n", TY_ARG(line));
}

/* One line, with those that a backslash joins to it. */
static struct ty_str next_line(struct batch *b, struct ty_str *text)
{
    ty_auto_buf joined = { 0 };
    struct ty_str line;
    do {
        *text = ty_str_cut(*text, '\n', &line);
        b->line++;
        line = ty_str_trim(line);
        bool more = line.n && line.p[line.n - 1] == '\\' && text->p;
        ty_buf_put(&joined, line.p, more ? line.n - 1 : line.n);
        if (!more)
            break;
    } while (text->p);
    struct ty_str whole_line = ty_buf_str(&joined);
    char *copy = ty_arena_strndup(b->arena, whole_line.p ? whole_line.p : "", whole_line.n);
    return (struct ty_str){ copy, whole_line.n };
}

/* ---- the TrainJob ---- */

static void layout(struct batch *b)
{
    b->line = 1;
    if (!b->nodes && b->ntasks && b->per_node)
        b->nodes = (b->ntasks + b->per_node - 1) / b->per_node;
    if (!b->nodes)
        b->nodes = 1;
    if (!b->per_node && b->ntasks)
        b->per_node = (b->ntasks + b->nodes - 1) / b->nodes;
    if (!b->gpus_per_node && b->gpus)
        b->gpus_per_node = (b->gpus + b->nodes - 1) / b->nodes;
    if (b->per_node > 1 && !b->mpi)
        tell(b, false, "#SBATCH --ntasks-per-node",
             "%lld tasks of a node become numProcPerNode: torchrun starts as many, other commands "
             "are started once",
             (long long)b->per_node);
}

static struct ty_json *resources(struct batch *b)
{
    struct ty_arena *a = b->arena;
    struct ty_json *limits = ty_json_object(a), *r = ty_json_object(a);
    if (b->cpus)
        ty_json_set(a, limits, "cpu", ty_json_int(a, b->cpus * (b->per_node ? b->per_node : 1)));
    if (b->mem.n)
        ty_json_set(a, limits, "memory", ty_json_str(a, b->mem));
    if (b->gpus_per_node)
        ty_json_set(a, limits, "nvidia.com/gpu", ty_json_int(a, b->gpus_per_node));
    ty_json_set(a, r, "limits", limits);
    return limits->n ? r : NULL;
}

static void env(struct batch *b, struct ty_json *list, const char *name, const char *value)
{
    struct ty_json *e = ty_json_object(b->arena);
    ty_json_set(b->arena, e, "name", ty_json_cstr(b->arena, name));
    if (value) {
        ty_json_set(b->arena, e, "value", ty_json_cstr(b->arena, value));
    } else {
        struct ty_json *from = ty_json_need_object(b->arena, e, "valueFrom");
        ty_json_set(b->arena, ty_json_need_object(b->arena, from, "fieldRef"), "fieldPath",
                    ty_json_cstr(b->arena, "metadata.annotations['batch.kubernetes.io/"
                                           "job-completion-index']"));
    }
    ty_json_push(b->arena, list, e);
}

static void trainer(struct batch *b, struct ty_json *t)
{
    struct ty_arena *a = b->arena;
    struct ty_json *command = ty_json_array(a), *args = ty_json_array(a), *e = ty_json_array(a);
    const char *nodes = ty_arena_printf(a, "%lld", (long long)b->nodes);
    ty_json_set(a, t, "numNodes", ty_json_int(a, b->nodes));
    if (b->per_node)
        ty_json_set(a, t, "numProcPerNode", ty_json_int(a, b->per_node));
    ty_json_push(a, command, ty_json_cstr(a, "bash"));
    ty_json_push(a, command, ty_json_cstr(a, "-c"));
    ty_json_push(a, args, ty_json_cstr(a, ty_arena_strndup(a, b->script.p, b->script.n)));
    ty_json_set(a, t, "command", command);
    ty_json_set(a, t, "args", args);
    struct ty_json *r = resources(b);
    if (r)
        ty_json_set(a, t, "resourcesPerNode", r);
    env(b, e, "SLURM_NODEID", NULL);
    env(b, e, "SLURM_NNODES", nodes);
    env(b, e, "SLURM_JOB_NUM_NODES", nodes);
    env(b, e, "SLURM_JOB_NAME", b->name);
    ty_json_set(a, t, "env", e);
}

static struct ty_json *make_job(struct batch *b)
{
    struct ty_arena *a = b->arena;
    const char *runtime = b->mpi ? "mpi" : "torch-distributed";
    struct ty_json *job = ty_json_object(a);
    job->line = 1;
    ty_json_set(a, job, "apiVersion", ty_json_cstr(a, "trainer.kubeflow.org/v1alpha1"));
    ty_json_set(a, job, "kind", ty_json_cstr(a, "TrainJob"));
    ty_json_set(a, ty_json_need_object(a, job, "metadata"), "name", ty_json_cstr(a, b->name));
    struct ty_json *spec = ty_json_need_object(a, job, "spec");
    ty_json_set(a, ty_json_need_object(a, spec, "runtimeRef"), "name", ty_json_cstr(a, runtime));
    trainer(b, ty_json_need_object(a, spec, "trainer"));
    if (b->seconds)
        ty_json_set(a, spec, "activeDeadlineSeconds", ty_json_int(a, b->seconds));
    tell(b, false, "",
         "a script names no image: the one of runtime %s is used, set spec.trainer."
         "image",
         runtime);
    return job;
}

int ty_convert_sbatch(struct ty_arena *a, const char *file, struct ty_str text,
                      struct ty_converted *ret)
{
    struct batch b = { .arena = a, .out = ret, .name = "batch" };
    const char *slash = strrchr(file, '/');
    struct ty_str stem;
    *ret = (struct ty_converted){ 0 };
    ty_str_cut(ty_str(slash ? slash + 1 : file), '.', &stem);
    job_name(&b, NULL, stem, NULL);
    if (memchr(text.p ? text.p : "", 0, text.n))
        tell(&b, true, "", "this is no text");
    while (text.p && !ret->bad) {
        struct ty_str line = next_line(&b, &text);
        if (ty_str_starts(line, TY_LIT("#SBATCH")) && !b.in_body)
            directive(&b, (struct ty_str){ line.p + 7, line.n - 7 });
        else if (ty_str_starts(line, TY_LIT("#SBATCH")))
            tell(&b, false, "#SBATCH", "not read: Slurm, too, stops at the first command");
        else if (line.n && line.p[0] != '#')
            body(&b, line);
    }
    layout(&b);
    if (!b.script.n)
        tell(&b, true, "", "the script has no command");
    if (!b.stepped)
        tell(&b, false, "",
             "there is no srun or mpirun: every node runs the whole script, where "
             "Slurm runs it on the first");
    if (!ret->bad)
        ret->job = make_job(&b);
    ty_buf_done(&b.script);
    return ret->bad ? -EINVAL : 0;
}
