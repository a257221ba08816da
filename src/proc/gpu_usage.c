#include "proc/gpu_usage.h"

#include "proc/program.h"

#define ASK_MS 3000 /* without its daemon, nvidia-smi loads the driver first: a second or two */
#define SAID   ((size_t)256 << 10)

/* The next cell of a line, without blanks. */
static struct ty_str cut_cell(struct ty_str *line)
{
    struct ty_str cell;

    *line = ty_str_cut(*line, ',', &cell);
    return ty_str_trim(cell);
}

void ty_gpu_usage_parse_gpus(struct ty_arena *a, const char *text, struct ty_gpu_usages *ret)
{
    struct ty_str rest = ty_str(text), line;
    size_t cap = 0;

    ret->n_gpus = 0;
    while (rest.n && !ty_arena_full(a)) {
        rest = ty_str_cut(rest, '\n', &line);
        struct ty_gpu_usage gpu = { .id = cut_cell(&line) };
        if (!ty_str_starts(gpu.id, TY_LIT("GPU-")))
            continue;                                    /* an error message of the driver */
        ty_str_parse_i64(cut_cell(&line), &gpu.percent); /* or "[N/A]" */
        gpu.id = ty_arena_str(a, gpu.id);
        ty_room(a, ret->gpus, ret->n_gpus, cap);
        ret->gpus[ret->n_gpus++] = gpu;
    }
}

void ty_gpu_usage_parse_processes(struct ty_arena *a, const char *text, struct ty_gpu_usages *ret)
{
    struct ty_str rest = ty_str(text), line;
    size_t cap = 0;

    ret->n_processes = 0;
    while (rest.n && !ty_arena_full(a)) {
        struct ty_gpu_usage_process p = { 0 };
        int64_t pid = 0, mib = 0;
        rest = ty_str_cut(rest, '\n', &line);
        struct ty_str id = cut_cell(&line), number = cut_cell(&line);
        while (p.gpu < ret->n_gpus && !ty_str_eq(ret->gpus[p.gpu].id, id))
            p.gpu++;
        if (p.gpu == ret->n_gpus || !ty_str_parse_i64(number, &pid) || pid <= 0 || pid > INT32_MAX)
            continue;
        if (ty_str_parse_i64(cut_cell(&line), &mib) && mib > 0 && mib < INT32_MAX)
            p.memory = mib << 20;
        p.pid = (pid_t)pid;
        ty_room(a, ret->processes, ret->n_processes, cap);
        ret->processes[ret->n_processes++] = p;
    }
}

static const char *ask(struct ty_arena *a, const char *program, const char *query)
{
    const char *const argv[] = { program, query, "--format=csv,noheader,nounits", NULL };
    const char *text = ty_program_output(a, argv, SAID, ASK_MS);

    return text ? text : "";
}

bool ty_gpu_usage_read(struct ty_arena *a, struct ty_gpu_usages *ret)
{
    const char *program = ty_program_find(a, "nvidia-smi");

    *ret = (struct ty_gpu_usages){ 0 };
    if (program)
        ty_gpu_usage_parse_gpus(a, ask(a, program, "--query-gpu=uuid,utilization.gpu"), ret);
    if (!ret->n_gpus)
        return false;
    ty_gpu_usage_parse_processes(
        a, ask(a, program, "--query-compute-apps=gpu_uuid,pid,used_memory"), ret);
    return true;
}
