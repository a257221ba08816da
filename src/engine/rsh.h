/* What `trainyard rsh` and the engine say to each other: one request with three descriptors, one
 * reply. */
#ifndef TY_ENGINE_RSH_H
#define TY_ENGINE_RSH_H

#define TY_RSH_FIRST 200000u /* process ids of remote commands in a shim */

struct ty_rsh_request {
    char host[512];
    char command[60000]; /* for /bin/sh -c */
};
struct ty_rsh_reply {
    int code;
    char text[256]; /* why it could not be run; "" otherwise */
};

#endif
