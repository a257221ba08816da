/* The process id of a pod's process differs outside of its namespace. SCM_CREDENTIALS carries
 * process ids across namespaces, and the kernel lets an init name any process of its own. */
#include "proc/shim_event.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/shim.h"

union cred_control { /* aligned as cmsg wants it */
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(struct ucred))];
};

int ty_shim_event_send(int sock, const struct ty_shim_event *n, bool translate)
{
    struct ty_shim_event copy = *n;
    size_t size = offsetof(struct ty_shim_event, text) + strnlen(n->text, sizeof(n->text) - 1) + 1;
    struct iovec iov = { &copy, size };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    union cred_control cred_control = { 0 };

    if (translate) {
        struct ucred who = { .pid = n->pid, .uid = geteuid(), .gid = getegid() };
        cred_control.head.cmsg_level = SOL_SOCKET;
        cred_control.head.cmsg_type = SCM_CREDENTIALS;
        cred_control.head.cmsg_len = CMSG_LEN(sizeof(who));
        memcpy(CMSG_DATA(&cred_control.head), &who, sizeof(who));
        msg.msg_control = cred_control.room;
        msg.msg_controllen = sizeof(cred_control.room);
        copy.pid = 0;
    }
    ssize_t r;
    do
        r = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : 0;
}

int ty_shim_event_recv(int sock, struct ty_shim_event *ret)
{
    struct ty_shim_event news = { 0 };
    struct iovec iov = { &news, sizeof(news) };
    union cred_control cred_control = { 0 };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = cred_control.room,
                          .msg_controllen = sizeof(cred_control.room) };
    ssize_t r;
    do /* a reset only says that what we sent last was not read: what came before is still there */
        r = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (r < 0 && (errno == EINTR || errno == ECONNRESET));
    if (r <= 0)
        return r < 0 ? -errno : 0;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (news.what == TY_SHIM_STARTED && news.pid == 0 && c && c->cmsg_level == SOL_SOCKET &&
        c->cmsg_type == SCM_CREDENTIALS) {
        struct ucred who;
        memcpy(&who, CMSG_DATA(c), sizeof(who));
        news.pid = who.pid;
    }
    news.text[sizeof(news.text) - 1] = 0;
    *ret = news;
    return 1;
}
