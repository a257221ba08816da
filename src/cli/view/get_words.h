/* What the operands of `get` mean: a kind with its table, and names. */
#ifndef TY_CLI_VIEW_GET_WORDS_H
#define TY_CLI_VIEW_GET_WORDS_H

#include "base/strlist.h"
#include "cli/view/get_view.h"

struct ty_get_words_view {
    const struct ty_kind *kind;
    const char *brief; /* kubectl's short name; NULL none */
    void (*head)(struct ty_table *t, const struct ty_get_columns *c);
    void (*row)(struct ty_table *t, const struct ty_get_row *r); /* NULL: TrainJobs, which have
                                                                    ty_get_trainjobs_row */
};

struct ty_get_words {
    const struct ty_get_words_view *view; /* TrainJobs if no kind is named */
    bool events, claims;                  /* the kind is one of these; then view is not used */
    const char *no_kind; /* the first operand, if it is not a kind: then a name; or NULL */
    const char **names;  /* without "KIND/" */
    size_t n_names;
};
/* The first operand may be a kind, alone or as KIND/NAME; the others are names. Lives with the
 * arena and the operands. */
void ty_get_words_read(struct ty_arena *a, const struct ty_strlist *operands,
                       struct ty_get_words *ret);

/* For commands that take only TrainJobs: the index of the first name, 1 after the word trainjob.
 * -1 after a usage error: the word before the names is another kind. A word alone is a name. */
int ty_get_words_first_job(struct ty_cli *cli, const struct ty_cmd *cmd,
                           const struct ty_strlist *operands);

#endif
