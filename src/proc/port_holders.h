/* Which processes of this machine listen on which TCP ports, by /proc. */
#ifndef TY_PROC_PORT_HOLDERS_H
#define TY_PROC_PORT_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>

struct ty_port_holder {
    int port;
    char value[256]; /* of the variable asked for */
};

/* Processes whose environment has `marker` ("NAME=value") and that listen: their ports, and their
 * value of variable `name`. Returns how many, at most max, one for each port and value. A process
 * of another user is not seen. */
size_t ty_port_holders_find(const char *marker, const char *name, struct ty_port_holder *ret,
                            size_t max);
bool ty_port_holders_any(int port); /* somebody listens on it */

#endif
