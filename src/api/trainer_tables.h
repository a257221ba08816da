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

/* An object type: its Go name, its fields and, if any, further members of struct ty_schema. */
#define TY_OBJECT(name, ...)                                                                       \
    {                                                                                              \
        .type = TY_T_OBJECT, .go = (name), .fields = __VA_ARGS__                                   \
    }

/* Rows that tables of several of these files have. */
#define TY_API_VERSION_FIELD                                                                       \
    {                                                                                              \
        .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO,                 \
        .doc = "API version of the object: trainer.kubeflow.org/v1alpha1."                         \
    }
#define TY_POD_METADATA_FIELD                                                                      \
    {                                                                                              \
        .name = "metadata", .schema = &ty_schema_ObjectMeta,                                       \
        .doc = "Labels and annotations to add to the pods."                                        \
    }
#define TY_NODE_SELECTOR_FIELD                                                                     \
    {                                                                                              \
        .name = "nodeSelector", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO,           \
        .doc = "Labels that a node must have to run the pods, merged by key into the runtime's."   \
    }

#endif
