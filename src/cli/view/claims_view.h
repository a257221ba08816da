/* get claims: the directories that stand in for PersistentVolumeClaims. */
#ifndef TY_CLI_VIEW_CLAIMS_VIEW_H
#define TY_CLI_VIEW_CLAIMS_VIEW_H

#include "cli/cli.h"
#include "store/history/history_db.h"

/* The word means claims: claims, pvc and kubectl's longer names. */
bool ty_claims_view_is_kind(const char *word);
/* Lists all claims, or those of these names. d may be NULL: it knows whose they are. output: json,
 * yaml, name, wide, or NULL. Returns an exit code. */
int ty_claims_view_print(struct ty_cli *cli, struct ty_history_db *d, const char *const *names,
                         size_t n_names, const char *output);

#endif
