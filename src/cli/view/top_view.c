#include "cli/view/top_view.h"

#include "cli/view/table.h"
#include "json/json.h"

static const char *mebibytes(struct ty_arena *a, int64_t bytes)
{
    return ty_arena_printf(a, "%lldMi", (long long)(bytes >> 20));
}

void ty_top_view_table(struct ty_arena *a, const struct ty_top_view *v, struct ty_buf *out)
{
    struct ty_table table = { .arena = a };

    if (v->headers)
        ty_table_row(&table, "NAME", "CPU(cores)", "MEMORY(bytes)", v->gpus ? "GPU%" : NULL,
                     "GPU-MEMORY(bytes)");
    for (size_t i = 0; i < v->n; i++) {
        const struct ty_top_row *r = &v->rows[i];
        bool used = r->gpu_percent >= 0;
        const char *gpu = !v->gpus ? NULL
                          : used   ? ty_arena_printf(a, "%lld%%", (long long)r->gpu_percent)
                                   : "-";
        ty_table_row(&table, v->one_job ? r->node : ty_arena_printf(a, "%s/%s", r->job, r->node),
                     ty_arena_printf(a, "%lldm", (long long)r->milli), mebibytes(a, r->memory), gpu,
                     used ? mebibytes(a, r->gpu_memory) : "-");
    }
    ty_table_print(&table, out);
}

void ty_top_view_json(struct ty_arena *a, const struct ty_top_view *v, struct ty_buf *out)
{
    struct ty_json *list = ty_json_array(a);

    for (size_t i = 0; i < v->n; i++) {
        const struct ty_top_row *r = &v->rows[i];
        struct ty_json *o = ty_json_object(a);
        ty_json_set(a, o, "job", ty_json_cstr(a, r->job));
        ty_json_set(a, o, "node", ty_json_cstr(a, r->node));
        ty_json_set(a, o, "cpuMillicores", ty_json_int(a, r->milli));
        ty_json_set(a, o, "memoryBytes", ty_json_int(a, r->memory));
        if (r->gpu_percent >= 0) {
            ty_json_set(a, o, "gpuPercent", ty_json_int(a, r->gpu_percent));
            ty_json_set(a, o, "gpuMemoryBytes", ty_json_int(a, r->gpu_memory));
        }
        ty_json_push(a, list, o);
    }
    ty_json_print(out, list);
    ty_buf_chr(out, '\n');
}
