/* hf://owner/name: the files of one commit of a repository on the Hugging Face Hub. The revision is
 * resolved to a commit first, so that a concurrent push cannot mix two versions. */
#include "base/buf.h"
#include "fetch/list_request.h"
#include "net/url.h"
#include "json/json.h"

#include <errno.h>

#define PAGE_CEILING ((size_t)1 << 30) /* a response has at most 32 MB */

struct repo {
    struct ty_fetch_run *run;
    struct ty_arena *page; /* for one response */
    const char *api;       /* https://…/api/models/owner/name */
    const char *files;     /* https://…/owner/name/resolve/COMMIT */
    struct ty_str commit;
};

/* As in Kubeflow's model initializer: weights in safetensors, tokenizers, configurations. */
static const char *const model_files[] = { "*.json", "*.safetensors", "*.model", "*.txt", NULL };

static int get_json(struct repo *r, const char *url, struct ty_list_response *ret_reply,
                    struct ty_json **ret, struct ty_err *err)
{
    struct ty_fetch_run *run = r->run;
    int done = ty_list_request(run, r->page, url, ret_reply, err);
    if (done < 0)
        return done;
    if (ret_reply->status != 200)
        return ty_fetch_run_refused(run, run->uri.shown, ret_reply->status, ret_reply->words, err);
    *ret = ty_json_parse(r->page, ret_reply->body, NULL, err);
    return *ret ? 0 : ty_wrap(err, "%s: the Hub's answer", run->uri.shown);
}

/* Resolves a branch, tag or short hash to a full commit. */
static int resolve_commit(struct repo *r, struct ty_err *err)
{
    struct ty_arena *a = r->run->arena;
    const char *revision = r->run->uri.revision ? r->run->uri.revision : "main";
    struct ty_list_response reply = { 0 };
    struct ty_json *info = NULL;
    char *url =
        ty_arena_printf(a, "%s/revision/%s", r->api, ty_url_encode(a, ty_str(revision), ""));
    int done = get_json(r, url, &reply, &info, err);
    if (done < 0)
        return done;
    struct ty_str sha = ty_json_str_at(info, "sha");
    if (sha.n != 40)
        return ty_fail(err, -EBADMSG, "%s: the Hub names no commit for revision '%s'",
                       r->run->uri.shown, revision);
    r->commit = ty_arena_str(a, sha);
    return 0;
}

static bool is_below(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    return n == 0 || (strncmp(folder, name, n) == 0 && (name[n] == '/' || !name[n]));
}

static int add_entry(struct repo *r, const struct ty_json *entry, struct ty_err *err)
{
    struct ty_arena *a = r->run->arena;
    const struct ty_json *lfs = ty_json_get(entry, "lfs");
    bool big = ty_json_is(lfs, TY_JSON_OBJECT);
    struct ty_str path = ty_json_str_at(entry, "path");
    struct ty_str oid = ty_json_str_at(big ? lfs : entry, "oid");
    int64_t size = -1;
    if (!ty_str_is(ty_json_str_at(entry, "type"), "file"))
        return 0;
    if (!ty_json_int_at(big ? lfs : entry, "size", &size) || size < 0 ||
        oid.n != (big ? 64u : 40u) || memchr(path.p, '\0', path.n))
        return ty_fail(err, -EBADMSG, "%s: the Hub's listing has an entry without size or hash",
                       r->run->uri.shown);
    char *name = ty_arena_cstr(a, path);
    if (!is_below(r->run->uri.path, name))
        return 0;
    enum ty_digest_type sum = big ? TY_DIGEST_SHA256 : TY_DIGEST_GIT;
    const struct ty_fetch_item item = {
        .name = name,
        .url = ty_arena_printf(a, "%s/%s", r->files, ty_url_encode(a, path, "/")),
        .size = size,
        .sum = sum,
        .hex = ty_arena_cstr(a, oid),
        .tag = ty_arena_printf(a, "%s:%.*s", ty_digest_name(sum), TY_ARG(oid)),
    };
    return ty_fetch_run_add(r->run, name, &item, err);
}

/* The token is sent with the request for the next page, so that must be at the endpoint to which
 * the user sends the token, with the same scheme. */
static int follow_page(struct repo *r, const char *next, struct ty_buf *url, struct ty_err *err)
{
    struct ty_fetch_run *run = r->run;
    const char *here = ty_url_origin(r->page, ty_str(r->api));
    const char *there = ty_url_origin(r->page, ty_str(next));
    if (!here || !there || strcmp(here, there) != 0)
        return ty_fail(err, -EXDEV,
                       "%s: the next page of the Hub's listing is at %s, and not at %s: the token "
                       "is for the latter alone",
                       run->uri.shown, there ? there : "an address that is no plain http(s) one",
                       here ? here : "a plain HF_ENDPOINT");
    url->n = 0;
    ty_buf_put(url, next, strlen(next) + 1);
    return 0;
}

static int list_commit(struct repo *r, struct ty_err *err)
{
    ty_auto_buf url = { 0 };
    ty_buf_printf(&url, "%s/tree/%.*s?recursive=true&expand=false", r->api, TY_ARG(r->commit));
    ty_buf_chr(&url, '\0');
    for (bool more = true; more;) {
        struct ty_list_response reply = { 0 };
        struct ty_json *page = NULL;
        ty_arena_reset(r->page);
        int done = get_json(r, url.p, &reply, &page, err);
        if (done == 0 && !ty_json_is(page, TY_JSON_ARRAY))
            done = ty_fail(err, -EBADMSG, "%s: the Hub's listing is no list", r->run->uri.shown);
        for (size_t i = 0; done == 0 && i < ty_json_len(page); i++)
            done = add_entry(r, ty_json_item(page, i), err);
        more = reply.next != NULL;
        if (done == 0 && more)
            done = follow_page(r, reply.next, &url, err);
        if (done < 0)
            return done;
    }
    return 0;
}

static int list_hub(struct ty_fetch_run *run, struct ty_err *err)
{
    struct ty_arena *a = run->arena;
    struct ty_str end = ty_str(run->opts->hub);
    while (end.n && end.p[end.n - 1] == '/')
        end.n--;
    bool datasets = run->uri.datasets || !run->opts->model;
    if (run->opts->token) {
        const char **headers = ty_new_n(a, const char *, 2);
        headers[0] = ty_arena_printf(a, "Authorization: Bearer %s", run->opts->token);
        run->headers = headers;
    }
    run->hint = run->opts->token ? "may the token in ACCESS_TOKEN read this repository?"
                                 : "private and gated repositories need a token in ACCESS_TOKEN";
    if (!datasets && !run->include && !*run->uri.path)
        run->include = model_files;
    ty_auto_arena *page = ty_arena_new_input(PAGE_CEILING, NULL);
    struct repo r = {
        .run = run,
        .page = page,
        .api = ty_arena_printf(a, "%.*s/api/%s/%s", TY_ARG(end), datasets ? "datasets" : "models",
                               run->uri.repo),
    };
    int done = resolve_commit(&r, err);
    if (done < 0)
        return done;
    r.files = ty_arena_printf(a, "%.*s/%s%s/resolve/%.*s", TY_ARG(end), datasets ? "datasets/" : "",
                              run->uri.repo, TY_ARG(r.commit));
    return list_commit(&r, err);
}

const struct ty_fetch_source ty_source_hf = { .scheme = TY_SCHEME_HF,
                                              .http = true,
                                              .list = list_hub };
