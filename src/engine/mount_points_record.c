/* An entry is "d DEVICE INODE PATH" and a NUL; f for a file. */
#include "engine/mount_points_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "engine/mount_points.h"
#include "proc/regular_file.h"

enum { RECORD_MAX = 64 << 20 };

void ty_mount_points_record_path(char ret[PATH_MAX], const char *dir)
{
    snprintf(ret, PATH_MAX, "%s/" TY_MOUNT_POINTS_FILE, dir);
}

void ty_mount_points_record_add(const char *record, const struct ty_host_entry *e)
{
    ty_auto_buf line = { 0 };
    int fd = ty_regular_file_open(record, TY_DEPTH_RUN, O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (fd < 0)
        return;
    ty_buf_printf(&line, "%c %" PRIu64 " %" PRIu64 " %s", e->dir ? 'd' : 'f', e->dev, e->ino,
                  e->path);
    ty_buf_chr(&line, '\0');
    if (write(fd, line.p, line.n) < 0)
        errno = 0; /* a full disk: what this run creates would stay if it is killed */
    close(fd);
}

/* Its path is in the text. */
static bool parse_entry(char *text, struct ty_host_entry *ret)
{
    int at = 0;
    char type = 0;

    /* Numbers of our own file. NOLINTNEXTLINE(cert-err34-c) */
    if (sscanf(text, "%c %" SCNu64 " %" SCNu64 " %n", &type, &ret->dev, &ret->ino, &at) != 3 ||
        text[at] != '/')
        return false;
    ret->dir = type == 'd';
    ret->path = text + at;
    return true;
}

/* Ends with NUL. NULL: not a regular file, or it cannot be read. */
static char *read_text(int fd, size_t *n)
{
    struct stat st;
    ssize_t got = 1;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    size_t size = st.st_size < RECORD_MAX ? (size_t)st.st_size : RECORD_MAX;
    char *text = ty_xalloc(malloc(size + 1));
    for (*n = 0; *n < size && got > 0; *n += got > 0 ? (size_t)got : 0)
        got = read(fd, text + *n, size - *n);
    text[*n] = 0;
    if (got >= 0)
        return text;
    free(text);
    return NULL;
}

bool ty_mount_points_record_read(const char *record, struct ty_mount_points_list *ret)
{
    int fd = ty_regular_file_open(record, TY_DEPTH_RUN, O_RDONLY, 0);
    struct ty_host_entry e = { 0 };
    size_t size = 0, cap = 0;

    *ret = (struct ty_mount_points_list){ 0 };
    if (fd < 0)
        return false;
    ret->text = read_text(fd, &size);
    close(fd);
    for (char *p = ret->text; p && p < ret->text + size; p += strlen(p) + 1) {
        if (!parse_entry(p, &e))
            continue;
        ty_xroom(ret->v, ret->n, cap);
        ret->v[ret->n++] = e;
    }
    return ret->text != NULL;
}

void ty_mount_points_record_done(struct ty_mount_points_list *list)
{
    free(list->v);
    free(list->text);
}

void ty_mount_points_record_remove(const char *record)
{
    ty_no_links_unlink(record, TY_DEPTH_RUN, 0);
}
