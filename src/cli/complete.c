/* Generates the completion of each shell from the command and option tables. */
#include "cli/complete.h"

#define each_cmd(c)     for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
#define each_opt(o, c)  for (const struct ty_opt *o = (c)->opts.table; o->name; o++)
#define each_word(w, l) for (const char *const *w = (l); w && *w; w++)

/* Prints the words with spaces between them: "yaml json name". */
static void print_words(struct ty_buf *out, const char *const *list)
{
    each_word(w, list) ty_buf_printf(out, "%s%s", w == list ? "" : " ", *w);
}

static bool takes_dir(const struct ty_opt *o)
{
    return o->arg && strcmp(o->arg, "DIR") == 0;
}

/* Its values are names that cli/jobs/complete_names.h finds. */
static bool takes_name(const struct ty_opt *o)
{
    return strcmp(o->name, "context") == 0 || strcmp(o->name, "namespace") == 0;
}

/* Prints the names that can follow the words before the cursor. */
#define NAMES(words) "trainyard completion names -- " words " 2>/dev/null </dev/null"

/* ---- bash: an empty answer falls back to file names ---- */

static void bash_values(struct ty_buf *out, const struct ty_cmd *c)
{
    each_opt(o, c)
    {
        if (o->kind == TY_OPT_FLAG || o->kind == TY_OPT_CHOICE)
            continue;
        ty_buf_printf(out, "    %s,--%s", c->name, o->name);
        if (o->letter)
            ty_buf_printf(out, " | %s,-%c", c->name, o->letter);
        if (o->choices) {
            ty_buf_cstr(out, ") words=\"");
            print_words(out, o->choices);
            ty_buf_cstr(out, "\" ;;\n");
        } else if (takes_dir(o)) {
            ty_buf_cstr(out, ") mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n");
        } else if (takes_name(o)) {
            ty_buf_cstr(out, ") _trainyard_names; return ;;\n");
        } else {
            ty_buf_cstr(out, ") return ;;\n");
        }
    }
}

static void bash_options(struct ty_buf *out, const struct ty_cmd *c)
{
    ty_buf_printf(out, "    %s,-*) words=\"", c->name);
    each_opt(o, c)
    {
        ty_buf_printf(out, "%s--%s", o == c->opts.table ? "" : " ", o->name);
        if (o->letter)
            ty_buf_printf(out, " -%c", o->letter);
    }
    ty_buf_cstr(out, "\" ;;\n");
    if (c->names)
        ty_buf_printf(out, "    %s,*) _trainyard_names ;;\n", c->name);
    if (!c->operands)
        return;
    ty_buf_printf(out, "    %s,*) words=\"", c->name);
    print_words(out, c->operands);
    ty_buf_cstr(out, "\" ;;\n");
}

/* bash splits --context=arn:aws into five words, and replaces only the last of them. They are
 * joined again: without a blank between them they are one word. */
static void bash_words(struct ty_buf *out)
{
    ty_buf_cstr(out, "_trainyard_words() {\n"
                     "    local part rest=$COMP_LINE raw=${COMP_WORDS[COMP_CWORD]}\n"
                     "    for part in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n"
                     "        if [[ ${#line[@]} -eq 0 || $rest == [[:space:]]* ]]; then\n"
                     "            line+=(\"$part\")\n"
                     "        else\n"
                     "            line[-1]+=$part\n"
                     "        fi\n"
                     "        rest=${rest#*\"$part\"}\n"
                     "    done\n"
                     "    cur=${line[-1]}\n"
                     "    [[ $cur != \"$raw\" ]] || return 0\n"
                     "    if [[ $cur == -*=* ]]; then\n"
                     "        line[-1]=${cur%%=*}\n"
                     "        cur=${cur#*=}\n"
                     "        line+=(\"$cur\")\n"
                     "    fi\n"
                     "    [[ $raw == *[!:=]* ]] || raw=\"\"\n"
                     "    kept=${cur%\"$raw\"}\n"
                     "}\n");
}

/* Not by compgen -W, which would run what a name has in $(…). */
static void bash_names(struct ty_buf *out)
{
    ty_buf_cstr(out, "_trainyard_names() {\n"
                     "    local name\n"
                     "    while IFS= read -r name; do\n"
                     "        [[ $name != \"$cur\"* ]] || COMPREPLY+=(\"$name\")\n");
    ty_buf_printf(out, "    done < <(%s)\n}\n", NAMES("\"${line[@]:1:${#line[@]}-2}\""));
}

static void bash_find(struct ty_buf *out)
{
    ty_buf_cstr(out, "_trainyard_find() {\n"
                     "    local prev=${line[-2]} cmd=${line[1]} words=\"\"\n"
                     "    if [ ${#line[@]} -eq 2 ] || [ \"${#line[@]},$cmd\" = 3,help ]; then\n"
                     "        words=\"");
    each_cmd(c) ty_buf_printf(out, "%s ", (*c)->name);
    ty_buf_cstr(out, "help\"\n"
                     "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                     "        return\n"
                     "    fi\n"
                     "    case $cmd,$prev in\n");
    each_cmd(c) bash_values(out, *c);
    ty_buf_cstr(out, "    esac\n"
                     "    [ -n \"$words\" ] || case $cmd,$cur in\n");
    each_cmd(c) bash_options(out, *c);
    ty_buf_cstr(out, "    esac\n"
                     "    [ -z \"$words\" ] || "
                     "mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                     "}\n");
}

void ty_complete_bash(struct ty_buf *out)
{
    ty_buf_cstr(out, "# bash completion of trainyard:  source <(trainyard completion bash)\n");
    bash_words(out);
    bash_names(out);
    bash_find(out);
    ty_buf_cstr(out, "_trainyard() {\n"
                     "    local cur kept=\"\"\n"
                     "    local -a line=()\n"
                     "    COMPREPLY=()\n"
                     "    _trainyard_words\n"
                     "    _trainyard_find\n"
                     "    COMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")\n"
                     "}\n"
                     "complete -o bashdefault -o default -F _trainyard trainyard\n");
}

/* ---- zsh ---- */

/* Quotes in '…' and escapes the characters that are special to _arguments. */
static void zsh_text(struct ty_buf *out, const char *s)
{
    for (; *s; s++) {
        if (strchr("[]:", *s))
            ty_buf_chr(out, '\\');
        if (*s == '\'')
            ty_buf_cstr(out, "'\\'");
        ty_buf_chr(out, *s);
    }
}

static void zsh_option(struct ty_buf *out, const struct ty_opt *o)
{
    const char *many = o->kind == TY_OPT_WORDS ? "*" : "";
    if (o->letter)
        ty_buf_printf(out, "        '%s'{-%c,--%s}'", many, o->letter, o->name);
    else
        ty_buf_printf(out, "        '%s--%s", many, o->name);
    ty_buf_chr(out, '[');
    zsh_text(out, o->about);
    ty_buf_chr(out, ']');
    if (o->arg) {
        ty_buf_chr(out, ':');
        zsh_text(out, o->arg);
        ty_buf_chr(out, ':');
        if (o->choices) {
            ty_buf_chr(out, '(');
            print_words(out, o->choices);
            ty_buf_chr(out, ')');
        } else if (takes_name(o)) {
            ty_buf_cstr(out, "_trainyard_names");
        } else {
            ty_buf_cstr(out, takes_dir(o) ? "_files -/" : "_files");
        }
    }
    ty_buf_cstr(out, "' \\\n");
}

void ty_complete_zsh(struct ty_buf *out)
{
    ty_buf_cstr(out, "#compdef trainyard\n"
                     "# zsh completion of trainyard:  source <(trainyard completion zsh)\n");
    ty_buf_printf(out, "_trainyard_names() { compadd -- $(%s) }\n",
                  NAMES("\"${(@)words[1,CURRENT-1]}\""));
    ty_buf_cstr(out, "_trainyard() {\n"
                     "    local -a commands=(\n");
    each_cmd(c)
    {
        ty_buf_printf(out, "        '%s:", (*c)->name);
        zsh_text(out, (*c)->about);
        ty_buf_cstr(out, "'\n");
    }
    ty_buf_cstr(out, "        'help:Explain a command'\n"
                     "    )\n"
                     "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
                     "        _describe command commands\n"
                     "        return\n"
                     "    fi\n"
                     "    local cmd=$words[2]\n"
                     "    shift words\n"
                     "    (( CURRENT-- ))\n"
                     "    case $cmd in\n");
    each_cmd(c)
    {
        ty_buf_printf(out, "    %s) _arguments \\\n", (*c)->name);
        each_opt(o, *c) zsh_option(out, o);
        ty_buf_cstr(out, "        '*:");
        if ((*c)->names) {
            ty_buf_cstr(out, "name:_trainyard_names' ;;\n");
        } else if ((*c)->operands) {
            ty_buf_cstr(out, "word:(");
            print_words(out, (*c)->operands);
            ty_buf_cstr(out, ")' ;;\n");
        } else {
            ty_buf_cstr(out, "file:_files' ;;\n");
        }
    }
    ty_buf_cstr(out, "    esac\n"
                     "}\n"
                     "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                     "    _trainyard \"$@\"\n"
                     "else\n"
                     "    compdef _trainyard trainyard\n"
                     "fi\n");
}

/* ---- fish ---- */

static void fish_text(struct ty_buf *out, const char *s)
{
    ty_buf_chr(out, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            ty_buf_chr(out, '\\');
        ty_buf_chr(out, *s);
    }
    ty_buf_chr(out, '\'');
}

static void fish_command(struct ty_buf *out, const struct ty_cmd *c)
{
    ty_buf_printf(out, "complete -c trainyard -n __fish_use_subcommand -f -a %s -d ", c->name);
    fish_text(out, c->about);
    ty_buf_chr(out, '\n');
    each_opt(o, c)
    {
        ty_buf_printf(out, "complete -c trainyard -n '__fish_seen_subcommand_from %s' -l %s",
                      c->name, o->name);
        if (o->letter)
            ty_buf_printf(out, " -s %c", o->letter);
        if (o->choices) {
            ty_buf_cstr(out, " -x -a '");
            print_words(out, o->choices);
            ty_buf_chr(out, '\'');
        } else if (takes_dir(o)) {
            ty_buf_cstr(out, " -x -a '(__fish_complete_directories)'");
        } else if (takes_name(o)) {
            ty_buf_cstr(out, " -x -a '(__trainyard_names)'");
        } else if (o->arg) {
            ty_buf_cstr(out, " -r");
        }
        ty_buf_cstr(out, " -d ");
        fish_text(out, o->about);
        ty_buf_chr(out, '\n');
    }
    if (c->names)
        ty_buf_printf(out,
                      "complete -c trainyard -n '__fish_seen_subcommand_from %s' -f -a "
                      "'(__trainyard_names)'\n",
                      c->name);
    if (c->operands) {
        ty_buf_printf(out, "complete -c trainyard -n '__fish_seen_subcommand_from %s' -f -a '",
                      c->name);
        print_words(out, c->operands);
        ty_buf_cstr(out, "'\n");
    }
}

void ty_complete_fish(struct ty_buf *out)
{
    ty_buf_cstr(out, "# fish completion of trainyard:  trainyard completion fish | source\n"
                     "function __trainyard_names\n"
                     "    set -l w (commandline -opc)\n");
    ty_buf_printf(out, "    %s\nend\n", NAMES("$w[2..-1]"));
    each_cmd(c) fish_command(out, *c);
    ty_buf_cstr(
        out, "complete -c trainyard -n __fish_use_subcommand -f -a help -d 'Explain a command'\n");
}
