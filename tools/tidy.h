/* For clang-tidy only, which looks at one file at a time and not very deep: failures are negative, and
 * what has a type is there. */
#ifndef TY_TOOLS_TIDY_H
#define TY_TOOLS_TIDY_H
#include "base/err.h"
#include "json/json.h"
#define ty_fail(err, code, ...) ((void)ty_fail((err), (code), __VA_ARGS__), (code))
#define ty_wrap(err, ...)       ((void)ty_wrap((err), __VA_ARGS__), -1)
#define ty_json_is(v, type)     ((v) && ty_json_is((v), (type)))
#endif
