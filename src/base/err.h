/* An error in the caller's frame: a negative errno and a message for people. */
#ifndef TY_BASE_ERR_H
#define TY_BASE_ERR_H

#include "base/arena.h"

enum ty_result { TY_OK = 0, TY_NOT_FOUND, TY_CONFLICT, TY_WAIT };

struct ty_err {
    int code;
    char text[1024];
};

/* Writes the message and returns `code` (negative). err may be NULL. */
int ty_fail(struct ty_err *err, int code, const char *fmt, ...) TY_PRINTF(3, 4);
/* Puts "fmt: " before the message; returns err->code. */
int ty_wrap(struct ty_err *err, const char *fmt, ...) TY_PRINTF(2, 3);

#endif
