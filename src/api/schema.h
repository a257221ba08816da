/* One const table for each type, used for validation, defaulting, pruning, normalization, explain,
 * CRDs and the merge keys of strategic merge. Tables of pod and JobSet types are generated
 * (tools/gen-schema); those of the trainer group are written by hand in trainer_schema.c. */
#ifndef TY_API_SCHEMA_H
#define TY_API_SCHEMA_H

#include "json/errs.h"
#include "json/json.h"
#include "json/patch.h"

enum ty_schema_type {
    TY_T_OBJECT, /* members in `fields` */
    TY_T_MAP,    /* any key, values of `items` */
    TY_T_ARRAY,  /* of `items` */
    TY_T_STRING,
    TY_T_INTEGER, /* format int32 or int64 */
    TY_T_NUMBER,
    TY_T_BOOLEAN,
    TY_T_INT_OR_STRING, /* x-kubernetes-int-or-string */
    TY_T_QUANTITY,      /* int-or-string with the quantity pattern */
    TY_T_TIME,          /* string, format date-time */
    TY_T_ANY,           /* x-kubernetes-preserve-unknown-fields */
};

struct ty_schema;

/* A CEL rule of the CRD, and its implementation in C. */
struct ty_rule {
    const char *cel; /* its text in the CRD */
    const char *(*cel_of)(
        struct ty_arena *a); /* instead of cel: returns a text derived from a table */
    const char *message;     /* NULL ends a list of rules */
    bool transition;         /* uses oldSelf: evaluated only on update, if both values exist */
    bool (*ok)(const struct ty_json *self,
               const struct ty_json *old); /* old NULL unless transition */
};

enum {
    TY_F_REQUIRED = 1, /* listed in `required` */
    TY_F_ALWAYS = 2,   /* a Go struct by value: written even if absent, as {}; a quantity as "0", an
                          int-or-string as 0. (Go writes null for a time, which we omit) */
    TY_F_OMITZERO = 4, /* a Go value with omitempty, or a struct with omitzero: zero values ("" 0
                          false [] {}) are not written; a struct is zero if all its members are */
    TY_F_MERGE = 8,    /* strategic merge: list merged by patch_key (or a set, without one) */
    TY_F_RETAIN = 16,  /* strategic merge: retainKeys */
    TY_F_ZERO = 32,    /* a Go scalar by value without omitempty: written as "" or 0 if absent */
    TY_F_OURS = 64,    /* an extension of trainyard: documented, and described in the CRD */
    TY_F_DEPRECATED = 128, /* an older field that is still accepted */
};

struct ty_field {
    const char *name;
    const struct ty_schema *schema;
    unsigned flags;
    const char *patch_key; /* with TY_F_MERGE */
    const char *def;       /* default as JSON text; NULL none */
    const char *doc;       /* what it does, its default, what happens without it; NULL: generated */
};

struct ty_schema {
    enum ty_schema_type type;
    const char *go; /* Go type name, for messages and explain: "EnvVar"; may be NULL */
    const struct ty_field *fields; /* OBJECT: in Go's declaration order; ends with name NULL */
    const struct ty_schema *items; /* ARRAY, MAP */
    const char *format;            /* "int32", "int64", … */
    const char *pattern;           /* regular expression for the CRD */
    bool (*pattern_ok)(struct ty_str s); /* the same check in C; NULL if there is no pattern */
    const char *const *enums;            /* NULL-terminated; NULL none */
    const char *const
        *list_keys; /* x-kubernetes-list-map-keys; NULL-terminated; NULL: not a map list */
    bool list_set, list_atomic; /* x-kubernetes-list-type */
    bool map_atomic;            /* x-kubernetes-map-type: atomic */
    bool nullable, has_min, has_max;
    bool metadata;    /* the metadata of the root: any ObjectMeta; in the CRD only an object */
    int64_t min, max; /* minimum, maximum */
    uint32_t min_len, max_len;                /* strings; 0: none */
    uint32_t min_items, max_items, min_props; /* 0: none */
    const struct ty_rule *rules;              /* ends with message NULL */
    const char *doc;
};

/* ---- Functions over the tables (schema_*.c) ---- */

/* Applies defaults, in place, as the API server does when it decodes an object. */
void ty_schema_default(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v);
/* Removes unknown fields, in place, and reports each to errs (TY_UNKNOWN, path, hint "did you mean
 * …") unless errs is NULL. */
void ty_schema_prune(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v,
                     const struct ty_field_path *at, struct ty_errs *errs);
/* The complete validation of the API server: types, required, enums, bounds, patterns, duplicate
 * list-map keys, then rules (old: the stored object on update, or NULL). If type errors prevent the
 * rules, Kubernetes' note "some validation rules were not checked …" is added. `at` is the path of
 * v; `body` is the prefix in "… in body" texts (normally the same path). */
void ty_schema_validate(const struct ty_schema *s, const struct ty_json *v,
                        const struct ty_json *old, const struct ty_field_path *at,
                        const struct ty_field_path *body, struct ty_errs *errs);
/* Only the first part: types, bounds and patterns of v and everything below it, up to errs->most
 * errors. For hints about an object that no API server has validated yet. */
void ty_schema_validate_types(const struct ty_schema *s, const struct ty_json *v,
                              const struct ty_field_path *at, struct ty_errs *errs);
/* How to write a value where a string is expected, or NULL. */
const char *ty_schema_hint_string(struct ty_arena *a, const struct ty_json *v);
/* The object as Go would write it after decoding it into its typed struct: without unknown fields,
 * nulls and zero values of omitempty fields; with empty structs; with canonical quantities and
 * unchanged times; fields in Go's order. A new tree; nodes keep line, column and origin. A "{}" can
 * expand to a large object; it ends early if the arena becomes full. */
struct ty_json *ty_schema_normalize(struct ty_arena *a, const struct ty_schema *s,
                                    const struct ty_json *v);
/* Checks whether Go's typed clients could decode v: 0, or -EINVAL with Go's message ("json: cannot
 * unmarshal string into Go struct field Trainer.spec.trainer.numNodes of type int32"; "quantities
 * must match …"). */
int ty_schema_decode(const struct ty_schema *s, const struct ty_json *v, struct ty_err *err);
/* Whether every list and string of v is within its maxItems and maxLength. For callers that build
 * something from an object that no API server has validated yet: linear, allocates nothing. */
bool ty_schema_bounded(const struct ty_schema *s, const struct ty_json *v);
/* For ty_patch_strategic; `type` pointers are struct ty_schema. */
extern const struct ty_patch_schema ty_schema_patch_meta;
/* The field, or NULL. */
const struct ty_field *ty_schema_field(const struct ty_schema *s, struct ty_str name);
/* openAPIV3Schema of s, without descriptions except those of our own fields. */
struct ty_json *ty_schema_openapi(struct ty_arena *a, const struct ty_schema *s);

/* ---- Tables ---- */
/* generated: */
extern const struct ty_schema ty_schema_JobSetSpec, ty_schema_JobSetStatus, ty_schema_PodSpec,
    ty_schema_PodTemplateSpec, ty_schema_Container, ty_schema_EnvVar, ty_schema_Volume,
    ty_schema_VolumeMount, ty_schema_ResourceRequirements, ty_schema_Affinity, ty_schema_Toleration,
    ty_schema_PodSchedulingGate, ty_schema_LocalObjectReference, ty_schema_PodSecurityContext,
    ty_schema_SecurityContext, ty_schema_ObjectMeta, ty_schema_ContainerPort, ty_schema_Condition,
    ty_schema_metadata; /* full metadata of a root object; ObjectMeta is the part that is allowed in
                           templates */
/* by hand: */
extern const struct ty_schema ty_schema_TrainJob, ty_schema_TrainJobStatus,
    ty_schema_TrainingRuntime, ty_schema_ClusterTrainingRuntime, ty_schema_TrainingRuntimeSpec,
    ty_schema_RuntimePatch, ty_schema_RuntimeRef, ty_schema_JobSet, ty_schema_MLPolicy;
/* Whether this member of mlPolicy is the policy of one framework: true for objects. */
bool ty_schema_is_policy(const struct ty_field *f);

#endif
