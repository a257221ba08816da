/* One pass of ty_mask_secrets over a text, between mask_secrets.c and the readers of values, of
 * arguments and of sentences. */
#ifndef TY_REPORT_MASK_SECRETS_INNER_H
#define TY_REPORT_MASK_SECRETS_INNER_H

#include "base/buf.h"

struct ty_mask {
    struct ty_str text;
    size_t at;           /* all before it is in out */
    size_t run_end;      /* of the run of word characters that was measured last */
    size_t name_end;     /* of the name that was looked at last */
    size_t value_end;    /* of the value without quotes that was measured last */
    const char *program; /* whose arguments these are, if it takes passwords; or NULL */
    struct ty_buf *out;
    bool changed;
};

bool ty_mask_is_stars(struct ty_str s); /* already masked; also if empty */
void ty_mask_copy(struct ty_mask *m, size_t n);
/* Writes "***" for the next n bytes, or themselves if they are stars. */
void ty_mask_hide(struct ty_mask *m, size_t n);
/* At the first character of a name: if it is that of a secret and has a value, copies it with what
 * separates them, hides the value and returns true. */
bool ty_mask_value(struct ty_mask *m);
/* A word that a sentence says of a password: "required", "too" of "too short". */
bool ty_mask_is_ordinary(struct ty_str value);
/* At every character, `last` before it: notices the program whose arguments follow. */
void ty_mask_command(struct ty_mask *m, bool word, char last);
/* At '-': if that begins an option with a password, copies it, hides the password and returns
 * true. */
bool ty_mask_argument(struct ty_mask *m, char last);

#endif
