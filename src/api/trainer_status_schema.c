/* The status of a TrainJob, in Go's order. */
#include "api/gen/gen.h"
#include "api/trainer_rules.h"
#include "api/trainer_tables.h"

static const char *const keys_type[] = { "type", NULL };
static const struct ty_schema conditions = {
    .type = TY_T_ARRAY, .items = &ty_schema_Condition, .max_items = 8, .list_keys = keys_type
};

static const struct ty_schema count = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 0
};
static const struct ty_schema percent = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 0, .has_max = true, .max = 100
};
static const struct ty_schema string_64 = { .type = TY_T_STRING, .min_len = 1, .max_len = 64 };

static const struct ty_field job_status_fields[] = {
    { .name = "name",
      .schema = &ty_schema_name,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the replicated job." },
    { .name = "ready",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Jobs whose pods are all ready or done." },
    { .name = "succeeded",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Jobs that completed." },
    { .name = "failed", .schema = &count, .flags = TY_F_REQUIRED, .doc = "Jobs that failed." },
    { .name = "active",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Jobs with at least one running or pending pod." },
    { .name = "suspended",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Jobs that are suspended." },
    { .name = NULL },
};
static const struct ty_schema job_status = { .type = TY_T_OBJECT,
                                             .go = "JobStatus",
                                             .fields = job_status_fields };
static const struct ty_schema jobs_status = {
    .type = TY_T_ARRAY, .items = &job_status, .max_items = 100, .list_keys = ty_keys_name
};

static const struct ty_field metric_fields[] = {
    { .name = "name",
      .schema = &string_64,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "What is measured, such as loss." },
    { .name = "value",
      .schema = &string_64,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Its latest value, as text." },
    { .name = NULL },
};
static const struct ty_schema metric = { .type = TY_T_OBJECT,
                                         .go = "Metric",
                                         .fields = metric_fields };
static const struct ty_schema metrics = {
    .type = TY_T_ARRAY, .items = &metric, .max_items = 256, .list_atomic = true
};

static const struct ty_field trainer_status_fields[] = {
    { .name = "progressPercentage",
      .schema = &percent,
      .doc = "How much of the training is done, 0 to 100." },
    { .name = "estimatedRemainingSeconds",
      .schema = &count,
      .doc = "Seconds the training still needs, as it estimates itself." },
    { .name = "metrics",
      .schema = &metrics,
      .flags = TY_F_OMITZERO,
      .doc = "The latest metrics that the training reported." },
    { .name = "lastUpdatedTime",
      .schema = &ty_schema_time,
      .flags = TY_F_ALWAYS,
      .doc = "When the training reported last." },
    { .name = NULL },
};
static const struct ty_rule trainer_status_rules[] = {
    { .cel = "has(self.lastUpdatedTime)",
      .message = "lastUpdatedTime is required when trainerStatus is present",
      .ok = ty_rule_has_update_time },
    { .cel = NULL },
};
static const struct ty_schema trainer_status = { .type = TY_T_OBJECT,
                                                 .go = "TrainerStatus",
                                                 .fields = trainer_status_fields,
                                                 .rules = trainer_status_rules };

static const struct ty_field train_job_status_fields[] = {
    { .name = "conditions",
      .schema = &conditions,
      .flags = TY_F_OMITZERO,
      .doc = "Suspended, Complete and Failed, each with its reason." },
    { .name = "jobsStatus",
      .schema = &jobs_status,
      .flags = TY_F_OMITZERO,
      .doc = "Counts of each replicated job." },
    { .name = "trainerStatus",
      .schema = &trainer_status,
      .doc = "Progress and metrics, if the training reports them." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainJobStatus = {
    .type = TY_T_OBJECT, .go = "TrainJobStatus", .fields = train_job_status_fields, .min_props = 1
};
