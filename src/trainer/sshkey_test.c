#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <nettle/base64.h>

#include "trainer/sshkey.h"

static void generate_key(struct ty_arena *a, unsigned char fill, struct ty_sshkey *ret_key)
{
    unsigned char entropy[128];

    memset(entropy, fill, sizeof(entropy));
    ty_sshkey_generate(a, entropy, sizeof(entropy), ret_key);
}

static void test_same_entropy_same_key(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_sshkey one, again, other;

    generate_key(a, 1, &one);
    generate_key(a, 1, &again);
    generate_key(a, 2, &other);
    assert_string_equal(one.private_pem.p, again.private_pem.p);
    assert_string_equal(one.public_line.p, again.public_line.p);
    assert_string_not_equal(one.private_pem.p, other.private_pem.p);
    assert_string_not_equal(one.public_line.p, other.public_line.p);
}

/* The bytes between the PEM lines. */
static size_t pem_bytes(struct ty_str pem, uint8_t *out, size_t cap)
{
    static const char begin[] = "-----BEGIN EC PRIVATE KEY-----\n";
    struct base64_decode_ctx ctx;
    const char *body = pem.p + sizeof(begin) - 1, *end = strstr(body, "-----END EC PRIVATE KEY");
    size_t n = cap;

    assert_memory_equal(pem.p, begin, sizeof(begin) - 1);
    assert_non_null(end);
    assert_true(BASE64_DECODE_LENGTH((size_t)(end - body)) <= cap);
    base64_decode_init(&ctx);
    assert_true(base64_decode_update(&ctx, &n, out, (size_t)(end - body), body));
    assert_true(base64_decode_final(&ctx));
    return n;
}

/* One DER element: checks the tag, steps *p over the header, gives its length. */
static size_t der(const uint8_t **p, uint8_t tag)
{
    assert_int_equal((*p)[0], tag);
    size_t n = (*p)[1], head = 2;
    if (n == 0x81) {
        n = (*p)[2];
        head = 3;
        assert_true(n >= 0x80); /* the shortest form */
    } else {
        assert_true(n < 0x80);
    }
    *p += head;
    return n;
}

static void test_private_key_is_sec1(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    static const uint8_t secp521r1[] = { 0x2b, 0x81, 0x04, 0x00, 0x23 };
    uint8_t bytes[512];
    struct ty_sshkey key;

    generate_key(a, 7, &key);
    size_t n = pem_bytes(key.private_pem, bytes, sizeof(bytes));
    const uint8_t *p = bytes;
    size_t all = der(&p, 0x30);
    assert_ptr_equal(p + all, bytes + n);
    assert_int_equal(der(&p, 0x02), 1);
    assert_int_equal(*p++, 1);
    assert_int_equal(der(&p, 0x04), 66);
    assert_true(p[0] <= 1); /* 521 bits */
    p += 66;
    assert_int_equal(der(&p, 0xa0), 7);
    assert_int_equal(der(&p, 0x06), sizeof(secp521r1));
    assert_memory_equal(p, secp521r1, sizeof(secp521r1));
    p += sizeof(secp521r1);
    assert_int_equal(der(&p, 0xa1), 137);
    assert_int_equal(der(&p, 0x03), 134);
    assert_int_equal(p[0], 0); /* no unused bits */
    assert_int_equal(p[1], 4); /* uncompressed */
    assert_ptr_equal(p + 134, bytes + n);
}

static void test_text_shape(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_sshkey key;

    generate_key(a, 9, &key);
    assert_memory_equal(key.public_line.p, "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEA",
                        51);
    assert_int_equal(key.public_line.p[key.public_line.n - 1], '\n');
    assert_null(strchr(key.public_line.p + 20, ' ')); /* no comment */
    for (const char *line = key.private_pem.p; *line; line = strchr(line, '\n') + 1)
        assert_true(strchr(line, '\n') - line <= 64);
}

/* OpenSSH itself must derive our public line from our private key. */
static void test_ssh_keygen_agrees(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char dir[] = "/tmp/sshkey_test.XXXXXX";
    struct ty_sshkey key;
    int out[2];
    char got[1024] = { 0 };

    if (access("/usr/bin/ssh-keygen", X_OK) != 0) {
        print_message("ssh-keygen is not installed: skipped\n");
        skip();
    }
    generate_key(a, 3, &key);
    assert_non_null(mkdtemp(dir));
    char *file = ty_arena_printf(a, "%s/id", dir);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, key.private_pem.p, key.private_pem.n), key.private_pem.n);
    close(fd);
    assert_int_equal(pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        execl("/usr/bin/ssh-keygen", "ssh-keygen", "-y", "-f", file, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    for (size_t n = 0; n < sizeof(got) - 1;) {
        ssize_t r = read(out[0], got + n, sizeof(got) - 1 - n);
        if (r <= 0)
            break;
        n += (size_t)r;
    }
    close(out[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    unlink(file);
    rmdir(dir);
    assert_int_equal(status, 0);
    assert_string_equal(got, key.public_line.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_entropy_same_key),
        cmocka_unit_test(test_private_key_is_sec1),
        cmocka_unit_test(test_text_shape),
        cmocka_unit_test(test_ssh_keygen_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
