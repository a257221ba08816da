/* Sets up streams, clock, entropy and color for ty_cli_main. */
#include "base/hash.h"
#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

/* Inputs have their own limits (cli/inputs.h). Beyond this one the parsers of YAML, JSON, listings
 * and histories report that the input is too large. */
#define RUN_CEILING ((size_t)16 << 30)

enum { DESCRIPTORS_MIN = 32 }; /* a run of one pod takes 23 */

static int fill_entropy(void *p, size_t n)
{
    char *at = p;
    while (n) {
        ssize_t got = getrandom(at, n, 0);
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0) {
            at += got;
            n -= (size_t)got;
        }
    }
    return 0;
}

static bool wants_colour(int fd)
{
    const char *no = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");
    return !(no && *no) && isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

/* If a standard stream is closed, the next open() would get its number: a socket that receives our
 * output, or a loop that libuv refuses to close. Opens /dev/null in its place, with the opposite
 * access mode, so that reading and writing still fail. Lowest number first, so that each gets its
 * own. */
static bool have_streams(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            return false;
    return true;
}

/* libuv ends the process if it cannot have a pipe, and a run without descriptors looks like one
 * that has ended. */
static bool have_descriptors(void)
{
    struct rlimit n;

    if (getrlimit(RLIMIT_NOFILE, &n) < 0 || n.rlim_cur >= DESCRIPTORS_MIN)
        return true;
    n.rlim_cur = n.rlim_max < DESCRIPTORS_MIN ? n.rlim_max : DESCRIPTORS_MIN;
    if (n.rlim_cur == DESCRIPTORS_MIN && setrlimit(RLIMIT_NOFILE, &n) == 0)
        return true;
    fprintf(stderr, "error: ulimit -Hn is %llu, and trainyard needs at least %d descriptors\n",
            (unsigned long long)n.rlim_max, DESCRIPTORS_MIN);
    return false;
}

int main(int argc, char **argv)
{
    uint64_t secret[2];
    if (!have_streams())
        return TY_EXIT_BAD; /* standard error is not available */
    if (!have_descriptors())
        return TY_EXIT_BAD;
    if (fill_entropy(secret, sizeof(secret)) < 0) {
        fputs("error: the kernel gives no random bytes\n", stderr);
        return TY_EXIT_BAD;
    }
    ty_hash_seed(secret[0], secret[1]);
    signal(SIGPIPE, SIG_IGN); /* `trainyard render | head` ends quietly: EPIPE is handled */
    struct ty_cli cli = {
        .arena = ty_arena_new_input(RUN_CEILING, NULL),
        .in = STDIN_FILENO,
        .out = stdout,
        .err = stderr,
        .colour = wants_colour(STDERR_FILENO),
        .colour_out = wants_colour(STDOUT_FILENO),
        .now_s = (int64_t)time(NULL),
        .entropy = fill_entropy,
    };
    int code = ty_cli_main(&cli, argc, argv);
    ty_arena_free(cli.arena);
    return code;
}
