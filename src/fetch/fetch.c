/* The main function: lists the files, skips complete ones, transfers the rest. */
#include "fetch/fetch.h"
#include "fetch/download_dir.h"
#include "fetch/transfer.h"

#include <errno.h>
#include <unistd.h>

/* A complete file is recognized by its checksum, too, if the journal has no entry. */
static bool is_same(const struct ty_fetch_item *item, int fd)
{
    char hex[TY_DIGEST_HEX];
    struct ty_digest d;
    ty_digest_init(&d, item->sum, item->size);
    if (ty_digest_add_file(&d, fd, item->size) < 0)
        return false;
    ty_digest_hex(&d, hex);
    return strcmp(hex, item->hex) == 0;
}

static int skip_if_complete(struct ty_fetch_run *run, struct ty_fetch_item *item,
                            struct ty_err *err)
{
    int64_t size = -1;
    const char *tag = item->tag ? ty_download_dir_tag(run->dir, item->name, &size) : NULL;
    item->done = tag && strcmp(tag, item->tag) == 0;
    if (item->done && item->size < 0)
        item->size = size;
    if (item->done || item->sum == TY_DIGEST_NONE || item->size < 0)
        return 0;
    int fd = ty_download_dir_open_file(run->dir, item->name, item->size);
    item->done = fd >= 0 && is_same(item, fd);
    if (fd >= 0)
        close(fd);
    return item->done ? ty_download_dir_mark_done(run->dir, item->name, item->tag, err) : 0;
}

/* Skips complete files, and computes how much is left. */
static int skip_complete(struct ty_fetch_run *run, struct ty_err *err)
{
    struct ty_fetch_progress *p = &run->progress;
    p->files = run->n;
    for (size_t i = 0; i < run->n; i++) {
        struct ty_fetch_item *item = &run->items[i];
        int r = skip_if_complete(run, item, err);
        if (r < 0)
            return r;
        if (item->size < 0 || p->bytes < 0 ||
            __builtin_add_overflow(p->bytes, item->size, &p->bytes))
            p->bytes = -1;
        if (item->done) {
            run->there++;
            p->files_done++;
            p->bytes_done += item->size;
        }
    }
    return ty_fetch_run_check_room(run, err);
}

/* Advances every transfer; *ret_busy: one is active. Negative: one has failed. */
static int step_transfers(struct ty_fetch_run *run, struct ty_transfer *slots, size_t *next,
                          bool *ret_busy, struct ty_err *err)
{
    *ret_busy = false;
    for (unsigned i = 0; i < run->opts->jobs; i++) {
        struct ty_transfer *s = &slots[i];
        while (!s->item && s->err.code == 0 && *next < run->n) {
            struct ty_fetch_item *item = &run->items[(*next)++];
            if (!item->done)
                ty_transfer_start(s, item);
        }
        if (s->item && s->err.code == 0 && s->wake_ns && s->wake_ns <= ty_fetch_run_now_ns())
            ty_transfer_resume(s);
        if (s->err.code < 0) {
            *err = s->err;
            return err->code;
        }
        *ret_busy |= s->item != NULL;
    }
    return 0;
}

static int run_transfers(struct ty_fetch_run *run, struct ty_transfer *slots, struct ty_err *err)
{
    size_t next = 0;
    for (;;) {
        bool busy;
        int r = step_transfers(run, slots, &next, &busy, err);
        run->progress.spent_ns = ty_fetch_run_now_ns() - run->began_ns;
        run->opts->progress(run->opts->ctx, &run->progress);
        if (r < 0 || !busy)
            return r;
        ty_fetch_run_poll(run);
    }
}

static int transfer_all(struct ty_fetch_run *run, struct ty_err *err)
{
    struct ty_transfer *slots = ty_new_n(run->arena, struct ty_transfer, run->opts->jobs);
    for (unsigned i = 0; i < run->opts->jobs; i++)
        ty_transfer_init(&slots[i], run);
    run->began_ns = ty_fetch_run_now_ns();
    int r = run_transfers(run, slots, err);
    for (unsigned i = 0; i < run->opts->jobs; i++)
        ty_transfer_done(&slots[i]);
    return r;
}

static const struct ty_fetch_source *source_of(enum ty_uri_scheme scheme)
{
    static const struct ty_fetch_source *const all[] = {
        &ty_source_file,
        &ty_source_http,
        &ty_source_s3,
        &ty_source_hf,
    };
    for (size_t i = 0; i < TY_COUNT(all); i++)
        if (all[i]->scheme == scheme)
            return all[i];
    abort(); /* a scheme without a source: a bug */
}

static int run_all(struct ty_fetch_run *run, const struct ty_fetch_source *source,
                   struct ty_err *err)
{
    int r = ty_download_dir_open(run->arena, run->opts->to, &run->dir, err);
    if (r == 0)
        r = source->list(run, err);
    if (r == 0 && run->n == 0)
        r = run->ignored ? ty_fail(err, -ENOENT, "%s: all %zu files are left out by the patterns",
                                   run->uri.shown, run->ignored)
                         : ty_fail(err, -ENOENT, "%s: there is nothing", run->uri.shown);
    if (r == 0)
        r = skip_complete(run, err);
    if (r == 0)
        r = transfer_all(run, err);
    if (r == 0)
        ty_download_dir_cleanup(run->dir);
    return r;
}

int ty_fetch(struct ty_arena *a, const struct ty_fetch_opts *opts, struct ty_fetch_result *ret,
             struct ty_err *err)
{
    struct ty_fetch_run run = { .arena = a, .opts = opts, .include = opts->include };
    int r = ty_uri_parse(a, opts->uri, &run.uri, err);
    if (r < 0)
        return r;
    const struct ty_fetch_source *source = source_of(run.uri.scheme);
    if (source->http)
        r = ty_fetch_run_open(&run, err);
    if (r == 0)
        r = run_all(&run, source, err);
    ty_fetch_run_close(&run);
    ty_download_dir_close(run.dir);
    if (r == 0)
        *ret = (struct ty_fetch_result){ .total = run.progress,
                                         .files_there = run.there,
                                         .ignored = run.ignored };
    return r;
}
