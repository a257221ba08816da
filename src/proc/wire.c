/* One datagram a message; what is too big for a datagram goes through a memfd, which costs two
 * more system calls but has no limit that a socket buffer sets. */
#include "proc/wire.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "proc/shim.h"

struct head {
    uint32_t kind;
    uint32_t in_memfd; /* the body is the last descriptor */
};
union control { /* aligned as cmsg wants it */
    struct cmsghdr head;
    char room[CMSG_SPACE(TY_WIRE_FDS * sizeof(int))];
};

static int write_all(int fd, struct ty_str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        s.p += n;
        s.n -= (size_t)n;
    }
    return 0;
}

static int send_datagram(int sock, const struct head *head, struct ty_str body, const int *fds,
                         size_t n_fds)
{
    char *unqualified; /* sendmsg only reads, but iovec cannot say so */
    memcpy(&unqualified, &body.p, sizeof(unqualified));
    struct head copy = *head;
    struct iovec iov[] = { { &copy, sizeof(copy) }, { unqualified, body.n } };
    union control control = { 0 };
    struct msghdr msg = { .msg_iov = iov, .msg_iovlen = body.n ? 2 : 1 };
    if (n_fds) {
        msg.msg_control = control.room;
        msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        struct cmsghdr *c = &control.head;
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
    }
    ssize_t n;
    do
        n = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

int ty_wire_send(int sock, enum ty_wire_kind kind, struct ty_str body, const int *fds, size_t n_fds)
{
    struct head head = { .kind = kind };
    if (body.n <= TY_WIRE_INLINE)
        return send_datagram(sock, &head, body, fds, n_fds);
    if (body.n > TY_WIRE_MAX || n_fds >= TY_WIRE_FDS)
        return -E2BIG;
    int all[TY_WIRE_FDS];
    if (n_fds)
        memcpy(all, fds, n_fds * sizeof(int));
    int memfd = memfd_create("trainyard-message", MFD_CLOEXEC);
    if (memfd < 0)
        return -errno;
    all[n_fds] = memfd;
    head.in_memfd = 1;
    int r = write_all(memfd, body);
    if (r == 0)
        r = send_datagram(sock, &head, (struct ty_str){ 0 }, all, n_fds + 1);
    close(memfd);
    return r;
}

static void take_fds(struct msghdr *msg, struct ty_wire_msg *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        m->n_fds = n < TY_WIRE_FDS ? n : TY_WIRE_FDS;
        memcpy(m->fds, CMSG_DATA(c), m->n_fds * sizeof(int));
    }
}

static int map_body(struct ty_wire_msg *m)
{
    struct stat st;
    if (m->n_fds == 0)
        return -EBADMSG;
    int memfd = ty_wire_take(m, --m->n_fds);
    void *p = MAP_FAILED;
    if (fstat(memfd, &st) == 0 && st.st_size > 0 && st.st_size <= TY_WIRE_MAX)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, memfd, 0);
    close(memfd);
    if (p == MAP_FAILED)
        return -EBADMSG;
    m->body = p;
    m->n = (size_t)st.st_size;
    return 1;
}

int ty_wire_recv(int sock, struct ty_wire_msg *ret)
{
    struct head head;
    struct iovec iov[] = { { &head, sizeof(head) }, { ret->room, sizeof(ret->room) } };
    union control control;
    struct msghdr msg = { .msg_iov = iov,
                          .msg_iovlen = 2,
                          .msg_control = control.room,
                          .msg_controllen = sizeof(control.room) };
    ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n <= 0)
        return n < 0 ? -errno : 0;
    ret->n_fds = 0;
    ret->body = ret->room;
    ret->n = 0;
    take_fds(&msg, ret);
    int r = 1;
    if ((size_t)n < sizeof(head) || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        r = -EBADMSG;
    } else {
        ret->kind = head.kind;
        ret->n = (size_t)n - sizeof(head);
        if (head.in_memfd)
            r = map_body(ret);
    }
    if (r < 0)
        ty_wire_done(ret);
    return r;
}

void ty_wire_done(struct ty_wire_msg *m)
{
    for (size_t i = 0; i < m->n_fds; i++)
        if (m->fds[i] >= 0)
            close(m->fds[i]);
    m->n_fds = 0;
    if (m->body != m->room)
        munmap(m->body, m->n);
    m->body = m->room;
    m->n = 0;
}

int ty_wire_take(struct ty_wire_msg *m, size_t i)
{
    int fd = m->fds[i];
    m->fds[i] = -1;
    return fd;
}

void ty_wire_put_str(struct ty_buf *b, const char *s)
{
    ty_buf_put(b, s, strlen(s) + 1);
}

void ty_wire_put_strs(struct ty_buf *b, const char *const *v)
{
    uint32_t n = 0;
    while (v && v[n])
        n++;
    ty_buf_put(b, &n, sizeof(n));
    for (uint32_t i = 0; i < n; i++)
        ty_wire_put_str(b, v[i]);
}

void ty_wire_put_binds(struct ty_buf *b, const struct ty_bind_mount *v)
{
    uint32_t n = 0;
    while (v && v[n].to)
        n++;
    ty_buf_put(b, &n, sizeof(n));
    for (uint32_t i = 0; i < n; i++) {
        ty_buf_chr(b, (char)((v[i].read_only ? 1 : 0) | (v[i].tmpfs ? 2 : 0)));
        ty_wire_put_str(b, v[i].from ? v[i].from : "");
        ty_wire_put_str(b, v[i].to);
        ty_wire_put_str(b, v[i].sub ? v[i].sub : "");
    }
}

void ty_wire_get(struct ty_wire_in *in, void *ret, size_t n)
{
    in->bad = in->bad || (size_t)(in->end - in->p) < n;
    if (in->bad) {
        memset(ret, 0, n);
        return;
    }
    memcpy(ret, in->p, n);
    in->p += n;
}

char *ty_wire_get_str(struct ty_wire_in *in)
{
    char *s = in->p;
    char *end = in->bad ? NULL : memchr(s, 0, (size_t)(in->end - s));
    if (!end) {
        in->bad = true;
        return NULL;
    }
    in->p = end + 1;
    return s;
}

/* How many items the list can have at most: each takes a byte at least. */
static uint32_t get_count(struct ty_wire_in *in)
{
    uint32_t n = 0;
    ty_wire_get(in, &n, sizeof(n));
    if (n > (size_t)(in->end - in->p))
        in->bad = true;
    return in->bad ? 0 : n;
}

/* For n items and the end. */
static void *get_room(uint32_t n, size_t size)
{
    return ty_xalloc(calloc((size_t)n + 1, size));
}

char **ty_wire_get_strs(struct ty_wire_in *in)
{
    uint32_t n = get_count(in);
    char **v = get_room(n, sizeof(*v));
    for (uint32_t i = 0; i < n && !in->bad; i++)
        v[i] = ty_wire_get_str(in);
    if (in->bad) {
        free(v);
        return NULL;
    }
    return v;
}

struct ty_bind_mount *ty_wire_get_binds(struct ty_wire_in *in)
{
    uint32_t n = get_count(in);
    struct ty_bind_mount *v = get_room(n, sizeof(*v));
    for (uint32_t i = 0; i < n && !in->bad; i++) {
        char flags = 0;
        ty_wire_get(in, &flags, 1);
        v[i] = (struct ty_bind_mount){ .read_only = flags & 1, .tmpfs = flags & 2 };
        v[i].from = ty_wire_get_str(in);
        v[i].to = ty_wire_get_str(in);
        v[i].sub = ty_wire_get_str(in);
    }
    if (in->bad) {
        free(v);
        return NULL;
    }
    return v;
}
