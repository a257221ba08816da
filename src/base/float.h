/* Doubles as Go prints them: with the fewest digits that parse back to the same number. */
#ifndef TY_BASE_FLOAT_H
#define TY_BASE_FLOAT_H

#include "base/buf.h"

struct ty_float_layout {
    int from, to;        /* plain for decimal exponents in [from, to), else with an exponent */
    int exponent_digits; /* at least */
    bool single;         /* as few digits as a float32 needs */
};
void ty_float_print(struct ty_buf *out, double d, const struct ty_float_layout *l); /* d: finite */

#endif
