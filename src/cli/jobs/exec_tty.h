/* A terminal for a command in a pod: a pty whose other end is this command's own terminal. */
#ifndef TY_CLI_JOBS_EXEC_TTY_H
#define TY_CLI_JOBS_EXEC_TTY_H

#include <stdbool.h>
#include <termios.h>

struct ty_err;

struct ty_exec_tty {
    int master, slave; /* -1 closed */
    int signals;       /* signalfd: window size changes and the signals that end this command */
    struct termios before;
    bool raw; /* the own terminal is changed: ty_exec_tty_close restores it */
};

/* Opens a pty of the size of the own terminal, standard input, and sets that to raw mode. The
 * caller passes `slave` on and closes it. */
int ty_exec_tty_open(struct ty_exec_tty *t, struct ty_err *err);
/* Copies between the terminals until the socket has an answer, then what is left of the output.
 * input: standard input is passed on. False: a signal ended it. */
bool ty_exec_tty_copy(struct ty_exec_tty *t, int sock, bool input);
void ty_exec_tty_close(struct ty_exec_tty *t);

#endif
