/* Runs of plugins; what they print is read in kube_cred_test.c, and a client with one is in
 * tests/cluster. */
#include "store/kube/kube_exec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

#define V1 "client.authentication.k8s.io/v1"

struct heard {
    int calls;
    char token[32];
    struct ty_err err;
};

static void on_cred(void *ctx, const struct ty_kube_cred *cred, const struct ty_err *err)
{
    struct heard *h = ctx;

    h->calls++;
    snprintf(h->token, sizeof(h->token), "%s", cred && cred->token ? cred->token : "");
    h->err = *err;
}

static void check_no_child(void)
{
    int status = 0;

    assert_int_equal(waitpid(-1, &status, 0), -1); /* neither running nor dead and unburied */
    assert_int_equal(errno, ECHILD);
}

/* sh -c SCRIPT, to its end; cancelled after so many turns of the loop, if that is not 0. */
static void run(const char *script, int cancel_after, struct heard *ret)
{
    const char *const args[] = { "-c", script, NULL };
    const struct ty_kube_exec exec = { .command = "sh", .args = args, .api_version = V1 };
    const struct ty_kubeconfig config = { .server = "https://x", .exec = &exec };
    uv_loop_t loop;

    *ret = (struct heard){ 0 };
    assert_int_equal(uv_loop_init(&loop), 0);
    struct ty_kube_exec_run *r = ty_kube_exec_start(&loop, &config, on_cred, ret);
    for (int i = 0; i < cancel_after; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    if (cancel_after)
        ty_kube_exec_cancel(r);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    check_no_child();
}

static void to_its_end(void **state)
{
    struct heard h;

    (void)state;
    run("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
        "\",\"status\":{\"token\":\"t\"}}'",
        0, &h);
    assert_int_equal(h.calls, 1);
    assert_string_equal(h.token, "t");
    run("exit 7", 0, &h);
    assert_int_equal(h.calls, 1);
    assert_string_equal(h.err.text, "exec plugin sh failed with exit code 7");
    run("kill -9 $$", 0, &h);
    assert_string_equal(h.err.text, "exec plugin sh was ended by signal 9");
}

/* A killed plugin must be reaped by this process: the operator is usually process 1. */
static void cancelled(void **state)
{
    struct heard h;

    (void)state;
    for (int turns = 1; turns < 4; turns++) {
        run("exec sleep 600", turns, &h);
        assert_int_equal(h.calls, 0);
    }
    run("exec sleep 600 >/dev/null", 3, &h); /* its output has ended before it */
    assert_int_equal(h.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_its_end),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
