/* Words with spaces between them, as they were typed but for their quotes. */
#include "cli/run/run_command.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"

#define MASK "***"

/* How much of the word may be shown: all, or up to the value of a variable. "-eNAME=VALUE"
 * and
 * "--env=NAME=VALUE" end with what --env was given, and only that is known here. */
static size_t shown_length(struct ty_str word, const char *const *env)
{
    for (; env && *env; env++) {
        struct ty_str given = ty_str(*env), name;
        struct ty_str value = ty_str_cut(given, '=', &name);
        if (value.n && ty_str_ends(word, given))
            return word.n - value.n;
    }
    return word.n;
}

char *ty_run_command(struct ty_arena *a, struct ty_str words, const char *const *env)
{
    ty_auto_buf b = { 0 };

    while (words.n) {
        struct ty_str word, rest = ty_str_cut(words, '\0', &word);
        size_t n = rest.p ? shown_length(word, env) : 0;
        if (b.n)
            ty_buf_chr(&b, ' ');
        ty_buf_put(&b, word.p, n);
        if (!rest.p)
            ty_buf_cstr(&b, "…"); /* half a word may be half a key */
        else if (n < word.n)
            ty_buf_cstr(&b, MASK);
        words = rest;
    }
    return ty_arena_strndup(a, b.n ? b.p : "", b.n);
}

char *ty_run_command_own(struct ty_arena *a, const char *const *env)
{
    char text[8192];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

    if (fd >= 0)
        close(fd);
    return ty_run_command(a, (struct ty_str){ text, n > 0 ? (size_t)n : 0 }, env);
}
