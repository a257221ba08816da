/* YAML parser and printer with the semantics of Kubernetes (sigs.k8s.io/yaml): YAML 1.1 words such
 * as yes and off are booleans, keys are strings, duplicate keys are errors, JSON is YAML. Numbers
 * are normalized as Go writes them: 1.0 and 1e0 are the integer 1. */
#ifndef TY_JSON_YAML_H
#define TY_JSON_YAML_H

#include "json/json.h"

struct ty_yaml_docs {
    struct ty_json **v; /* documents in order, without empty ones */
    size_t n;
};

/* Parses every document of a stream. Nodes have the line and column of their value. An error is one
 * sentence "NAME:LINE:COL: …". Limits as in json.h, except that `values` is ignored; aliases may
 * add 100,000 nodes, or ten for each node that is written out if that is more. The text is borrowed
 * and must live as long as the trees. Stricter than Kubernetes: unknown tags are errors, and so is
 * an empty item in a list that is not indented more than its key (libfyaml 0.7 cannot parse it). */
int ty_yaml_parse(struct ty_arena *a, const char *name, struct ty_str text,
                  const struct ty_json_limits *limits, struct ty_yaml_docs *ret_docs,
                  struct ty_err *err);

/* Writes a comment for a value's line into `out`, without "# ", or nothing. */
typedef void ty_yaml_note_fn(void *ctx, const struct ty_json *v, struct ty_buf *out);

struct ty_yaml_style {
    bool sorted;           /* keys in byte order, as sigs.k8s.io/yaml writes them */
    ty_yaml_note_fn *note; /* may be NULL */
    void *ctx;
};

/* Block style, two spaces, list dashes at the parent's indent. Strings are quoted only if YAML 1.1
 * or 1.2 would read something else; long multi-line strings are |-blocks. Ends with a newline. The
 * output parses to an equal value. style may be NULL. */
void ty_yaml_print(struct ty_buf *out, const struct ty_json *v, const struct ty_yaml_style *style);

#endif
