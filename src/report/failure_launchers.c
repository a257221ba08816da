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

static void read_table_line(struct ty_failure_findings *to, struct ty_str line, size_t i, bool root)
{
    struct ty_failure_child *c = to->n_children ? &to->children[to->n_children - 1] : NULL;
    struct ty_str value;
    int64_t v = 0;

    if (table_field(line, "rank", &value)) {
        c = child_add(to, i);
        if (!c)
            return;
        c->root = root;
        if (number_at(value, &v))
            c->rank = v;
        if (number_after(value, "local_rank: ", &v))
            c->local = v;
    } else if (c && table_field(line, "exitcode", &value)) {
        if (number_at(value, &v))
            set_exit(c, v);
    } else if (c && table_field(line, "traceback", &value)) {
        if (ty_str_starts(value, TY_LIT("Signal")))
            c->said = value;
    } else if (c && line.n > 3 && line.p[0] == ' ' && line.p[1] == ' ' && line.p[2] != ' ') {
        struct ty_str text = { line.p + 2, line.n - 2 }; /* of a traceback, with @record */
        if (!c->error.n && ty_failure_findings_exception(text))
            c->error = text;
    }
}

/* Notes of mpirun (Open MPI, MPICH) and of DeepSpeed's launcher, each with one child. */
static void read_note(struct ty_failure_findings *to, struct ty_str line, size_t i)
{
    struct ty_failure_child *c = to->n_children ? &to->children[to->n_children - 1] : NULL;
    struct ty_str process = after(line, "Process name: [["), reported = { 0 };
    struct ty_str died = after(line, "TERMINATED WITH THE EXIT STRING: ");
    int64_t v = 0;

    if (number_after(line, "MPI_ABORT was invoked on rank ", &v) ||
        number_after(line, "mpirun noticed that process rank ", &v) ||
        (ty_str_starts(line, TY_LIT("Abort(")) && number_after(line, ") on node ", &v))) {
        c = child_add(to, i);
        if (!c)
            return;
        c->rank = v;
        c->said = ty_str_trim(line);
        if (number_after(line, "exited on signal ", &v) && v > 0)
            set_exit(c, -v);
    } else if (died.p) { /* MPICH: "Killed (signal 9)" */
        c = child_add(to, i);
        if (!c)
            return;
        c->said = ty_str_trim(died);
        if (number_after(died, "(signal ", &v) && v > 0)
            set_exit(c, -v);
    } else if (process.p || (reported = after(line, "*** reported by process [")).p) {
        struct ty_str rank = process.p ? after(process, "],") : after(reported, ",");
        c = child_add(to, i);
        if (c && rank.p && number_at(rank, &v))
            c->rank = v;
    } else if (number_after(line, "] exits with return code = ", &v)) { /* DeepSpeed */
        c = child_add(to, i);
        if (c)
            set_exit(c, v);
    } else if (c && ty_str_starts(ty_str_trim(line), TY_LIT("Exit code:"))) {
        if (number_at(ty_str_trim(after(line, "Exit code:")), &v))
            set_exit(c, v);
    }
}

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

void ty_failure_launchers_read(const struct ty_failure_log *log, struct ty_failure_findings *to)
{
    bool table = false, root = false;

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
