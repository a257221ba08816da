/* Reads the files, directories and standard input that -f names. */
#include "cli/files.h"
#include "cli/inputs.h"
#include "store/file.h"
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#define MAX_DEPTH 64 /* of directories */

static void read_file(struct ty_files *f, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct ty_str text = { 0 };
    struct ty_err err = { 0 };
    if (f->room_files == 0) {
        f->trouble(f->ctx, name, "too many files");
        return;
    }
    f->room_files--;
    if (ty_file_read(f->arena, path, f->stdin_fd, &text, &err) < 0) {
        f->trouble(f->ctx, name, err.text);
        return;
    }
    if (text.n > f->room_bytes) {
        f->trouble(f->ctx, name, "the files together are more than can be read at once");
        return;
    }
    f->room_bytes -= text.n;
    f->text(f->ctx, name, text);
}

static bool looks_like_objects(const char *name)
{
    struct ty_str s = ty_str(name);
    return (ty_str_ends(s, TY_LIT(".yaml")) || ty_str_ends(s, TY_LIT(".yml")) ||
            ty_str_ends(s, TY_LIT(".json")));
}

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t read_dir(struct ty_files *f, const char *path, unsigned depth);

/* Reads one entry of a directory. Returns the number of files that were tried. */
static size_t read_entry(struct ty_files *f, const char *dir, const char *name, unsigned depth)
{
    const char *slash = ty_str_ends(ty_str(dir), TY_LIT("/")) ? "" : "/";
    const char *path = ty_arena_printf(f->arena, "%s%s%s", dir, slash, name);
    if (name[0] == '.')
        return 0; /* hidden files belong to editors and version control */
    if (is_dir(path))
        return f->recursive && depth < MAX_DEPTH ? read_dir(f, path, depth + 1) : 0;
    if (!looks_like_objects(name))
        return 0;
    read_file(f, path);
    return 1;
}

static size_t read_dir(struct ty_files *f, const char *path, unsigned depth)
{
    struct dirent **found = NULL;
    int n = scandir(path, &found, NULL, by_name);
    size_t tried = 0;
    if (n < 0) {
        f->trouble(f->ctx, path,
                   ty_arena_printf(f->arena, "cannot open: %s", strerrordesc_np(errno)));
        return 1;
    }
    for (int i = 0; i < n; i++) {
        tried += read_entry(f, path, found[i]->d_name, depth);
        free(found[i]);
    }
    free(found);
    return tried;
}

void ty_files_read(struct ty_files *f, const char *path)
{
    if (strcmp(path, "-") == 0 || !is_dir(path))
        read_file(f, path);
    else if (read_dir(f, path, 0) == 0)
        f->trouble(f->ctx, path, "no .yaml, .yml or .json files in this directory");
}
