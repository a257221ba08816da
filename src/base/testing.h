/* For tests: the headers that cmocka needs, and an assertion for substrings. */
#ifndef TY_BASE_TESTING_H
#define TY_BASE_TESTING_H

#include "base/arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (!strstr((text), (part)))                                                               \
            fail_msg("\"%s\" is not in:\n%s", (part), (text));                                     \
    } while (0)

#endif
