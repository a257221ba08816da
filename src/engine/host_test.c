/* The machine as it is found; devices as they are told. */
#include "engine/engine_testing.h"

#include <sys/resource.h>

static void find(struct engine_fixture *w, const char *gpus, struct ty_host *ret)
{
    if (gpus)
        setenv("TRAINYARD_GPUS", gpus, 1);
    else
        unsetenv("TRAINYARD_GPUS");
    ty_host_find(w->a, w->z, ret);
    unsetenv("TRAINYARD_GPUS");
}

static void devices_are_told(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_host h;

    find(w, "0, 2,,GPU-1234 ", &h);
    assert_string_equal(h.gpus[0], "0");
    assert_string_equal(h.gpus[1], "2");
    assert_string_equal(h.gpus[2], "GPU-1234");
    assert_null(h.gpus[3]);
    assert_string_equal(h.gpu_var, "CUDA_VISIBLE_DEVICES");
    find(w, "", &h); /* told that there are none: not looked for */
    assert_null(h.gpus[0]);
}

static void bad_lists(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_host h;

    find(w, "0,1", &h);
    assert_null(h.gpus_bad);
    find(w, "0,1, 0", &h);
    assert_string_equal(h.gpus_bad, "device 0 is named twice");
    find(w, "0,1 2", &h);
    assert_string_equal(h.gpus_bad, "1 2 is not a device");
}

/* The caller's own variable bounds what a run may take; -1 ends the list, as for CUDA. */
static void the_callers_bound(void **state)
{
    static const struct {
        const char *bound, *want;
    } rows[] = { { "1", "1" },   { "2,0", "2,0" },      { "", "" }, { "-1", "" }, { "0,7,1", "0" },
                 { "1,1", "1" }, { "GPU-12", "GPU-12" } };
    struct engine_fixture *w = *state;
    struct ty_host h;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_buf got = { 0 };
        setenv("CUDA_VISIBLE_DEVICES", rows[i].bound, 1);
        find(w, "0,1,2", &h);
        for (size_t k = 0; h.gpus[k]; k++)
            ty_buf_printf(&got, "%s%s", k ? "," : "", h.gpus[k]);
        ty_buf_chr(&got, 0);
        assert_string_equal(got.p, rows[i].want);
    }
    find(w, "", &h); /* nothing is found, so there is nothing to bound */
    assert_null(h.gpus[0]);
    unsetenv("CUDA_VISIBLE_DEVICES");
}

static void not_more_than_fit_into_a_mask(void **state)
{
    struct engine_fixture *w = *state;
    ty_auto_buf list = { 0 };
    struct ty_host h;
    size_t n = 0;

    for (int i = 0; i < 100; i++)
        ty_buf_printf(&list, "%d,", i);
    ty_buf_chr(&list, 0);
    find(w, list.p, &h);
    while (h.gpus[n])
        n++;
    assert_int_equal(n, 64);
}

static void the_machine(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_host h;

    find(w, NULL, &h);
    assert_int_equal(h.uid, getuid());
    assert_int_equal(h.root, getuid() == 0);
    assert_true(h.cpus >= 1);
    assert_true(h.memory > 1 << 20);
    assert_non_null(h.gpus);
    assert_int_equal(h.mounts, ty_zygote_caps(w->z).mounts);
    assert_true(h.mounts || h.no_mounts[0]);
}

/* The lowest of all limits counts, and is named. */
static void as_many_pods_as_the_lowest_limit_allows(void **state)
{
    struct engine_fixture *w = *state;
    struct rlimit was, low;
    struct ty_host h;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    find(w, NULL, &h);
    assert_in_range(h.pods_most, 1, 4096000);
    low = (struct rlimit){ 364, 364 };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    find(w, NULL, &h);
    assert_int_equal(h.pods_most, 100);
    assert_string_equal(h.pods_why, "ulimit -Hn is 364, and a pod takes three descriptors");
}

static const char *token(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job)
{
    return ty_arena_printf(a, "%s:%.*s:%.*s", (const char *)ctx, TY_ARG(ns), TY_ARG(job));
}

static void each_job_has_its_own(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char secret[] = "secret";
    struct ty_engine e = { .o = { .host = { .cpus = 3 }, .token = token, .token_ctx = secret } };
    const struct ty_host *x = ty_host_for_job(&e, a, TY_LIT("ns"), TY_LIT("x"));
    const struct ty_host *y = ty_host_for_job(&e, a, TY_LIT("ns"), TY_LIT("y"));

    assert_int_equal(x->cpus, 3);
    assert_string_equal(x->token, "secret:ns:x");
    assert_string_equal(y->token, "secret:ns:y");
    assert_string_equal(x->audience,
                        "trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/x/status");
    e.o.token = NULL;
    assert_ptr_equal(ty_host_for_job(&e, a, TY_LIT("ns"), TY_LIT("x")), &e.o.host);
    assert_null(e.o.host.token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(devices_are_told),
        ENGINE_TEST(bad_lists),
        ENGINE_TEST(the_callers_bound),
        ENGINE_TEST(not_more_than_fit_into_a_mask),
        ENGINE_TEST(the_machine),
        cmocka_unit_test(each_job_has_its_own),
        ENGINE_TEST(as_many_pods_as_the_lowest_limit_allows), /* the last: it lowers our own */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
