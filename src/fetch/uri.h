/* STORAGE_URI: the source of a dataset or a model. */
#ifndef TY_FETCH_URI_H
#define TY_FETCH_URI_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum ty_uri_scheme { TY_SCHEME_FILE, TY_SCHEME_HTTP, TY_SCHEME_S3, TY_SCHEME_HF };

struct ty_uri {
    enum ty_uri_scheme scheme;
    const char *shown; /* for messages: without passwords and queries */
    const char
        *path; /* file: absolute, or begins with a dot; s3: prefix, hf: path in the repository, both
                  without leading and trailing slashes, "" everything; http: the file's name */
    const char *url;      /* http: the URL without its fragment */
    const char *sha256;   /* http: "#sha256=…", 64 hex digits in lower case; or NULL */
    const char *bucket;   /* s3 */
    const char *repo;     /* hf: "owner/name", or "name" for the oldest ones */
    const char *revision; /* hf: branch, tag or commit; NULL: the repository's default */
    bool datasets;        /* hf: the URI names a dataset repository */
};

/* file:///path  file://./path  http(s)://host/path/name[#sha256=HEX]  s3://bucket[/prefix]
 * hf://[datasets/]owner/name[@revision][/path]; everything else is an error that names it. Lives
 * with the arena. */
int ty_uri_parse(struct ty_arena *a, const char *text, struct ty_uri *ret, struct ty_err *err);

#endif
