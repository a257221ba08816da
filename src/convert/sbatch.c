/* Converts a Slurm batch script to a TrainJob as far as possible: #SBATCH lines become numbers and
 * resources, the script becomes the command of every node. */
#include "convert/sbatch.h"
#include "base/text.h"
#include <errno.h>
#include <stdarg.h>

#define MEMORY_MAX ((int64_t)1 << 50) /* KiB: the maximum that Kubernetes can express */

void ty_sbatch_note(struct ty_sbatch *b, bool bad, const char *path, const char *fmt, ...)
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
    ty_append(b->out->warnings, b->out->last, n);
}

bool ty_convert_is_sbatch(struct ty_str text)
{
    return ty_str_starts(text, TY_LIT("#!")) && ty_str_contains(text, TY_LIT("\n#SBATCH"));
}

/* ---- the first line ---- */

/* Flags of the shell are kept. Other interpreters are an error: their scripts cannot be wrapped. */
static struct ty_json *read_interpreter(struct ty_sbatch *b, struct ty_str *text)
{
    struct ty_json *command = ty_json_array(b->arena);
    struct ty_str line, w, name = TY_LIT("bash");
    ty_json_push(b->arena, command, ty_json_cstr(b->arena, "bash"));
    if (ty_str_starts(*text, TY_LIT("#!"))) {
        *text = ty_str_cut(*text, '\n', &line);
        b->line = 1;
        line = (struct ty_str){ line.p + 2, line.n - 2 };
        w = ty_sbatch_word(b, &line);
        if (ty_str_ends(w, TY_LIT("/env")))
            w = ty_sbatch_word(b, &line);
        while (w.p && w.n)
            w = ty_str_cut(w, '/', &name);
        for (w = ty_sbatch_word(b, &line); w.n && w.p[0] == '-'; w = ty_sbatch_word(b, &line))
            ty_json_push(b->arena, command, ty_json_str(b->arena, w));
    }
    if (!ty_str_is(name, "bash") && !ty_str_is(name, "sh") && !ty_str_is(name, "dash"))
        ty_sbatch_note(b, true, "line 1",
                       "only scripts of sh and bash can be converted, not of %.*s", TY_ARG(name));
    ty_json_push(b->arena, command, ty_json_cstr(b->arena, "-c"));
    return command;
}

/* ---- the TrainJob ---- */

static int64_t divide_up(int64_t all, int64_t parts)
{
    return (all + parts - 1) / parts;
}

static int64_t at_least_one(int64_t n)
{
    return n ? n : 1;
}

static int64_t multiply(int64_t x, int64_t y)
{
    int64_t n = 0;
    return __builtin_mul_overflow(x, y, &n) ? INT64_MAX : n;
}

/* Converts values for tasks, for all nodes or for each GPU to values for each node. */
static void compute_layout(struct ty_sbatch *b)
{
    if (!b->nodes && b->ntasks && b->per_node)
        b->nodes = divide_up(b->ntasks, b->per_node);
    b->nodes = at_least_one(b->nodes);
    if (!b->per_node && b->ntasks)
        b->per_node = divide_up(b->ntasks, b->nodes);
    int64_t tasks = at_least_one(b->per_node);
    if (!b->gpus_per_node)
        b->gpus_per_node = b->gpus ? divide_up(b->gpus, b->nodes) : b->gpus_per_task * tasks;
    if (!b->mem)
        b->mem = b->mem_per_cpu ? multiply(b->mem_per_cpu, at_least_one(b->cpus) * tasks)
                                : multiply(b->mem_per_gpu, at_least_one(b->gpus_per_node));
}

static void note_tasks(struct ty_sbatch *b)
{
    if (b->ntasks && b->per_node * b->nodes != b->ntasks)
        ty_sbatch_note(b, false, "#SBATCH --ntasks",
                       "%lld tasks on %lld nodes become %lld on each: nodes are all alike",
                       (long long)b->ntasks, (long long)b->nodes, (long long)b->per_node);
    if (b->per_node > 1 && b->torchrun)
        ty_sbatch_note(
            b, false, "#SBATCH --ntasks-per-node",
            "%lld tasks of a node become numProcPerNode: torchrun runs once on a node and "
            "starts as many",
            (long long)b->per_node);
}

static const char *memory_text(struct ty_sbatch *b)
{
    static const char units[] = "KMGT";
    int64_t n = b->mem;
    size_t u = 0;
    for (; u < 3 && n % 1024 == 0; u++)
        n /= 1024;
    return ty_arena_printf(b->arena, "%lld%ci", (long long)n, units[u]);
}

static struct ty_json *build_resources(struct ty_sbatch *b)
{
    struct ty_arena *a = b->arena;
    struct ty_json *limits = ty_json_object(a), *r = ty_json_object(a);
    if (b->cpus)
        ty_json_set(a, limits, "cpu", ty_json_int(a, b->cpus * at_least_one(b->per_node)));
    if (b->mem)
        ty_json_set(a, limits, "memory", ty_json_cstr(a, memory_text(b)));
    if (b->gpus_per_node)
        ty_json_set(a, limits, "nvidia.com/gpu", ty_json_int(a, b->gpus_per_node));
    ty_json_set(a, r, "limits", limits);
    return limits->n ? r : NULL;
}

static void add_env(struct ty_sbatch *b, struct ty_json *list, const char *name, const char *value)
{
    struct ty_json *e = ty_json_object(b->arena);
    ty_json_set(b->arena, e, "name", ty_json_cstr(b->arena, name));
    if (value) {
        ty_json_set(b->arena, e, "value", ty_json_cstr(b->arena, value));
    } else {
        struct ty_json *from = ty_json_ensure_object(b->arena, e, "valueFrom");
        ty_json_set(b->arena, ty_json_ensure_object(b->arena, from, "fieldRef"), "fieldPath",
                    ty_json_cstr(b->arena, "metadata.annotations['batch.kubernetes.io/"
                                           "job-completion-index']"));
    }
    ty_json_push(b->arena, list, e);
}

static void env_number(struct ty_sbatch *b, struct ty_json *list, const char *name, int64_t n)
{
    if (n)
        add_env(b, list, name, ty_arena_printf(b->arena, "%lld", (long long)n));
}

/* The launcher of the mpi runtime is also a node, the last one. */
static const char *host_list(struct ty_sbatch *b)
{
    ty_auto_buf s = { 0 };
    int64_t nodes = b->mpi && b->nodes > 1 ? b->nodes - 1 : b->nodes;
    for (int64_t i = 0; i < nodes; i++)
        ty_buf_printf(&s, "%s%s-node-0-%lld.%s", i ? "," : "", b->name, (long long)i, b->name);
    if (nodes < b->nodes)
        ty_buf_printf(&s, ",%s-launcher-0-0.%s", b->name, b->name);
    return ty_arena_cstr(b->arena, ty_buf_str(&s));
}

/* The variables that sbatch and srun set. The job ID is the job's name, which is unique in its
 * namespace. */
static struct ty_json *build_variables(struct ty_sbatch *b)
{
    struct ty_json *e = ty_json_array(b->arena);
    int64_t tasks = at_least_one(b->per_node);
    add_env(b, e, "SLURM_NODEID", NULL);
    add_env(b, e, "SLURM_PROCID", "$(SLURM_NODEID)");
    add_env(b, e, "SLURM_LOCALID", "0");
    env_number(b, e, "SLURM_NNODES", b->nodes);
    env_number(b, e, "SLURM_JOB_NUM_NODES", b->nodes);
    env_number(b, e, "SLURM_NTASKS", b->torchrun ? b->nodes : b->nodes * tasks);
    env_number(b, e, "SLURM_NTASKS_PER_NODE", b->torchrun ? 1 : tasks);
    env_number(b, e, "SLURM_CPUS_PER_TASK", b->cpus);
    env_number(b, e, "SLURM_GPUS_ON_NODE", b->gpus_per_node);
    add_env(b, e, "SLURM_JOB_NAME", b->name);
    add_env(b, e, "SLURM_JOB_ID", b->name);
    add_env(b, e, "SLURM_JOBID", b->name);
    if (b->nodes <= 1000) { /* a longer list would be too long for a variable */
        add_env(b, e, "SLURM_JOB_NODELIST", host_list(b));
        add_env(b, e, "SLURM_NODELIST", "$(SLURM_JOB_NODELIST)");
    }
    if (b->array)
        add_env(b, e, "SLURM_ARRAY_TASK_ID", ty_arena_printf(b->arena, "%lld", (long long)b->task));
    return e;
}

/* Set in the script only: an mpirun that finds these variables would try to start its processes
 * with Slurm. */
static void print_assignments(struct ty_buf *to, const struct ty_json *variables)
{
    ty_each_item (e, variables) {
        struct ty_str name = ty_json_str_at(*e, "name"), value = ty_json_str_at(*e, "value");
        bool first = !ty_json_get(*e, "value") || ty_str_is(value, "$(SLURM_NODEID)");
        if (ty_str_is(name, "SLURM_NODELIST"))
            ty_buf_cstr(to, "SLURM_NODELIST=$SLURM_JOB_NODELIST\n");
        else
            ty_buf_printf(to, "%.*s=%.*s\n", TY_ARG(name), first ? 1 : (int)value.n,
                          first ? "0" : value.p);
    }
}

static void fill_trainer(struct ty_sbatch *b, struct ty_json *command, struct ty_json *t)
{
    struct ty_arena *a = b->arena;
    struct ty_json *args = ty_json_array(a), *slurm = build_variables(b);
    bool used = b->scontrol || ty_str_contains(ty_buf_str(&b->script), TY_LIT("SLURM_"));
    ty_auto_buf before = { 0 };
    if (b->mpi && used)
        print_assignments(&before, slurm);
    ty_json_set(a, t, "numNodes", ty_json_int(a, b->nodes));
    if (b->per_node)
        ty_json_set(a, t, "numProcPerNode", ty_json_int(a, b->per_node));
    ty_json_push(a, args, ty_json_cstr(a, ty_sbatch_command(b, ty_buf_str(&before))));
    ty_json_set(a, t, "command", command);
    ty_json_set(a, t, "args", args);
    struct ty_json *r = build_resources(b);
    if (r)
        ty_json_set(a, t, "resourcesPerNode", r);
    if (!b->mpi)
        ty_json_set(a, t, "env", slurm);
}

static struct ty_json *make_job(struct ty_sbatch *b, struct ty_json *command)
{
    struct ty_arena *a = b->arena;
    const char *runtime = b->mpi ? "mpi" : "torch-distributed";
    struct ty_json *job = ty_json_object(a);
    job->line = 1;
    ty_json_set(a, job, "apiVersion", ty_json_cstr(a, "trainer.kubeflow.org/v1alpha1"));
    ty_json_set(a, job, "kind", ty_json_cstr(a, "TrainJob"));
    ty_json_set(a, ty_json_ensure_object(a, job, "metadata"), "name", ty_json_cstr(a, b->name));
    struct ty_json *spec = ty_json_ensure_object(a, job, "spec");
    ty_json_set(a, ty_json_ensure_object(a, spec, "runtimeRef"), "name", ty_json_cstr(a, runtime));
    fill_trainer(b, command, ty_json_ensure_object(a, spec, "trainer"));
    if (b->seconds)
        ty_json_set(a, spec, "activeDeadlineSeconds", ty_json_int(a, b->seconds));
    ty_sbatch_note(b, false, "",
                   "a script names no image: the one of runtime %s is used, set spec.trainer.image",
                   runtime);
    return job;
}

static void check_supported(struct ty_sbatch *b)
{
    if (b->end.p)
        ty_sbatch_note(b, false, "", "the here-document %.*s does not end", TY_ARG(b->end));
    if (!b->commands)
        ty_sbatch_note(b, true, "", "the script has no command");
    if (b->nodes > 10000)
        ty_sbatch_note(b, true, "#SBATCH --nodes", "%lld nodes are too many: 10000 is the most",
                       (long long)b->nodes);
    if (b->mem > MEMORY_MAX)
        ty_sbatch_note(b, true, "#SBATCH --mem", "no node has so much memory");
    if (!b->steps && !b->mpi && b->nodes > 1)
        ty_sbatch_note(b, false, "",
                       "there is no srun or mpirun: every node runs the whole script, where Slurm "
                       "runs it on the first");
}

/* Kubernetes objects contain UTF-8 without NULs. */
static bool is_text(struct ty_sbatch *b, struct ty_str text)
{
    char *copy = ty_arena_alloc(b->arena, text.n + 1, 1);
    ty_text_valid(text, copy); /* preserves the length; invalid bytes become '?' */
    b->line = 1;
    for (size_t i = 0; i < text.n; i++) {
        if (copy[i] != text.p[i] || !text.p[i]) {
            ty_sbatch_note(b, true, "", "this is no text: byte %zu is no UTF-8", i + 1);
            return false;
        }
        b->line += text.p[i] == '\n';
    }
    b->line = 0;
    return true;
}

int ty_convert_sbatch(struct ty_arena *a, const char *file, struct ty_str text,
                      struct ty_convert_result *ret)
{
    struct ty_sbatch b = { .arena = a, .out = ret, .name = "batch" };
    const char *slash = strrchr(file, '/');
    struct ty_str stem;
    *ret = (struct ty_convert_result){ 0 };
    ty_str_cut(ty_str(slash ? slash + 1 : file), '.', &stem);
    ty_sbatch_name(&b, NULL, stem);
    if (!is_text(&b, text))
        return -EINVAL;
    struct ty_json *command = read_interpreter(&b, &text);
    ty_sbatch_script(&b, text);
    b.line = 1; /* the following notes are about the whole script */
    compute_layout(&b);
    note_tasks(&b);
    check_supported(&b);
    if (!ret->bad)
        ret->job = make_job(&b, command);
    ty_buf_done(&b.script);
    return ret->bad ? -EINVAL : 0;
}
