/*
 * trainyard/plugin.h: the interface for plugins that are built outside trainyard's tree.
 *
 * A plugin is a shared object (*.so) that exports one function, `trainyard_plugin`. trainyard calls
 * it once with a table of functions (the host), and it returns the plugin's description. For each
 * TrainJob trainyard then calls the hooks of the description, in this order:
 *
 *     validate      reports errors and warnings at admission; must not edit
 *     enforce_ml    after the built-in ML plugins: environment, ports
 *     enforce_pod   pod specs: labels, annotations
 *     build         adds child objects, before the JobSet is built
 *
 * Build:  cc -shared -fPIC -I… -o myplugin.so myplugin.c
 * Use:    trainyard render --plugin-dir DIR -f job.yaml
 *
 * The interface has only text and numbers, and no structure of trainyard is visible, so a plugin
 * works with later versions of trainyard as long as the ABI number is the same. Strings from the
 * host are valid until the hook returns; strings from a plugin are copied at once. Hooks must not
 * store `plan`.
 */
#ifndef TRAINYARD_PLUGIN_H
#define TRAINYARD_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRAINYARD_PLUGIN_ABI 1u

struct trainyard_plan; /* one TrainJob while its child objects are built */

/* Results of the editing functions. */
enum trainyard_answer {
    TRAINYARD_OK = 0,
    TRAINYARD_NO_SUCH_PLACE = 1, /* no job or container of that name */
    TRAINYARD_NOT_NOW = 2,       /* not allowed in this hook: validate must not edit */
    TRAINYARD_BAD_VALUE = 3,     /* not JSON, not a name, no apiVersion … */
};

/* The functions that trainyard offers. New functions are only added at the end: check `size` before
 * you use one of a later version. */
struct trainyard_host {
    uint32_t abi;  /* TRAINYARD_PLUGIN_ABI of the host */
    uint32_t size; /* sizeof(struct trainyard_host) of the host */

    /* The TrainJob. Absent values are "". */
    const char *(*job_name)(const struct trainyard_plan *plan);
    const char *(*job_namespace)(const struct trainyard_plan *plan);
    const char *(*job_uid)(const struct trainyard_plan *plan);
    const char *(*job_annotation)(const struct trainyard_plan *plan, const char *key); /* or NULL */
    const char *(*job_label)(const struct trainyard_plan *plan, const char *key);      /* or NULL */
    const char *(*job_json)(const struct trainyard_plan *plan); /* the whole object */

    /* Its runtime. */
    const char *(*runtime_name)(const struct trainyard_plan *plan);
    /* spec.mlPolicy.NAME of the runtime as JSON text ("{}"), or NULL if the runtime has another
     * policy. */
    const char *(*policy_json)(const struct trainyard_plan *plan, const char *name);
    int64_t (*num_nodes)(const struct trainyard_plan *plan);       /* of the trainer */
    int64_t (*num_gpus)(const struct trainyard_plan *plan);        /* of one node */
    const char *(*trainer_job)(const struct trainyard_plan *plan); /* its replicated job, or NULL */
    size_t (*num_jobs)(const struct trainyard_plan *plan); /* replicated jobs of the template */
    const char *(*job_at)(const struct trainyard_plan *plan, size_t i); /* name of one, or NULL */

    /* Editing; returns an enum trainyard_answer. An item of the same name is replaced in place.
     * `job` NULL: the trainer's replicated job; `container` NULL: its main container. */
    int (*set_env)(struct trainyard_plan *plan, const char *job, const char *container,
                   const char *name, const char *value);
    int (*add_port)(struct trainyard_plan *plan, const char *job, const char *container, int port);
    int (*set_pod_label)(struct trainyard_plan *plan, const char *job, const char *key,
                         const char *value);
    int (*set_pod_annotation)(struct trainyard_plan *plan, const char *job, const char *key,
                              const char *value);
    /* Adds a child object {apiVersion, kind, metadata.name, …} of a namespaced kind; in `build`
     * only. trainyard sets namespace and owner reference, so it is deleted with the TrainJob. */
    int (*add_child)(struct trainyard_plan *plan, const char *json);

    /* A live object of the cluster as JSON text, or NULL. Only kinds that trainyard watches. */
    const char *(*live_json)(const struct trainyard_plan *plan, const char *kind, const char *ns,
                             const char *name);

    /* For validate: path such as "metadata.annotations[example.org/key]"; value may be NULL. */
    void (*report_error)(const struct trainyard_plan *plan, const char *path, const char *value,
                         const char *detail);
    void (*report_warning)(const struct trainyard_plan *plan, const char *text);
    /* For the other hooks: sets the error message and returns -1, which the hook returns. */
    int (*fail)(const struct trainyard_plan *plan, const char *text);
};

/* The description of a plugin. Hooks may be NULL; those that return int return 0, or negative to
 * fail the pass. */
struct trainyard_plugin_info {
    uint32_t abi;      /* TRAINYARD_PLUGIN_ABI it was built with */
    uint32_t size;     /* sizeof(struct trainyard_plugin_info) */
    const char *name;  /* must differ from every other plugin's, also in lower case */
    const char *about; /* one line for `trainyard plugins` */

    void (*validate)(const struct trainyard_host *host, const struct trainyard_plan *plan);
    int (*enforce_ml)(const struct trainyard_host *host, struct trainyard_plan *plan);
    int (*enforce_pod)(const struct trainyard_host *host, struct trainyard_plan *plan);
    int (*build)(const struct trainyard_host *host, struct trainyard_plan *plan);
};

/* The only symbol that a plugin exports. It may check host->abi; NULL: it cannot work with this
 * host. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct trainyard_plugin_info *
trainyard_plugin(const struct trainyard_host *host);

#ifdef __cplusplus
}
#endif

#endif
