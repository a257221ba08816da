/* The query is passed to its thread with all its data, and the result comes back through a socket:
 * loop and thread share no memory. If one finds that the other is gone, it owns the result and
 * frees it. */
#include "net/dns_lookup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"

struct ty_dns_lookup {
    struct ty_dns_lookup *next, **at;
    char *host, *port;
    uv_poll_t poll;
    int fd;
    ty_dns_lookup_fn *fn; /* NULL: abandoned */
    void *ctx;
};

/* In the thread */

struct dns_question {
    int fd;
    char *host, *port;
};

struct dns_answer { /* one message */
    int status;
    int error; /* errno, if the status is EAI_SYSTEM */
    struct addrinfo *found;
};

static void send_answer(struct dns_question *q, const struct dns_answer *a)
{
    if (send(q->fd, a, sizeof(*a), MSG_NOSIGNAL) < 0 && a->found)
        freeaddrinfo(a->found);
    close(q->fd);
    free(q->host);
    free(q->port);
    free(q);
}

static void *resolver_thread(void *arg)
{
    struct dns_question *q = arg;
    const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_ADDRCONFIG };
    struct dns_answer answer = { 0 };

    answer.status = getaddrinfo(q->host, q->port, &hints, &answer.found);
    answer.error = errno;
    send_answer(q, &answer);
    return NULL;
}

/* takes. Signals are blocked: the loop's thread handles them. */
static void send_off(struct dns_question *q)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(&thread, &attr, resolver_thread, q);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (e)
        send_answer(q, &(struct dns_answer){ .status = EAI_SYSTEM, .error = e });
}

/* On the loop */

static void on_closed(uv_handle_t *h)
{
    struct ty_dns_lookup *l = h->data;

    free(l->host);
    free(l->port);
    free(l);
}

/* After shutdown the thread cannot send any more; what it has sent already is read here. */
static void end_lookup(struct ty_dns_lookup *l)
{
    struct dns_answer late = { 0 };

    shutdown(l->fd, SHUT_RD);
    if (recv(l->fd, &late, sizeof(late), MSG_DONTWAIT) == (ssize_t)sizeof(late) && late.found)
        freeaddrinfo(late.found);
    *l->at = l->next;
    if (l->next)
        l->next->at = l->at;
    uv_close((uv_handle_t *)&l->poll, on_closed);
    close(l->fd); /* libuv has removed it from its set */
}

static const char *why_not(const struct dns_answer *a)
{
    if (a->status == EAI_SYSTEM)
        return strerrordesc_np(a->error);
    return a->status ? gai_strerror(a->status) : "it has no address";
}

static void on_answer(uv_poll_t *poll, int status, int events TY_UNUSED)
{
    struct ty_dns_lookup *l = poll->data;
    struct dns_answer a = { 0 };
    ty_dns_lookup_fn *fn = l->fn;
    void *ctx = l->ctx;

    ssize_t n = recv(l->fd, &a, sizeof(a), MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN && status >= 0)
        return;
    if (n != (ssize_t)sizeof(a))
        a = (struct dns_answer){ .status = EAI_SYSTEM, .error = EIO };
    end_lookup(l);
    if (fn)
        fn(ctx, a.found, a.found ? NULL : why_not(&a));
    else if (a.found)
        freeaddrinfo(a.found);
}

static struct ty_dns_lookup *find_left(const struct ty_dns_lookups *all, const char *host,
                                       const char *port)
{
    struct ty_dns_lookup *l = all->first;

    while (l && (l->fn || strcmp(l->host, host) != 0 || strcmp(l->port, port) != 0))
        l = l->next;
    return l;
}

/* takes the socket, unless it returns NULL. */
static struct ty_dns_lookup *lookup_new(struct ty_dns_lookups *all, const char *host,
                                        const char *port, int fd)
{
    struct ty_dns_lookup *l = ty_xalloc(calloc(1, sizeof(*l)));

    if (uv_poll_init_socket(all->loop, &l->poll, fd) < 0) {
        free(l);
        return NULL;
    }
    l->host = ty_xalloc(strdup(host));
    l->port = ty_xalloc(strdup(port));
    l->fd = fd;
    l->poll.data = l;
    l->next = all->first;
    l->at = &all->first;
    if (l->next)
        l->next->at = &l->next;
    all->first = l;
    uv_poll_start(&l->poll, UV_READABLE, on_answer);
    return l;
}

static struct ty_dns_lookup *start_thread(struct ty_dns_lookups *all, const char *host,
                                          const char *port, struct ty_err *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        ty_fail(err, -errno, "%s", strerrordesc_np(errno));
        return NULL;
    }
    struct ty_dns_lookup *l = lookup_new(all, host, port, ends[0]);
    if (!l) {
        close(ends[0]);
        close(ends[1]);
        ty_fail(err, -EIO, "the loop does not take its socket");
        return NULL;
    }
    struct dns_question *q = ty_xalloc(calloc(1, sizeof(*q)));
    *q = (struct dns_question){ ends[1], ty_xalloc(strdup(host)), ty_xalloc(strdup(port)) };
    send_off(q);
    return l;
}

struct ty_dns_lookup *ty_dns_lookup_start(struct ty_dns_lookups *all, const char *host,
                                          const char *port, ty_dns_lookup_fn *fn, void *ctx,
                                          struct ty_err *err)
{
    struct ty_dns_lookup *l = find_left(all, host, port);

    if (!l)
        l = start_thread(all, host, port, err);
    if (!l)
        return NULL;
    uv_ref((uv_handle_t *)&l->poll);
    l->fn = fn;
    l->ctx = ctx;
    return l;
}

void ty_dns_lookup_cancel(struct ty_dns_lookup *l)
{
    if (!l)
        return;
    l->fn = NULL;
    uv_unref((uv_handle_t *)&l->poll);
}

void ty_dns_lookups_done(struct ty_dns_lookups *all)
{
    while (all->first)
        end_lookup(all->first);
}
