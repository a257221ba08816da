/* Finds in the end of a log that a program could not listen on a port. Pure. */
#ifndef TY_REPORT_PORT_CONFLICT_H
#define TY_REPORT_PORT_CONFLICT_H

#include "base/str.h"

/* True: the last lines say that an address was in use. *ret_port is the port they name; 0 if they
 * name none, as Python's "OSError: [Errno 98] Address already in use". */
bool ty_port_conflict_find(struct ty_str log, int *ret_port);

#endif
