/* mlPolicy and podGroupPolicy of a runtime: how the training's processes find each other, and
 * whether pods are scheduled as a gang. */
#include "api/gen/gen.h"
#include "api/trainer_rules.h"
#include "api/trainer_tables.h"

/* ---- mlPolicy.torch ---- */

static const struct ty_schema string_63 = { .type = TY_T_STRING, .max_len = 63 };
static const struct ty_rule container_names_rules[] = {
    { .cel = "!self.exists(c, c == 'node')",
      .message = "containerNames must not include the main node container because PET_* envs are "
                 "always injected into it",
      .ok = ty_rule_not_node },
    { .cel = NULL },
};
static const struct ty_schema container_names = { .type = TY_T_ARRAY,
                                                  .items = &string_63,
                                                  .min_items = 1,
                                                  .max_items = 8,
                                                  .list_set = true,
                                                  .rules = container_names_rules };

static const struct ty_field target_fields[] = {
    { .name = "jobName",
      .schema = &ty_schema_name,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the replicated job." },
    { .name = "containerNames",
      .schema = &container_names,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Its containers that get the PET_ variables too." },
    { .name = NULL },
};
static const struct ty_schema target = { .type = TY_T_OBJECT,
                                         .go = "EnvInjectionTarget",
                                         .fields = target_fields };
static const char *const keys_job_name[] = { "jobName", NULL };
static const struct ty_schema targets = {
    .type = TY_T_ARRAY, .items = &target, .max_items = 16, .list_keys = keys_job_name
};

static const struct ty_field env_injection_fields[] = {
    { .name = "targets",
      .schema = &targets,
      .flags = TY_F_OMITZERO,
      .doc = "Where to inject, by job." },
    { .name = NULL },
};
static const struct ty_schema env_injection = { .type = TY_T_OBJECT,
                                                .go = "EnvInjection",
                                                .fields = env_injection_fields };

/* v2.0's words; type() keeps the message the same for words and numbers. */
static const struct ty_rule torch_num_proc_rules[] = {
    { .cel = "type(self) == int ? self > 0 && self <= 2147483647 : self in ['auto', 'cpu', 'gpu']",
      .message = "NumProcPerNode must be equal to auto, cpu, gpu, or int value",
      .ok = ty_rule_positive_or_word },
    { .cel = NULL },
};
static const struct ty_schema torch_num_proc = { .type = TY_T_INT_OR_STRING,
                                                 .rules = torch_num_proc_rules };

static const struct ty_schema from_one = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 1
};
static const struct ty_schema from_zero = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 0
};

static const struct ty_field elastic_fields[] = {
    { .name = "minNodes",
      .schema = &from_one,
      .flags = TY_F_OURS,
      .doc = "Fewest nodes that training may go on with." },
    { .name = "maxNodes",
      .schema = &from_one,
      .flags = TY_F_OURS,
      .doc = "Most nodes that training may use." },
    { .name = "maxRestarts",
      .schema = &from_zero,
      .flags = TY_F_OURS,
      .doc = "How often torchrun restarts its workers before it gives up." },
    { .name = NULL },
};
static const struct ty_rule elastic_rules[] = {
    { .cel = "!has(self.minNodes) || !has(self.maxNodes) || self.minNodes <= self.maxNodes",
      .message = "minNodes must be less than or equal to maxNodes",
      .ok = ty_rule_elastic_range },
    { .cel = NULL },
};
static const struct ty_schema elastic = { .type = TY_T_OBJECT,
                                          .go = "TorchElasticPolicy",
                                          .fields = elastic_fields,
                                          .rules = elastic_rules };

static const struct ty_field torch_fields[] = {
    { .name = "envInjection",
      .schema = &env_injection,
      .doc = "Further containers that get the PET_ variables." },
    { .name = "numProcPerNode",
      .schema = &torch_num_proc,
      .flags = TY_F_OURS,
      .doc = "Processes on each node unless the TrainJob says: a number, auto, cpu or gpu." },
    { .name = "elasticPolicy",
      .schema = &elastic,
      .flags = TY_F_OURS,
      .doc = "Lets the number of nodes vary between two bounds while training runs." },
    { .name = NULL },
};
static const struct ty_schema torch = { .type = TY_T_OBJECT,
                                        .go = "TorchMLPolicySource",
                                        .fields = torch_fields };

/* ---- mlPolicy.mpi, .flux, .jax, .xgboost, .tensorflow ---- */

/* v2.3.0 has an enum of OpenMPI and "", with which no TrainJob works: the webhook warns (B24). */
static const struct ty_rule implementation_rules[] = {
    { .cel = "self in ['', 'OpenMPI', 'IntelMPI', 'MPICH', 'Intel']",
      .message = "must be one of OpenMPI, IntelMPI, MPICH",
      .ok = ty_rule_mpi_implementation },
    { .cel = NULL },
};
static const struct ty_schema implementation = { .type = TY_T_STRING,
                                                 .rules = implementation_rules };
static const struct ty_schema mount_path = { .type = TY_T_STRING, .max_len = 4096 };

static const struct ty_field mpi_fields[] = {
    { .name = "numProcPerNode",
      .schema = &ty_schema_int32,
      .def = "1",
      .doc = "Processes on each node, the slots of the host file." },
    { .name = "mpiImplementation",
      .schema = &implementation,
      .flags = TY_F_OURS,
      .def = "\"OpenMPI\"",
      .doc = "OpenMPI, IntelMPI (also written Intel) or MPICH." },
    { .name = "sshAuthMountPath",
      .schema = &mount_path,
      .def = "\"/root/.ssh\"",
      .doc = "Where the SSH key pair of the job is mounted." },
    { .name = "runLauncherAsNode",
      .schema = &ty_schema_bool,
      .def = "false",
      .doc = "Whether the launcher also trains, as the first node." },
    { .name = NULL },
};
static const struct ty_schema mpi = { .type = TY_T_OBJECT,
                                      .go = "MPIMLPolicySource",
                                      .fields = mpi_fields };

static const struct ty_rule flux_num_proc_rules[] = {
    { .cel = "self >= 1",
      .message = "NumProcPerNode in fluxPolicy must be >= 1",
      .ok = ty_rule_at_least_one },
    { .cel = NULL },
};
static const struct ty_schema flux_num_proc = { .type = TY_T_INTEGER,
                                                .format = "int32",
                                                .rules = flux_num_proc_rules };
static const struct ty_field flux_fields[] = {
    { .name = "numProcPerNode",
      .schema = &flux_num_proc,
      .def = "1",
      .doc = "Processes on each node." },
    { .name = NULL },
};
static const struct ty_schema flux = { .type = TY_T_OBJECT,
                                       .go = "FluxMLPolicySource",
                                       .fields = flux_fields };

static const struct ty_field no_fields[] = { { .name = NULL } };
static const struct ty_schema jax = { .type = TY_T_OBJECT,
                                      .go = "JAXMLPolicySource",
                                      .fields = no_fields };
static const struct ty_schema xgboost = { .type = TY_T_OBJECT,
                                          .go = "XGBoostMLPolicySource",
                                          .fields = no_fields };

static const struct ty_schema port = { .type = TY_T_INTEGER,
                                       .format = "int32",
                                       .has_min = true,
                                       .min = 1,
                                       .has_max = true,
                                       .max = 65535 };
static const struct ty_field tensorflow_fields[] = {
    { .name = "port",
      .schema = &port,
      .flags = TY_F_OURS,
      .def = "2222",
      .doc = "Port that every worker of TF_CONFIG listens on." },
    { .name = NULL },
};
static const struct ty_schema tensorflow = { .type = TY_T_OBJECT,
                                             .go = "TensorFlowMLPolicySource",
                                             .fields = tensorflow_fields };

/* A member that is an object is the policy of one framework: at most one can be set (the rule
 * below), and exactly one plugin serves it (ty_registry_check). */
static const struct ty_field ml_policy_fields[] = {
    { .name = "numNodes",
      .schema = &ty_schema_int32,
      .doc = "Number of training nodes, 1 if absent." },
    { .name = "torch", .schema = &torch, .doc = "PyTorch: every node gets torchrun's settings." },
    { .name = "mpi",
      .schema = &mpi,
      .doc = "MPI: a launcher with a host file, and nodes it reaches by SSH." },
    { .name = "flux", .schema = &flux, .doc = "Flux Framework: nodes form a Flux instance." },
    { .name = "jax", .schema = &jax, .doc = "JAX: every node gets the coordinator's address." },
    { .name = "xgboost", .schema = &xgboost, .doc = "XGBoost: every node gets the tracker's." },
    { .name = "tensorflow",
      .schema = &tensorflow,
      .flags = TY_F_OURS,
      .doc = "TensorFlow: every node gets TF_CONFIG with all workers." },
    { .name = NULL },
};
static const struct ty_rule ml_policy_rules[] = {
    { .cel_of = ty_rule_one_policy_cel,
      .message = "Only one of the policy can be configured",
      .ok = ty_rule_one_policy },
    { .cel = NULL },
};
const struct ty_schema ty_schema_MLPolicy = {
    .type = TY_T_OBJECT, .go = "MLPolicy", .fields = ml_policy_fields, .rules = ml_policy_rules
};

bool ty_schema_is_policy(const struct ty_field *f)
{
    return f->schema->type == TY_T_OBJECT;
}

/* ---- podGroupPolicy ---- */

static const struct ty_field coscheduling_fields[] = {
    { .name = "scheduleTimeoutSeconds",
      .schema = &ty_schema_int32,
      .def = "60",
      .doc = "Seconds that the scheduler waits for all pods to fit." },
    { .name = NULL },
};
static const struct ty_schema coscheduling = { .type = TY_T_OBJECT,
                                               .go = "CoschedulingPodGroupPolicySource",
                                               .fields = coscheduling_fields };

static const char *const topology_modes[] = { "hard", "soft", NULL };
static const struct ty_schema topology_mode = { .type = TY_T_STRING, .enums = topology_modes };
static const struct ty_field topology_fields[] = {
    { .name = "mode",
      .schema = &topology_mode,
      .flags = TY_F_OMITZERO,
      .def = "\"hard\"",
      .doc = "Whether the constraint must hold (hard) or is preferred (soft)." },
    { .name = "highestTierAllowed",
      .schema = &ty_schema_int,
      .def = "1",
      .doc = "Highest network tier that the pods may spread over." },
    { .name = NULL },
};
static const struct ty_schema topology = { .type = TY_T_OBJECT,
                                           .go = "NetworkTopologySpec",
                                           .fields = topology_fields };
static const struct ty_field volcano_fields[] = {
    { .name = "networkTopology",
      .schema = &topology,
      .doc = "How near to each other the pods must run." },
    { .name = NULL },
};
static const struct ty_schema volcano = { .type = TY_T_OBJECT,
                                          .go = "VolcanoPodGroupPolicySource",
                                          .fields = volcano_fields };

static const struct ty_field pod_group_policy_fields[] = {
    { .name = "coscheduling",
      .schema = &coscheduling,
      .doc = "A gang of the scheduler plugins' coscheduling." },
    { .name = "volcano", .schema = &volcano, .doc = "A gang of the Volcano scheduler." },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodGroupPolicy = { .type = TY_T_OBJECT,
                                                    .go = "PodGroupPolicy",
                                                    .fields = pod_group_policy_fields };
