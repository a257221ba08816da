/* Field errors: all mistakes of an object, each with its field path, in the words of Kubernetes. */
#ifndef TY_JSON_ERRS_H
#define TY_JSON_ERRS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

struct ty_json;

/* A field path, linked through the stack frames of the walk: build it with the macros below, never
 * on the heap. */
struct ty_field_path {
    const struct ty_field_path *up;
    struct ty_str key; /* used when index < 0; with `quoted` printed as [key] */
    int index;
    bool quoted;
};
/* TY_KEY takes a C string, TY_KEYS a struct ty_str. TY_MAPKEY is printed as annotations[a/b]. */
#define TY_KEY(up, k)    (&(const struct ty_field_path){ (up), ty_str(k), -1, false })
#define TY_KEYS(up, s)   (&(const struct ty_field_path){ (up), (s), -1, false })
#define TY_IDX(up, i)    (&(const struct ty_field_path){ (up), { 0 }, (int)(i), false })
#define TY_MAPKEY(up, s) (&(const struct ty_field_path){ (up), (s), -1, true })

/* "spec.trainer.env[1].name"; "<nil>" for NULL, as the API server prints the root. */
char *ty_errs_path_text(struct ty_arena *a, const struct ty_field_path *p);

enum ty_field_err_type {
    TY_REQUIRED,     /* "Required value" */
    TY_INVALID,      /* "Invalid value" */
    TY_TYPE_INVALID, /* "Invalid value": wrong JSON type; stops rule checks as in Kubernetes */
    TY_UNSUPPORTED,  /* "Unsupported value" */
    TY_FORBIDDEN,    /* "Forbidden" */
    TY_TOO_LONG,     /* "Too long" */
    TY_TOO_MANY,     /* "Too many" */
    TY_DUPLICATE,    /* "Duplicate value" */
    TY_INTERNAL,     /* "Internal error" */
    TY_UNKNOWN,      /* an unknown field, as in kubectl's strict decoding */
};

struct ty_field_err {
    struct ty_field_err *next;
    const char *path;
    const char *value;  /* printed as the API server prints it; NULL: it prints none */
    const char *detail; /* may be "" */
    const char *hint; /* "did you mean …?" or the names that exist; not in the API server's text;
                         NULL none */
    const char *field, *rule; /* for people, instead of path, value and detail, if those speak of
                                 Go's types: the field, and what its value must be; NULL: none */
    const struct ty_json *at; /* the value in the input, for its line; NULL unknown */
    enum ty_field_err_type why;
    bool warn_only; /* v2.3.0 accepts it: the webhook only warns, `validate` reports an error */
};

struct ty_errs {
    struct ty_arena *arena;
    struct ty_field_err *first, *last;
    size_t n;
    size_t most; /* validation stops after so many errors; 0: no limit */
};

/* Appends an error and returns it, so that the caller may set ->hint or ->at; if the arena is full,
 * appends nothing and returns the last one. value is borrowed and must live with the arena; the
 * detail is formatted. */
struct ty_field_err *ty_errs_add(struct ty_errs *errs, const struct ty_field_path *at,
                                 enum ty_field_err_type why, const char *value, const char *fmt,
                                 ...) TY_PRINTF(5, 6);

/* "spec.a: Invalid value: 3: must be 1", exactly as k8s.io field.Error prints it (no hint). */
void ty_errs_print(struct ty_buf *out, const struct ty_field_err *e);
/* One error as it is, several as "[e1, e2]" without duplicates: the API server's aggregate. */
char *ty_errs_text(struct ty_arena *a, const struct ty_errs *errs);
/* Moves the entries of `from` (same arena) to the end of `into`. */
void ty_errs_join(struct ty_errs *into, const struct ty_errs *from);

#endif
