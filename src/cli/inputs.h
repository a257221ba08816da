/* The objects of the files a command was given, each with its place. */
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
    const struct ty_kind *kind; /* never NULL */
    struct ty_str ns, name;     /* of its metadata; may be empty */
    size_t order;               /* in the input */
    enum ty_doc_state state;    /* of its admission */
};

struct ty_input_error {      /* a file or document that cannot be used */
    const char *file, *text; /* text: one sentence, without file and place */
    unsigned line, col;      /* 0 unknown */
    bool warning;            /* it can: this is what became of a V1 field */
    struct ty_input_error *next;
};

struct ty_inputs {
    struct ty_cli *cli;
    struct ty_doc **v;
    size_t n, cap;
    size_t n_files, n_bytes, n_left_out; /* what was read; documents passed over */
    struct ty_input_error *input_errors, *input_errors_last;
    size_t n_input_errors; /* without warnings */
    struct ty_convert_opts convert;
    bool keep_others;   /* `convert`: kinds that trainyard does not know stay, as ty_kind_other */
    bool scripts;       /* `convert --from sbatch`: every file is a batch script */
    bool quiet_convert; /* `convert`: no note that something was converted */
    struct ty_doc **index; /* by kind, name, namespace; made by ty_inputs_index */
};

extern const struct ty_kind ty_kind_other;

/* Adds the objects of a file, of a directory's *.yaml *.yml *.json (in byte order; with all below
 * it if recursive), or of standard input ("-"). v1/List is taken apart. Documents without a kind
 * and kinds that trainyard does not know are passed over with a note on standard error. Jobs of
 * Training Operator V1 and Slurm batch scripts become TrainJobs, with a note. What is wrong is
 * added to in->troubles; reading goes on with the next file. Everything lives with cli->arena.
 */
void ty_inputs_read(struct ty_inputs *in, const char *path, bool recursive);
/* The namespace for objects that name none; another one than an object's own is a trouble. */
void ty_inputs_namespace(struct ty_inputs *in, const char *ns);
/* Once all is read: prepares ty_inputs_get; an object given twice is a trouble naming both places.
 */
void ty_inputs_index(struct ty_inputs *in);
/* In namespace ns; an object without namespace counts as being in every one. NULL if there is none.
 */
struct ty_doc *ty_inputs_get(const struct ty_inputs *in, const struct ty_kind *kind,
                             struct ty_str ns, struct ty_str name);
/* One object more. */
struct ty_doc *ty_inputs_add(struct ty_inputs *in, const char *file, struct ty_json *obj,
                             const struct ty_kind *kind);
void ty_inputs_error(struct ty_inputs *in, const char *file, const struct ty_json *at,
                     const char *fmt, ...) TY_PRINTF(4, 5);

#endif
