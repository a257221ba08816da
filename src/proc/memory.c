/* Files of cgroups, and the one setting of malloc that matters to a process with a limit. */
#include "proc/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define LARGE_BYTES (512 * 1024)
/* cgroup v1 has no word for "unlimited", only a large number. */
#define UNLIMITED_BYTES ((uint64_t)1 << 62)
enum { PATH_BYTES = 4096 };

/* The number in this file, if it is a limit and the smallest so far. */
static void read_limit(const char *path, struct ty_memory_limit *ret)
{
    char text[64] = "";
    uint64_t v = 0;
    FILE *f = fopen(path, "re");

    if (!f)
        return;
    bool got = fgets(text, sizeof(text), f) != NULL;
    fclose(f);
    if (!got || !ty_str_parse_u64(ty_str_trim(ty_str(text)), &v) || v == 0 || v >= UNLIMITED_BYTES)
        return; /* "max" */
    if (ret->bytes && v >= ret->bytes)
        return;
    ret->bytes = (size_t)v;
    snprintf(ret->from, sizeof(ret->from), "%.255s", path);
}

/* From our cgroup up to where they are mounted. In a container without a cgroup namespace the path
 * is the host's and not to be seen, and the mount itself is our cgroup. */
static void walk_up(const char *mount, struct ty_str path, const char *file,
                    struct ty_memory_limit *ret)
{
    char name[PATH_BYTES];

    for (;;) {
        while (path.n && path.p[path.n - 1] == '/')
            path.n--;
        int n = snprintf(name, sizeof(name), "%s%.*s/%s", mount, TY_ARG(path), file);
        if (n > 0 && (size_t)n < sizeof(name))
            read_limit(name, ret);
        if (path.n == 0)
            return;
        while (path.n && path.p[path.n - 1] != '/')
            path.n--;
    }
}

static bool has_memory(struct ty_str controllers)
{
    struct ty_str one;

    do {
        controllers = ty_str_cut(controllers, ',', &one);
        if (ty_str_is(one, "memory"))
            return true;
    } while (controllers.p);
    return false;
}

/* "0::/PATH" is version 2, "4:memory:/PATH" version 1. */
static void read_line(struct ty_str line, const char *sys, struct ty_memory_limit *ret)
{
    char mount[PATH_BYTES];
    struct ty_str id, controllers;
    struct ty_str path = ty_str_cut(ty_str_cut(line, ':', &id), ':', &controllers);

    if (!path.p)
        return;
    if (has_memory(controllers)) {
        snprintf(mount, sizeof(mount), "%s/memory", sys);
        walk_up(mount, path, "memory.limit_in_bytes", ret);
    } else if (ty_str_is(id, "0") && controllers.n == 0) {
        walk_up(sys, path, "memory.max", ret);
    }
}

void ty_memory_limit(const char *proc, const char *sys, struct ty_memory_limit *ret)
{
    char name[PATH_BYTES];

    *ret = (struct ty_memory_limit){ 0 };
    snprintf(name, sizeof(name), "%s/cgroup", proc);
    FILE *f = fopen(name, "re");
    while (f && fgets(name, sizeof(name), f))
        read_line(ty_str_trim(ty_str(name)), sys, ret);
    if (f)
        fclose(f);
}

void ty_memory_return_large(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES); /* NOLINT(concurrency-mt-unsafe): before any thread */
    mallopt(M_TRIM_THRESHOLD, LARGE_BYTES); /* NOLINT(concurrency-mt-unsafe) */
}
