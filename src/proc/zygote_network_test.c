/* Pods with network namespaces: tests/run/test_network.py has whole jobs in them. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "proc/netns.h"
#include "proc/testing.h"

/* NULL: this machine has none. */
static struct ty_zygote *network(void)
{
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };

    if (ty_zygote_start_with(0, true, &z, &err) == 0)
        return z;
    assert_int_equal(err.code, -EPERM);
    assert_non_null(strstr(err.text, "--network host"));
    return NULL;
}

static struct ty_shim *pod(struct ty_zygote *z, const char *address)
{
    struct ty_shim_spec k = { .hostname = "pod-0", .address = address };
    struct ty_shim *ret = NULL;
    struct ty_err err = { 0 };

    if (ty_shim_new(z, &k, &ret, &err) < 0)
        fail_msg("%s", err.text);
    return ret;
}

/* errno of a connection from the run's namespace to a port of a pod; 0 connected. */
static int connect_to(struct ty_zygote *z, const char *address, int port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = ty_zygote_socket(z), code = 0;
    socklen_t n = sizeof(code);

    assert_true(fd >= 0);
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        code = errno;
    if (code == EINPROGRESS) {
        struct pollfd p = { fd, POLLOUT, 0 };
        assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &n), 0);
    }
    close(fd);
    return code;
}

static void pods_have_their_own(void **state)
{
    struct ty_zygote *z = network();

    (void)state;
    if (!z)
        skip();
    assert_true(ty_zygote_caps(z).network);
    struct ty_shim *a = pod(z, "10.244.1.1"), *b = pod(z, "10.244.1.2");
    struct said one = run_sh(a, "readlink /proc/self/ns/net; cat /proc/net/route | wc -l"),
                two = run_sh(b, "readlink /proc/self/ns/net; cat /proc/net/route | wc -l");
    char ours[64] = "";
    assert_exit(&one, 0);
    assert_exit(&two, 0);
    assert_string_not_equal(one.text, two.text);
    assert_true(readlink("/proc/self/ns/net", ours, sizeof(ours) - 1) > 0);
    assert_null(strstr(one.text, ours));         /* and nobody has the machine's */
    assert_non_null(strstr(one.text, "]\n2\n")); /* the others are there, the world is not */
    one = run_sh(a, "ls /sys/class/net");
    assert_string_equal(one.text, "eth0\nlo\n");
    one = run_sh(a, "cat /proc/sys/net/ipv4/ip_unprivileged_port_start");
    assert_string_equal(one.text, "0\n");
    assert_int_equal(connect_to(z, "10.244.1.1", 9), ECONNREFUSED);
    assert_int_equal(connect_to(z, "10.244.1.2", 9), ECONNREFUSED);
    ty_shim_free(a);
    ty_shim_free(b);
    ty_zygote_stop(z);
}

/* A pod that replaces another takes over its address at once. */
static void an_address_passes_on(void **state)
{
    struct ty_zygote *z = network();

    (void)state;
    if (!z)
        skip();
    struct ty_shim *a = pod(z, "10.244.1.1");
    struct said said = run_sh(a, "true");
    assert_exit(&said, 0);
    struct ty_shim *b = pod(z, "10.244.1.1");
    said = run_sh(b, "true");
    assert_exit(&said, 0);
    said = run_sh(a, "ls /sys/class/net");
    assert_string_equal(said.text, "lo\n");
    assert_int_equal(connect_to(z, "10.244.1.1", 9), ECONNREFUSED);
    ty_shim_free(a);
    ty_shim_free(b);
    ty_zygote_stop(z);
}

static void a_bad_address(void **state)
{
    struct ty_zygote *z = network();

    (void)state;
    if (!z)
        skip();
    struct ty_shim *a = pod(z, "nonsense");
    struct ty_shim_event n = expect(a, TY_SHIM_GONE, 0);
    assert_string_equal(n.text, "make a network for nonsense: Invalid argument");
    ty_shim_free(a);
    ty_zygote_stop(z);
}

/* Whoever does not ask for it has none. */
static void none_by_default(void **state)
{
    struct ty_zygote *z = zygote(0);
    char ours[64] = "";

    (void)state;
    assert_false(ty_zygote_caps(z).network);
    struct ty_shim *a = pod(z, "127.64.0.1");
    struct said said = run_sh(a, "readlink /proc/self/ns/net");
    assert_true(readlink("/proc/self/ns/net", ours, sizeof(ours) - 1) > 0);
    assert_non_null(strstr(said.text, ours));
    ty_shim_free(a);
    ty_zygote_stop(z);
}

static void refused(void **state)
{
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };

    (void)state;
    assert_int_equal(ty_zygote_start_with(TY_NO_MOUNTS, true, &z, &err), -EPERM);
    assert_string_equal(err.text, "this machine does not allow network namespaces (switched off): "
                                  "use --network host");
}

static void no_uplink(void **state)
{
    struct ty_zygote *z = network();
    struct ty_err err = { 0 };

    (void)state;
    if (!z)
        skip();
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    assert_int_equal(ty_zygote_open_uplink(z, &err), -ENOENT);
    assert_string_equal(err.text, "install slirp4netns");
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    struct ty_shim *a = pod(z, "10.244.1.1");
    struct said said = run_sh(a, "cat /proc/net/route | wc -l");
    assert_string_equal(said.text, "2\n");
    ty_shim_free(a);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_have_their_own),
        cmocka_unit_test(an_address_passes_on),
        cmocka_unit_test(a_bad_address),
        cmocka_unit_test(none_by_default),
        cmocka_unit_test(refused),
        cmocka_unit_test(no_uplink),
    };
    return run_as_both("zygote_network", tests, TY_COUNT(tests));
}
