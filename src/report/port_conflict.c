/* The messages of torch, gRPC (TensorFlow, JAX), Python, Go, Node.js, nginx: a phrase says that an
 * address was in use, and the port stands somewhere in the same line, if at all. */
#include "report/port_conflict.h"

#include <ctype.h>
#include <strings.h>

#include "base/arena.h"

enum { LINES = 40 }; /* an older conflict is one that the program has got over */

static const char *const phrases[] = {
    "address already in use", /* the kernel's own words, in every language's errors */
    "EADDRINUSE",
    "is in use by another program", /* werkzeug, in the line after the kernel's words */
    "Could not start gRPC server",
    "No address added out of total", /* gRPC */
};

static bool contains(struct ty_str line, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= line.n; i++)
        if (strncasecmp(line.p + i, word, n) == 0)
            return true;
    return false;
}

static bool says_in_use(struct ty_str line)
{
    for (size_t i = 0; i < TY_COUNT(phrases); i++)
        if (contains(line, phrases[i]))
            return true;
    return false;
}

/* The number at `at`, and where it ends; 0: none, or no port. Parts of a time are below 60. */
static int number_at(struct ty_str s, size_t at, size_t *ret_end)
{
    int n = 0;

    for (; at < s.n && isdigit((unsigned char)s.p[at]) && n <= UINT16_MAX; at++)
        n = n * 10 + (s.p[at] - '0');
    *ret_end = at;
    return n >= 60 && n <= UINT16_MAX ? n : 0;
}

/* "0.0.0.0:8080", "[::]:8080", ":::3000", "tcp :8080: bind"; not "file_line":395 nor x.cc:40] */
static bool is_endpoint(struct ty_str s, size_t colon, size_t end)
{
    char before = colon ? s.p[colon - 1] : ' ';

    if (!isalnum((unsigned char)before) && !strchr("]:* ", before))
        return false;
    if (end == s.n || strchr(" )',;\"", s.p[end]))
        return true;
    return strchr(":.", s.p[end]) && (end + 1 == s.n || isspace((unsigned char)s.p[end + 1]));
}

/* "port: 29500", "Port 5000", "--port=80" */
static size_t after_word_port(struct ty_str s, size_t at)
{
    size_t i = at + 4;

    if (i > s.n || strncasecmp(s.p + at, "port", 4) != 0)
        return 0;
    for (; i < s.n && i < at + 7 && strchr(" :=", s.p[i]); i++)
        ;
    return i > at + 4 ? i : 0;
}

static int port_in(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        size_t end = 0, digits = after_word_port(s, i);
        int port = digits ? number_at(s, digits, &end) : 0;

        if (!port && s.p[i] == ':') {
            port = number_at(s, i + 1, &end);
            port = port && is_endpoint(s, i, end) ? port : 0;
        }
        if (!port && i + 2 < s.n && memcmp(s.p + i, "', ", 3) == 0) { /* ('0.0.0.0', 8080) */
            port = number_at(s, i + 3, &end);
            port = port && end < s.n && s.p[end] == ')' ? port : 0;
        }
        if (port)
            return port;
    }
    return 0;
}

bool ty_port_conflict_find(struct ty_str log, int *ret_port)
{
    bool found = false;

    *ret_port = 0;
    for (int i = 0; i < LINES && log.n && !*ret_port; i++) {
        size_t end = log.n - (log.p[log.n - 1] == '\n'), start = end;
        while (start && log.p[start - 1] != '\n')
            start--;
        struct ty_str line = { log.p + start, end - start };
        if (says_in_use(line)) {
            found = true;
            *ret_port = port_in(line);
        }
        log.n = start;
    }
    return found;
}
