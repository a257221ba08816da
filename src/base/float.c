#include "base/float.h"

#include <float.h>
#include <math.h>

/* The fewest digits that parse back to d; returns their number. d is finite. */
static int shortest_digits(double d, bool single, char digits[24], int *ret_exp)
{
    char text[40];
    for (int n = 1; n <= DBL_DECIMAL_DIG; n++) {
        snprintf(text, sizeof(text), "%.*e", n - 1, fabs(d));
        if (single ? strtof(text, NULL) == (float)fabs(d) : strtod(text, NULL) == fabs(d))
            break;
    }
    char *e = strchr(text, 'e');
    int n = 0;
    for (const char *p = text; p < e; p++)
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    *ret_exp = (int)strtol(e + 1, NULL, 10);
    return n;
}

static void put_zeros(struct ty_buf *out, int n)
{
    while (n-- > 0)
        ty_buf_chr(out, '0');
}

void ty_float_print(struct ty_buf *out, double d, const struct ty_float_layout *l)
{
    char digits[24] = "";
    int exp = 0;
    bool single = l->single && fabs(d) <= (double)FLT_MAX;
    if (single)
        d = (double)(float)d; /* its digits, not those of the double */
    int n = shortest_digits(d, single, digits, &exp);

    if (signbit(d))
        ty_buf_chr(out, '-');
    if (exp < l->from || exp >= l->to) {
        ty_buf_printf(out, "%c%s%.*s", digits[0], n > 1 ? "." : "", n - 1, digits + 1);
        ty_buf_printf(out, "e%c%0*d", exp < 0 ? '-' : '+', l->exponent_digits, abs(exp));
    } else if (exp < 0) {
        ty_buf_cstr(out, "0.");
        put_zeros(out, -exp - 1);
        ty_buf_put(out, digits, (size_t)n);
    } else {
        int whole = exp + 1 < n ? exp + 1 : n;
        ty_buf_put(out, digits, (size_t)whole);
        put_zeros(out, exp + 1 - n);
        if (n > whole)
            ty_buf_printf(out, ".%.*s", n - whole, digits + whole);
    }
}
