/* Collects facts about this machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "advise/machine.h"
#include "net/curl.h"
#include "proc/cgroup.h"
#include "proc/program.h"
#include "proc/shim.h"

#define ASK_MS 10000 /* python is slow to start on a slow disk */
#define SAID   256   /* bytes that are read of a script, and of its output */
#define TORCH  "import importlib.metadata as m; print(m.version('torch'))"

/* The interpreter that a script names in its first line, by path or through env; NULL: none. */
static const char *find_interpreter(struct ty_arena *a, const char *script)
{
    char head[SAID];
    int fd = script ? open(script, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));
    struct ty_str line, word;

    if (fd >= 0)
        close(fd);
    ty_str_cut((struct ty_str){ head, n > 0 ? (size_t)n : 0 }, '\n', &line);
    if (!ty_str_starts(line, TY_LIT("#!")))
        return NULL;
    line = ty_str_trim((struct ty_str){ line.p + 2, line.n - 2 });
    line = ty_str_trim(ty_str_cut(line, ' ', &word));
    if (!ty_str_ends(word, TY_LIT("/env")))
        return ty_arena_cstr(a, word);
    ty_str_cut(line, ' ', &word);
    return ty_program_find(a, ty_arena_cstr(a, word));
}

/* PyTorch is where torchrun is: its interpreter may be another one than the first python3. A
 * torchrun that is no Python script (a shim of pyenv) starts the first python3. */
static void find_torch(struct ty_arena *a, struct ty_machine *m)
{
    const char *python = find_interpreter(a, ty_program_find(a, "torchrun"));
    const char *slash = python ? strrchr(python, '/') : NULL;

    if (slash && strncmp(slash + 1, "python", 6) == 0)
        m->torchrun = python;
    else
        python = m->python;
    if (python)
        m->torch =
            ty_program_output(a, (const char *const[]){ python, "-c", TORCH, NULL }, SAID, ASK_MS);
}

static void find_host(struct ty_arena *a, struct ty_machine *m)
{
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };

    if (ty_zygote_start(&z, &err) < 0) {
        m->zygote = ty_arena_strdup(a, err.text);
        return;
    }
    ty_host_find(a, z, &m->host);
    ty_zygote_stop(z);
    m->cgroup = ty_cgroups_find(a, &err);
    if (!m->cgroup)
        m->no_cgroup = ty_arena_strdup(a, err.text);
}

/* The nearest existing parent folder, in which it would be created. */
static void find_state(struct ty_arena *a, const char *state, struct ty_machine *m)
{
    char *at = ty_arena_strdup(a, state);
    struct statvfs fs;

    m->state = state;
    while (access(at, F_OK) < 0 && errno == ENOENT && strrchr(at, '/') > at)
        *strrchr(at, '/') = '\0';
    if (access(at, W_OK | X_OK) < 0 || statvfs(at, &fs) < 0)
        m->state_bad = ty_arena_printf(a, "%s: %s", at, strerrordesc_np(errno));
    else
        m->state_free = (int64_t)(fs.f_bavail * fs.f_frsize);
}

static void find_sizes(struct ty_machine *m)
{
    FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    struct statvfs fs;
    long long lo = 0, hi = -1;

    if (f && fscanf(f, "%lld %lld", &lo, &hi) != 2)
        hi = -1;
    if (f)
        fclose(f);
    m->port_lo = lo;
    m->port_hi = hi;
    m->shm = statvfs("/dev/shm", &fs) == 0 ? (int64_t)(fs.f_blocks * fs.f_frsize) : -1;
}

static void find_libcurl(struct ty_arena *a, struct ty_machine *m)
{
    struct ty_curl curl = { 0 };
    struct ty_err err = { 0 };

    if (ty_curl_load(&curl, &err) < 0)
        m->no_curl = ty_arena_strdup(a, err.text);
    ty_curl_done(&curl);
}

void ty_machine_find(struct ty_arena *a, const char *state, struct ty_machine *ret)
{
    *ret = (struct ty_machine){ 0 };
    find_host(a, ret); /* first, while this process is small */
    ret->python = ty_program_find(a, "python3");
    ret->mpirun = ty_program_find(a, "mpirun");
    find_torch(a, ret);
    find_state(a, state, ret);
    find_sizes(ret);
    find_libcurl(a, ret);
}
