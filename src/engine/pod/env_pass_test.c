#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/pod/env_pass.h"

static void names_that_pass(void **state TY_UNUSED)
{
    static const char *const good[] = { "PATH",           "https_proxy",   "HTTPS_PROXY",
                                        "HF_TOKEN",       "WANDB_API_KEY", "MLFLOW_TRACKING_URI",
                                        "AWS_REGION",     "CUDA_HOME",     "NCCL_DEBUG",
                                        "OMP_NUM_THREADS" };
    static const char *const bad[] = { "CUDA_VISIBLE_DEVICES",
                                       "NCCL_SOCKET_IFNAME", /* this machine's is lo */
                                       "NCCL_HOSTID",
                                       "NCCL_COMM_ID",
                                       "SSH_AUTH_SOCK",
                                       "TRAINYARD_RSH",
                                       "PYTHONSTARTUP",
                                       "XHF_TOKEN",
                                       "HF",
                                       "" };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        if (!ty_env_pass_allows(ty_str(good[i])))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_env_pass_allows(ty_str(bad[i])))
            fail_msg("%s", bad[i]);
}

static void filter(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char token[] = "HF_TOKEN=a=b", other[] = "EDITOR=vi", broken[] = "HF_HOME";
    char *const from[] = { token, other, broken, NULL };
    const char *const *got = ty_env_pass_filter(a, from);

    assert_string_equal(got[0], "HF_TOKEN=a=b");
    assert_null(got[1]);
    assert_null(ty_env_pass_filter(a, NULL)[0]);
}

static void pods_go_round_the_proxy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    static const char *const none[] = { "no_proxy=x", "http_proxy=", NULL };
    static const char *const one[] = { "HTTPS_PROXY=http://p:3128", NULL };
    static const char *const two[] = { "http_proxy=http://p", "NO_PROXY=.corp", NULL };

    assert_null(ty_env_pass_no_proxy(a, none, "ddp"));
    assert_string_equal(ty_env_pass_no_proxy(a, one, "ddp"),
                        "localhost,127.0.0.1,127.0.0.0/8,.ddp,.svc.cluster.local");
    assert_string_equal(ty_env_pass_no_proxy(a, two, "ddp"),
                        ".corp,localhost,127.0.0.1,127.0.0.0/8,.ddp,.svc.cluster.local");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_that_pass), cmocka_unit_test(filter),
                                        cmocka_unit_test(pods_go_round_the_proxy) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
