/* Converts jobs of Training Operator V1 (and MPI Operator v2beta1) and Slurm batch scripts to a
 * TrainJob and the TrainingRuntime that it needs. Every field is accounted for: it is converted, or
 * a warning says what happened to it and why. Pure: the same input gives the same objects. */
#ifndef TY_CONVERT_CONVERT_H
#define TY_CONVERT_CONVERT_H

#include "json/json.h"

struct ty_convert_note {
    struct ty_convert_note *next;
    const char *path;   /* the V1 field; for a script "#SBATCH --mem" or "line 12"; may be "" */
    const char *text;   /* a sentence without file name and path */
    unsigned line, col; /* position in the input; 0 unknown */
};

struct ty_convert_result {
    struct ty_json *runtime; /* a TrainingRuntime; NULL: the TrainJob references a built-in one */
    struct ty_json *job;     /* the TrainJob */
    struct ty_convert_note *warnings, *last;
    const struct ty_convert_note
        *bad; /* why it cannot be converted; NULL unless it failed, and then there are no objects */
};

enum ty_convert_gang {
    TY_CONVERT_GANG_NONE,
    TY_CONVERT_GANG_COSCHEDULING,
    TY_CONVERT_GANG_VOLCANO
};
struct ty_convert_opts {
    enum ty_convert_gang gang; /* the V1 operator's --gang-scheduler-name */
    bool gang_restart;         /* restart the whole JobSet where V1 restarted single pods */
    bool split_script; /* combine different commands of Master and Worker in one script that checks
                          the index */
};

/* Whether the kind can be converted. */
bool ty_convert_supports(const struct ty_json *obj);
/* 0, or -EINVAL with ret->bad. Borrows obj; the result shares its strings. opts may be NULL. */
int ty_convert(struct ty_arena *a, const struct ty_json *obj, const struct ty_convert_opts *opts,
               struct ty_convert_result *ret);

/* Whether the text begins with a #! line and has an #SBATCH line. */
bool ty_convert_is_sbatch(struct ty_str text);
/* As ty_convert. `file` is the source of the job's name if the script has none. */
int ty_convert_sbatch(struct ty_arena *a, const char *file, struct ty_str text,
                      struct ty_convert_result *ret);

#endif
