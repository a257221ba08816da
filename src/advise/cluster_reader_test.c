/* Without a server; answers are tested in tests/adopt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/cluster_reader.h"

static void on_tick(void *ctx, size_t done, size_t of)
{
    size_t *last = ctx;

    assert_true(done >= *last && done <= *last + 1);
    assert_int_equal(of, 40);
    *last = done;
}

static void test_nobody_there(void **state TY_UNUSED)
{
    struct ty_kubeconfig config = {
        .ns = "default", .context = "", .server = "https://127.0.0.1:1", .insecure = true
    };
    struct ty_cluster_query wants[40];
    struct ty_cluster_snapshot *s = ty_cluster_snapshot_new();
    struct ty_cluster_reader *l = NULL;
    struct ty_err err = { 0 };
    size_t last = 0;

    for (int i = 0; i < 40; i++)
        wants[i] = (struct ty_cluster_query){ .kind = i % 2 ? &ty_kind_jobset : &ty_kind_configmap,
                                              .ns = TY_LIT("a"),
                                              .name = i % 2 ? TY_LIT("") : TY_LIT("x") };
    if (ty_cluster_reader_new(&l, &config, &err) < 0)
        fail_msg("%s", err.text);
    ty_cluster_reader_read(l, s, wants, 40, on_tick, &last);
    assert_int_equal(last, 40);
    assert_int_equal(ty_cluster_snapshot_list_error(s, &ty_kind_jobset)->r, -EAGAIN);
    const struct ty_cluster_object *one =
        ty_cluster_snapshot_find(s, &ty_kind_configmap, TY_LIT("a"), TY_LIT("x"));
    assert_int_equal(one->r, -EAGAIN);
    /* Callers add the address, once. */
    assert_string_equal(one->why, "cannot connect to 127.0.0.1 port 1: Connection refused");
    assert_string_equal(ty_cluster_snapshot_list_error(s, &ty_kind_jobset)->why, one->why);
    ty_cluster_reader_read(l, s, wants, 0, NULL, NULL); /* no queries */
    ty_cluster_reader_free(l);
    ty_cluster_snapshot_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_nobody_there) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
