/*
 * An example of a plugin that lives outside trainyard's tree: it connects a TrainJob with Weights &
 * Biases.
 *
 *     metadata:
 *       annotations:
 *         wandb.example.org/project: vision
 *
 * gives every node of the job WANDB_PROJECT=vision and WANDB_RUN_GROUP=<name of the TrainJob>, so
 * that the runs of all nodes stand together, and marks their pods with a label.
 */
#include <stdio.h>
#include <string.h>
#include <trainyard/plugin.h>

#define PROJECT "wandb.example.org/project"

static const char *project_of(const struct trainyard_host *host, const struct trainyard_plan *plan)
{
    return host->job_annotation(plan, PROJECT); /* NULL: the job has nothing to do with us */
}

/* At admission: says what is wrong while the user still looks. */
static void validate(const struct trainyard_host *host, const struct trainyard_plan *plan)
{
    const char *project = project_of(host, plan);
    if (!project)
        return;
    if (!*project || strpbrk(project, "/\\#?%:"))
        host->report_error(plan, "metadata.annotations[" PROJECT "]", project,
                           "a project is a word without / \\ # ? % :");
    if (!host->trainer_job(plan))
        host->report_warning(plan, "the runtime has no trainer: nothing will be logged");
}

/* The environment of the trainer's main container. */
static int enforce_ml(const struct trainyard_host *host, struct trainyard_plan *plan)
{
    const char *project = project_of(host, plan);
    char nodes[32];
    if (!project || !host->trainer_job(plan))
        return 0;
    snprintf(nodes, sizeof(nodes), "nodes-%lld", (long long)host->num_nodes(plan));
    if (host->set_env(plan, NULL, NULL, "WANDB_PROJECT", project) != TRAINYARD_OK ||
        host->set_env(plan, NULL, NULL, "WANDB_RUN_GROUP", host->job_name(plan)) != TRAINYARD_OK ||
        host->set_env(plan, NULL, NULL, "WANDB_TAGS", nodes) != TRAINYARD_OK)
        return host->fail(plan, "the trainer has no container \"node\" for the WANDB_ variables");
    return 0;
}

static int enforce_pod(const struct trainyard_host *host, struct trainyard_plan *plan)
{
    if (!project_of(host, plan) || !host->trainer_job(plan))
        return 0;
    host->set_pod_label(plan, NULL, "wandb.example.org/logged", "true");
    return 0;
}

static const struct trainyard_plugin_info info = {
    .abi = TRAINYARD_PLUGIN_ABI,
    .size = sizeof(info),
    .name = "WandB",
    .about = "WANDB_ environment from the annotation " PROJECT,
    .validate = validate,
    .enforce_ml = enforce_ml,
    .enforce_pod = enforce_pod,
};

const struct trainyard_plugin_info *trainyard_plugin(const struct trainyard_host *host)
{
    return host->abi == TRAINYARD_PLUGIN_ABI ? &info : NULL;
}
