#include "cli/run/run_again.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/history/job_history.h"
#include "cli/run/run_input.h"
#include "proc/regular_file.h"
#include "store/file.h"

#define WORKDIR  "trainyard.dev/workdir"
#define LEFT_OUT "trainyard.dev/left-out"
#define ENV      "trainyard.dev/env"

static bool has_keys(const struct ty_json *obj)
{
    struct ty_str kind = ty_json_str_at(obj, "kind");

    return ty_str_is(kind, "Secret") || ty_str_is(kind, "ConfigMap");
}

static void add_word(struct ty_buf *list, const char *kind, struct ty_str name)
{
    ty_buf_printf(list, "%s%s%.*s", list->n ? ", " : "", kind, TY_ARG(name));
}

static void write_input(const struct ty_run_ctx *r, const struct ty_json *list)
{
    struct ty_arena *a = r->cli->arena;
    ty_auto_buf b = { 0 };
    const char *path = ty_arena_printf(a, "%s/input.json", r->dir);
    int fd = ty_regular_file_open(path, TY_DEPTH_RUN, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ty_json_print(&b, list);
    if (fd < 0)
        return;
    if (write(fd, b.p, b.n) != (ssize_t)b.n)
        ty_no_links_unlink(path, TY_DEPTH_RUN, 0);
    close(fd);
}

void ty_run_again_keep(struct ty_run_ctx *r)
{
    struct ty_arena *a = r->cli->arena;
    size_t jobs = 0;
    const struct ty_json **objs = ty_new_n(a, const struct ty_json *, r->session.inputs.n * 2 + 2);
    size_t n = ty_run_input_gather(r, objs, &jobs);
    struct ty_json *list = ty_json_object(a), *notes = NULL;
    ty_auto_buf left = { 0 }, env = { 0 };

    ty_json_set(a, list, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, list, "kind", ty_json_cstr(a, "List"));
    struct ty_json *items = ty_json_ensure_array(a, list, "items");
    notes = ty_json_ensure_object(a, ty_json_ensure_object(a, list, "metadata"), "annotations");
    for (size_t i = 0; i < n; i++) {
        if (has_keys(objs[i]))
            add_word(&left,
                     ty_str_is(ty_json_str_at(objs[i], "kind"), "Secret") ? "Secret "
                                                                          : "ConfigMap ",
                     ty_json_str_at(objs[i], "metadata.name"));
        else
            ty_json_push(a, items, ty_json_copy(a, objs[i], 0));
    }
    for (const char *const *e = r->history.env; e && *e; e++) {
        struct ty_str name;
        ty_str_cut(ty_str(*e), '=', &name);
        add_word(&env, "", name);
    }
    ty_json_set(a, notes, WORKDIR, ty_json_cstr(a, r->workdir));
    ty_json_set(a, notes, LEFT_OUT, ty_json_cstr(a, ty_arena_cstr(a, ty_buf_str(&left))));
    ty_json_set(a, notes, ENV, ty_json_cstr(a, ty_arena_cstr(a, ty_buf_str(&env))));
    write_input(r, list);
}

/* ---- again ---- */

struct run_found {
    struct ty_arena *a;
    char *dir;
};

static bool take_dir(void *ctx, struct ty_arena *a TY_UNUSED,
                     const struct ty_job_history_entry *job)
{
    struct run_found *f = ctx;

    f->dir = ty_arena_strdup(f->a, job->run.dir);
    return false;
}

static int find_dir(struct ty_cli *cli, const char *word, char **ret)
{
    ty_auto_history_db *d = NULL;
    struct ty_job_history_entry job;
    struct run_found f = { .a = cli->arena };
    struct ty_job_history_query q = { .cli = cli, .fn = take_dir, .ctx = &f };
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);

    q.d = d;
    if (code == TY_EXIT_OK && ty_str_parse_i64(ty_str(word), &q.run) && q.run > 0) {
        code = ty_job_history_query(&q);
        *ret = f.dir;
        if (code == TY_EXIT_OK && f.dir)
            return code;
    }
    if (code == TY_EXIT_OK)
        code = ty_job_history_entry(cli, d, &(struct ty_job_history_opts){ 0 }, word, &job);
    if (code == TY_EXIT_OK)
        *ret = ty_arena_strdup(cli->arena, job.run.dir);
    return code;
}

/* Gives the annotations of the kept input; NULL: it cannot be used, which is reported. The job may
 * have put a FIFO in its place. */
static const struct ty_json *read_kept(struct ty_cli *cli, const char *word, const char *path)
{
    struct ty_str text = { 0 };
    struct ty_err err = { 0 };
    int fd = ty_regular_file_open(path, TY_DEPTH_RUN, O_RDONLY, 0);

    if (fd == -ENOENT) {
        ty_cli_msg(
            cli, TY_MSG_ERROR,
            "run \"%s\" has kept no input: an earlier trainyard started it, or it was deleted",
            word);
        return NULL;
    }
    if (fd < 0)
        ty_fail(&err, fd, "%s", ty_regular_file_error(fd));
    else {
        ty_file_read(cli->arena, "-", fd, &text, &err);
        close(fd);
    }
    if (err.code < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "the input of run \"%s\" cannot be read: %s: %s", word, path,
                   err.text);
        return NULL;
    }
    const struct ty_json *notes =
        text.n <= TY_JSON_MAX_BYTES
            ? ty_json_at(ty_json_parse(cli->arena, text, NULL, NULL), "metadata.annotations")
            : NULL;
    if (!notes)
        ty_cli_msg(cli, TY_MSG_ERROR,
                   "the input of run \"%s\" is damaged: %s; run the files of the job instead", word,
                   path);
    return notes;
}

int ty_run_again_find(struct ty_cli *cli, const char *word, struct ty_run_again *ret)
{
    char *dir = NULL;
    int code = find_dir(cli, word, &dir);

    if (code)
        return code;
    ret->path = ty_arena_printf(cli->arena, "%s/input.json", dir);
    const struct ty_json *notes = read_kept(cli, word, ret->path);
    if (!notes)
        return TY_EXIT_BAD;
    struct ty_str left = ty_json_as_str(ty_json_get(notes, LEFT_OUT)),
                  env = ty_json_as_str(ty_json_get(notes, ENV));
    ret->workdir = ty_arena_cstr(cli->arena, ty_json_as_str(ty_json_get(notes, WORKDIR)));
    if (left.n)
        ty_cli_msg(cli, TY_MSG_NOTE, "not kept, name their files again: %.*s", TY_ARG(left));
    if (env.n)
        ty_cli_msg(cli, TY_MSG_NOTE, "values of --env are not kept, give them again: %.*s",
                   TY_ARG(env));
    return TY_EXIT_OK;
}
