/* Parses bind addresses as in the configuration of Go programs. Pure. */
#ifndef TY_NET_BIND_ADDRESS_H
#define TY_NET_BIND_ADDRESS_H

#include "base/arena.h"

/* ":8443", "127.0.0.1:8080", "[::1]:8080"; "0", "" and NULL: disabled, then *ret_port is -1.
 * ret_host lives with the arena; NULL: all addresses. Returns what is wrong with text, or NULL. */
const char *ty_bind_address_parse(struct ty_arena *a, const char *text, const char **ret_host,
                                  int *ret_port);

#endif
