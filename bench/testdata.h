/* For benchmarks: the documents of bench/testdata. Benchmarks run in the root of the source tree.
 */
#ifndef TY_BENCH_TESTDATA_H
#define TY_BENCH_TESTDATA_H

#include <stdio.h>

#include "store/file.h"
#include "json/json.h"

/* A JSON file as compact text, NUL-terminated; ends the program if it cannot be read. */
static inline struct ty_str testdata_text(struct ty_arena *a, const char *path)
{
    struct ty_err err = { 0 };
    struct ty_str text = { 0 };

    if (ty_file_read(a, path, -1, &text, &err) == 0) {
        const struct ty_json *v = ty_json_parse(a, text, NULL, &err);
        if (v)
            return ty_json_text(a, v);
    }
    fprintf(stderr, "%s: %s\n", path, err.text);
    exit(1);
}

#endif
