/* For tests: a name server that never answers. The process enters new namespaces in which the only
 * name server is a socket of the test: queries arrive there, and are answered only if the test does
 * so. */
#ifndef TY_NET_SILENCE_TESTING_H
#define TY_NET_SILENCE_TESTING_H

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "net/testing.h"

#define SILENCE_S 25 /* the resolver's own timeout: nothing here may take that long */

static inline bool silence_put(const char *path, const char *text)
{
    char mine[] = "/tmp/silence-XXXXXX";
    int fd = mkstemp(mine);

    assert_true(fd >= 0 && dprintf(fd, "%s", text) > 0);
    bool good = mount(mine, path, NULL, MS_BIND, NULL) == 0;
    close(fd);
    unlink(mine); /* the mount keeps the file */
    return good;
}

static inline void silence_loopback(void)
{
    struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &lo), 0);
    close(fd);
}

/* gives the name server's socket; -1: namespaces are not permitted here. */
static inline int silence_begin(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons(53),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    const struct timeval patience = { .tv_sec = SILENCE_S };
    char conf[128];

    snprintf(conf, sizeof(conf), "nameserver 127.0.0.1\noptions timeout:%d attempts:1\n",
             SILENCE_S);
    if (unshare((geteuid() ? CLONE_NEWUSER : 0) | CLONE_NEWNS | CLONE_NEWNET) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        !silence_put("/etc/resolv.conf", conf) ||
        !silence_put("/etc/nsswitch.conf", "hosts: files dns\n"))
        return -1;
    silence_loopback();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return fd;
}

/* Waits for a query whose first label is this. */
static inline void silence_hear(int fd, const char *first)
{
    char asked[512] = { 0 };

    do
        assert_true(recv(fd, asked, sizeof(asked) - 1, 0) > 13);
    while (strncmp(asked + 13, first, strlen(first)) != 0);
}

#endif
