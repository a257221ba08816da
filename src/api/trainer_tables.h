/* Tables that the schema files of the trainer group share; callers include api/schema.h. */
#ifndef TY_API_TRAINER_TABLES_H
#define TY_API_TRAINER_TABLES_H

#include "api/schema.h"

/* trainer_schema.c */
extern const struct ty_schema ty_schema_TrainJobSpec, ty_schema_Initializer, ty_schema_Trainer;
extern const struct ty_schema ty_schema_name; /* a name of 1 to 253 characters */
extern const struct ty_schema ty_schema_list_EnvVar_128;
/* trainer_patch_schema.c */
extern const struct ty_schema ty_schema_list_RuntimePatch, ty_schema_list_ContainerPatch;
/* trainer_deprecated_schema.c */
extern const struct ty_schema ty_schema_list_PodTemplateOverride, ty_schema_list_PodSpecOverride;
/* runtime_policy_schema.c */
extern const struct ty_schema ty_schema_PodGroupPolicy;

extern const char *const ty_keys_name[]; /* { "name", NULL } */

#endif
