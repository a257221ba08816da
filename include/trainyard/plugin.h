/*
 * trainyard/plugin.h: how to write a plugin outside trainyard's tree.
 *
 * A plugin is a shared object (*.so) that exports one function, `trainyard_plugin`. trainyard calls
 * it once, gives it a table of functions (the host) and gets the plugin's description back. For
 * each TrainJob the hooks of the description are then called, in this order:
 *
 *     validate      looks; reports errors and warnings at admission
 *     enforce_ml    after the built-in ML plugins: environment, ports
 *     enforce_pod   pod specs: labels, annotations
 *     build         adds child objects, before the JobSet is made
 *
 * Build:  cc -shared -fPIC -I… -o myplugin.so myplugin.c
 * Use:    trainyard render --plugin-dir DIR -f job.yaml
 *
 * Everything is text and numbers: no structure of trainyard's is visible, so a plugin keeps working
 * when trainyard changes, as long as the ABI number stays. Strings that the host gives live until
 * the hook returns; strings that a plugin gives are copied at once. Hooks must not keep `plan`.
 */
#ifndef TRAINYARD_PLUGIN_H
#define TRAINYARD_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRAINYARD_PLUGIN_ABI 1u

struct trainyard_plan; /* one TrainJob on its way to become objects */

/* What the editing functions answer. */
enum trainyard_answer {
    TRAINYARD_OK = 0,
    TRAINYARD_NO_SUCH_PLACE = 1, /* no job or container of that name */
    TRAINYARD_NOT_NOW = 2,       /* this hook may not do that: validate only looks */
    TRAINYARD_BAD_VALUE = 3,     /* not JSON, not a name, no apiVersion … */
};

/* What trainyard offers. New functions are only ever added at the end: check `size` before using
 * one that came with a later version. */
struct trainyard_host {
    uint32_t abi;  /* TRAINYARD_PLUGIN_ABI of the host */
    uint32_t size; /* sizeof(struct trainyard_host) of the host */

    /* The TrainJob. Absent: "". */
    const char *(*job_name)(const struct trainyard_plan *plan);
    const char *(*job_namespace)(const struct trainyard_plan *plan);
    const char *(*job_uid)(const struct trainyard_plan *plan);
    const char *(*job_annotation)(const struct trainyard_plan *plan, const char *key); /* or NULL */
    const char *(*job_label)(const struct trainyard_plan *plan, const char *key);      /* or NULL */
    const char *(*job_json)(const struct trainyard_plan *plan); /* the whole object */

    /* Its runtime. */
    const char *(*runtime_name)(const struct trainyard_plan *plan);
    /* spec.mlPolicy.NAME of the runtime as JSON text ("{}"), or NULL: "is this my runtime?" */
    const char *(*policy_json)(const struct trainyard_plan *plan, const char *name);
    int64_t (*num_nodes)(const struct trainyard_plan *plan);       /* of the trainer */
    int64_t (*num_gpus)(const struct trainyard_plan *plan);        /* of one node */
    const char *(*trainer_job)(const struct trainyard_plan *plan); /* its replicated job, or NULL */
    size_t (*num_jobs)(const struct trainyard_plan *plan); /* replicated jobs of the template */
    const char *(*job_at)(const struct trainyard_plan *plan, size_t i); /* name of one, or NULL */

    /* Editing; an enum trainyard_answer. What has the same name is replaced in place. `job` NULL:
     * the trainer's replicated job; `container` NULL: its main container. */
    int (*set_env)(struct trainyard_plan *plan, const char *job, const char *container,
                   const char *name, const char *value);
    int (*add_port)(struct trainyard_plan *plan, const char *job, const char *container, int port);
    int (*set_pod_label)(struct trainyard_plan *plan, const char *job, const char *key,
                         const char *value);
    int (*set_pod_annotation)(struct trainyard_plan *plan, const char *job, const char *key,
                              const char *value);
    /* A child object {apiVersion, kind, metadata.name, …} of a namespaced kind; in `build` only.
     * Namespace and owner are filled in: it goes away with the TrainJob. */
    int (*add_child)(struct trainyard_plan *plan, const char *json);

    /* A live object of the cluster as JSON text, or NULL. Only kinds that trainyard knows. */
    const char *(*live_json)(const struct trainyard_plan *plan, const char *kind, const char *ns,
                             const char *name);

    /* For validate: path such as "metadata.annotations[example.org/key]"; value may be NULL. */
    void (*report_error)(const struct trainyard_plan *plan, const char *path, const char *value,
                         const char *detail);
    void (*report_warning)(const struct trainyard_plan *plan, const char *text);
    /* For the other hooks: says why, returns -1; return that. */
    int (*fail)(const struct trainyard_plan *plan, const char *text);
};

/* What a plugin is. Hooks may be NULL; those that return int give 0, or negative: the pass fails.
 */
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

/* The one symbol a plugin exports. It may look at host->abi; NULL: cannot work with this host. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct trainyard_plugin_info *
trainyard_plugin(const struct trainyard_host *host);

#ifdef __cplusplus
}
#endif

#endif
