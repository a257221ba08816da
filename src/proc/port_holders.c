/* A listening socket is a line of /proc/net/tcp or tcp6 with its inode; whoever holds it has a
 * descriptor that links to "socket:[INODE]". */
#include "proc/port_holders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

#define ENVIRON_MAX ((size_t)1 << 20)
enum { LISTEN = 10 };

struct listener {
    unsigned long inode;
    int port;
};
struct listeners {
    struct listener *v;
    size_t n, cap;
};

static void read_table(struct listeners *all, const char *path)
{
    FILE *f = fopen(path, "re");
    char line[512];

    while (f && fgets(line, sizeof(line), f)) {
        unsigned port = 0, state = 0;
        unsigned long inode = 0;
        /* "0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 …" */
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*s %*s %lu", &port, &state,
                   &inode) != 3 ||
            state != LISTEN || !inode)
            continue;
        ty_xroom(all->v, all->n, all->cap);
        all->v[all->n++] = (struct listener){ .inode = inode, .port = (int)port };
    }
    if (f)
        fclose(f);
}

static struct listeners read_tables(void)
{
    struct listeners all = { 0 };

    read_table(&all, "/proc/net/tcp");
    read_table(&all, "/proc/net/tcp6");
    return all;
}

bool ty_port_holders_any(int port)
{
    struct listeners all = read_tables();
    bool found = false;

    for (size_t i = 0; i < all.n; i++)
        found = found || all.v[i].port == port;
    free(all.v);
    return found;
}

/* The environment of a process, and its length; NULL: not ours to see. */
static char *read_environ(const char *pid, size_t *ret_n)
{
    char path[300];
    snprintf(path, sizeof(path), "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;

    if (fd < 0)
        return NULL;
    char *text = ty_xalloc(malloc(ENVIRON_MAX));
    size_t n = 0;
    while (n < ENVIRON_MAX - 1 && (got = read(fd, text + n, ENVIRON_MAX - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = '\0';
    *ret_n = n;
    return text;
}

/* The value of `name`, if the environment has the marker. */
static bool value_of(const char *pid, const char *marker, const char *name, char *ret, size_t max)
{
    size_t n = 0, len = strlen(name);
    char *env = read_environ(pid, &n);
    bool marked = false, found = false;

    for (const char *v = env; v && v < env + n; v += strlen(v) + 1) {
        marked = marked || strcmp(v, marker) == 0;
        if (strncmp(v, name, len) != 0 || v[len] != '=')
            continue;
        snprintf(ret, max, "%s", v + len + 1);
        found = true;
    }
    free(env);
    return marked && found;
}

static void add_holder(struct ty_port_holder *ret, size_t *n, size_t max, int port,
                       const char *value)
{
    for (size_t i = 0; i < *n; i++)
        if (ret[i].port == port && strcmp(ret[i].value, value) == 0)
            return;
    if (*n == max)
        return;
    ret[*n].port = port;
    snprintf(ret[(*n)++].value, sizeof(ret->value), "%s", value);
}

static void add_process(const struct listeners *all, const char *pid, const char *value,
                        struct ty_port_holder *ret, size_t *n, size_t max)
{
    char path[600], link[64];
    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    DIR *d = opendir(path);

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *it; d && (it = readdir(d));) {
        unsigned long inode = 0;
        ssize_t got = readlinkat(dirfd(d), it->d_name, link, sizeof(link) - 1);
        if (got <= 0)
            continue;
        link[got] = '\0';
        if (sscanf(link, "socket:[%lu]", &inode) != 1)
            continue;
        for (size_t i = 0; i < all->n; i++)
            if (all->v[i].inode == inode)
                add_holder(ret, n, max, all->v[i].port, value);
    }
    if (d)
        closedir(d);
}

size_t ty_port_holders_find(const char *marker, const char *name, struct ty_port_holder *ret,
                            size_t max)
{
    struct listeners all = read_tables();
    char value[sizeof(ret->value)];
    DIR *d = opendir("/proc");
    size_t n = 0;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *it; d && all.n && (it = readdir(d));)
        if (isdigit((unsigned char)it->d_name[0]) &&
            value_of(it->d_name, marker, name, value, sizeof(value)))
            add_process(&all, it->d_name, value, ret, &n, max);
    if (d)
        closedir(d);
    free(all.v);
    return n;
}
