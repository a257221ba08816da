/* trainyard initialize: downloads a dataset or model, configured by the environment variables of
 * Kubeflow's initializer images. */
#include "cli/cmds.h"
#include "fetch/fetch.h"
#include "fetch/patterns.h"
#include "fetch/transfer_progress.h"
#include "fetch/uri.h"

#include <sys/ioctl.h>
#include <unistd.h>

struct initialize_opts {
    struct ty_args args;
    const char *uri, *to, *include, *ignore;
    const char *jobs, *retries, *stall;
    bool quiet;
};
static const struct ty_opt options[] = {
    { "uri", 0, TY_OPT_WORD, "URI", "fetch this instead of $STORAGE_URI", NULL,
      TY_OPT_AT(struct initialize_opts, uri) },
    { "to", 0, TY_OPT_WORD, "DIR", "target directory instead of /workspace/dataset or …/model",
      NULL, TY_OPT_AT(struct initialize_opts, to) },
    { "include", 0, TY_OPT_WORD, "PATTERNS", "fetch only files that match: *.json,*.txt", NULL,
      TY_OPT_AT(struct initialize_opts, include) },
    { "ignore", 0, TY_OPT_WORD, "PATTERNS", "skip files that match ($IGNORE_PATTERNS)", NULL,
      TY_OPT_AT(struct initialize_opts, ignore) },
    { "jobs", 'j', TY_OPT_WORD, "N", "concurrent downloads (4)", NULL,
      TY_OPT_AT(struct initialize_opts, jobs) },
    { "retries", 0, TY_OPT_WORD, "N", "retries of a request without progress (5)", NULL,
      TY_OPT_AT(struct initialize_opts, retries) },
    { "stall-timeout", 0, TY_OPT_WORD, "SECONDS", "give up on a peer slower than 1 kB/s (30)", NULL,
      TY_OPT_AT(struct initialize_opts, stall) },
    { "quiet", 'q', TY_OPT_FLAG, NULL, "do not print progress and the summary", NULL,
      TY_OPT_AT(struct initialize_opts, quiet) },
    TY_OPT_HELP(struct initialize_opts),
    TY_OPT_END,
};

#define LINE_NS ((int64_t)10000000000) /* between progress lines without a terminal */
#define BAR_NS  ((int64_t)100000000)   /* between redraws of the bar on a terminal */

struct show {
    struct ty_cli *cli;
    struct ty_transfer_progress meter;
    bool quiet, terminal, bar; /* bar: a progress bar is on the current line */
    int64_t shown_ns;
};

static size_t terminal_columns(FILE *f)
{
    struct winsize w = { 0 };
    return ioctl(fileno(f), TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col - 1u : 79u;
}

static void clear_bar(struct show *s)
{
    if (s->bar)
        fputs("\r\033[K", s->cli->out);
    s->bar = false;
    fflush(s->cli->out);
}

static void on_progress(void *ctx, const struct ty_fetch_progress *p)
{
    struct show *s = ctx;
    ty_auto_buf b = { 0 };
    ty_transfer_progress_sample(&s->meter, p);
    if (s->quiet || p->spent_ns - s->shown_ns < (s->terminal ? BAR_NS : LINE_NS))
        return;
    s->shown_ns = p->spent_ns;
    if (s->terminal)
        ty_transfer_progress_bar(&b, &s->meter, p, terminal_columns(s->cli->out));
    else
        ty_transfer_progress_line(&b, &s->meter, p);
    fprintf(s->cli->out, s->terminal ? "\r%.*s\033[K" : "%.*s\n", (int)b.n, b.p);
    s->bar = s->terminal;
    fflush(s->cli->out);
}

static void on_note(void *ctx, const char *text)
{
    struct show *s = ctx;
    clear_bar(s);
    ty_cli_msg(s->cli, TY_MSG_NOTE, "%s", text);
}

static const char *env_value(const char *name)
{
    const char *v = secure_getenv(name);
    return v && *v ? v : NULL;
}

static const char *env_value2(const char *name, const char *other)
{
    const char *v = env_value(name);
    return v ? v : env_value(other);
}

/* The value becomes an HTTP header unescaped: a line break would add a header. */
static bool is_clean(const char *v)
{
    for (; v && *v; v++)
        if ((unsigned char)*v <= ' ' || *v == 0x7f)
            return false;
    return true;
}

/* Reads the variables of Kubeflow's initializers; where one is unset, the variable of the library
 * that the initializer uses. */
static int read_env(struct ty_fetch_opts *o, const struct ty_uri *u, struct ty_err *err)
{
    o->token = env_value2("ACCESS_TOKEN", "HF_TOKEN");
    o->hub = env_value("HF_ENDPOINT") ? env_value("HF_ENDPOINT") : "https://huggingface.co";
    o->s3 = env_value2("ENDPOINT", "AWS_ENDPOINT_URL");
    o->key_id = env_value("ACCESS_KEY_ID");
    o->secret = env_value("SECRET_ACCESS_KEY");
    if (!o->key_id && !o->secret) {
        o->key_id = env_value("AWS_ACCESS_KEY_ID");
        o->secret = env_value("AWS_SECRET_ACCESS_KEY");
        o->session = env_value("AWS_SESSION_TOKEN");
    }
    o->region = env_value2("REGION", "AWS_REGION");
    o->region = o->region ? o->region : env_value("AWS_DEFAULT_REGION");
    o->region = o->region ? o->region : "us-east-1";
    o->ca_file = env_value2("SSL_CERT_FILE", "CURL_CA_BUNDLE");
    if (!is_clean(o->token) || !is_clean(o->session) || !is_clean(o->key_id) ||
        !is_clean(o->region))
        return ty_fail(err, -1, "a token or key in the environment holds white space");
    if (u->scheme != TY_SCHEME_S3)
        return 0;
    if (env_value("ROLE_ARN"))
        return ty_fail(err, -1,
                       "ROLE_ARN: roles are not assumed here; unset it and give the role's own "
                       "ACCESS_KEY_ID and SECRET_ACCESS_KEY");
    if (!o->key_id != !o->secret)
        return ty_fail(err, -1, "ACCESS_KEY_ID and SECRET_ACCESS_KEY go together: one is not set");
    return 0;
}

static int read_number(const char *word, const char *name, uint64_t least, uint64_t most,
                       uint64_t *v, struct ty_err *err)
{
    uint64_t got;
    if (!word)
        return 0;
    if (!ty_str_parse_u64(ty_str(word), &got) || got < least || got > most)
        return ty_fail(err, -1, "--%s: \"%s\" is not a number from %llu to %llu", name, word,
                       (unsigned long long)least, (unsigned long long)most);
    *v = got;
    return 0;
}

static int read_numbers(struct ty_fetch_opts *o, const struct initialize_opts *opts,
                        struct ty_err *err)
{
    uint64_t jobs = 4, retries = 5, stall = 30;
    if (read_number(opts->jobs, "jobs", 1, TY_FETCH_JOBS_MAX, &jobs, err) < 0 ||
        read_number(opts->retries, "retries", 0, 1000, &retries, err) < 0 ||
        read_number(opts->stall, "stall-timeout", 1, 3600, &stall, err) < 0)
        return -1;
    o->jobs = (unsigned)jobs;
    o->retries = (unsigned)retries;
    o->stall_s = (int64_t)stall;
    return 0;
}

static int read_all(struct ty_cli *cli, const struct initialize_opts *opts, struct ty_fetch_opts *o,
                    struct ty_err *err)
{
    struct ty_uri u;
    o->uri = opts->uri ? opts->uri : env_value("STORAGE_URI");
    if (opts->args.operands.n != 1 || (strcmp(opts->args.operands.v[0], "dataset") != 0 &&
                                       strcmp(opts->args.operands.v[0], "model") != 0))
        return ty_fail(err, -1, "say what to fetch: dataset or model");
    o->model = strcmp(opts->args.operands.v[0], "model") == 0;
    if (!o->uri)
        return ty_fail(err, -1, "STORAGE_URI is not set and there is no --uri");
    if (ty_uri_parse(cli->arena, o->uri, &u, err) < 0)
        return -1;
    o->to = opts->to ? opts->to : o->model ? "/workspace/model" : "/workspace/dataset";
    if (!*o->to)
        return ty_fail(err, -1, "--to: the folder's name is empty");
    const char *ignore = opts->ignore ? opts->ignore : env_value("IGNORE_PATTERNS");
    o->ignore = ignore ? ty_patterns_split(cli->arena, ignore) : NULL;
    o->include = opts->include ? ty_patterns_split(cli->arena, opts->include) : NULL;
    return read_env(o, &u, err) < 0 ? -1 : read_numbers(o, opts, err);
}

static void print_done(struct show *s, const struct ty_fetch_opts *o,
                       const struct ty_fetch_result *d)
{
    ty_auto_buf b = { 0 };
    const struct ty_fetch_progress *p = &d->total;
    if (s->quiet)
        return;
    ty_buf_printf(&b, "100%%: %zu file%s, ", p->files, p->files == 1 ? "" : "s");
    ty_transfer_progress_bytes(&b, (double)(p->bytes < 0 ? p->bytes_done : p->bytes));
    ty_buf_printf(&b, " in %s", o->to);
    if (p->bytes_got) {
        double s_spent = (double)p->spent_ns / 1e9;
        ty_buf_cstr(&b, "; fetched ");
        ty_transfer_progress_bytes(&b, (double)p->bytes_got);
        ty_buf_printf(&b, " in %.1f s", s_spent);
    }
    if (d->files_there)
        ty_buf_printf(&b, "; %zu %s there before", d->files_there,
                      d->files_there == 1 ? "was" : "were");
    if (d->ignored)
        ty_buf_printf(&b, "; %zu left out by patterns", d->ignored);
    ty_buf_chr(&b, '\n');
    ty_cli_print(s->cli, &b);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct initialize_opts *opts = parsed;
    struct show show = { .cli = cli,
                         .quiet = opts->quiet,
                         .terminal = isatty(fileno(cli->out)) == 1 };
    struct ty_fetch_opts o = { .note = on_note, .progress = on_progress, .ctx = &show };
    struct ty_fetch_result done;
    struct ty_err err = { 0 };
    if (read_all(cli, opts, &o, &err) < 0)
        return ty_cli_usage(cli, &ty_cmd_initialize, "%s", err.text);
    int r = ty_fetch(cli->arena, &o, &done, &err);
    clear_bar(&show);
    if (r < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    print_done(&show, &o, &done);
    return TY_EXIT_OK;
}

static const char *const operands[] = { "dataset", "model", NULL };

const struct ty_cmd ty_cmd_initialize = {
    .name = "initialize",
    .about = "Fetch a dataset or a model",
    .operand = "dataset|model",
    .more =
        "Does what Kubeflow's initializer images do, and reads the same variables: STORAGE_URI,\n"
        "IGNORE_PATTERNS, ACCESS_TOKEN, ENDPOINT, ACCESS_KEY_ID, SECRET_ACCESS_KEY, REGION.\n"
        "\n"
        "A URI is one of\n"
        "  hf://[datasets/]owner/name[@revision][/path]   Hugging Face Hub ($HF_ENDPOINT)\n"
        "  s3://bucket/prefix                             an object store ($ENDPOINT)\n"
        "  https://host/path/file[#sha256=HEX]            one file\n"
        "  file:///path                                   a file or a folder of this machine\n"
        "\n"
        "A file appears under its name when it is whole and its checksum is right. A run that was\n"
        "interrupted goes on where it stopped; what is there already is not fetched again.\n",
    .examples = "  trainyard initialize dataset --uri hf://tatsu-lab/alpaca --to ./alpaca\n"
                "  trainyard initialize model --uri hf://Qwen/Qwen2.5-1.5B-Instruct --to ./qwen\n"
                "  ENDPOINT=http://localhost:9000 ACCESS_KEY_ID=… SECRET_ACCESS_KEY=… \\\n"
                "    trainyard initialize dataset --uri s3://bucket/train --to ./train\n",
    .opts = TY_OPTS(options, struct initialize_opts),
    .run = run,
    .operands = operands,
};
