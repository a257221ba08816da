/* The status of a TrainJob, in Go's order. */
#include "api/gen/gen.h"
#include "api/rule_trainer.h"
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
      .doc = "Name of the replicated job, as in the runtime's template." },
    { .name = "ready",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Number of Jobs whose pods are all ready or succeeded." },
    { .name = "succeeded",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Number of Jobs that completed." },
    { .name = "failed",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Number of Jobs that failed." },
    { .name = "active",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Number of Jobs with at least one pending or running pod." },
    { .name = "suspended",
      .schema = &count,
      .flags = TY_F_REQUIRED,
      .doc = "Number of Jobs that are suspended." },
    { .name = NULL },
};
static const struct ty_schema job_status = TY_OBJECT("JobStatus", job_status_fields);
static const struct ty_schema jobs_status = {
    .type = TY_T_ARRAY, .items = &job_status, .max_items = 100, .list_keys = ty_keys_name
};

static const struct ty_field metric_fields[] = {
    { .name = "name",
      .schema = &string_64,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the metric, such as loss." },
    { .name = "value",
      .schema = &string_64,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Latest value of the metric, as a string." },
    { .name = NULL },
};
static const struct ty_schema metric = TY_OBJECT("Metric", metric_fields);
static const struct ty_schema metrics = {
    .type = TY_T_ARRAY, .items = &metric, .max_items = 256, .list_atomic = true
};

static const struct ty_field trainer_status_fields[] = {
    { .name = "progressPercentage",
      .schema = &percent,
      .doc = "Completed part of the training in percent, 0 to 100. Absent if the training code did "
             "not report it." },
    { .name = "estimatedRemainingSeconds",
      .schema = &count,
      .doc = "Estimated seconds until the training ends. Absent if the training code did not "
             "report it." },
    { .name = "metrics",
      .schema = &metrics,
      .flags = TY_F_OMITZERO,
      .doc = "Metrics of the latest report. Each report replaces the whole list." },
    { .name = "lastUpdatedTime",
      .schema = &ty_schema_time,
      .flags = TY_F_ALWAYS,
      .doc = "Time of the latest report. Required in every report." },
    { .name = NULL },
};
static const struct ty_rule trainer_status_rules[] = {
    { .cel = "has(self.lastUpdatedTime)",
      .message = "lastUpdatedTime is required when trainerStatus is present",
      .ok = ty_rule_has_update_time },
    { .cel = NULL },
};
static const struct ty_schema trainer_status =
    TY_OBJECT("TrainerStatus", trainer_status_fields, .rules = trainer_status_rules);

static const struct ty_field train_job_status_fields[] = {
    { .name = "conditions",
      .schema = &conditions,
      .flags = TY_F_OMITZERO,
      .doc = "Conditions of the TrainJob: Suspended, Complete and Failed as in Kubeflow Trainer, "
             "and Stalled when no pods can be created. A job that was never suspended has no "
             "Suspended condition." },
    { .name = "jobsStatus",
      .schema = &jobs_status,
      .flags = TY_F_OMITZERO,
      .doc = "Job counts per replicated job, copied from the JobSet's status. Absent until the "
             "JobSet has a status." },
    { .name = "trainerStatus",
      .schema = &trainer_status,
      .doc = "Progress and metrics that the training code posted to the status API. Absent if it "
             "never posted any." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainJobStatus =
    TY_OBJECT("TrainJobStatus", train_job_status_fields, .min_props = 1);
