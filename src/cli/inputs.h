/* The objects of a command's input files, each with its file and line. */
#ifndef TY_CLI_INPUTS_H
#define TY_CLI_INPUTS_H

#include "api/kind.h"
#include "cli/cli.h"
#include "convert/convert.h"
#include "json/json.h"

#define TY_INPUT_MAX_TOTAL ((size_t)256 << 20)
#define TY_INPUT_MAX_FILES 100000

enum ty_doc_state { TY_DOC_NEW, TY_DOC_ACCEPTED, TY_DOC_REFUSED };

struct ty_doc {
    const char *file; /* as the user wrote it; "<stdin>" */
    struct ty_json *obj;
    const struct ty_kind *kind;       /* never NULL */
    struct ty_str ns, name;           /* of its metadata; may be empty */
    size_t order;                     /* in the input */
    enum ty_doc_state state;          /* result of its admission */
    const struct ty_strlist *sets;    /* --set of this TrainJob (TY_JSON_OPTION); NULL none */
    const struct ty_strlist *removed; /* those of them that removed a field; NULL none */
};

struct ty_input_error {      /* a file or document that cannot be used */
    const char *file, *text; /* text: one sentence, without file and position */
    unsigned line, col;      /* 0 unknown */
    bool warning;            /* usable: this says how a V1 field was converted */
    struct ty_input_error *next;
};

struct ty_inputs {
    struct ty_cli *cli;
    struct ty_doc **v;
    size_t n, cap;
    size_t n_files, n_bytes, n_left_out; /* totals read; documents skipped */
    struct ty_input_error *input_errors, *input_errors_last;
    size_t n_input_errors; /* without warnings */
    struct ty_convert_opts convert;
    bool keep_others;          /* `convert`: unknown kinds are kept, as ty_kind_other */
    bool scripts;              /* `convert --from sbatch`: every file is a batch script */
    bool quiet_convert;        /* `convert`: no note that something was converted */
    struct ty_strlist sets;    /* --set: PATH=VALUE */
    struct ty_strlist removed; /* those of them with PATH=null */
    struct ty_doc **index;     /* sorted by kind, name, namespace by ty_inputs_index */
};

extern const struct ty_kind ty_kind_other;
/* "--set PATH=VALUE" if the value comes from that option, or "FILE:LINE", or FILE. */
const char *ty_inputs_place(struct ty_arena *a, const struct ty_doc *doc, const struct ty_json *at);
/* The option of a value of the document; NULL: it is the file's own. */
const char *ty_inputs_option(struct ty_arena *a, const struct ty_doc *doc,
                             const struct ty_json *at);
/* "--set PATH=null" that removed this field or an object that had it; NULL: none did. */
const char *ty_inputs_removed(struct ty_arena *a, const struct ty_doc *doc, const char *path);

/* Adds the objects of a file, of a directory's *.yaml *.yml *.json (in byte order; with all
 * subdirectories if recursive), or of standard input ("-"). A v1/List is split into its items.
 * Documents without a kind and unknown kinds are skipped with a note on standard error. Jobs of
 * Training Operator V1 and Slurm batch scripts are converted to TrainJobs, with a note. Errors are
 * added to in->input_errors, and reading continues with the next file. Everything lives with
 * cli->arena. */
void ty_inputs_read(struct ty_inputs *in, const char *path, bool recursive);
/* Sets the namespace of objects that have none; an object in another namespace is an input
 * error. */
void ty_inputs_namespace(struct ty_inputs *in, const char *ns);
/* Builds the index for ty_inputs_get after all files are read. An object that is given twice is an
 * input error that names both positions. */
void ty_inputs_index(struct ty_inputs *in);
/* Finds an object in namespace ns; an object without namespace is found in every one. NULL:
 * none. */
struct ty_doc *ty_inputs_get(const struct ty_inputs *in, const struct ty_kind *kind,
                             struct ty_str ns, struct ty_str name);
/* Adds one object. */
struct ty_doc *ty_inputs_add(struct ty_inputs *in, const char *file, struct ty_json *obj,
                             const struct ty_kind *kind);

#endif
