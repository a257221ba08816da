/* For clang-tidy only, which looks at one file at a time: what these two return is always negative. */
#ifndef TY_TOOLS_TIDY_H
#define TY_TOOLS_TIDY_H
#include "base/err.h"
#define ty_fail(err, code, ...) ((void)ty_fail((err), (code), __VA_ARGS__), (code))
#define ty_wrap(err, ...)       ((void)ty_wrap((err), __VA_ARGS__), -1)
#endif
