/* Addresses as Go writes them in configurations. Pure. */
#ifndef TY_SERVE_SERVERS_ADDRESS_H
#define TY_SERVE_SERVERS_ADDRESS_H

#include "base/arena.h"
#include "base/err.h"

/* ":8443", "127.0.0.1:8080", "[::1]:8080"; "0" and "": off, then *ret_port is -1. ret_host lives
 * with the arena; NULL: every address. field names the setting in the error. */
int ty_address_parse(struct ty_arena *a, const char *field, const char *text, const char **ret_host,
                     int *ret_port, struct ty_err *err);

#endif
