#include "proc/cgroup_usage.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "trainyard-"

/* "trainyard-12-34" */
static bool is_run(struct ty_str name)
{
    size_t dashes = 0, digits = 0;

    if (!ty_str_starts(name, TY_LIT(PREFIX)))
        return false;
    for (size_t i = sizeof(PREFIX) - 1; i < name.n; i++) {
        dashes += name.p[i] == '-';
        digits += isdigit((unsigned char)name.p[i]) != 0;
    }
    return dashes == 1 && digits + dashes + sizeof(PREFIX) - 1 == name.n;
}

/* In a run inside of a container the inner one is meant: the last. */
static struct ty_str container_path(struct ty_str path)
{
    struct ty_str rest = path, name = { 0 }, found = { 0 };
    bool run = false;

    do {
        rest = ty_str_cut(rest, '/', &name);
        if (run && name.n)
            found = (struct ty_str){ path.p, (size_t)(name.p + name.n - path.p) };
        run = is_run(name);
    } while (rest.p);
    return found;
}

struct ty_str ty_cgroup_usage_path(struct ty_str text)
{
    struct ty_str line = { 0 };

    do {
        text = ty_str_cut(text, '\n', &line);
        if (ty_str_starts(line, TY_LIT("0::/")))
            return container_path((struct ty_str){ line.p + 3, line.n - 3 });
    } while (text.p);
    return (struct ty_str){ 0 };
}

/* The number after `name` at the beginning of a line; after none: the whole file. */
static bool read_number(const char *dir, const char *file, const char *name, int64_t *ret)
{
    char path[4096], text[8192];
    long long n = 0;
    int len = snprintf(path, sizeof(path), "%s/%s", dir, file);
    int fd = len < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    size_t used = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, used) == 0 && sscanf(line + used, "%lld", &n) == 1 && n >= 0) {
            *ret = n;
            return true;
        }
    }
    return false;
}

bool ty_cgroup_usage_read(const char *dir, struct ty_cgroup_usage *ret)
{
    int64_t us = 0, all = 0, cache = 0;

    if (!read_number(dir, "cpu.stat", "usage_usec ", &us) ||
        !read_number(dir, "memory.current", "", &all))
        return false;
    if (!read_number(dir, "memory.stat", "inactive_file ", &cache) || cache > all)
        cache = 0; /* read a moment later */
    *ret = (struct ty_cgroup_usage){ .cpu_ms = us / 1000, .memory = all - cache };
    return true;
}
