/* Fixture of the CLI tests: a struct ty_cli with captured output, and a temporary directory. */
#ifndef TY_CLI_TESTING_H
#define TY_CLI_TESTING_H

#include "base/testing.h"
#include "base/tree_testing.h"
#include "cli/cli.h"

#include <pty.h>
#include <unistd.h>

struct ty_cli_fixture {
    struct ty_cli cli;
    char *out, *err; /* after fixture_flush */
    size_t n_out, n_err;
    char dir[64];
    char was[4096]; /* the working directory before the test */
};

static inline int fixture_entropy(void *p, size_t n)
{
    memset(p, 7, n); /* the same keys in every run */
    return 0;
}

static inline void fixture_open(struct ty_cli_fixture *b)
{
    memset(b, 0, sizeof(*b));
    snprintf(b->dir, sizeof(b->dir), "%s", "/tmp/trainyard-test-XXXXXX");
    assert_non_null(getcwd(b->was, sizeof(b->was)));
    assert_non_null(mkdtemp(b->dir));
    assert_int_equal(chdir(b->dir), 0);
    b->cli = (struct ty_cli){
        .arena = ty_arena_new((size_t)1 << 32),
        .in = -1,
        .out = open_memstream(&b->out, &b->n_out),
        .err = open_memstream(&b->err, &b->n_err),
        .now_s = 1700000000,
        .entropy = fixture_entropy,
    };
}

static inline void fixture_close(struct ty_cli_fixture *b)
{
    fclose(b->cli.out);
    fclose(b->cli.err);
    free(b->out);
    free(b->err);
    ty_arena_free(b->cli.arena);
    assert_int_equal(chdir(b->was), 0);
    tree_remove(b->dir);
}

/* Allocates the fixture as the state of a test. */
static inline struct ty_cli_fixture *fixture_new(void **state)
{
    struct ty_cli_fixture *b = calloc(1, sizeof(*b));

    assert_non_null(b);
    fixture_open(b);
    *state = b;
    return b;
}

static inline int fixture_teardown(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

/* Standard output becomes a terminal. Returns its other end, for fixture_terminal_read. */
static inline int fixture_terminal(struct ty_cli_fixture *b)
{
    int master = -1, slave = -1;

    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    assert_int_equal(fclose(b->cli.out), 0);
    free(b->out);
    b->out = NULL;
    b->cli.out = fdopen(slave, "w");
    assert_non_null(b->cli.out);
    return master;
}

/* What was printed on the terminal, which is closed: at most cap - 1 bytes, NUL-terminated. */
static inline void fixture_terminal_read(struct ty_cli_fixture *b, int master, char *ret,
                                         size_t cap)
{
    size_t n = 0;
    ssize_t got = 0;

    assert_int_equal(fclose(b->cli.out), 0);
    b->cli.out = open_memstream(&b->out, &b->n_out);
    while (n + 1 < cap && (got = read(master, ret + n, cap - 1 - n)) > 0)
        n += (size_t)got;
    ret[n] = '\0';
    close(master);
}

/* Makes the output so far available in b->out and b->err. */
static inline void fixture_flush(struct ty_cli_fixture *b)
{
    fflush(b->cli.out);
    fflush(b->cli.err);
}

static inline void fixture_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "we");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
}

/* Runs "trainyard …" in this process; words end with NULL. */
static inline int fixture_run(struct ty_cli_fixture *b, const char *const *words)
{
    char *argv[32] = { NULL };
    int n = 1;
    argv[0] = ty_arena_printf(b->cli.arena, "trainyard");
    for (; words[n - 1] && n < 31; n++)
        argv[n] = ty_arena_strdup(b->cli.arena, words[n - 1]);
    int code = ty_cli_main(&b->cli, n, argv);
    fixture_flush(b);
    return code;
}
#define FIXTURE_RUN(b, ...) fixture_run((b), (const char *const[]){ __VA_ARGS__, NULL })

#endif
