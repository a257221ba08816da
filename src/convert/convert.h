/* Jobs of Training Operator V1 (and MPI Operator v2beta1), and Slurm batch scripts, become a
 * TrainJob and the TrainingRuntime it needs. Every field is accounted for: it is carried over, or a
 * warning says what became of it and why. Pure: the same input gives the same objects. */
#ifndef TY_CONVERT_CONVERT_H
#define TY_CONVERT_CONVERT_H

#include "json/json.h"

struct ty_convert_note {
    struct ty_convert_note *next;
    const char *path;   /* of the V1 field; "#SBATCH --mem", "line 12" of a script; may be "" */
    const char *text;   /* a sentence without file and path */
    unsigned line, col; /* in the input; 0 unknown */
};

struct ty_convert_result {
    struct ty_json *runtime; /* a TrainingRuntime; NULL: the TrainJob names a built-in one */
    struct ty_json *job;     /* the TrainJob */
    struct ty_convert_note *warnings, *last;
    const struct ty_convert_note *bad; /* why it cannot be converted; then there are no objects */
};

enum ty_convert_gang {
    TY_CONVERT_GANG_NONE,
    TY_CONVERT_GANG_COSCHEDULING,
    TY_CONVERT_GANG_VOLCANO
};
struct ty_convert_opts {
    enum ty_convert_gang gang; /* what --gang-scheduler-name of the V1 operator was */
    bool gang_restart;         /* restart the whole set where V1 restarted single pods */
    bool split_script; /* let Master and Worker have commands of their own, told apart by index */
};

/* Is it one of the kinds that can be converted? */
bool ty_convert_supports(const struct ty_json *obj);
/* 0, or -EINVAL with ret->bad. Borrows obj, whose texts the result shares. opts may be NULL. */
int ty_convert(struct ty_arena *a, const struct ty_json *obj, const struct ty_convert_opts *opts,
               struct ty_convert_result *ret);

/* Does the text begin with a #! line and hold an #SBATCH line? */
bool ty_convert_is_sbatch(struct ty_str text);
/* The same contract. `file` names the job when the script does not. */
int ty_convert_sbatch(struct ty_arena *a, const char *file, struct ty_str text,
                      struct ty_convert_result *ret);

#endif
