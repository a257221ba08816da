#include "engine/inner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *token(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job)
{
    return ty_arena_printf(a, "%s:%.*s:%.*s", (const char *)ctx, TY_ARG(ns), TY_ARG(job));
}

static void each_job_has_its_own(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char secret[] = "secret";
    struct ty_engine e = { .o = { .host = { .cpus = 3 }, .token = token, .token_ctx = secret } };
    const struct ty_host *x = ty_engine_host(&e, a, TY_LIT("ns"), TY_LIT("x"));
    const struct ty_host *y = ty_engine_host(&e, a, TY_LIT("ns"), TY_LIT("y"));

    assert_int_equal(x->cpus, 3);
    assert_string_equal(x->token, "secret:ns:x");
    assert_string_equal(y->token, "secret:ns:y");
    assert_string_equal(x->audience,
                        "trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/x/status");
    e.o.token = NULL;
    assert_ptr_equal(ty_engine_host(&e, a, TY_LIT("ns"), TY_LIT("x")), &e.o.host);
    assert_null(e.o.host.token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
