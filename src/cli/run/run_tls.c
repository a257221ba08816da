/* The file: a line with expiry and names, then CA, certificate and key. */
#include "cli/run/run_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "proc/regular_file.h"

#define FILE_NAME "status-tls.pem"
#define DAY       ((int64_t)86400)
#define VALID_S   (365 * DAY)
#define AHEAD_S   (30 * DAY)
#define LINE      "trainyard status API until "
#define BEGIN     "-----BEGIN "

static char *line_end(struct ty_arena *a, const char *const *names)
{
    ty_auto_buf b = { 0 };

    ty_buf_cstr(&b, " for");
    for (; *names; names++)
        ty_buf_printf(&b, " %s", *names);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

/* True if the first line is valid, the names match, and the certificate does not expire soon. */
static bool is_good(struct ty_str line, struct ty_str end, int64_t now_s)
{
    struct ty_str head = TY_LIT(LINE), until;
    int64_t until_s = 0;

    if (!ty_str_starts(line, head) || !ty_str_ends(line, end) || line.n < head.n + end.n)
        return false;
    until = (struct ty_str){ line.p + head.n, line.n - head.n - end.n };
    return ty_str_parse_i64(until, &until_s) && until_s > now_s + AHEAD_S &&
           until_s <= now_s + VALID_S;
}

/* Cuts the next PEM block from *text. */
static struct ty_str next_pem_block(struct ty_str *text)
{
    const char *at = text->n ? memmem(text->p, text->n, BEGIN, strlen(BEGIN)) : NULL;
    struct ty_str none = { "", 0 };

    if (!at)
        return none;
    size_t left = text->n - (size_t)(at - text->p);
    const char *next = memmem(at + 1, left - 1, BEGIN, strlen(BEGIN));
    size_t n = next ? (size_t)(next - at) : left;
    *text = (struct ty_str){ at + n, left - n };
    return (struct ty_str){ at, n };
}

/* Jobs can write into the folder: the file that was checked is the one that is read. */
static int read_own(struct ty_arena *a, const char *path, struct ty_pem *ret)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_DIR, O_RDONLY, 0), r = -EPERM;
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0)
        r = ty_certs_read(a, ty_arena_printf(a, "/proc/self/fd/%d", fd), NULL, ret, NULL);
    close(fd);
    return r;
}

static bool read_saved(struct ty_arena *a, const char *path, const char *end, int64_t now_s,
                       struct ty_run_tls *ret)
{
    struct ty_pem file = { 0 };
    struct ty_str line;

    if (read_own(a, path, &file) < 0)
        return false;
    struct ty_str rest = ty_str_cut(file.cert, '\n', &line);
    if (!rest.p || !is_good(line, ty_str(end), now_s))
        return false;
    ret->ca = next_pem_block(&rest);
    ret->pem.cert = next_pem_block(&rest);
    ret->pem.key = next_pem_block(&rest);
    return ret->pem.key.n && rest.n == 0 && ty_str_contains(ret->pem.key, TY_LIT("PRIVATE KEY"));
}

static int create_certificate(struct ty_arena *a, const char *const *names, int64_t now_s,
                              struct ty_run_tls *ret, struct ty_err *err)
{
    struct ty_certs_request ask = { .name = "trainyard on this machine",
                                    .from_s = now_s - DAY, /* tolerates a clock that was set back */
                                    .until_s = now_s + VALID_S };
    struct ty_pem ca;
    int r = ty_certs_ca(a, &ask, &ca, err);
    ask.name = names[0];
    ask.names = names;
    if (r == 0)
        r = ty_certs_serving(a, &ask, &ca, &ret->pem, err);
    if (r == 0)
        ret->ca = ca.cert;
    return r;
}

/* Writes atomically by rename: other runs may read the file. */
static void save_certificate(struct ty_arena *a, const char *path, const char *end, int64_t now_s,
                             const struct ty_run_tls *tls)
{
    uint64_t end_of_name = 0;
    ty_auto_buf b = { 0 };

    if (getrandom(&end_of_name, sizeof(end_of_name), 0) != (ssize_t)sizeof(end_of_name))
        return;
    char *tmp = ty_arena_printf(a, "%s.%016llx", path, (unsigned long long)end_of_name);
    int fd = ty_regular_file_open(tmp, TY_DEPTH_DIR, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return;
    ty_buf_printf(&b, LINE "%lld%s\n", (long long)now_s + VALID_S, end);
    ty_buf_add(&b, tls->ca);
    ty_buf_add(&b, tls->pem.cert);
    ty_buf_add(&b, tls->pem.key);
    bool whole = write(fd, b.p, b.n) == (ssize_t)b.n;
    close(fd);
    if (!whole || ty_no_links_rename(tmp, TY_DEPTH_DIR, FILE_NAME) < 0)
        ty_no_links_unlink(tmp, TY_DEPTH_DIR, 0);
}

int ty_run_tls_get(struct ty_arena *a, const char *folder, const char *const *names, int64_t now_s,
                   struct ty_run_tls *ret, struct ty_err *err)
{
    char *path = ty_arena_printf(a, "%s/" FILE_NAME, folder), *end = line_end(a, names);
    struct ty_run_tls tls = { 0 };

    if (!read_saved(a, path, end, now_s, &tls)) {
        int r = create_certificate(a, names, now_s, &tls, err);
        if (r < 0)
            return r;
        save_certificate(a, path, end, now_s, &tls);
    }
    *ret = tls;
    return 0;
}
