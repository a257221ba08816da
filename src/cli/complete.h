/* Shell completion, generated from the command table. */
#ifndef TY_CLI_COMPLETE_H
#define TY_CLI_COMPLETE_H

#include "base/buf.h"
#include "cli/cli.h"

typedef void ty_complete_fn(struct ty_buf *out);

ty_complete_fn ty_complete_bash, ty_complete_zsh, ty_complete_fish;

#endif
