/* Parses the commands of a batch script. They are not changed. Slurm runs the script on the first
 * node, a TrainJob runs it on every node, and shell functions replace Slurm's commands; a step
 * (srun) runs on every node because every node executes the script. */
#include "convert/sbatch.h"
#include <ctype.h>

struct ty_str ty_sbatch_word(struct ty_sbatch *b, struct ty_str *rest)
{
    ty_auto_buf word = { 0 };
    char quote = 0;
    size_t n = 0;
    *rest = ty_str_trim(*rest);
    for (; n < rest->n && (quote || !isspace((unsigned char)rest->p[n])); n++) {
        char ch = rest->p[n];
        if (quote ? ch == quote : ch == '\'' || ch == '"')
            quote = quote ? 0 : ch;
        else
            ty_buf_chr(&word, ch);
    }
    *rest = (struct ty_str){ rest->p + n, rest->n - n };
    return ty_arena_str(b->arena, ty_buf_str(&word));
}

/* ---- analysis of the commands ---- */

static const char *const set_variables[] = {
    "SLURM_NODEID",        "SLURM_PROCID",        "SLURM_LOCALID",       "SLURM_NNODES",
    "SLURM_JOB_ID",        "SLURM_JOB_NUM_NODES", "SLURM_JOB_NAME",      "SLURM_JOBID",
    "SLURM_JOB_NODELIST",  "SLURM_NODELIST",      "SLURM_NTASKS",        "SLURM_NTASKS_PER_NODE",
    "SLURM_CPUS_PER_TASK", "SLURM_GPUS_ON_NODE",  "SLURM_ARRAY_TASK_ID", NULL,
};

static bool is_set(struct ty_str name)
{
    for (const char *const *v = set_variables; *v; v++)
        if (ty_str_is(name, *v))
            return true;
    return false;
}

static bool in_name(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

static void tell_variables(struct ty_sbatch *b, struct ty_str line, const char *path)
{
    const struct ty_str prefix = TY_LIT("SLURM_");
    for (size_t i = 0; i + prefix.n <= line.n; i++) {
        size_t n = 0;
        if (memcmp(line.p + i, prefix.p, prefix.n) != 0 || (i && in_name(line.p[i - 1])))
            continue;
        while (i + n < line.n && in_name(line.p[i + n]))
            n++;
        struct ty_str name = { line.p + i, n };
        if (!is_set(name))
            ty_sbatch_note(b, false, path,
                           "%.*s is a variable that only Slurm sets: it is empty here",
                           TY_ARG(name));
        i += n;
    }
}

/* Splits a line into words: shell punctuation ends a word. */
static struct ty_str next_token(struct ty_str *rest)
{
    static const char ends[] = " \t\r\n;|&()`$\"'";
    size_t i = 0, n = 0;
    while (i < rest->n && strchr(ends, rest->p[i]) && rest->p[i])
        i++;
    while (i + n < rest->n && rest->p[i + n] && !strchr(ends, rest->p[i + n]))
        n++;
    struct ty_str token = { rest->p + i, n };
    if (i + n < rest->n && !n)
        n = 1; /* a NUL: must advance in any case */
    *rest = (struct ty_str){ rest->p + i + n, rest->n - i - n };
    return token;
}

static bool takes_value(struct ty_str w)
{
    return w.n == 2 && strchr("nNcGtJpAwxoeD", w.p[1]);
}

/* Options of srun: nodes and tasks are those of the job. */
static void scan_srun(struct ty_sbatch *b, struct ty_str rest, const char *path)
{
    b->srun = true;
    for (;;) {
        struct ty_str w = ty_sbatch_word(b, &rest);
        if (!w.n || w.p[0] != '-')
            return;
        if (ty_str_starts(w, TY_LIT("--mpi")))
            b->mpi = true;
        else if (!ty_str_contains(rest, TY_LIT("hostname")))
            ty_sbatch_note(b, false, path, "%.*s is not carried over: every node runs the step",
                           TY_ARG(w));
        if (takes_value(w))
            ty_sbatch_word(b, &rest);
    }
}

static bool is_one_of(struct ty_str word, const char *const *words)
{
    for (; *words; words++)
        if (ty_str_is(word, *words))
            return true;
    return false;
}

/* Also matches /usr/bin/mpirun, mpirun.openmpi, mpiexec.hydra. */
static bool is_launcher(struct ty_str token)
{
    static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", NULL };
    struct ty_str name = token;
    while (token.p && token.n)
        token = ty_str_cut(token, '/', &name);
    ty_str_cut(name, '.', &name);
    return is_one_of(name, launchers);
}

static void look_at(struct ty_sbatch *b, struct ty_str token, struct ty_str rest, const char *path)
{
    static const char *const tools[] = { "sbatch", "squeue",  "scancel", "sacct",  "sinfo",
                                         "salloc", "sattach", "sstat",   "sbcast", NULL };
    if (ty_str_is(token, "srun"))
        scan_srun(b, rest, path);
    else if (is_launcher(token))
        b->mpi = true;
    else if (ty_str_is(token, "scontrol"))
        b->scontrol = true;
    else if (is_one_of(token, tools))
        ty_sbatch_note(b, false, path, "there is no %.*s in a container", TY_ARG(token));
    else if (ty_str_is(token, "RANDOM") || ty_str_is(token, "{RANDOM}"))
        b->random = true;
    b->torchrun |= ty_str_is(token, "torchrun") || ty_str_ends(token, TY_LIT("/torchrun")) ||
                   ty_str_starts(token, TY_LIT("torch.distributed."));
}

static void tell_place(struct ty_sbatch *b, struct ty_str first, bool stepped, const char *path)
{
    static const char *const no_commands[] = { "fi",   "done", "esac", "else", "elif",
                                               "wait", "exit", "}",    NULL };
    if (!stepped && b->steps && !b->followed && !is_one_of(first, no_commands)) {
        b->followed = true;
        ty_sbatch_note(b, false, path,
                       "what follows a step runs on every node, where Slurm runs it on the first");
    }
    if (stepped && b->steps)
        ty_sbatch_note(b, false, path,
                       "another step: every node runs it when its own one before is over");
}

/* Analyzes one command with all its lines. */
static void scan_line(struct ty_sbatch *b, struct ty_str line)
{
    const char *path = ty_arena_printf(b->arena, "line %u", b->line);
    struct ty_str rest = line, first = next_token(&rest);
    bool srun = b->srun, mpi = b->mpi;
    b->srun = b->mpi = false;
    tell_variables(b, line, path);
    if (ty_str_is(first, "module") || ty_str_is(first, "ml")) {
        b->modules = true;
        ty_sbatch_note(b, false, path,
                       "does nothing: software comes from the image, not from modules");
    }
    rest = line;
    for (struct ty_str t = next_token(&rest); t.n; t = next_token(&rest))
        look_at(b, t, rest, path);
    bool stepped = ty_str_is(first, "srun") || b->mpi;
    if (!mpi && !b->mpi)
        tell_place(b, first, stepped, path);
    b->steps |= stepped;
    b->srun |= srun;
    b->mpi |= mpi;
}

/* Finds <<WORD, <<-WORD, <<'WORD', but not <<<. The text up to that word is not a command. */
static void find_document(struct ty_sbatch *b, struct ty_str line)
{
    for (size_t i = 0; i + 2 < line.n; i++) {
        if (memcmp(line.p + i, "<<", 2) != 0)
            continue;
        if (line.p[i + 2] == '<') {
            i += 2;
            continue;
        }
        b->indented = line.p[i + 2] == '-';
        size_t from = i + 2 + (b->indented ? 1 : 0);
        struct ty_str rest = { line.p + from, line.n - from };
        struct ty_str word = ty_sbatch_word(b, &rest);
        size_t n = word.n && word.p[0] == '\\' ? 1 : 0, k = n;
        while (k < word.n && (in_name(word.p[k]) || word.p[k] == '-' || word.p[k] == '.'))
            k++;
        if (k > n && !isdigit((unsigned char)word.p[n])) /* not a number: $((1<<4)) */
            b->end = (struct ty_str){ word.p + n, k - n };
        return;
    }
}

static bool ends_document(const struct ty_sbatch *b, struct ty_str line)
{
    while (b->indented && line.n && line.p[0] == '\t')
        line = (struct ty_str){ line.p + 1, line.n - 1 };
    return ty_str_eq(line, b->end);
}

/* ---- line by line ---- */

static struct ty_str next_line(struct ty_sbatch *b, struct ty_str *text)
{
    struct ty_str line;
    *text = ty_str_cut(*text, '\n', &line);
    b->line++;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static void append_script(struct ty_sbatch *b, struct ty_str line)
{
    ty_buf_printf(&b->script, "%.*s\n", TY_ARG(line));
}

/* A command, with the lines that backslashes join to it. */
static void add_command(struct ty_sbatch *b, struct ty_str line, struct ty_str *text)
{
    ty_auto_buf all = { 0 };
    unsigned from = b->line;
    append_script(b, line);
    while (line.n && line.p[line.n - 1] == '\\' && text->p) {
        ty_buf_put(&all, line.p, line.n - 1);
        line = next_line(b, text);
        append_script(b, line);
    }
    ty_buf_put(&all, line.p, line.n);
    unsigned to = b->line;
    b->line = from;
    struct ty_str whole = ty_buf_str(&all);
    whole.p = ty_arena_cstr(b->arena, whole);
    scan_line(b, whole);
    find_document(b, whole);
    b->line = to;
    b->commands = true;
}

static bool is_directive(struct ty_str line)
{
    return ty_str_starts(line, TY_LIT("#SBATCH")) &&
           (line.n == 7 || isspace((unsigned char)line.p[7]));
}

void ty_sbatch_script(struct ty_sbatch *b, struct ty_str text)
{
    while (text.n && !b->out->bad) {
        struct ty_str line = next_line(b, &text), trimmed = ty_str_trim(line);
        if (b->end.p) {
            append_script(b, line);
            if (ends_document(b, line))
                b->end = (struct ty_str){ 0 };
        } else if (is_directive(line) && !b->commands) {
            ty_sbatch_options(b, (struct ty_str){ line.p + 7, line.n - 7 });
        } else if (is_directive(line)) {
            ty_sbatch_note(b, false, "#SBATCH", "not read: Slurm, too, stops at the first command");
        } else if (trimmed.n && trimmed.p[0] != '#') {
            add_command(b, line, &text);
        } else if (b->commands) {
            append_script(b, line);
        }
    }
}

/* ---- replacements for Slurm's commands ---- */

/* Skips options. -w with hostname prints the address of another node, from DNS. */
static const char srun_options[] =
    "srun() (\n"
    "  while [ $# -gt 0 ]; do\n"
    "    case $1 in\n"
    "    -w | --nodelist) ty_on=$2; shift 2 ;;\n"
    "    --nodelist=*) ty_on=${1#*=}; shift ;;\n"
    "    -[nNcGtJpAxoeD]) shift 2 ;;\n"
    "    --nodes | --ntasks | --ntasks-per-node | --cpus-per-task | --gpus | --gpus-per-node) "
    "shift "
    "2 ;;\n"
    "    --gpus-per-task | --gres | --mem | --time | --job-name | --output | --error) shift 2 ;;\n"
    "    -*) shift ;;\n"
    "    *) break ;;\n"
    "    esac\n"
    "  done\n"
    "  if [ \"$1\" = hostname ] && [ -n \"${ty_on-}\" ]; then\n"
    "    until ty_ip=$(getent hosts \"$ty_on\"); do sleep 1; done\n"
    "    echo \"${ty_ip%% *}\"\n"
    "    exit\n"
    "  fi\n";

/* Ends the other tasks when the first one fails. */
static const char srun_tasks[] =
    "  ty_code=0\n"
    "  for ((ty_i = 0; ty_i < SLURM_NTASKS_PER_NODE; ty_i++)); do\n"
    "    SLURM_LOCALID=$ty_i SLURM_PROCID=$((SLURM_NODEID * SLURM_NTASKS_PER_NODE + ty_i)) \"$@\" "
    "&\n"
    "  done\n"
    "  for ((ty_i = 0; ty_i < SLURM_NTASKS_PER_NODE; ty_i++)); do\n"
    "    wait -n || { ty_code=$?; kill $(jobs -p) 2>/dev/null; break; }\n"
    "  done\n"
    "  wait\n"
    "  exit $ty_code\n";

/* Kubernetes expands args, too: $$ is a literal $, and $(NAME) a variable of the container. */
static void put_escaped(struct ty_buf *to, struct ty_str s)
{
    for (size_t i = 0, n = 2; i < s.n; i++, n = 2) {
        ty_buf_chr(to, s.p[i]);
        if (s.p[i] != '$' || i + 1 == s.n)
            continue;
        while (s.p[i + 1] == '(' && i + n < s.n && in_name(s.p[i + n]))
            n++;
        bool name = n > 2 && i + n < s.n && s.p[i + n] == ')';
        if (s.p[i + 1] == '$') {
            ty_buf_cstr(to, "$$$");
            i++;
        } else if (name) {
            ty_buf_chr(to, '$');
        }
    }
}

const char *ty_sbatch_command(struct ty_sbatch *b, struct ty_str before)
{
    ty_auto_buf s = { 0 };
    if (b->random || b->modules || b->scontrol || b->srun || before.n)
        ty_buf_cstr(&s, "# Stand-ins for what only Slurm has.\n");
    ty_buf_put(&s, before.p, before.n);
    if (b->random) /* Slurm evaluates it once for all nodes */
        ty_buf_cstr(&s, "RANDOM=1 # the same numbers on every node\n");
    if (b->modules)
        ty_buf_cstr(&s, "module() { :; }\nml() { :; }\n");
    if (b->scontrol)
        ty_buf_cstr(&s, "scontrol() { tr , '\\n' <<<\"$SLURM_JOB_NODELIST\"; }\n");
    if (b->srun) {
        bool tasks = !b->mpi && !b->torchrun && b->per_node > 1;
        ty_buf_cstr(&s, srun_options);
        ty_buf_cstr(&s, b->mpi ? "  exec mpirun \"$@\"\n" : tasks ? srun_tasks : "  \"$@\"\n");
        ty_buf_cstr(&s, ")\n");
    }
    put_escaped(&s, ty_buf_str(&b->script));
    return ty_arena_cstr(b->arena, ty_buf_str(&s));
}
