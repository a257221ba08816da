#include "cli/run/ssh_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static bool same_dir(const char *x, const char *y)
{
    struct stat a, b;

    return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *ty_ssh_path_find(struct ty_arena *a, const char *path, const char *own)
{
    struct ty_str rest = ty_str(path ? path : ""), head;
    char *found = NULL;

    while (rest.p) {
        rest = ty_str_cut(rest, ':', &head);
        const char *dir = head.n ? ty_arena_cstr(a, head) : "."; /* as exec(3) reads it */
        char *program = ty_arena_printf(a, "%s/ssh", dir);
        if (same_dir(dir, own))
            found = NULL;
        else if (!found && is_program(program))
            found = program;
    }
    return found;
}
