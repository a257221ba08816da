/* Messages between trainyard, its zygote and its shims: one datagram each on a SOCK_SEQPACKET
 * pair, descriptors beside it. A body too big for a datagram travels in a memfd. Both ends are the
 * same program, so numbers and structs go as they lie in memory. */
#ifndef TY_PROC_WIRE_H
#define TY_PROC_WIRE_H

#include "base/buf.h"
#include "proc/shim.h"

enum ty_wire_kind {
    TY_WIRE_HELLO = 1, /* zygote: what it can */
    TY_WIRE_NEW,       /* to the zygote: a pod; its end of the socket beside it */
    TY_WIRE_POD,       /* to a shim: host name and binds */
    TY_WIRE_START,
    TY_WIRE_SIGNAL,
    TY_WIRE_HOLD,   /* to a shim: a descriptor beside it, which it keeps */
    TY_WIRE_SOCKET, /* to the zygote: a socket of the run's network; the answer goes to the socket
                       beside it */
    TY_WIRE_UPLINK, /* to the zygote: the name of slirp4netns' interface; the same */
};
enum {
    TY_WIRE_INLINE = 16 << 10, /* most bodies: an environment of some hundred variables */
    TY_WIRE_MAX = 8 << 20,     /* execve takes 2 MiB of argv and env; binds come on top */
    TY_WIRE_FDS = 4,
};

/* Never waits. 0, or -errno: -EAGAIN when the other end has not read for long. */
int ty_wire_send(int sock, enum ty_wire_kind kind, struct ty_str body, const int *fds,
                 size_t n_fds);

struct ty_wire_msg {
    uint32_t kind;
    char *body; /* in room, or mapped; may be written to */
    size_t n;
    int fds[TY_WIRE_FDS];
    size_t n_fds;
    char room[TY_WIRE_INLINE];
};
/* 1: a message, to be ended with ty_wire_done. 0: the other end is closed. -errno: none, or broken
 * (-EAGAIN: none yet). Never waits. */
int ty_wire_recv(int sock, struct ty_wire_msg *ret);
void ty_wire_done(struct ty_wire_msg *m);          /* closes the descriptors that are left in it */
int ty_wire_take(struct ty_wire_msg *m, size_t i); /* the caller owns the descriptor */

/* Bodies. Strings travel with their NUL. */
void ty_wire_put_str(struct ty_buf *b, const char *s);
void ty_wire_put_strs(struct ty_buf *b, const char *const *v);           /* NULL: an empty list */
void ty_wire_put_binds(struct ty_buf *b, const struct ty_bind_mount *v); /* the same */

struct ty_wire_in {
    char *p, *end;
    bool bad; /* a body that is too short; sticky */
};
void ty_wire_get(struct ty_wire_in *in, void *ret, size_t n);
char *ty_wire_get_str(struct ty_wire_in *in); /* lives with the body; NULL when bad */
/* Gives a NULL-terminated list for free(); its strings live with the body. NULL when bad. */
char **ty_wire_get_strs(struct ty_wire_in *in);
struct ty_bind_mount *ty_wire_get_binds(struct ty_wire_in *in); /* the same */

#endif
