#include "proc/tree_remover.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/tree_remove.h"

struct tree_request {
    unsigned depth;
    char path[PATH_MAX];
};

static void *remove_until_closed(void *arg)
{
    int from = (int)(intptr_t)arg;
    struct tree_request q;
    ssize_t n;

    prctl(PR_SET_NAME, "ty-remover", 0, 0, 0);
    while ((n = recv(from, &q, sizeof(q), 0)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            ty_tree_remove(q.path, q.depth);
    close(from);
    return NULL;
}

/* Signals are for the thread of the event loop. */
static int start_thread(struct ty_tree_remover *r)
{
    sigset_t all, before;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(&r->thread, NULL, remove_until_closed, (void *)(intptr_t)pair[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (e) {
        close(pair[0]);
        close(pair[1]);
        return -e;
    }
    r->to = pair[0];
    return 0;
}

void ty_tree_remover_init(struct ty_tree_remover *r)
{
    *r = (struct ty_tree_remover){ .to = -1 };
}

void ty_tree_remover_add(struct ty_tree_remover *r, const char *path, unsigned depth)
{
    struct tree_request q = { .depth = depth };
    size_t n = strlen(path) + 1, size = offsetof(struct tree_request, path) + n;

    if (n <= sizeof(q.path) && (r->to >= 0 || start_thread(r) == 0)) {
        memcpy(q.path, path, n);
        if (send(r->to, &q, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
            return;
    }
    ty_tree_remove(path, depth);
}

/* Not by close(2) alone: a process that we have just forked may still have the descriptor. */
void ty_tree_remover_done(struct ty_tree_remover *r)
{
    if (r->to < 0)
        return;
    shutdown(r->to, SHUT_WR);
    pthread_join(r->thread, NULL);
    close(r->to);
    r->to = -1;
}
