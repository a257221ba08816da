#include "cli/jobs/exec_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"

#define REST_MS 100 /* for output that is on its way when the command has ended */

static void copy_size(const struct ty_exec_tty *t)
{
    struct winsize w;

    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &w) == 0)
        ioctl(t->master, TIOCSWINSZ, &w);
}

static int watch_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int ty_exec_tty_open(struct ty_exec_tty *t, struct ty_err *err)
{
    char name[64];

    *t = (struct ty_exec_tty){ .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK),
                               .slave = -1 };
    if (t->master >= 0 && grantpt(t->master) == 0 && unlockpt(t->master) == 0 &&
        ptsname_r(t->master, name, sizeof(name)) == 0)
        t->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    t->signals = watch_signals();
    if (t->slave < 0 || t->signals < 0)
        return ty_fail(err, -errno, "no terminal for the command: %s", strerrordesc_np(errno));
    copy_size(t);
    if (tcgetattr(STDIN_FILENO, &t->before) == 0) {
        struct termios raw = t->before;
        cfmakeraw(&raw);
        t->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    return 0;
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

/* Output of the command. False: it ended, or standard output is closed. */
static bool copy_output(const struct ty_exec_tty *t)
{
    char chunk[4096];
    ssize_t n = read(t->master, chunk, sizeof(chunk));

    return n > 0 ? write_all(STDOUT_FILENO, chunk, (size_t)n)
                 : n < 0 && (errno == EINTR || errno == EAGAIN);
}

/* Standard input on its way to the pty. The command may read it late or never, so nothing here
 * waits for it: the next bytes are read when the pty has accepted these. */
struct tty_input {
    char bytes[4096];
    size_t at, n; /* bytes[at..n) is unwritten */
    bool open;
};

static void read_input(struct tty_input *in)
{
    ssize_t n = read(STDIN_FILENO, in->bytes, sizeof(in->bytes));

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        in->open = false;
        in->bytes[0] = 4; /* VEOF */
        n = 1;
    }
    in->at = 0;
    in->n = (size_t)n;
}

static void write_input(struct tty_input *in, int master)
{
    ssize_t n = write(master, in->bytes + in->at, in->n - in->at);

    if (n > 0) {
        in->at += (size_t)n;
    } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
        in->open = false;
        in->at = in->n;
    }
}

/* False: this command is to end. */
static bool handle_signals(struct ty_exec_tty *t)
{
    struct signalfd_siginfo s;

    while (read(t->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
        if (s.ssi_signo != SIGWINCH)
            return false;
        copy_size(t);
    }
    return true;
}

bool ty_exec_tty_copy(struct ty_exec_tty *t, int sock, bool input)
{
    struct tty_input in = { .open = input };
    struct pollfd p[] = {
        { sock, POLLIN, 0 }, { t->master, 0, 0 }, { t->signals, POLLIN, 0 }, { -1, POLLIN, 0 }
    };

    while (!p[0].revents) {
        bool unwritten = in.at < in.n;
        p[1].events = unwritten ? POLLIN | POLLOUT : POLLIN;
        p[3].fd = in.open && !unwritten ? STDIN_FILENO : -1;
        if (poll(p, 4, -1) < 0)
            continue; /* EINTR */
        if (p[1].revents & POLLOUT)
            write_input(&in, t->master);
        if (p[1].revents & ~POLLOUT && !copy_output(t))
            p[1].fd = -1;
        if (p[2].revents && !handle_signals(t))
            return false;
        if (p[3].revents)
            read_input(&in);
    }
    p[1].events = POLLIN;
    while (p[1].fd >= 0 && poll(&p[1], 1, REST_MS) > 0 && copy_output(t))
        ;
    return true;
}

void ty_exec_tty_close(struct ty_exec_tty *t)
{
    const int fds[] = { t->master, t->slave, t->signals };

    for (size_t i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (t->raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
}
