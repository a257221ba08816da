#include "trainer/plugins/fixture.h"

#define LORA    "'model.lora_attn_modules=[q_proj,v_proj]'"
#define QUANT   "'model.quantize_base=True'"
#define DORA    "'model.use_dora=True'"
#define TUNE    "'command':['tune','run']"
#define GPU(n)  ",'resourcesPerNode':{'limits':{'nvidia.com/gpu':" n "}}"
#define ARGS(a) ",'args':[" a "]"
#define TUNED(name)                                                                                \
    "{'metadata':{'name':'" name "'},'spec':{'mlPolicy':{'numNodes':1,'torch':{}},'template':{"    \
    "'spec':{'replicatedJobs':[" TRAINER_JOB(                                                      \
        "node", ",'command':['tune','run','any_recipe','--config','any','batch_size=4',"           \
                "'output_dir=/out','tokenizer.path=/t','checkpointer.checkpoint_dir=/m']") "]}}}}"
#define FIXED " output_dir=/out tokenizer.path=/t checkpointer.checkpoint_dir=/m"
#define RDZV  " --rdzv_endpoint=j-node-0-0.j:29500"

#define LLAMA_1B             "torchtune-llama3.2-1b"
#define LLAMA_3B             "torchtune-llama3.2-3b"
#define LLAMA_70B            "torchtune-llama3.3-70b"
#define QWEN                 "torchtune-qwen2.5-1.5b"
#define ON(runtime, trainer) TUNED(runtime), JOB_OF(runtime, ",'trainer':{" trainer "}")

static void check(struct fixture *f, const char *runtime, const char *job, const char *want)
{
    ty_auto_buf got = { 0 };

    fx_run(f, runtime, job);
    ty_each_item (it, ty_json_get(fx_container(f, "node", "node"), "command"))
        ty_buf_printf(&got, "%s%.*s", got.n > 0 ? " " : "", TY_ARG(ty_json_as_str(*it)));
    ty_buf_chr(&got, '\0');
    assert_string_equal(got.p, want);
}

static void test_full(void **state)
{
    struct fixture *f = *state;

    check(f, ON(LLAMA_1B, TUNE GPU("1")),
          "tune run full_finetune_single_device --config llama3_2/1B_full_single_device" FIXED);
    check(f, ON(LLAMA_1B, TUNE ",'numProcPerNode':1" GPU("4")),
          "tune run full_finetune_single_device --config llama3_2/1B_full_single_device" FIXED);
    check(f, ON(LLAMA_3B, TUNE GPU("4")),
          "tune run" RDZV " full_finetune_distributed --config llama3_2/3B_full" FIXED);
    check(f, ON(LLAMA_1B, TUNE ",'resourcesPerNode':{'requests':{'cpu':4}}"),
          "tune run" RDZV " full_finetune_distributed --config llama3_2/1B_full" FIXED);
    check(f, ON(LLAMA_70B, TUNE ",'numNodes':30,'numProcPerNode':3"),
          "tune run" RDZV " full_finetune_distributed --config llama3_3/70B_full_multinode" FIXED);
}

static void test_lora(void **state)
{
    struct fixture *f = *state;

    check(f, ON(LLAMA_1B, TUNE ",'numProcPerNode':1" ARGS(LORA)),
          "tune run lora_finetune_single_device --config llama3_2/1B_lora_single_device" FIXED);
    check(f, ON(LLAMA_1B, TUNE GPU("2") ARGS(LORA)),
          "tune run" RDZV " lora_finetune_distributed --config llama3_2/1B_lora" FIXED);
    check(f, ON(LLAMA_1B, TUNE GPU("1") ARGS(LORA "," QUANT)),
          "tune run lora_finetune_single_device --config llama3_2/1B_qlora_single_device" FIXED);
    check(f, ON(LLAMA_1B, TUNE GPU("2") ARGS(LORA "," QUANT "," DORA)),
          "tune run" RDZV " lora_finetune_distributed --config llama3_2/1B_lora" FIXED);
    check(f, ON(LLAMA_1B, TUNE GPU("2") ARGS(LORA ",'model.quantize_base=False'")),
          "tune run" RDZV " lora_finetune_distributed --config llama3_2/1B_lora" FIXED);
    check(f, ON(LLAMA_70B, TUNE GPU("2") ARGS("'model.quantize_base= TRUE ','model.use_dora=no'")),
          "tune run" RDZV " lora_finetune_distributed --config llama3_3/70B_qlora" FIXED);
}

static void test_environment(void **state)
{
    struct fixture *f = *state;

    fx_run(f, ON(LLAMA_1B, TUNE GPU("2") ARGS("'epochs=2'")));
    assert_string_equal(fx_env(f, "node", "node"),
                        "PET_NNODES=1;PET_NPROC_PER_NODE=auto;PET_NODE_RANK=" FX_INDEX);
    assert_string_equal(fx_member(f, "node", "node", "args"), "['epochs=2']");
    assert_string_equal(fx_member(f, "node", "node", "ports"), "[{'containerPort':29500}]");
}

static void test_other_commands_are_left(void **state)
{
    struct fixture *f = *state;

    check(f, ON(LLAMA_1B, "'args':['epochs=1']"),
          "tune run any_recipe --config any batch_size=4" FIXED);
    assert_has(fx_env(f, "node", "node"), "PET_MASTER_ADDR=j-node-0-0.j");
    check(f, ON(LLAMA_1B, "'command':['tune','run','x']"), "tune run x");
}

static void refused(struct fixture *f, const char *runtime, const char *job, const char *want)
{
    assert_string_equal(fx_validate(f, runtime, job), want);
}

static void test_models(void **state)
{
    struct fixture *f = *state;
#define BAD(name, model)                                                                           \
    "spec.runtimeRef.name: Invalid value: \"" name "\": must have a supported pretrained model, "  \
    "invalid model configured: " model

    refused(f, ON(QWEN, TUNE), "");
    refused(f, ON("torchtune-mistral-7b", TUNE), BAD("torchtune-mistral-7b", "mistral/7B"));
    refused(f, ON("our-torchtune-llama3.2-1b", TUNE), BAD("our-torchtune-llama3.2-1b", ""));
    refused(f, ON("torchtune-llama3.2", TUNE), BAD("torchtune-llama3.2", ""));
    refused(f, ON("torchtune-mistral-7b", "'command':['tune']"), "");
}

static void test_sizes(void **state)
{
    struct fixture *f = *state;

    refused(f, ON(LLAMA_3B, TUNE ",'numNodes':2"),
            "spec.trainer.numNodes: Invalid value: 2: must be 1 for llama3_2/3B model");
    refused(f, ON(LLAMA_70B, TUNE ",'numNodes':2"), "");
    refused(f, ON(LLAMA_70B, TUNE ",'numNodes':2" ARGS(LORA)),
            "spec.trainer.numNodes: Invalid value: 2: LoRA fine-tuning is not supported for "
            "multi-node training in TorchTune");
    refused(f, ON(LLAMA_70B, TUNE ",'numNodes':1" ARGS(LORA)), "");
}

static void test_qlora_limits(void **state)
{
    struct fixture *f = *state;

    refused(f, ON(QWEN, TUNE GPU("1") ARGS(QUANT)),
            "spec.runtimeRef.name: Invalid value: \"" QWEN "\": QLoRA is not supported for "
            "qwen2_5/1.5B model");
    refused(f, ON(LLAMA_1B, TUNE GPU("2") ARGS(QUANT)),
            "[spec.trainer.numProcPerNode: Invalid value: \"auto\": must be auto or 1 for "
            "llama3_2/1B model when using QLoRA, spec.trainer.resourcesPerNode: Invalid value: "
            "{\"limits\":{\"nvidia.com/gpu\":\"2\"}}: must have gpu resource with value 1 for "
            "llama3_2/1B model when using QLoRA]");
    refused(f, ON(LLAMA_3B, TUNE ",'numProcPerNode':2" ARGS(QUANT)),
            "[spec.trainer.numProcPerNode: Invalid value: 2: must be auto or 1 for llama3_2/3B "
            "model when using QLoRA, spec.trainer.resourcesPerNode: Invalid value: null: must have "
            "gpu resource with value 1 for llama3_2/3B model when using QLoRA]");
    refused(f, ON(LLAMA_1B, TUNE GPU("1") ARGS(QUANT)), "");
}

static void test_fixed_keys(void **state)
{
    struct fixture *f = *state;

    refused(f, ON(LLAMA_1B, TUNE ARGS("'output_dir=/x','epochs=1','tokenizer.path'")),
            "[spec.trainer.args[0]: Invalid value: \"output_dir=/x\": must not set immutable "
            "config \"output_dir\" in trainer args; it is managed by the runtime, "
            "spec.trainer.args[2]: Invalid value: \"tokenizer.path\": must not set immutable "
            "config \"tokenizer.path\" in trainer args; it is managed by the runtime]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_full),         fx_test(test_lora),
        fx_test(test_environment),  fx_test(test_other_commands_are_left),
        fx_test(test_models),       fx_test(test_sizes),
        fx_test(test_qlora_limits), fx_test(test_fixed_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
