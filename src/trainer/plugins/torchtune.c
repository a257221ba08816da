/* spec.trainer.command ["tune", "run"] on a torch runtime: selects torchtune's recipe and
 * configuration by the runtime's name (its model), the size of the job and the LoRA arguments. */
#include <errno.h>
#include <inttypes.h>

#include "api/schema.h"
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"
#include "trainer/plugins/torch.h"

static const char *const models[] = { "llama3_2/1B", "llama3_2/3B", "llama3_3/70B",
                                      "qwen2_5/1.5B" };
/* Keys that the runtime's command sets and a TrainJob must not. */
static const char *const fixed_keys[] = { "output_dir", "tokenizer.path", "tokenizer.merges_file",
                                          "checkpointer.checkpoint_dir" };

/* The inputs of the choice, and its result. */
struct tune {
    const char *model; /* "" if the runtime's name has none */
    int64_t nodes, gpus;
    struct ty_numproc procs;
    bool lora, qlora;
    const char *recipe, *suffix; /* the result */
};

static bool torchtune_applies(const struct ty_plan *plan)
{
    return ty_plan_policy(plan, "torch") && ty_torch_tunes(plan->command);
}

static bool is_one_of(const char *const *list, size_t n, struct ty_str s)
{
    for (size_t i = 0; i < n; i++)
        if (ty_str_is(s, list[i]))
            return true;
    return false;
}

/* "torchtune-llama3.2-1b" -> "llama3_2/1B"; names of other than three parts have no model. */
static const char *model_of(struct ty_arena *a, struct ty_str runtime)
{
    struct ty_str first, family, size;
    struct ty_str rest = ty_str_cut(runtime, '-', &first);

    if (!rest.p)
        return "";
    size = ty_str_cut(rest, '-', &family);
    if (!size.p || memchr(size.p, '-', size.n))
        return "";
    char *model = ty_arena_printf(a, "%.*s/%.*s", TY_ARG(family), TY_ARG(size));
    for (size_t i = 0; i < family.n; i++)
        if (model[i] == '.')
            model[i] = '_';
    for (char *c = model + family.n + 1; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return model;
}

static bool is_true(struct ty_str v)
{
    static const char word[] = "true";

    v = ty_str_trim(v);
    if (v.n != sizeof(word) - 1)
        return false;
    for (size_t i = 0; i < v.n; i++)
        if ((v.p[i] | 0x20) != word[i])
            return false;
    return true;
}

/* Whether some argument "KEY=True" has `item` in its key. */
static bool flag_on(const struct ty_json *args, const char *item)
{
    ty_each_item (it, args) {
        struct ty_str key;
        struct ty_str value = ty_str_cut(ty_json_as_str(*it), '=', &key);
        if (value.p && ty_str_contains(key, ty_str(item)) && is_true(value))
            return true;
    }
    return false;
}

static bool mentions_item(const struct ty_json *args, const char *item)
{
    ty_each_item (it, args)
        if (ty_str_contains(ty_json_as_str(*it), ty_str(item)))
            return true;
    return false;
}

static void choose_recipe(struct tune *t)
{
    bool single =
        t->nodes == 1 && ((t->procs.kind == TY_NUMPROC_INT && t->procs.v == 1) || t->gpus == 1);

    if (single) {
        t->recipe =
            t->qlora || t->lora ? "lora_finetune_single_device" : "full_finetune_single_device";
        t->suffix = t->qlora  ? "_qlora_single_device"
                    : t->lora ? "_lora_single_device"
                              : "_full_single_device";
    } else if (t->nodes == 1 && (t->qlora || t->lora)) {
        t->recipe = "lora_finetune_distributed";
        t->suffix = t->qlora ? "_qlora" : "_lora";
    } else {
        t->recipe = "full_finetune_distributed";
        t->suffix = t->nodes > 1 ? "_full_multinode" : "_full";
    }
}

static struct tune tune_read(const struct ty_plan *plan, const struct ty_trainjob *job,
                             int64_t nodes, struct ty_numproc procs)
{
    struct tune t = {
        .model = model_of(plan->arena, job->ref_name),
        .nodes = nodes,
        .gpus = ty_plan_gpus(plan),
        .procs = procs,
        .lora = mentions_item(job->args, "model.lora_attn_modules"),
        .qlora = !flag_on(job->args, "model.use_dora") && flag_on(job->args, "model.quantize_base"),
    };
    choose_recipe(&t);
    return t;
}

/* ---- validation ---- */

static const char *resources_text(struct ty_arena *a, const struct ty_trainjob *job)
{
    if (!job->resources)
        return "null";
    return ty_json_text(a, ty_schema_normalize(a, &ty_schema_ResourceRequirements, job->resources))
        .p;
}

static void validate_qlora(const struct tune *t, const struct ty_trainjob *job,
                           const struct ty_field_path *spec, struct ty_errs *errs)
{
    const struct ty_field_path *trainer = TY_KEY(spec, "trainer");
    struct ty_arena *a = errs->arena;

    if (strcmp(t->model, "qwen2_5/1.5B") == 0)
        ty_errs_add(errs, TY_KEY(TY_KEY(spec, "runtimeRef"), "name"), TY_INVALID,
                    ty_ml_quoted(a, job->ref_name), "QLoRA is not supported for %s model",
                    t->model);
    if (strcmp(t->suffix, "_qlora") != 0 ||
        (strcmp(t->model, "llama3_2/1B") != 0 && strcmp(t->model, "llama3_2/3B") != 0))
        return;
    const char *procs = ty_torch_procs_text(a, t->procs);
    ty_errs_add(errs, TY_KEY(trainer, "numProcPerNode"), TY_INVALID,
                t->procs.kind == TY_NUMPROC_INT ? procs : ty_ml_quoted(a, ty_str(procs)),
                "must be auto or 1 for %s model when using QLoRA", t->model);
    ty_errs_add(errs, TY_KEY(trainer, "resourcesPerNode"), TY_INVALID, resources_text(a, job),
                "must have gpu resource with value 1 for %s model when using QLoRA", t->model);
}

static void validate_args(const struct ty_trainjob *job, const struct ty_field_path *trainer,
                          struct ty_errs *errs)
{
    const struct ty_field_path *at = TY_KEY(trainer, "args");
    int i = 0;

    ty_each_item (it, job->args) {
        struct ty_str arg = ty_json_as_str(*it), key;
        if (ty_arena_full(errs->arena))
            return;
        ty_str_cut(arg, '=', &key);
        if (is_one_of(fixed_keys, TY_COUNT(fixed_keys), key))
            ty_errs_add(errs, TY_IDX(at, i), TY_INVALID, ty_ml_quoted(errs->arena, arg),
                        "must not set immutable config \"%.*s\" in trainer args; it is managed by "
                        "the runtime",
                        TY_ARG(key))
                ->at = *it;
        i++;
    }
}

static void torchtune_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                               const struct ty_trainjob *old TY_UNUSED, struct ty_errs *errs,
                               struct ty_warnings *warnings TY_UNUSED)
{
    /* As in upstream, strings are not replaced here: processes by CPU are counted only when the job
     * is built. */
    int64_t nodes = job->num_nodes.set ? job->num_nodes.v : 1;
    struct tune t = tune_read(plan, job, nodes, ty_torch_numproc(plan, job));
    const struct ty_field_path *spec = TY_KEY(NULL, "spec"), *trainer = TY_KEY(spec, "trainer");
    const char *nodes_text = ty_arena_printf(errs->arena, "%" PRId64, nodes);

    if (!is_one_of(models, TY_COUNT(models), ty_str(t.model)))
        ty_errs_add(errs, TY_KEY(TY_KEY(spec, "runtimeRef"), "name"), TY_INVALID,
                    ty_ml_quoted(errs->arena, job->ref_name),
                    "must have a supported pretrained model, invalid model configured: %s",
                    t.model);
    if (nodes > 1 && strcmp(t.model, "llama3_3/70B") != 0)
        ty_errs_add(errs, TY_KEY(trainer, "numNodes"), TY_INVALID, nodes_text,
                    "must be 1 for %s model", t.model);
    if (ty_str_starts(ty_str(t.suffix), TY_LIT("_qlora")))
        validate_qlora(&t, job, spec, errs);
    if (nodes > 1 && (t.lora || t.qlora))
        ty_errs_add(errs, TY_KEY(trainer, "numNodes"), TY_INVALID, nodes_text,
                    "LoRA fine-tuning is not supported for multi-node training in TorchTune");
    validate_args(job, trainer, errs);
}

/* ---- enforcement ---- */

static bool needs_rendezvous(const struct tune *t)
{
    if (t->nodes > 1)
        return true;
    return t->procs.kind == TY_NUMPROC_INT ? t->procs.v > 1 : t->gpus > 1;
}

static int torchtune_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                                struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main_container(plan);
    struct ty_arena *a = plan->arena;

    if (!main)
        return 0;
    struct tune t = tune_read(plan, job, plan->trainer->count, ty_torch_procs(plan, job));
    struct ty_json *command = ty_json_copy(a, job->command, plan->origin);
    if (needs_rendezvous(&t))
        ty_json_push(a, command,
                     ty_json_strf(a, "--rdzv_endpoint=%s:%d",
                                  ty_plan_endpoint(plan, job, plan->trainer, 0, 0),
                                  TY_TRAINER_PORT));
    ty_json_push(a, command, ty_json_cstr(a, t.recipe));
    ty_json_push(a, command, ty_json_cstr(a, "--config"));
    ty_json_push(a, command, ty_json_strf(a, "%s%s", t.model, t.suffix));
    ty_each_item (it, ty_json_get(main, "command")) {
        struct ty_str key;
        ty_str_cut(ty_json_as_str(*it), '=', &key);
        if (is_one_of(fixed_keys, TY_COUNT(fixed_keys), key))
            ty_json_push(a, command, ty_json_copy(a, *it, 0));
    }
    plan->command = command;
    return 0;
}

const struct ty_plugin ty_plugin_torchtune = {
    .name = "TorchTune",
    .about = "recipe and configuration for `tune run` on runtimes of mlPolicy.torch",
    .applies = torchtune_applies,
    .validate = torchtune_validate,
    .enforce_ml = torchtune_enforce_ml,
};
