/* Makes the namespaces of a run and of its pods. A shim is forked within the run's namespace: its
 * rtnetlink socket from there makes the pair of interfaces after it has left. */
#include "proc/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/arena.h"
#include "proc/netlink.h"

#define BRIDGE "pods"
enum { PREFIX = 16 };

static int failed(struct ty_proc_failure *fail, int r, const char *doing, const char *what)
{
    errno = -r;
    return ty_proc_failure_set(fail, doing, what);
}

static uint32_t number_of(const char *address)
{
    struct in_addr a = { 0 };

    return inet_pton(AF_INET, address, &a) == 1 ? a.s_addr : 0;
}

int ty_netns_make(struct ty_netns *n, struct ty_proc_failure *fail)
{
    if (unshare(CLONE_NEWNET) < 0)
        return ty_proc_failure_set(fail, "make a network namespace", NULL);
    int nl = ty_netlink_open(), r = nl < 0 ? nl : 0;
    if (r == 0)
        r = ty_netlink_up(nl, "lo", 0);
    if (r == 0)
        r = ty_netlink_add_bridge(nl, BRIDGE);
    if (r == 0)
        r = ty_netlink_add_address(nl, BRIDGE, number_of(TY_NETNS_GATEWAY), PREFIX);
    if (r == 0)
        r = ty_netlink_up(nl, BRIDGE, 0);
    if (r == 0)
        r = n->bridge = ty_netlink_index(nl, BRIDGE);
    if (r < 0) {
        if (nl >= 0)
            close(nl);
        n->bridge = 0;
        return failed(fail, r, "make a network bridge", NULL);
    }
    n->link = nl;
    return 0;
}

int ty_netns_add_uplink(struct ty_netns *n, const char *tap)
{
    int r = ty_netlink_up(n->link, tap, n->bridge);

    n->uplink = r == 0;
    return r;
}

/* An address is one host's: the name of its port and its hardware address follow from it. So a pod
 * that is replaced loses its port even if the kernel has not removed its namespace yet, and
 * nobody's ARP entries are outdated. */
static int make_pair(int run, const struct ty_netns *n, uint32_t address)
{
    const uint8_t *b = (const uint8_t *)&address;
    char name[16];
    struct ty_netlink_veth v = { .name = name,
                                 .peer = "eth0",
                                 .master = n->bridge,
                                 .pid = getpid(),
                                 .mac = { 0x02, 0x54, b[0], b[1], b[2], b[3] } };

    snprintf(name, sizeof(name), "ve%02x%02x%02x", b[1], b[2], b[3]);
    int r = ty_netlink_add_veth(run, &v);
    if (r == -EEXIST) {
        ty_netlink_delete(run, name);
        r = ty_netlink_add_veth(run, &v);
    }
    return r < 0 ? r : ty_netlink_up(run, name, 0);
}

static int configure(const struct ty_netns *n, uint32_t address)
{
    int nl = ty_netlink_open(), r = nl < 0 ? nl : 0;

    if (r == 0)
        r = ty_netlink_up(nl, "lo", 0);
    if (r == 0)
        r = ty_netlink_add_address(nl, "eth0", address, PREFIX);
    if (r == 0)
        r = ty_netlink_up(nl, "eth0", 0);
    if (r == 0 && n->uplink)
        r = ty_netlink_add_default_route(nl, number_of(TY_NETNS_ROUTER));
    if (nl >= 0)
        close(nl);
    return r;
}

/* As container runtimes do: every port is open to everybody in the pod. */
static void open_low_ports(void)
{
    int fd = open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, "0", 1) < 0) {
        /* an older kernel: only root listens below 1024 */
    }
    if (fd >= 0)
        close(fd);
}

/* /sys shows the interfaces of the namespace it was mounted in, and UCX looks there for its own.
 * Where the kernel refuses, the machine's are seen. */
static void show_interfaces(void)
{
    static const char *const shown[] = { "devices/virtual/net", "class/net" }; /* links to it */
    int fs = fsopen("sysfs", FSOPEN_CLOEXEC), sys = -1;

    if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        sys =
            fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    bool good = sys >= 0;
    for (size_t i = 0; good && i < TY_COUNT(shown); i++) {
        char to[64];
        snprintf(to, sizeof(to), "/sys/%s", shown[i]);
        int tree = open_tree(sys, shown[i], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        good = tree >= 0 && move_mount(tree, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) == 0;
        if (tree >= 0)
            close(tree);
    }
    if (sys >= 0)
        close(sys);
    if (fs >= 0)
        close(fs);
}

int ty_netns_enter_pod(const struct ty_netns *n, const char *address, struct ty_proc_failure *fail)
{
    uint32_t number = number_of(address);
    int run = number ? ty_netlink_open() : -EINVAL;

    if (run < 0)
        return failed(fail, run, "make a network for", address);
    if (unshare(CLONE_NEWNET) < 0) {
        close(run);
        return ty_proc_failure_set(fail, "make a network namespace", NULL);
    }
    int r = make_pair(run, n, number);
    close(run);
    if (r == 0)
        r = configure(n, number);
    if (r < 0)
        return failed(fail, r, "make a network for", address);
    open_low_ports();
    show_interfaces();
    return 0;
}
