#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/failure_hint.h"

static void errors_with_advice(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *start;
    } rows[] = {
        { "RuntimeError: Distributed package doesn't have NCCL built in (exit code 1)",
          "nccl needs GPUs: use backend gloo" },
        { "node-0-0 failed first\n    ValueError: ProcessGroupNCCL is only supported with GPUs, no "
          "GPUs found!\n",
          "nccl needs GPUs: use backend gloo" },
        { "RuntimeError: No CUDA GPUs are available", "this process has no GPU" },
        { "AssertionError: Torch not compiled with CUDA enabled", "this process has no GPU" },
        { "    map[i] = val_or_map.get(i, Std.NONE)\nAttributeError: 'NoneType' object has no "
          "attribute 'get'\n",
          "torchrun of torch 1.13 fails so under Python 3.11" },
        { "  what():  [enforce fail at pair.cc:510] op.preamble.length <= op.nbytes. 8 vs 4",
          "a rank sent more than this one expects" },
        { "KeyError: 'nccl'", NULL },
        { "", NULL },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *hint = ty_failure_hint(ty_str(rows[i].text));
        assert_int_equal(hint != NULL, rows[i].start != NULL);
        if (hint)
            assert_memory_equal(hint, rows[i].start, strlen(rows[i].start));
    }
    assert_null(ty_failure_hint((struct ty_str){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_with_advice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
