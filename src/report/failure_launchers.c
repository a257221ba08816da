/* torchrun prints a table of the children that failed:
 *
 *   [1]:
 *     rank      : 3 (local_rank: 1)
 *     exitcode  : -9 (pid: 71)
 *     traceback : Signal 9 (SIGKILL) received by PID 71   (or a traceback, indented, with @record)
 *
 * "Root Cause (first observed failure)" only breaks ties: it is the child with the lowest number of
 * those that torchrun finds dead when it looks, seconds later. */
#include "report/failure_launchers.h"

#include "base/buf.h"
#include "report/failure_lines.h"

static struct ty_str after(struct ty_str line, const char *words)
{
    const char *at = line.n ? memmem(line.p, line.n, words, strlen(words)) : NULL;
    size_t skip = at ? (size_t)(at - line.p) + strlen(words) : 0;

    return at ? (struct ty_str){ line.p + skip, line.n - skip } : (struct ty_str){ NULL, 0 };
}

/* The number at the start of the text, with a sign. */
static bool number_at(struct ty_str text, int64_t *ret)
{
    size_t n = text.n && text.p[0] == '-' ? 1 : 0;

    while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
        n++;
    return ty_str_parse_i64((struct ty_str){ text.p, n }, ret);
}

static bool number_after(struct ty_str line, const char *words, int64_t *ret)
{
    struct ty_str text = after(line, words);

    return text.p && number_at(text, ret);
}

/* "  rank      : 1 (local_rank: 1)" */
static bool table_field(struct ty_str line, const char *name, struct ty_str *ret)
{
    struct ty_str key, value = ty_str_cut(ty_str_trim(line), ':', &key);

    if (!value.p || !ty_str_is(ty_str_trim(key), name))
        return false;
    *ret = ty_str_trim(value);
    return true;
}

static struct ty_failure_child *child_add(struct ty_failure_findings *to, size_t line)
{
    if (to->n_children == TY_FAILURE_CHILDREN)
        return NULL;
    struct ty_failure_child *c = &to->children[to->n_children++];
    *c = (struct ty_failure_child){ .rank = -1, .local = -1, .line = line };
    return c;
}

static void set_exit(struct ty_failure_child *c, int64_t code)
{
    if (code < 0 && code > -65)
        c->sig = (int)-code;
    else if (code > 0 && code < 256)
        c->code = (int)code;
}

static void set_signal(struct ty_failure_child *c, struct ty_str text, const char *words)
{
    int64_t v = 0;

    if (number_after(text, words, &v) && v > 0)
        set_exit(c, -v);
}

static struct ty_failure_child *last_child(struct ty_failure_findings *to)
{
    return to->n_children ? &to->children[to->n_children - 1] : NULL;
}

/* ---- torchrun's table ---- */

static void add_table_child(struct ty_failure_findings *to, struct ty_str rank, size_t i, bool root)
{
    struct ty_failure_child *c = child_add(to, i);
    int64_t v = 0;

    if (!c)
        return;
    c->root = root;
    if (number_at(rank, &v))
        c->rank = v;
    if (number_after(rank, "local_rank: ", &v))
        c->local = v;
}

/* A line of a traceback, with @record: the error is indented by two blanks, frames by more. */
static void read_table_error(struct ty_failure_child *c, struct ty_str line)
{
    if (c->error.n || line.n <= 3 || line.p[0] != ' ' || line.p[1] != ' ' || line.p[2] == ' ')
        return;
    struct ty_str text = { line.p + 2, line.n - 2 };
    if (ty_failure_lines_exception(text))
        c->error = text;
}

static void read_table_line(struct ty_failure_findings *to, struct ty_str line, size_t i, bool root)
{
    struct ty_failure_child *c = last_child(to);
    struct ty_str value;
    int64_t v = 0;

    if (table_field(line, "rank", &value)) {
        add_table_child(to, value, i, root);
    } else if (c && table_field(line, "exitcode", &value)) {
        if (number_at(value, &v))
            set_exit(c, v);
    } else if (c && table_field(line, "traceback", &value)) {
        if (ty_str_starts(value, TY_LIT("Signal")))
            c->said = value;
    } else if (c) {
        read_table_error(c, line);
    }
}

/* ---- notes of mpirun (Open MPI, MPICH) and of DeepSpeed's launcher, each with one child ---- */

/* "MPI_ABORT was invoked on rank 1 in communicator …", "Abort(7) on node 2 (rank 2 in comm 0): …"
 */
static bool read_abort(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    int64_t rank = 0;

    if (!number_after(line, "MPI_ABORT was invoked on rank ", &rank) &&
        !number_after(line, "mpirun noticed that process rank ", &rank) &&
        !(ty_str_starts(line, TY_LIT("Abort(")) && number_after(line, ") on node ", &rank)))
        return false;
    struct ty_failure_child *c = child_add(to, i);
    if (c) {
        c->rank = rank;
        c->said = ty_str_trim(line);
        set_signal(c, line, "exited on signal ");
    }
    return true;
}

/* MPICH: "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)" */
static bool read_exit_string(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    struct ty_str died = after(line, "TERMINATED WITH THE EXIT STRING: ");
    struct ty_failure_child *c = died.p ? child_add(to, i) : NULL;

    if (c) {
        c->said = ty_str_trim(died);
        set_signal(c, died, "(signal ");
    }
    return died.p != NULL;
}

/* "  Process name: [[31107,1],1]", "*** reported by process [2038693889,1]" */
static bool read_process(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    struct ty_str process = after(line, "Process name: [["), rank = after(process, "],");
    int64_t v = 0;

    if (!process.p) {
        process = after(line, "*** reported by process [");
        rank = after(process, ",");
    }
    struct ty_failure_child *c = process.p ? child_add(to, i) : NULL;
    if (c && rank.p && number_at(rank, &v))
        c->rank = v;
    return process.p != NULL;
}

/* DeepSpeed: "[ERROR] … ['python', 'train.py'] exits with return code = 1" */
static bool read_return_code(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    int64_t v = 0;

    if (!number_after(line, "] exits with return code = ", &v))
        return false;
    struct ty_failure_child *c = child_add(to, i);
    if (c)
        set_exit(c, v);
    return true;
}

/* "  Exit code:    1", below the name of the process */
static void read_exit_code(struct ty_failure_child *c, struct ty_str line)
{
    int64_t v = 0;

    if (ty_str_starts(ty_str_trim(line), TY_LIT("Exit code:")) &&
        number_at(ty_str_trim(after(line, "Exit code:")), &v))
        set_exit(c, v);
}

static void read_note(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    if (read_abort(to, line, i) || read_exit_string(to, line, i) || read_process(to, line, i) ||
        read_return_code(to, line, i))
        return;
    if (to->n_children)
        read_exit_code(last_child(to), line);
}

/* ---- lines of launchers and loggers ---- */

/* "[E1117 17:33:43.123 socket.cpp:957] …", "W1117 17:33:43.123000 2190 torch/…"; its letter, or 0.
 */
static char logger_level(struct ty_str b)
{
    size_t i = b.n && b.p[0] == '[' ? 1 : 0;
    bool date = b.n > i + 5;

    for (size_t k = i + 1; k <= i + 4 && date; k++)
        date = b.p[k] >= '0' && b.p[k] <= '9';
    return date && b.p[i + 5] == ' ' && memchr("IWEF", b.p[i], 4) ? b.p[i] : '\0';
}

bool ty_failure_launchers_error(struct ty_str b)
{
    return logger_level(b) == 'E' || logger_level(b) == 'F';
}

bool ty_failure_launchers_line(struct ty_str b)
{
    static const char *const words[] = {
        "torch.distributed.elastic",
        "torch/distributed/elastic",
        "torch/distributed/run.py",
        "MPI_ABORT",
        "mpirun ",
        "plm:rsh:",
        "help message",
        "orte_base_help_aggregate",
        "[launch.py:",
        "Primary job  terminated",
        "Per user-direction",
        "the job to be terminated",
        "Process name: [[",
        "  Exit code:  ",
        "=   BAD TERMINATION OF ONE",
        "=   CLEANING UP REMAINING",
        "=   YOU CAN IGNORE THE BELOW",
        "=   EXIT CODE: ",
        "TERMINATED WITH THE EXIT STRING",
        "This typically refers to a problem with your application",
        "Please see the FAQ page for debugging",
    };

    if (logger_level(b))
        return true;
    if (ty_str_starts(b, TY_LIT("[W ")) || ty_str_starts(b, TY_LIT("[E ")))
        return true;
    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (ty_str_contains(b, ty_str(words[i])))
            return true;
    return false;
}

/* Where the launcher's own traceback begins; what it logged right before belongs to it. */
static size_t find_report(const struct ty_failure_log *log)
{
    size_t header = SIZE_MAX;

    for (size_t i = 0; i < log->n; i++) {
        struct ty_str b = log->lines[i].body;
        if (ty_failure_lines_traceback(b))
            header = i;
        if (header == SIZE_MAX || !ty_failure_lines_exception(b) ||
            ty_failure_symptom(b) != TY_SYMPTOM_LAUNCHER)
            continue;
        while (header > 0 && ty_failure_launchers_line(log->lines[header - 1].body))
            header--;
        return header;
    }
    return SIZE_MAX;
}

void ty_failure_launchers_read(const struct ty_failure_log *log, struct ty_failure_findings *to)
{
    bool table = false, root = false;

    to->report = find_report(log);
    for (size_t i = 0; i < log->n; i++) {
        struct ty_str b = log->lines[i].body;
        table |= ty_str_contains(b, TY_LIT("ChildFailedError"));
        root |= table && ty_str_starts(b, TY_LIT("Root Cause"));
        if (table)
            read_table_line(to, log->lines[i].text, i, root);
        else
            read_note(to, b, i);
    }
}

/* ---- notices of Open MPI ---- */

/* Its notices stand between two such lines. */
static bool is_rule(struct ty_str line)
{
    enum { DASHES = 60 };
    size_t n = 0;

    while (n < line.n && line.p[n] == '-')
        n++;
    return n == line.n && n >= DASHES;
}

/* Joins the lines of the paragraph at `from`, and of the next if that is announced by a colon. */
static size_t join_paragraph(const struct ty_failure_log *log, size_t from, struct ty_buf *to)
{
    size_t i = from;

    for (; i < log->n && !is_rule(log->lines[i].body); i++) {
        struct ty_str line = ty_str_trim(log->lines[i].body);
        if (line.n == 0 && to->n && to->p[to->n - 1] != ':')
            break;
        if (to->n + line.n + 1 > TY_FAILURE_LINE_BYTES)
            break;
        if (line.n)
            ty_buf_printf(to, "%s%.*s", to->n ? " " : "", TY_ARG(line));
    }
    return i > from ? i - 1 : from;
}

struct ty_str ty_failure_launchers_notice(struct ty_arena *a, const struct ty_failure_log *log,
                                          size_t *ret_line)
{
    ty_auto_buf b = { 0 };
    size_t i = 0;

    while (i < log->n && !is_rule(log->lines[i].body))
        i++;
    *ret_line = i;
    if (i + 1 >= log->n)
        return (struct ty_str){ "", 0 };
    if (i > 0 && ty_failure_lines_explain(log->lines[i - 1].body)) { /* what it is about */
        *ret_line = i - 1;
        return log->lines[i - 1].body;
    }
    *ret_line = join_paragraph(log, i + 1, &b);
    return ty_arena_str(a, ty_buf_str(&b));
}
