/* One request, one acknowledgement. Messages have a fixed room: names and numbers, nothing that the
 * user wrote. */
#include "proc/netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
    struct nlmsghdr h;
    union {
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
    };
    char room[512]; /* attributes; the whole is aligned to 4 as all members are */
};

static void begin(struct request *q, uint16_t type, uint16_t flags, size_t body)
{
    memset(q, 0, sizeof(*q));
    q->h.nlmsg_type = type;
    q->h.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
    q->h.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
}

/* Appends an attribute; NULL data: the header of a nest, to be ended with end_nest. */
static struct rtattr *add(struct request *q, unsigned type, const void *data, size_t n)
{
    struct rtattr *a = (struct rtattr *)((char *)q + NLMSG_ALIGN(q->h.nlmsg_len));

    if (NLMSG_ALIGN(q->h.nlmsg_len) + RTA_SPACE(n) > sizeof(*q))
        return NULL; /* no caller has so much */
    a->rta_type = (uint16_t)type;
    a->rta_len = (uint16_t)RTA_LENGTH(n);
    if (n)
        memcpy(RTA_DATA(a), data, n);
    q->h.nlmsg_len = (uint32_t)(NLMSG_ALIGN(q->h.nlmsg_len) + RTA_ALIGN(a->rta_len));
    return a;
}

static struct rtattr *begin_nest(struct request *q, unsigned type)
{
    return add(q, type, NULL, 0);
}

static void end_nest(struct request *q, struct rtattr *nest)
{
    if (nest)
        nest->rta_len = (uint16_t)((char *)q + q->h.nlmsg_len - (char *)nest);
}

static void add_name(struct request *q, unsigned type, const char *name)
{
    add(q, type, name, strlen(name) + 1);
}

/* The answer to a request that the kernel has handled while send() ran: never waits for long. */
static int ask(int nl, struct request *q, void *reply, size_t room)
{
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    union {
        struct nlmsghdr h;
        char bytes[8192];
    } got;
    ssize_t n;

    if (sendto(nl, q, q->h.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
        return -errno;
    do
        n = recv(nl, &got, sizeof(got), 0);
    while (n < 0 && errno == EINTR);
    if (n < (ssize_t)sizeof(got.h))
        return n < 0 ? -errno : -EBADMSG;
    if (got.h.nlmsg_type == NLMSG_ERROR && (size_t)n >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
        struct nlmsgerr e;
        memcpy(&e, NLMSG_DATA(&got.h), sizeof(e));
        return e.error;
    }
    if (!reply || (size_t)n < NLMSG_LENGTH(room))
        return -EBADMSG;
    memcpy(reply, NLMSG_DATA(&got.h), room);
    return 0;
}

int ty_netlink_open(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    return fd < 0 ? -errno : fd;
}

int ty_netlink_index(int nl, const char *name)
{
    struct request q;
    struct ifinfomsg found = { 0 };

    begin(&q, RTM_GETLINK, 0, sizeof(q.link));
    q.h.nlmsg_flags = NLM_F_REQUEST; /* the link is the answer */
    add_name(&q, IFLA_IFNAME, name);
    int r = ask(nl, &q, &found, sizeof(found));
    return r < 0 ? r : found.ifi_index;
}

int ty_netlink_add_bridge(int nl, const char *name)
{
    struct request q;

    begin(&q, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(q.link));
    add_name(&q, IFLA_IFNAME, name);
    struct rtattr *info = begin_nest(&q, IFLA_LINKINFO);
    add_name(&q, IFLA_INFO_KIND, "bridge");
    end_nest(&q, info);
    return ask(nl, &q, NULL, 0);
}

int ty_netlink_add_veth(int nl, const struct ty_netlink_veth *v)
{
    const struct ifinfomsg none = { 0 };
    const int32_t pid = v->pid;
    struct request q;

    begin(&q, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(q.link));
    add_name(&q, IFLA_IFNAME, v->name);
    add(&q, IFLA_MASTER, &v->master, sizeof(v->master));
    struct rtattr *info = begin_nest(&q, IFLA_LINKINFO);
    add_name(&q, IFLA_INFO_KIND, "veth");
    struct rtattr *data = begin_nest(&q, IFLA_INFO_DATA);
    struct rtattr *peer = add(&q, VETH_INFO_PEER, &none, sizeof(none));
    add_name(&q, IFLA_IFNAME, v->peer);
    add(&q, IFLA_NET_NS_PID, &pid, sizeof(pid));
    add(&q, IFLA_ADDRESS, v->mac, sizeof(v->mac));
    end_nest(&q, peer);
    end_nest(&q, data);
    end_nest(&q, info);
    return ask(nl, &q, NULL, 0);
}

int ty_netlink_delete(int nl, const char *name)
{
    struct request q;

    begin(&q, RTM_DELLINK, 0, sizeof(q.link));
    add_name(&q, IFLA_IFNAME, name);
    return ask(nl, &q, NULL, 0);
}

int ty_netlink_up(int nl, const char *name, int master)
{
    struct request q;

    begin(&q, RTM_NEWLINK, 0, sizeof(q.link));
    q.link.ifi_flags = q.link.ifi_change = IFF_UP;
    add_name(&q, IFLA_IFNAME, name);
    if (master)
        add(&q, IFLA_MASTER, &master, sizeof(master));
    return ask(nl, &q, NULL, 0);
}

int ty_netlink_add_address(int nl, const char *name, uint32_t address, int prefix)
{
    int index = ty_netlink_index(nl, name);
    struct request q;

    if (index < 0)
        return index;
    begin(&q, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, sizeof(q.address));
    q.address.ifa_family = AF_INET;
    q.address.ifa_prefixlen = (uint8_t)prefix;
    q.address.ifa_index = (uint32_t)index;
    add(&q, IFA_LOCAL, &address, sizeof(address));
    add(&q, IFA_ADDRESS, &address, sizeof(address));
    return ask(nl, &q, NULL, 0);
}

int ty_netlink_add_default_route(int nl, uint32_t gateway)
{
    struct request q;

    begin(&q, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, sizeof(q.route));
    q.route.rtm_family = AF_INET;
    q.route.rtm_table = RT_TABLE_MAIN;
    q.route.rtm_protocol = RTPROT_BOOT;
    q.route.rtm_scope = RT_SCOPE_UNIVERSE;
    q.route.rtm_type = RTN_UNICAST;
    add(&q, RTA_GATEWAY, &gateway, sizeof(gateway));
    return ask(nl, &q, NULL, 0);
}
