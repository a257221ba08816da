/* Reads what -f names. Sizes are looked at before a byte is read. */
#include "cli/files.h"
#include "cli/inputs.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEBI      ((size_t)1 << 20)
#define MAX_DEPTH 64 /* of directories */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static int too_big(struct ty_err *err, size_t bytes, const char *more)
{
    return ty_fail(err, -EFBIG, "%zu MB%s is more than the %zu MB limit", bytes / MEBI, more,
                   TY_INPUT_MAX_FILE / MEBI);
}

/* Reads until the end; `size` is a guess of what is there. */
static int slurp(struct ty_arena *a, int fd, size_t size, struct ty_str *ret_text,
                 struct ty_err *err)
{
    size_t cap = size + 1 > 65536 ? size + 1 : 65536, n = 0;
    char *p = ty_arena_raw(a, cap, 1);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ty_fail(err, -errno, "cannot read: %s", strerrordesc_np(errno));
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > TY_INPUT_MAX_FILE)
            return too_big(err, n, " or more");
        if (n == cap) { /* a pipe, or a file that grows */
            char *more = ty_arena_raw(a, cap * 2, 1);
            memcpy(more, p, n);
            p = more;
            cap *= 2;
        }
    }
    *ret_text = (struct ty_str){ p, n };
    return 0;
}

int ty_file_read(struct ty_arena *a, const char *path, int stdin_fd, struct ty_str *ret_text,
                 struct ty_err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int own TY_AUTO(close_fd) = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int fd = is_stdin ? stdin_fd : own;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return ty_fail(err, -errno, "cannot open: %s", strerrordesc_np(errno));
    if (S_ISDIR(st.st_mode))
        return ty_fail(err, -EISDIR, "is a directory, not a file");
    if (S_ISREG(st.st_mode) && st.st_size > (off_t)TY_INPUT_MAX_FILE)
        return too_big(err, (size_t)st.st_size, "");
    return slurp(a, fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, ret_text, err);
}

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

/* One entry of a directory. Gives the number of files that were tried. */
static size_t read_entry(struct ty_files *f, const char *dir, const char *name, unsigned depth)
{
    const char *slash = ty_str_ends(ty_str(dir), TY_LIT("/")) ? "" : "/";
    const char *path = ty_arena_printf(f->arena, "%s%s%s", dir, slash, name);
    if (name[0] == '.')
        return 0; /* editors and version control keep their own files there */
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
