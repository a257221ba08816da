/* http(s)://host/path/name: one file. */
#include "fetch/fetch_run.h"

static int list_http(struct ty_fetch_run *run, struct ty_err *err)
{
    const struct ty_uri *u = &run->uri;
    struct ty_digest d;
    char hex[TY_DIGEST_HEX];
    ty_digest_init(&d, TY_DIGEST_SHA256, 0);
    ty_digest_add(&d, ty_str(u->url));
    ty_digest_hex(&d, hex);
    const struct ty_fetch_item item = {
        .name = u->path,
        .url = u->url,
        .size = -1,
        .sum = u->sha256 ? TY_DIGEST_SHA256 : TY_DIGEST_NONE,
        .hex = u->sha256,
        .tag = u->sha256 ? ty_arena_printf(run->arena, "sha256:%s", u->sha256) : NULL,
        .place = ty_arena_strndup(run->arena, hex, 16),
    };
    return ty_fetch_run_add(run, u->path, &item, err);
}

const struct ty_fetch_source ty_source_http = { .scheme = TY_SCHEME_HTTP,
                                                .http = true,
                                                .list = list_http };
