/* mlPolicy and podGroupPolicy of a runtime: how training processes find each other, and whether
 * pods are scheduled as a gang. */
#include "api/gen/gen.h"
#include "api/rule_trainer.h"
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
      .doc = "Name of the replicated job in the template." },
    { .name = "containerNames",
      .schema = &container_names,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Containers or init containers of that job to inject the PET_ variables into. The "
             "container node always has them and must not be listed." },
    { .name = NULL },
};
static const struct ty_schema target = TY_OBJECT("EnvInjectionTarget", target_fields);
static const char *const keys_job_name[] = { "jobName", NULL };
static const struct ty_schema targets = {
    .type = TY_T_ARRAY, .items = &target, .max_items = 16, .list_keys = keys_job_name
};

static const struct ty_field env_injection_fields[] = {
    { .name = "targets",
      .schema = &targets,
      .flags = TY_F_OMITZERO,
      .doc = "Containers to inject into, one entry per replicated job. Without entries only the "
             "trainer's container node gets the variables." },
    { .name = NULL },
};
static const struct ty_schema env_injection = TY_OBJECT("EnvInjection", env_injection_fields);

/* The message of v2.0; type() makes it the same for strings and numbers. */
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
      .doc = "Smallest number of nodes with which training continues. Defaults to maxNodes." },
    { .name = "maxNodes",
      .schema = &from_one,
      .flags = TY_F_OURS,
      .doc = "Largest number of nodes of the job. Defaults to the job's node count." },
    { .name = "maxRestarts",
      .schema = &from_zero,
      .flags = TY_F_OURS,
      .doc = "Number of times torchrun restarts its worker group before it fails. If unset, "
             "torchrun's own default applies." },
    { .name = NULL },
};
static const struct ty_rule elastic_rules[] = {
    { .cel = "!has(self.minNodes) || !has(self.maxNodes) || self.minNodes <= self.maxNodes",
      .message = "minNodes must be less than or equal to maxNodes",
      .ok = ty_rule_elastic_range },
    { .cel = NULL },
};
static const struct ty_schema elastic =
    TY_OBJECT("TorchElasticPolicy", elastic_fields, .rules = elastic_rules);

static const struct ty_field torch_fields[] = {
    { .name = "envInjection",
      .schema = &env_injection,
      .doc =
          "Other containers that get the PET_ variables, besides the trainer's container node." },
    { .name = "numProcPerNode",
      .schema = &torch_num_proc,
      .flags = TY_F_OURS,
      .doc = "Default number of processes per node: an integer, or auto, cpu or gpu. Defaults to "
             "auto: one per GPU, or one per CPU on nodes without GPUs; spec.trainer.numProcPerNode "
             "overrides it." },
    { .name = "elasticPolicy",
      .schema = &elastic,
      .flags = TY_F_OURS,
      .doc = "Lets the number of nodes vary between minNodes and maxNodes while training runs, "
             "with a c10d rendezvous on node 0. If unset, the node count is fixed." },
    { .name = NULL },
};
static const struct ty_schema torch = TY_OBJECT("TorchMLPolicySource", torch_fields);

/* ---- mlPolicy.mpi, .flux, .jax, .xgboost, .tensorflow ---- */

/* v2.3.0's enum has OpenMPI and "", but "" works for no TrainJob: the webhook warns (B24). */
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
      .doc =
          "Number of MPI slots per node in the host file. Defaults to 1; if it is 1 and a node has "
          "more GPUs, the number of GPUs is used. spec.trainer.numProcPerNode overrides it." },
    { .name = "mpiImplementation",
      .schema = &implementation,
      .flags = TY_F_OURS,
      .def = "\"OpenMPI\"",
      .doc = "MPI implementation, which decides the format of the host file and the launcher's "
             "variables: OpenMPI (the default), IntelMPI (Intel is an alias) or MPICH." },
    { .name = "sshAuthMountPath",
      .schema = &mount_path,
      .def = "\"/root/.ssh\"",
      .doc =
          "Directory in which the job's SSH key pair is mounted, in launcher and nodes. Defaults "
          "to /root/.ssh; it must be the .ssh directory of the user that runs mpirun." },
    { .name = "runLauncherAsNode",
      .schema = &ty_schema_bool,
      .def = "false",
      .doc = "Set to true if the launcher also trains: it is then listed in the host file and "
             "counted as one of numNodes. Defaults to false." },
    { .name = NULL },
};
static const struct ty_schema mpi = TY_OBJECT("MPIMLPolicySource", mpi_fields);

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
      .doc = "Number of Flux tasks per node. Defaults to 1; spec.trainer.numProcPerNode overrides "
             "it." },
    { .name = NULL },
};
static const struct ty_schema flux = TY_OBJECT("FluxMLPolicySource", flux_fields);

static const struct ty_field no_fields[] = { { .name = NULL } };
static const struct ty_schema jax = TY_OBJECT("JAXMLPolicySource", no_fields);
static const struct ty_schema xgboost = TY_OBJECT("XGBoostMLPolicySource", no_fields);

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
      .doc = "Port of every task in TF_CONFIG. Defaults to 2222." },
    { .name = NULL },
};
static const struct ty_schema tensorflow = TY_OBJECT("TensorFlowMLPolicySource", tensorflow_fields);

/* An object member is the policy of one framework: at most one may be set (the rule below), and
 * exactly one plugin must implement it (ty_registry_check). */
static const struct ty_field ml_policy_fields[] = {
    { .name = "numNodes",
      .schema = &ty_schema_int32,
      .doc =
          "Default number of training nodes, overridden by spec.trainer.numNodes. Defaults to 1." },
    { .name = "torch",
      .schema = &torch,
      .doc = "Configures PyTorch: sets the PET_ variables that torchrun reads." },
    { .name = "mpi",
      .schema = &mpi,
      .doc = "Configures MPI: creates an SSH key pair and a host file, and mounts them into the "
             "jobs launcher and node." },
    { .name = "flux",
      .schema = &flux,
      .doc = "Configures Flux Framework: installs Flux in every node and runs the command as a "
             "Flux job." },
    { .name = "jax",
      .schema = &jax,
      .doc = "Configures JAX: sets the JAX_ variables with the coordinator's address and the "
             "process count." },
    { .name = "xgboost",
      .schema = &xgboost,
      .doc = "Configures XGBoost: sets the DMLC_ variables with the tracker's address and the "
             "worker count." },
    { .name = "tensorflow",
      .schema = &tensorflow,
      .flags = TY_F_OURS,
      .doc = "Configures TensorFlow: sets TF_CONFIG with the addresses of all tasks; jobs named "
             "chief, worker, ps and evaluator get these roles." },
    { .name = NULL },
};
static const struct ty_rule ml_policy_rules[] = {
    { .cel_of = ty_rule_one_policy_cel,
      .message = "Only one of the policy can be configured",
      .ok = ty_rule_one_policy },
    { .cel = NULL },
};
const struct ty_schema ty_schema_MLPolicy =
    TY_OBJECT("MLPolicy", ml_policy_fields, .rules = ml_policy_rules);

bool ty_schema_is_policy(const struct ty_field *f)
{
    return f->schema->type == TY_T_OBJECT;
}

/* ---- podGroupPolicy ---- */

static const struct ty_field coscheduling_fields[] = {
    { .name = "scheduleTimeoutSeconds",
      .schema = &ty_schema_int32,
      .def = "60",
      .doc = "Seconds for which the scheduler holds nodes until all pods of the gang fit. Defaults "
             "to 60; after that it releases them and tries again." },
    { .name = NULL },
};
static const struct ty_schema coscheduling =
    TY_OBJECT("CoschedulingPodGroupPolicySource", coscheduling_fields);

static const char *const topology_modes[] = { "hard", "soft", NULL };
static const struct ty_schema topology_mode = { .type = TY_T_STRING, .enums = topology_modes };
static const struct ty_field topology_fields[] = {
    { .name = "mode",
      .schema = &topology_mode,
      .flags = TY_F_OMITZERO,
      .def = "\"hard\"",
      .doc = "hard (the default): pods stay Pending unless the constraint is met. soft: the "
             "scheduler prefers to meet it." },
    { .name = "highestTierAllowed",
      .schema = &ty_schema_int,
      .def = "1",
      .doc = "Highest network tier across which the pods may be spread; 1, the default, is the "
             "lowest tier." },
    { .name = NULL },
};
static const struct ty_schema topology = TY_OBJECT("NetworkTopologySpec", topology_fields);
static const struct ty_field volcano_fields[] = {
    { .name = "networkTopology",
      .schema = &topology,
      .doc = "Limits how far apart in the network the pods may run. If unset, there is no limit." },
    { .name = NULL },
};
static const struct ty_schema volcano = TY_OBJECT("VolcanoPodGroupPolicySource", volcano_fields);

static const struct ty_field pod_group_policy_fields[] = {
    { .name = "coscheduling",
      .schema = &coscheduling,
      .doc = "Creates a PodGroup for the coscheduling plugin of scheduler-plugins. The template "
             "must set schedulerName itself." },
    { .name = "volcano",
      .schema = &volcano,
      .doc = "Creates a PodGroup for the Volcano scheduler. The template must set schedulerName "
             "itself." },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodGroupPolicy =
    TY_OBJECT("PodGroupPolicy", pod_group_policy_fields);
