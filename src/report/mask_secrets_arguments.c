/* Arguments of commands: "curl -u user:password", "mysql -ppassword", "sshpass -p password". An
 * option such as -p says nothing by itself ("-p 8080"), so the program in front of it counts, up to
 * the end of its command. */
#include "report/mask_secrets_inner.h"

enum option_rule {
    SEPARATE = 1, /* the value is the next argument: "-a password" */
    ATTACHED = 2, /* "-ppassword"; "-p" alone asks on the terminal */
    LAST = 4,     /* another command follows, whose options are its own: "sshpass -p x ssh -p 22" */
};

/* Programs that take a password; with NULL, those that sshpass starts. */
static const struct ty_mask_option {
    const char *program, *option;
    unsigned rule;
} options[] = {
    { "mysql", "-p", ATTACHED },
    { "mysqladmin", "-p", ATTACHED },
    { "mysqlbinlog", "-p", ATTACHED },
    { "mysqlcheck", "-p", ATTACHED },
    { "mysqldump", "-p", ATTACHED },
    { "mysqlimport", "-p", ATTACHED },
    { "mysqlsh", "-p", ATTACHED },
    { "mysqlshow", "-p", ATTACHED },
    { "mariadb", "-p", ATTACHED },
    { "mariadb-admin", "-p", ATTACHED },
    { "mariadb-dump", "-p", ATTACHED },
    { "redis-cli", "-a", SEPARATE },
    { "redis-cli", "--pass", SEPARATE },
    { "sshpass", "-p", SEPARATE | ATTACHED | LAST },
    { "autossh", NULL, 0 },
    { "rsync", NULL, 0 },
    { "scp", NULL, 0 },
    { "sftp", NULL, 0 },
    { "ssh", NULL, 0 },
};

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char at(struct ty_str rest, size_t i)
{
    return i < rest.n ? rest.p[i] : '\0';
}

static struct ty_str rest_of(const struct ty_mask *m)
{
    return (struct ty_str){ m->text.p + m->at, m->text.n - m->at };
}

/* The name of a program: of "/usr/bin/mysql" and "'mysql'," too, but not of "my-mysql" and
 * "mysql: [Warning] …". */
static bool is_program(struct ty_str rest, const char *name)
{
    char next = at(rest, strlen(name));

    return ty_str_starts(rest, ty_str(name)) && (is_blank(next) || is_quote(next));
}

void ty_mask_command(struct ty_mask *m, bool word, char last)
{
    char c = m->text.p[m->at];

    if (c == '\n' || c == ';' || c == '|' || c == '&')
        m->program = NULL;
    if (!word || last == '-' || last == '.')
        return;
    for (size_t i = 0; i < TY_COUNT(options); i++)
        if (options[i].program[0] == c && is_program(rest_of(m), options[i].program)) {
            m->program = options[i].program;
            return;
        }
}

/* How far it is over blanks, or from one item of a command that Python prints ("['curl', '-u',
 * 'me:pw']") to the next; 0: neither. */
static size_t next_argument(struct ty_str rest, size_t from)
{
    size_t i = from;

    if (is_quote(at(rest, i)) && at(rest, i + 1) == ',')
        i += 2;
    size_t blanks = i;
    while (is_blank(at(rest, i)) || at(rest, i) == '=')
        i++;
    if (i == blanks)
        return 0;
    return i + is_quote(at(rest, i)) - from;
}

/* A shell ends a word at these; in a command that is printed without its quotes they are a part of
 * the word, unless the word ends there anyway. */
static bool ends_word(struct ty_str rest, size_t i)
{
    char c = at(rest, i), next = at(rest, i + 1);

    if (c && strchr(" \t\r\"'`<>", c))
        return true;
    return c && strchr(";|&)", c) &&
           (!next || next == '\n' || next == c || is_blank(next) || is_quote(next));
}

/* The end of the argument that begins at `from`: of one in quotes the closing one. A backslash is
 * a part of it, unless it escapes a quote around the command. */
static size_t argument_end(struct ty_str rest, size_t from, char before)
{
    size_t i = from;

    for (; i < rest.n && rest.p[i] != '\n'; i++) {
        char c = rest.p[i];
        if (is_quote(before) ? c == before : ends_word(rest, i))
            break;
        if (!is_quote(before) && c == '\\' && is_quote(at(rest, i + 1)))
            break;
    }
    return i;
}

static void hide_argument(struct ty_mask *m, size_t from, size_t end)
{
    ty_mask_copy(m, from);
    ty_mask_hide(m, end - from);
}

/* Of "user:password" or "8080:80": has a colon; and is more than numbers. */
static void look_at(struct ty_str argument, bool *ret_colon, bool *ret_letters)
{
    *ret_colon = *ret_letters = false;
    for (size_t i = 0; i < argument.n; i++) {
        char c = argument.p[i];
        *ret_colon |= c == ':';
        *ret_letters |= c != ':' && (c < '0' || c > '9');
    }
}

/* At "-u" or "--user": the argument, if it has a colon and is not numbers ("--user 1000:1000"). */
static bool mask_user(struct ty_mask *m)
{
    struct ty_str rest = rest_of(m);
    size_t n = ty_str_starts(rest, TY_LIT("-u"))       ? 2
               : ty_str_starts(rest, TY_LIT("--user")) ? 6
                                                       : 0;
    size_t skip = n ? next_argument(rest, n) : 0, from = n + skip;
    bool colon = false, letters = false;

    if (skip == 0)
        return false;
    size_t end = argument_end(rest, from, rest.p[from - 1]);
    look_at((struct ty_str){ rest.p + from, end - from }, &colon, &letters);
    if (!colon || !letters)
        return false;
    hide_argument(m, from, end);
    return true;
}

/* Whether a quote opens here ("-p'a b'"), and does not close what the option stands in ("'-p',").
 */
static bool opens_quote(struct ty_str rest, size_t i)
{
    char next = at(rest, i + 1);

    return is_quote(at(rest, i)) && next && !strchr(" \t\r\n,;:.)]}\"'\\", next);
}

/* Where the password of the option at the start of `rest` begins; 0: it has none. */
static size_t password_at(struct ty_str rest, const struct ty_mask_option *o)
{
    size_t n = strlen(o->option), skip = 0;

    if (!ty_str_starts(rest, ty_str(o->option)))
        return 0;
    if (o->rule & SEPARATE)
        skip = next_argument(rest, n);
    if (skip)
        return at(rest, n + skip) != '-' ? n + skip : 0;
    return o->rule & ATTACHED ? n + opens_quote(rest, n) : 0;
}

/* The password, but not "-p8080:80" of "docker run --name mysql". */
static bool mask_password(struct ty_mask *m, const struct ty_mask_option *o, char last)
{
    struct ty_str rest = rest_of(m);
    size_t from = password_at(rest, o);
    bool colon = false, letters = false;

    if (from == 0)
        return false;
    char before = is_quote(rest.p[from - 1]) ? rest.p[from - 1] : last;
    size_t end = argument_end(rest, from, before);
    look_at((struct ty_str){ rest.p + from, end - from }, &colon, &letters);
    if (end == from || (colon && !letters))
        return false;
    hide_argument(m, from, end);
    if (o->rule & LAST)
        m->program = NULL;
    return true;
}

bool ty_mask_argument(struct ty_mask *m, char last)
{
    if (!is_blank(last) && !is_quote(last) && last != '\n')
        return false;
    if (mask_user(m))
        return true;
    for (size_t i = 0; i < TY_COUNT(options) && m->program; i++)
        if (options[i].option && strcmp(options[i].program, m->program) == 0 &&
            mask_password(m, &options[i], last))
            return true;
    return false;
}
