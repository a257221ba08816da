/* The state of a conversion of a batch script: what its #SBATCH lines request and what its commands
 * need. */
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
    int64_t task;         /* the first task of the array */
    struct ty_buf script; /* everything after the #SBATCH lines, unchanged */
    bool mpi;             /* mpirun or srun --mpi: one process starts the others */
    bool torchrun;        /* starts the processes of a node itself */
    bool followed;        /* warned that commands follow a step */
    bool steps, srun, scontrol, modules, random;
    bool commands;     /* a command was seen, which ends the #SBATCH lines */
    unsigned line;     /* of the input */
    struct ty_str end; /* the delimiter of the current here-document; .p NULL: none */
    bool indented;     /* tabs may precede the delimiter (<<-) */
};

/* Adds a warning, or (bad) the reason why there is no TrainJob. path: "#SBATCH --mem=1", "line 12".
 */
void ty_sbatch_note(struct ty_sbatch *b, bool bad, const char *path, const char *fmt, ...)
    TY_PRINTF(4, 5);

/* The next word, without its quotes; empty at the end. *rest becomes the text behind it. */
struct ty_str ty_sbatch_word(struct ty_sbatch *b, struct ty_str *rest);

/* Sets the name, changed to a valid Kubernetes name; warns if it changed, unless path is NULL. */
void ty_sbatch_name(struct ty_sbatch *b, const char *path, struct ty_str v);
/* Parses the options of one #SBATCH line (sbatch_options.c). */
void ty_sbatch_options(struct ty_sbatch *b, struct ty_str rest);

/* Parses the script below the first line, including #SBATCH lines (sbatch_script.c). */
void ty_sbatch_script(struct ty_sbatch *b, struct ty_str text);
/* The script for bash on every node: functions replace Slurm's commands. `before` comes first. */
const char *ty_sbatch_command(struct ty_sbatch *b, struct ty_str before);

#endif
