/* For tests of this folder: a temporary directory with files. */
#ifndef TY_FETCH_TESTING_H
#define TY_FETCH_TESTING_H

#include "base/tree_testing.h"
#include "fetch/fetch.h"
#include "net/testing.h"
#include <fcntl.h>
#include <sys/stat.h>

struct ty_box {
    char dir[64], was[4096];
};

static inline int box_open(void **state)
{
    struct ty_box *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    snprintf(b->dir, sizeof(b->dir), "%s", "/tmp/trainyard-fetch-XXXXXX");
    assert_non_null(getcwd(b->was, sizeof(b->was)));
    assert_non_null(mkdtemp(b->dir));
    assert_int_equal(chdir(b->dir), 0);
    *state = b;
    return 0;
}

static inline int box_close(void **state)
{
    struct ty_box *b = *state;
    assert_int_equal(chdir(b->was), 0);
    tree_remove(b->dir);
    free(b);
    return 0;
}
#define box_test(fn) cmocka_unit_test_setup_teardown(fn, box_open, box_close)

static inline void box_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline void box_holds(const char *path, const char *text)
{
    char got[4096] = { 0 };
    FILE *f = fopen(path, "re");
    if (!f)
        fail_msg("%s is not there", path);
    size_t n = fread(got, 1, sizeof(got) - 1, f);
    assert_int_equal(fclose(f), 0);
    got[n] = '\0';
    assert_string_equal(got, text);
}

/* A whole run against a scripted peer; notes are recorded. */
struct ty_trial {
    struct ty_fetch_opts opts;
    struct ty_fetch_result done;
    struct ty_err err;
    char notes[2048];
    size_t n_progress;
};

static inline void trial_note(void *ctx, const char *text)
{
    struct ty_trial *t = ctx;
    size_t n = strlen(t->notes);
    snprintf(t->notes + n, sizeof(t->notes) - n, "%s\n", text);
}

static inline void trial_progress(void *ctx, const struct ty_fetch_progress *p)
{
    struct ty_trial *t = ctx;
    assert_true(p->files_done <= p->files && p->bytes_done >= 0);
    assert_true(p->bytes < 0 || p->bytes_done <= p->bytes);
    t->n_progress++;
}

/* Into directory d, one file at a time, so that the peer's answers come in order. */
static inline int trial(struct ty_trial *t, const char *uri)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    t->opts.uri = uri;
    t->opts.to = "d";
    t->opts.jobs = 1;
    t->opts.stall_s = 5;
    t->opts.region = "r";
    t->opts.note = trial_note;
    t->opts.progress = trial_progress;
    t->opts.ctx = t;
    t->notes[0] = '\0';
    t->err = (struct ty_err){ 0 };
    t->done = (struct ty_fetch_result){ 0 };
    return ty_fetch(a, &t->opts, &t->done, &t->err);
}
#define trial_ok(t, uri)                                                                           \
    do {                                                                                           \
        if (trial((t), (uri)) < 0)                                                                 \
            fail_msg("%s", (t)->err.text);                                                         \
    } while (0)

/* Against a peer with these answers, as a hub, as a store or, if the URI begins with a slash, for a
 * file of its own. p->asked has the requests. */
static inline int meet(struct ty_peer *p, const char *const *answers, struct ty_trial *t,
                       const char *uri)
{
    char own[256];
    peer_start(p, answers);
    snprintf(own, sizeof(own), "%s%s", uri[0] == '/' ? p->url : "", uri);
    t->opts.hub = t->opts.s3 = p->url;
    int r = trial(t, own);
    peer_stop(p);
    return r;
}
#define meet_ok(p, answers, t, uri)                                                                \
    do {                                                                                           \
        if (meet((p), (answers), (t), (uri)) < 0)                                                  \
            fail_msg("%s", (t)->err.text);                                                         \
    } while (0)

#endif
