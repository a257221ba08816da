#include "cli/run/run_tls.h"
#include "net/testing.h"

#include <fcntl.h>
#include <sys/stat.h>

#define DAY ((int64_t)86400)

static const char *const names[] = { "svc.ns.svc", "127.0.0.1", NULL };
static const char *const others[] = { "svc.ns.svc", "127.0.0.2", NULL };

struct fixture {
    struct ty_arena *a;
    char dir[32], file[64];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->a = ty_arena_new(1 << 24);
    snprintf(f->dir, sizeof(f->dir), "/tmp/run-tls-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->file, sizeof(f->file), "%s/status-tls.pem", f->dir);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    unlink(f->file);
    assert_int_equal(rmdir(f->dir), 0); /* no temporary file is left */
    ty_arena_free(f->a);
    free(f);
    return 0;
}

static struct ty_run_tls get_tls(struct fixture *f, const char *const *whom, int64_t now)
{
    struct ty_run_tls tls = { 0 };
    struct ty_err err = { 0 };

    if (ty_run_tls_get(f->a, f->dir, whom, now, &tls, &err) < 0)
        fail_msg("%s", err.text);
    return tls;
}

static bool same_tls(const struct ty_run_tls *x, const struct ty_run_tls *y)
{
    return ty_str_eq(x->ca, y->ca) && ty_str_eq(x->pem.cert, y->pem.cert) &&
           ty_str_eq(x->pem.key, y->pem.key);
}

static void kept_while_it_is_good(void **state)
{
    struct fixture *f = *state;
    struct ty_run_tls first = get_tls(f, names, 1800000000),
                      again = get_tls(f, names, 1800000000 + 300 * DAY);
    struct ty_err err = { 0 };
    struct stat st;

    assert_true(same_tls(&first, &again));
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    for (size_t i = 0; names[i]; i++) /* what was read back serves */
        if (ty_certs_check(&again.pem, again.ca, names[i], 1800000000, &err) < 0)
            fail_msg("%s", err.text);
}

static void made_anew(void **state)
{
    struct fixture *f = *state;
    struct ty_run_tls x = get_tls(f, names, 1800000000);
    struct ty_run_tls y = get_tls(f, names, 1800000000 + 336 * DAY); /* it ends soon */
    assert_false(same_tls(&x, &y));
    x = get_tls(f, others, 1800000000 + 336 * DAY); /* for others */
    assert_false(same_tls(&x, &y));
    y = get_tls(f, others, 1800000000); /* from a future in which the clock was wrong */
    assert_false(same_tls(&x, &y));
    chmod(f->file, 0640); /* somebody else could read it */
    x = get_tls(f, others, 1800000000);
    assert_false(same_tls(&x, &y));
}

static void broken_files(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "rubbish",
        "trainyard status API until 9",
        "trainyard status API until 1820000000 for svc.ns.svc 127.0.0.1\n",
        "trainyard status API until 1820000000 for svc.ns.svc 127.0.0.1\n"
        "-----BEGIN A\n-----BEGIN B\n-----BEGIN C\n"
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        int fd = open(f->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
        close(fd);
        struct ty_run_tls x = get_tls(f, names, 1800000000);
        assert_true(ty_str_starts(x.pem.cert, TY_LIT("-----BEGIN CERTIFICATE")));
        assert_true(ty_str_contains(x.pem.key, TY_LIT("PRIVATE KEY")));
    }
}

static void works_without_a_folder(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct ty_run_tls tls = { 0 };

    assert_int_equal(ty_run_tls_get(a, "/proc/no/such", names, 1800000000, &tls, NULL), 0);
    assert_true(tls.pem.key.n > 0);
}

/* A folder that a job has replaced by a link is neither read nor written. */
static void no_link_is_followed(void **state)
{
    struct fixture *f = *state;
    char *link = ty_arena_printf(f->a, "%s-link", f->dir);
    struct ty_run_tls first = get_tls(f, names, 1800000000), other = { 0 };
    struct stat before, after;

    assert_int_equal(symlink(f->dir, link), 0);
    assert_int_equal(stat(f->file, &before), 0);
    assert_int_equal(ty_run_tls_get(f->a, link, names, 1800000000, &other, NULL), 0);
    assert_false(same_tls(&first, &other));
    assert_int_equal(stat(f->file, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(unlink(link), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kept_while_it_is_good, setup, teardown),
        cmocka_unit_test_setup_teardown(made_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_files, setup, teardown),
        cmocka_unit_test_setup_teardown(no_link_is_followed, setup, teardown),
        cmocka_unit_test(works_without_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
