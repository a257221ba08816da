#include "cli/run/run_history.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "proc/regular_file.h"
#include "store/history/run_lock.h"

#define EVERY_MS   100
#define FIRST_MS   10   /* from then on commands find this run: not before its first pods start */
#define FULL_MS    1000 /* retry interval after ENOSPC */
#define HURRIED_MS 20   /* busy timeout of a write in the event loop */
#define LAST_MS    3000 /* busy timeout of the last write */
#define MASK       "***"

/* ---- the command line ---- */

/* How many bytes of the word are stored: all, or up to the value of a variable. "-eNAME=VALUE" and
 * "--env=NAME=VALUE" end with the text given to --env, so comparing ends finds both. */
static size_t shown_length(struct ty_str word, const char *const *env)
{
    for (; env && *env; env++) {
        struct ty_str given = ty_str(*env), name;
        struct ty_str value = ty_str_cut(given, '=', &name);
        if (value.n && ty_str_ends(word, given))
            return word.n - value.n;
    }
    return word.n;
}

char *ty_run_history_command(struct ty_arena *a, struct ty_str words, const char *const *env)
{
    ty_auto_buf b = { 0 };

    while (words.n) {
        struct ty_str word, rest = ty_str_cut(words, '\0', &word);
        size_t n = rest.p ? shown_length(word, env) : 0;
        if (b.n)
            ty_buf_chr(&b, ' ');
        ty_buf_put(&b, word.p, n);
        if (!rest.p)
            ty_buf_cstr(&b, "…"); /* a truncated word may contain part of a secret */
        else if (n < word.n)
            ty_buf_cstr(&b, MASK);
        words = rest;
    }
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static char *own_command(struct ty_arena *a, const char *const *env)
{
    char text[8192];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

    if (fd >= 0)
        close(fd);
    return ty_run_history_command(a, (struct ty_str){ text, n > 0 ? (size_t)n : 0 }, env);
}

/* ---- the end, where the history has no room for it ---- */

#define END_BYTES 64

/* Written over later, which takes no room: so the end of a run can be told after a full disk. */
static void reserve_end(struct ty_arena *a, const char *dir)
{
    char blank[END_BYTES];
    int fd = ty_regular_file_open(ty_arena_printf(a, "%s/" TY_RUN_HISTORY_END, dir), TY_DEPTH_RUN,
                                  O_WRONLY | O_CREAT | O_TRUNC, 0600);

    memset(blank, ' ', sizeof(blank));
    blank[END_BYTES - 1] = '\n';
    if (fd < 0)
        return;
    ssize_t n = write(fd, blank, sizeof(blank)); /* a disk that is full already: without it */
    (void)n;
    close(fd);
}

/* how: NULL if the history has it. */
static void write_end(struct ty_arena *a, const char *dir, const char *how)
{
    const char *path = ty_arena_printf(a, "%s/" TY_RUN_HISTORY_END, dir);

    if (!how) {
        ty_no_links_unlink(path, TY_DEPTH_RUN, 0);
        return;
    }
    int fd = ty_regular_file_open(path, TY_DEPTH_RUN, O_WRONLY, 0);
    if (fd < 0)
        return;
    if (pwrite(fd, how, strlen(how), 0) > 0)
        fsync(fd);
    close(fd);
}

const char *ty_run_history_lost_end(struct ty_arena *a, const char *dir)
{
    char text[END_BYTES] = "";
    int fd = ty_regular_file_open(ty_arena_printf(a, "%s/" TY_RUN_HISTORY_END, dir), TY_DEPTH_RUN,
                                  O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    struct ty_str word = ty_str_trim((struct ty_str){ text, n > 0 ? (size_t)n : 0 });
    static const char *const known[] = { "Complete", "Failed", "TimedOut", "Interrupted" };
    for (size_t i = 0; i < TY_COUNT(known); i++)
        if (ty_str_is(word, known[i]))
            return known[i];
    return NULL;
}

/* ---- writing ---- */

static void stop_recording(struct ty_run_history *h)
{
    ty_history_record_free(h->record);
    ty_history_db_close(h->file);
    h->record = NULL;
    h->file = NULL;
}

/* Returns false if the write must be retried. */
static bool write_now(struct ty_run_history *h, int patience_ms)
{
    struct ty_err err = { 0 };
    int r = h->file ? 0 : ty_history_db_open(h->path, TY_HISTORY_DB_WRITE, &h->file, &err);

    if (r == 0) {
        ty_history_db_busy_timeout(h->file, patience_ms);
        r = ty_history_record_write(h->record, h->file, &h->run, &err);
    }
    if (r == 0 || r == -EAGAIN)
        return r == 0;
    if (r == -ENOSPC && h->file) {
        if (!h->full)
            ty_cli_msg(h->cli, TY_MSG_WARNING, "this run's history waits for room on the disk: %s",
                       err.text);
        h->full = true;
        return false;
    }
    ty_cli_msg(h->cli, TY_MSG_WARNING, "this run has no history: %s", err.text);
    stop_recording(h);
    return true;
}

static void on_timer(uv_timer_t *t)
{
    struct ty_run_history *h = t->data;

    if (h->record && !write_now(h, HURRIED_MS))
        uv_timer_start(t, on_timer, h->full ? FULL_MS : EVERY_MS, 0);
}

static void on_change(void *ctx, bool urgent)
{
    struct ty_run_history *h = ctx;

    h->changed = true;
    if (h->full && uv_is_active((const uv_handle_t *)&h->timer))
        return;
    uv_timer_start(&h->timer, on_timer, urgent ? 0 : h->run.id ? EVERY_MS : FIRST_MS, 0);
}

static void on_event(void *ctx, const struct ty_kind *kind, const char *name, const char *type,
                     const char *reason, const char *message, int64_t time_ms)
{
    struct ty_run_history *h = ctx;

    if (h->record)
        ty_history_record_event(h->record, kind, name, type, reason, message, time_ms);
}

static int on_command(void *ctx, const char *verb, const char *name, struct ty_err *err)
{
    struct ty_run_history *h = ctx;

    if (strcmp(verb, "suspend") == 0 || strcmp(verb, "resume") == 0)
        return ty_engine_suspend(h->engine, name, verb[0] == 's', err);
    if (strcmp(verb, "delete") != 0)
        return ty_fail(err, -EINVAL, "\"%s\" is no order: suspend, resume or delete", verb);
    int r = ty_engine_delete(h->engine, name, err);
    if (r == 0) {
        h->deleted++;
        ty_cli_msg(h->cli, TY_MSG_NOTE, "trainjob \"%s\" is being deleted, as asked", name);
    }
    return r;
}

void ty_run_history_init(struct ty_run_history *h, struct ty_cli *cli)
{
    *h = (struct ty_run_history){ .cli = cli, .lock = -1, .observer = { .event = on_event } };
    h->observer.ctx = h;
}

void ty_run_history_begin(struct ty_run_history *h, uv_loop_t *loop, struct ty_engine *engine,
                          const char *dir, const char *path)
{
    struct ty_arena *a = h->cli->arena;
    struct ty_err err = { 0 };

    h->engine = engine;
    h->path = ty_arena_strdup(a, path);
    h->run = (struct ty_history_db_run){ .pid = getpid(),
                                         .dir = ty_arena_strdup(a, dir),
                                         .command = own_command(a, h->env),
                                         .started_ms = ty_cli_wall_ms(),
                                         .how = "" };
    uv_timer_init(loop, &h->timer);
    h->timer.data = h;
    uv_unref((uv_handle_t *)&h->timer);
    h->lock = ty_run_lock_acquire(dir, &err);
    if (h->lock < 0)
        ty_cli_msg(h->cli, TY_MSG_WARNING, "this run will look interrupted to others: %s",
                   err.text);
    if (ty_control_socket_listen(loop, dir, on_command, h, &h->control, &err) < 0)
        ty_cli_msg(h->cli, TY_MSG_WARNING, "this run takes no orders: %s", err.text);
    reserve_end(a, dir);
    h->record = ty_history_record_new(ty_engine_store(engine), on_change, h);
}

bool ty_run_history_flush(struct ty_run_history *h)
{
    return h->record && write_now(h, LAST_MS) && h->run.id;
}

void ty_run_history_discard(struct ty_run_history *h)
{
    stop_recording(h);
}

static const char *how_it_ended(int code)
{
    switch (code) {
    case TY_EXIT_OK:
        return "Complete";
    case 124:
        return "TimedOut";
    case 130:
        return "Interrupted";
    default:
        return "Failed";
    }
}

/* Deletes earlier runs beyond the limits of the history. */
static void prune_history(struct ty_run_history *h)
{
    struct ty_err err = { 0 };

    ty_history_db_busy_timeout(h->file, HURRIED_MS);
    int r = ty_prune_history(h->cli->arena, h->file, &h->keep, ty_cli_wall_ms(), &err);
    if (r < 0 && r != -EAGAIN)
        ty_cli_msg(h->cli, TY_MSG_WARNING, "old runs cannot be removed: %s", err.text);
}

void ty_run_history_end(struct ty_run_history *h, int code)
{
    if (h->record && h->changed) {
        h->run.ended_ms = ty_cli_wall_ms();
        h->run.how = how_it_ended(code);
        bool written = write_now(h, LAST_MS);
        if (written || h->full)
            write_end(h->cli->arena, h->run.dir, written ? NULL : h->run.how);
        if (!written)
            ty_cli_msg(h->cli, TY_MSG_WARNING,
                       "the end of this run is missing in its history: %s %s", h->path,
                       h->full ? "is on a full disk" : "is busy");
        else if (h->file)
            prune_history(h);
    }
    stop_recording(h);
    ty_control_socket_free(h->control);
    h->control = NULL;
    if (h->timer.data && !uv_is_closing((uv_handle_t *)&h->timer))
        uv_close((uv_handle_t *)&h->timer, NULL);
    if (h->lock >= 0)
        close(h->lock);
    h->lock = -1;
}
