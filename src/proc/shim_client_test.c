/* Requests and news on trainyard's side: sizes, ends, and that nothing waits. */
#include "proc/testing.h"

#include <sys/socket.h>

/* argv and env of some 2 MiB: as much as execve takes. */
static void big_orders_arrive(void **state)
{
    (void)state;
    enum { WORDS = 15, SIZE = 120 << 10 }; /* one string has at most 128 KiB */
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    char *env[WORDS + 2] = { NULL }, script[] = "echo ${#V0} ${#V14} $0";
    for (size_t i = 0; i < WORDS; i++) {
        env[i] = malloc(SIZE);
        memset(env[i], 'x', SIZE - 1);
        int n = snprintf(env[i], SIZE, "V%zu=", i);
        env[i][n] = 'x';
        env[i][SIZE - 1] = 0;
    }
    char path[] = "PATH=/usr/bin:/bin";
    env[WORDS] = path;
    const char *const argv[] = { "sh", "-c", script, "name", NULL };
    struct ty_process_spec s = plain(1, argv);
    s.env = (const char *const *)env;
    struct said said = run(k, s);
    assert_exit(&said, 0);
    assert_string_equal(said.text, "122876 122875 name\n");
    for (size_t i = 0; i < WORDS; i++)
        free(env[i]);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void too_big_is_told(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    size_t size = 200 << 10;
    char *word = malloc(size);
    memset(word, 'x', size - 1);
    word[size - 1] = 0;
    const char *const one[] = { "true", word, NULL };
    struct ty_process_spec s = plain(4, one);
    start(k, &s);
    assert_string_equal(expect(k, TY_SHIM_START_FAILED, 4).text,
                        "exec true: Argument list too long");
    const char *many[60] = { "true" };
    for (size_t i = 1; i < 59; i++)
        many[i] = word;
    struct ty_err err = { 0 };
    s.argv = many;
    assert_int_equal(ty_shim_start(k, &s, &err), -E2BIG);
    assert_string_equal(err.text, "cannot start a process in the pod: Argument list too long");
    free(word);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void requests_may_precede_the_pod(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    kill(z->pid, SIGSTOP);
    struct ty_shim *k = shim(z, NULL);
    struct ty_shim_event n;
    start_sh(k, 1, "exit 9"); /* nobody has read anything yet */
    ty_shim_next(k, &n);
    assert_int_equal(n.what, TY_SHIM_NOTHING);
    kill(z->pid, SIGCONT);
    expect(k, TY_SHIM_STARTED, 1);
    assert_int_equal(WEXITSTATUS(expect(k, TY_SHIM_EXITED, 1).wstatus), 9);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

/* More pods at once than the zygote's socket holds requests, all freed in the end. */
static void hundreds_of_pods_at_once(void **state)
{
    (void)state;
    enum { PODS = 300 };
    static struct ty_shim *k[PODS];
    struct ty_zygote *z = zygote(0);
    for (size_t i = 0; i < PODS; i++) {
        k[i] = shim(z, NULL);
        const char *const argv[] = { "true", NULL };
        struct ty_process_spec s = plain((uint32_t)i, argv);
        start(k[i], &s);
    }
    for (size_t i = 0; i < PODS; i++) {
        expect(k[i], TY_SHIM_STARTED, (uint32_t)i);
        assert_int_equal(expect(k[i], TY_SHIM_EXITED, (uint32_t)i).wstatus, 0);
    }
    for (size_t i = 0; i < PODS; i++)
        ty_shim_free(k[i]);
    ty_zygote_stop(z);
}

static void after_the_end_there_is_nothing(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_err err = { 0 };
    const char *const argv[] = { "true", NULL };
    struct ty_process_spec s = plain(1, argv);
    struct ty_shim_event n;
    stop_shim(k);
    expect(k, TY_SHIM_GONE, 0);
    ty_shim_next(k, &n);
    assert_int_equal(n.what, TY_SHIM_NOTHING);
    assert_int_equal(ty_shim_start(k, &s, &err), -EPIPE);
    assert_string_equal(err.text, "cannot start a process in the pod: the pod is gone");
    assert_int_equal(ty_shim_signal(k, 1, SIGTERM, true), -EPIPE);
    ty_shim_free(k);
    ty_shim_free(NULL);
    ty_zygote_stop(z);
}

/* Its descriptors are its own: none is left when all is freed. */
static size_t count_fds(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 4096; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void descriptors_do_not_leak(void **state)
{
    (void)state;
    size_t before = count_fds();
    struct ty_zygote *z = zygote(0);
    for (int i = 0; i < 20; i++) {
        struct ty_shim *k = shim(z, NULL);
        struct said s = run_sh(k, "true");
        assert_exit(&s, 0);
        ty_shim_free(k);
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)z->pid);
    ty_zygote_stop(z);
    assert_int_equal(count_fds(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(big_orders_arrive),
        cmocka_unit_test(too_big_is_told),
        cmocka_unit_test(requests_may_precede_the_pod),
        cmocka_unit_test(hundreds_of_pods_at_once),
        cmocka_unit_test(after_the_end_there_is_nothing),
        cmocka_unit_test(descriptors_do_not_leak),
    };
    return run_as_both("keeper_client", tests, TY_COUNT(tests));
}
