/* The client: created, failed to create, freed while operations are running. */
#include "store/kube/kube_inner.h"

#include <sys/resource.h>

#include "store/kube/kube_testing.h"

static void silent_end(void *ctx, const struct ty_kube_response *answer)
{
    (void)answer;
    ++*(int *)ctx;
}

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    (void)ctx;
    (void)o;
}

static void on_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    (void)what;
    on_object(ctx, o);
}

static void defaults(void **state)
{
    static const char *const none[] = { NULL };
    struct kube_world w = { .set.idle_ms = 5 };
    (void)state;
    kube_begin(&w, none);
    assert_ptr_equal(ty_kube_config(w.kube), &w.config);
    assert_int_equal(ty_kube_requests(w.kube), 0);
    assert_int_equal(w.kube->set.timeout_ms, 20000); /* as it was said */
    assert_int_equal(w.kube->set.idle_ms, 5);
    assert_int_equal(w.kube->set.dead_ms, TY_KUBE_DEAD_MS);
    kube_finish(&w);
}

/* No file descriptor is left for the CA certificate: an error, and no leaks. */
static void no_descriptors(void **state)
{
    static const struct ty_kubeconfig config = { .server = "https://h:1", .ca.data = { "pem", 3 } };
    struct ty_kube *k = NULL;
    struct ty_err err = { 0 };
    struct rlimit before, now;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    struct ty_kube_settings s = { .loop = &loop, .config = &config, .agent = "t" };
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int least = dup(0); /* the lowest that is free */
    close(least);
    now = (struct rlimit){ (rlim_t)least, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
    int r = ty_kube_new(&k, &s, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(r, -EIO);
    assert_null(k);
    assert_has(err.text, "cannot keep the CA certificate in memory: ");
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    ty_kube_free(NULL);
}

/* One operation is sent, one waits, one has failed and is not reported yet, and there are a list
 * and a watch: no callbacks, no leaks. */
static void freed_with_all_under_way(void **state)
{
    static const char *const none[] = { NULL };
    struct kube_world w = { .set = { .qps = 0.001, .burst = 2 } };
    int ends = 0;
    struct ty_kube_request ask = { .path = "/version", .fn = silent_end, .ctx = &ends };
    struct ty_kube_request bad = { .path = "version", .fn = silent_end, .ctx = &ends };
    (void)state;
    kube_begin(&w, none);
    ty_kube_start(w.kube, &ask);
    ty_kube_list(w.kube, &(struct ty_kube_list){ .which = { .kind = &ty_kind_configmap },
                                                 .object = on_object,
                                                 .end = silent_end,
                                                 .ctx = &ends });
    ty_kube_start(w.kube, &ask);
    ty_kube_start(w.kube, &bad);
    ty_kube_watch(w.kube, &(struct ty_kube_watch){ .which = { .kind = &ty_kind_configmap },
                                                   .event = on_event,
                                                   .end = silent_end,
                                                   .ctx = &ends });
    assert_int_equal(ty_kube_requests(w.kube), 3);
    kube_finish(&w);
    assert_int_equal(ends, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(no_descriptors),
        cmocka_unit_test(freed_with_all_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
