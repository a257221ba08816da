/* A batch script under way: what its #SBATCH lines ask for, what its commands need. */
#ifndef TY_CONVERT_SBATCH_H
#define TY_CONVERT_SBATCH_H

#include "base/buf.h"
#include "convert/convert.h"

struct ty_sbatch {
    struct ty_arena *arena;
    struct ty_convert_result *out;
    const char *name;
    int64_t nodes, ntasks, per_node, cpus, seconds;
    int64_t gpus, gpus_per_node, gpus_per_task;
    int64_t mem, mem_per_cpu, mem_per_gpu; /* KiB */
    bool array;
    int64_t task;         /* of the array: the first one */
    struct ty_buf script; /* what follows the #SBATCH lines, as it is */
    bool mpi;             /* mpirun, or srun --mpi: one process starts the others */
    bool torchrun;        /* starts a node's processes itself */
    bool followed;        /* told that commands follow a step */
    bool steps, srun, scontrol, modules, random;
    bool commands;     /* the first one ends the #SBATCH lines */
    unsigned line;     /* of the input */
    struct ty_str end; /* the word that ends the here-document we are in; .p NULL: in none */
    bool indented;     /* it may stand behind tabs (<<-) */
};

/* A warning, or (bad) why there will be no TrainJob. path: "#SBATCH --mem=1", "line 12". */
void ty_sbatch_note(struct ty_sbatch *b, bool bad, const char *path, const char *fmt, ...)
    TY_PRINTF(4, 5);

/* The next word, without its quotes; empty at the end. *rest becomes what follows. */
struct ty_str ty_sbatch_word(struct ty_sbatch *b, struct ty_str *rest);

/* A name as Kubernetes wants it; told where it is another one, unless path is NULL. */
void ty_sbatch_name(struct ty_sbatch *b, const char *path, struct ty_str v);
/* What stands behind #SBATCH on a line (sbatch_options.c). */
void ty_sbatch_options(struct ty_sbatch *b, struct ty_str rest);

/* Reads the script below the first line, #SBATCH lines among it (sbatch_script.c). */
void ty_sbatch_script(struct ty_sbatch *b, struct ty_str text);
/* The same script for bash on every node: functions stand in for what only Slurm has. `before`
 * comes first. */
const char *ty_sbatch_command(struct ty_sbatch *b, struct ty_str before);

#endif
