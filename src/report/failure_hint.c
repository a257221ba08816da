#include "report/failure_hint.h"

#define NCCL "nccl needs GPUs: use backend gloo, for example init_process_group(\"gloo\")"
#define CUDA "this process has no GPU: use device \"cpu\" when torch.cuda.is_available() is false"

#define SIZES                                                                                      \
    "a rank sent more than this one expects: all ranks must call the same collectives, in the "    \
    "same order, with tensors of the same size"

#define TEE                                                                                        \
    "torchrun of torch 1.13 fails so under Python 3.11: add -e PET_REDIRECTS=1 -e PET_TEE=1, and " \
    "no --tee or --redirects"

static const struct {
    const char *part, *hint;
} known[] = {
    { "ProcessGroupNCCL is only supported with GPUs", NCCL },
    { "doesn't have NCCL built in", NCCL },
    { "No CUDA GPUs are available", CUDA },
    { "Found no NVIDIA driver on your system", CUDA },
    { "Torch not compiled with CUDA enabled", CUDA },
    { "op.preamble.length <= op.nbytes", SIZES },
    { "map[i] = val_or_map.get(i, Std.NONE)", TEE },
};

const char *ty_failure_hint(struct ty_str text)
{
    for (size_t i = 0; i < TY_COUNT(known); i++)
        if (text.n && memmem(text.p, text.n, known[i].part, strlen(known[i].part)))
            return known[i].hint;
    return NULL;
}
