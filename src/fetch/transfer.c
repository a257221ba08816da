/* The transfer of one file.
 *
 *           start ── complete already, or copied ──> free
 *              │
 *              ▼        lost, 429, 5xx
 *   ┌─────> request ───────────────────> wait ──┐
 *   │          │ 200 206                        │
 *   │          ▼                                │
 *   │       receive ── wrong bytes ──> restart ─┤
 *   │          │                                │
 *   │          ▼                                │
 *   │        verify ── wrong checksum > restart ┤
 *   │          │                                │
 *   └──────────┼────────────────────────────────┘
 *              ▼
 *            free                 anything else: s->err, and the run ends
 */
#include "fetch/transfer.h"
#include "net/url.h"

#include <errno.h>
#include <unistd.h>

#define ITEM_CEILING ((size_t)64 << 20)
#define ASK_CEILING  ((size_t)1 << 20)
#define WORDS_MAX    ((size_t)16 << 10)
#define STARTS_MAX   3u

void ty_transfer_init(struct ty_transfer *s, struct ty_fetch_run *run)
{
    *s = (struct ty_transfer){
        .run = run,
        .arena = ty_arena_new(ITEM_CEILING),
        .asking = ty_arena_new(ASK_CEILING),
        .part = { .fd = -1 },
        .words = { .ceiling = WORDS_MAX },
    };
}

void ty_transfer_done(struct ty_transfer *s)
{
    ty_part_close(&s->part);
    ty_buf_done(&s->words);
    ty_arena_free(s->asking);
    ty_arena_free(s->arena);
    s->arena = s->asking = NULL;
}

static bool is_whole(const struct ty_part *p)
{
    return p->have > 0 && p->have == p->size;
}

static void finish_item(struct ty_transfer *s)
{
    s->item->done = true;
    s->run->progress.files_done++;
    s->item = NULL;
}

/* Bytes that are discarded were counted as progress before. */
static int restart_part(struct ty_transfer *s, const char *tag, int64_t size)
{
    s->run->progress.bytes_done -= s->part.have;
    ty_digest_init(&s->digest, s->item->sum, size);
    return ty_part_restart(s->run->dir, &s->part, s->item->name, tag, size, &s->err);
}

static void start_over(struct ty_transfer *s, const char *why)
{
    if (++s->starts >= STARTS_MAX) {
        ty_fail(&s->err, -EBADMSG, "%s: %s, in %u attempts", s->item->name, why, STARTS_MAX);
        return;
    }
    ty_fetch_run_note(s->run, "%s: %s; fetching it again from its start", s->item->name, why);
    if (restart_part(s, "", -1) == 0)
        s->wake_ns = ty_fetch_run_now_ns();
}

/* Verifies a complete file; on a mismatch all bytes are discarded. */
static void check_received(struct ty_transfer *s)
{
    const struct ty_fetch_item *item = s->item;
    char hex[TY_DIGEST_HEX];
    ty_digest_hex(&s->digest, hex);
    if (item->sum != TY_DIGEST_NONE && !s->unsummed && strcmp(hex, item->hex) != 0) {
        start_over(s, ty_arena_printf(s->asking, "its %s checksum is %s and should be %s",
                                      ty_digest_name(item->sum), hex, item->hex));
        return;
    }
    const char *tag = item->tag ? item->tag : s->part.tag;
    if (ty_part_finish(s->run->dir, &s->part, item->name, tag, &s->err) == 0)
        finish_item(s);
}

/* A tag from the response, if it identifies the content. */
static const char *answer_tag(struct ty_transfer *s, const struct ty_http_client_call *call)
{
    const char *etag = ty_http_client_header(call, "ETag"),
               *date = ty_http_client_header(call, "Last-Modified");
    if (etag && etag[0] == '"' && strlen(etag) < 512)
        return ty_arena_printf(s->arena, "%s etag:%s", s->item->place, etag);
    if (date && strlen(date) < 64)
        return ty_arena_printf(s->arena, "%s date:%s", s->item->place, date);
    return "";
}

static int64_t number_of(const char *text)
{
    uint64_t v;
    return text && ty_str_parse_u64(ty_str_trim(ty_str(text)), &v) && v <= INT64_MAX ? (int64_t)v
                                                                                     : -1;
}

/* The response has the whole file. */
static int accept_whole(struct ty_transfer *s, const struct ty_http_client_call *call)
{
    const struct ty_fetch_item *item = s->item;
    int64_t size = number_of(ty_http_client_header(call, "Content-Length"));
    if (item->size >= 0 && size >= 0 && size != item->size)
        return ty_fail(&s->err, -EBADMSG, "%s: has %lld bytes, and should have %lld", item->name,
                       (long long)size, (long long)item->size);
    if (item->size >= 0)
        size = item->size;
    else
        s->run->progress.bytes = size; /* only a single file has no size before */
    return restart_part(s, item->tag ? item->tag : answer_tag(s, call), size);
}

/* "bytes 5-9/10": the response must have exactly the missing rest. */
static int accept_rest(struct ty_transfer *s, const struct ty_http_client_call *call)
{
    const char *range = ty_http_client_header(call, "Content-Range");
    struct ty_str unit, from, span, whole = ty_str(range ? range : "");
    whole = ty_str_cut(whole, ' ', &unit);
    whole = ty_str_cut(whole, '/', &span);
    (void)ty_str_cut(span, '-', &from);
    uint64_t first, total;
    if (s->part.have == 0 || !ty_str_is(unit, "bytes") || !ty_str_parse_u64(from, &first) ||
        first != (uint64_t)s->part.have) {
        s->redo = "the server sent other bytes than those asked for";
        return -EBADMSG;
    }
    if (ty_str_parse_u64(whole, &total) && s->part.size >= 0 && total != (uint64_t)s->part.size) {
        s->redo = "it has changed on the server";
        return -EBADMSG;
    }
    return 0;
}

/* Amazon's ETag is not an MD5 if the object is encrypted with a customer's key. */
static bool is_encrypted(const struct ty_http_client_call *call)
{
    const char *how = ty_http_client_header(call, "x-amz-server-side-encryption");
    return (how && strncmp(how, "aws:", 4) == 0) ||
           ty_http_client_header(call, "x-amz-server-side-encryption-customer-algorithm");
}

static int accept_head(struct ty_transfer *s, const struct ty_http_client_call *call)
{
    s->headed = true;
    s->unsummed = s->item->sum == TY_DIGEST_MD5 && is_encrypted(call);
    int status = ty_http_client_status(call);
    int r = status == 200 ? accept_whole(s, call) : status == 206 ? accept_rest(s, call) : 0;
    bool new_size = s->item->size < 0 && (status == 200 || status == 206);
    return r == 0 && new_size ? ty_fetch_run_check_room(s->run, &s->err) : r;
}

static int on_body(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    struct ty_transfer *s = ctx;
    int status = ty_http_client_status(call);
    int r = s->headed ? 0 : accept_head(s, call);
    if (r < 0)
        return r;
    if (status != 200 && status != 206) {
        ty_buf_add(&s->words, piece); /* as much as fits: the beginning is enough */
        return 0;
    }
    if (s->part.size >= 0 && (int64_t)piece.n > s->part.size - s->part.have) {
        s->redo = "the server sent more bytes than it has";
        return -EBADMSG;
    }
    r = ty_part_write(s->run->dir, &s->part, s->item->name, piece, &s->err);
    if (r < 0)
        return r;
    ty_digest_add(&s->digest, piece);
    s->run->progress.bytes_done += (int64_t)piece.n;
    s->run->progress.bytes_got += (int64_t)piece.n;
    return 0;
}

/* Schedules a retry, or ends the run. */
static void try_again(struct ty_transfer *s, const struct ty_http_client_call *call,
                      const struct ty_http_client_result *end)
{
    int64_t ms;
    const char *words =
        end->whole ? ty_retry_response_text(s->asking, call, ty_buf_str(&s->words)) : end->text;
    if (s->part.have > s->most) {
        s->most = s->part.have;
        s->retry.tries = 0;
    }
    if (ty_retry_again(&s->retry, end, ty_http_client_header(call, "Retry-After"),
                       (int64_t)time(NULL), arc4random(), &ms)) {
        ty_fetch_run_note(s->run, "%s: %s; trying again in %.1f s (%u of %u)", s->item->name, words,
                          (double)ms / 1000, s->retry.tries, s->retry.most);
        s->wake_ns = ty_fetch_run_now_ns() + ms * 1000000;
        return;
    }
    if (end->whole)
        ty_fetch_run_refused(s->run, s->item->name, end->status, words, &s->err);
    else
        ty_fail(&s->err, -EIO, "%s: %s", s->item->name, words);
}

/* 304: the complete file is up to date, or all its bytes had arrived and only the rename was
 * missing. */
static void on_not_modified(struct ty_transfer *s)
{
    if (is_whole(&s->part)) {
        check_received(s);
        return;
    }
    struct ty_fetch_progress *p = &s->run->progress;
    if (!ty_download_dir_tag(s->run->dir, s->item->name, &p->bytes_done)) {
        ty_fail(&s->err, -EPROTO, "%s: the server answers 304, but there is no complete file",
                s->item->name);
        return;
    }
    p->bytes = p->bytes_done; /* it is the only file */
    s->run->there++;
    finish_item(s);
}

static void on_end(void *ctx, struct ty_http_client_call *call,
                   const struct ty_http_client_result *end)
{
    struct ty_transfer *s = ctx;
    if (s->err.code < 0)
        return;
    bool good = end->whole && (end->status == 200 || end->status == 206);
    if (good && !s->headed && accept_head(s, call) < 0 && s->err.code < 0)
        return; /* an empty body has no chunks */
    if (s->redo)
        start_over(s, s->redo);
    else if (good && s->part.size >= 0 && s->part.have < s->part.size)
        try_again(s, call,
                  &(struct ty_http_client_result){
                      .status = end->status, .lost = true, .text = "it ended early" });
    else if (good)
        check_received(s);
    else if (end->whole && end->status == 304)
        on_not_modified(s);
    else if (end->whole && end->status == 416)
        start_over(s, "the server has no such bytes");
    else if (end->whole && end->status == 412)
        ty_fail(&s->err, -ESTALE, "%s: has changed on the server since it was listed: run again",
                s->item->name);
    else
        try_again(s, call, end);
}

/* If the tag is known only from the response, the request is conditional: no body if the file is
 * here, only the rest if the content is the same. */
static const char *condition_header(struct ty_transfer *s, bool rest)
{
    const struct ty_fetch_item *item = s->item;
    if (item->etag)
        return ty_arena_printf(s->asking, "If-Match: %s", item->etag);
    if (item->tag)
        return NULL; /* a content name, or a checksum that will be verified */
    const char *tag =
        s->part.have ? s->part.tag : ty_download_dir_tag(s->run->dir, item->name, NULL);
    if (!tag || strncmp(tag, item->place, strlen(item->place)) != 0)
        return NULL;
    tag += strlen(item->place);
    bool etag = strncmp(tag, " etag:", 6) == 0;
    const char *name = rest ? "If-Range" : etag ? "If-None-Match" : "If-Modified-Since";
    return ty_arena_printf(s->asking, "%s: %s", name, tag + strlen(" etag:"));
}

void ty_transfer_resume(struct ty_transfer *s)
{
    const char **headers;
    size_t n = 0, most = 3;
    bool rest = s->part.have > 0 && !is_whole(&s->part);
    ty_arena_reset(s->asking);
    for (const char *const *h = s->run->headers; h && *h; h++)
        most++;
    headers = ty_new_n(s->asking, const char *, most);
    for (const char *const *h = s->run->headers; h && *h; h++)
        headers[n++] = *h;
    const char *when = condition_header(s, rest);
    if (when)
        headers[n++] = when;
    if (rest)
        headers[n++] = ty_arena_printf(s->asking, "Range: bytes=%lld-", (long long)s->part.have);
    s->wake_ns = 0;
    s->headed = false;
    s->redo = NULL;
    s->words.n = 0;
    s->words.full = false;
    ty_fetch_run_get(
        s->run,
        &(struct ty_http_client_request){
            .url = s->item->url, .headers = headers, .piece = on_body, .end = on_end, .ctx = s });
}

/* Whether bytes of an earlier run can be used. */
static bool is_worth(const struct ty_fetch_item *item, const struct ty_part *p)
{
    if (p->have == 0 || !p->tag[0])
        return false;
    if (item->tag && strcmp(item->tag, p->tag) != 0)
        return false;
    if (!item->tag && strncmp(item->place, p->tag, strlen(item->place)) != 0)
        return false;
    int64_t size = item->size >= 0 ? item->size : p->size;
    return size < 0 || p->have <= size;
}

static void on_copied(void *ctx, int64_t n)
{
    struct ty_transfer *s = ctx;
    struct ty_fetch_run *run = s->run;
    run->progress.bytes_done += n;
    run->progress.bytes_got += n;
    run->progress.spent_ns = ty_fetch_run_now_ns() - run->began_ns;
    run->opts->progress(run->opts->ctx, &run->progress);
}

static void copy_local(struct ty_transfer *s)
{
    struct ty_fetch_run *run = s->run;
    if (restart_part(s, s->item->tag, s->item->size) < 0 ||
        ty_part_copy(run->dir, &s->part, s->item->from, on_copied, s, &s->err) < 0)
        return;
    if (s->part.have != s->item->size)
        ty_fail(&s->err, -ESTALE, "%s: has changed while it was copied", s->item->from);
    else if (ty_part_finish(run->dir, &s->part, s->item->name, s->item->tag, &s->err) == 0)
        finish_item(s);
}

void ty_transfer_start(struct ty_transfer *s, struct ty_fetch_item *item)
{
    ty_arena_reset(s->arena);
    s->item = item;
    s->retry = (struct ty_retry){ .most = s->run->opts->retries };
    s->starts = 0;
    s->unsummed = false;
    if (ty_part_open(s->run->dir, s->arena, item->name, &s->part, &s->err) < 0)
        return;
    bool worth = !item->from && is_worth(item, &s->part);
    if (!worth) { /* truncated when the response's headers arrive; they were never counted */
        s->part.have = 0;
        s->part.size = -1;
    } else if (item->size < 0) {
        s->run->progress.bytes = s->part.size;
    }
    s->most = s->part.have;
    s->run->progress.bytes_done += s->part.have;
    ty_digest_init(&s->digest, item->sum, item->size);
    if (item->from) {
        copy_local(s);
        return;
    }
    int r = ty_digest_add_file(&s->digest, s->part.fd, s->part.have);
    if (r < 0)
        ty_fail(&s->err, r, "%s: what has arrived cannot be read", item->name);
    else if (item->tag && is_whole(&s->part))
        check_received(s);
    else
        ty_transfer_resume(s);
}
