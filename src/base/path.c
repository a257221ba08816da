#include "base/path.h"

#include <stddef.h>
#include <string.h>

const char *ty_path_below(const char *path, const char *dir)
{
    if ((path[0] == '/') != (dir[0] == '/'))
        return NULL;
    for (;;) {
        dir += strspn(dir, "/");
        if (!*dir)
            return path;
        size_t slashes = strspn(path, "/"), n = strcspn(dir, "/");
        const char *end = path + slashes + n;
        if (strncmp(path + slashes, dir, n) != 0 || (*end && *end != '/'))
            return NULL;
        path = end;
        dir += n;
    }
}
