/* Finds mappings of files that hold nothing of our own, and drops their pages. */
#include "proc/memory_trim.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

struct mapping {
    uintptr_t from, to;
    bool file;     /* of a file, and not to be written */
    size_t rss_kb; /* in memory */
    size_t own_kb; /* pages that differ from the file: relocations that were written before the
                      mapping became read-only. These must stay */
};

/* "FROM-TO r-xp OFFSET DEV INODE PATH" begins a mapping, "Name: N kB" lines describe it.
 */
static bool parse_mapping(const char *line, struct mapping *ret)
{
    struct mapping m = { 0 };
    char mode[5] = "", path[2] = "";
    if (line[0] >= 'A' && line[0] <= 'Z') /* nearly all lines */
        return false;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %1s", &m.from, &m.to, mode, path) <
        3)
        return false;
    m.file = path[0] == '/' && mode[0] == 'r' && mode[1] == '-' && mode[3] == 'p';
    *ret = m;
    return true;
}

static size_t drop_pages(const struct mapping *m)
{
    if (!m->file || m->own_kb > 0 || m->rss_kb == 0)
        return 0;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel prints addresses as text */
    return madvise((void *)m->from, m->to - m->from, MADV_DONTNEED) == 0 ? m->rss_kb * 1024 : 0;
}

size_t ty_memory_trim(void)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    char line[512];
    struct mapping now = { 0 }, next;
    size_t dropped = 0;

    malloc_trim(0);
    if (!f)
        return 0;
    while (fgets(line, sizeof(line), f)) {
        if (parse_mapping(line, &next)) {
            dropped += drop_pages(&now);
            now = next;
            continue;
        }
        if (line[0] == 'R')
            sscanf(line, "Rss: %zu", &now.rss_kb);
        else if (line[0] == 'A')
            sscanf(line, "Anonymous: %zu", &now.own_kb);
    }
    dropped += drop_pages(&now);
    fclose(f);
    return dropped;
}
