/* First step: reads the fields of the TrainJob. */
#include "trainer/trainjob.h"

#define PATH(up, key)                                                                              \
    {                                                                                              \
        (up), { (key), sizeof(key) - 1 }, -1, false                                                \
    }
const struct ty_field_path ty_trainjob_spec_path = PATH(NULL, "spec");
const struct ty_field_path ty_trainjob_ref_path = PATH(&ty_trainjob_spec_path, "runtimeRef");
const struct ty_field_path ty_trainjob_trainer_path = PATH(&ty_trainjob_spec_path, "trainer");
const struct ty_field_path ty_trainjob_env_path = PATH(&ty_trainjob_trainer_path, "env");

char *ty_trainjob_audience(struct ty_arena *a, struct ty_str ns, struct ty_str name)
{
    return ty_arena_printf(a, "trainer.kubeflow.org/v1alpha1/namespaces/%.*s/trainjobs/%.*s/status",
                           TY_ARG(ns), TY_ARG(name));
}

struct ty_numproc ty_trainjob_parse_numproc(const struct ty_json *v)
{
    struct ty_numproc n = { TY_NUMPROC_UNSET, 0 };
    struct ty_str word = ty_json_as_str(v);

    if (ty_json_is(v, TY_JSON_INT) && v->i >= INT32_MIN && v->i <= INT32_MAX)
        n = (struct ty_numproc){ TY_NUMPROC_INT, (int32_t)v->i };
    else if (ty_str_is(word, "auto"))
        n.kind = TY_NUMPROC_AUTO;
    else if (ty_str_is(word, "cpu"))
        n.kind = TY_NUMPROC_CPU;
    else if (ty_str_is(word, "gpu"))
        n.kind = TY_NUMPROC_GPU;
    return n;
}

static void read_trainer(struct ty_trainjob *job, const struct ty_json *trainer)
{
    int64_t nodes = 0;

    job->trainer = trainer;
    job->image = ty_json_get(trainer, "image");
    job->command = ty_json_get(trainer, "command");
    job->args = ty_json_get(trainer, "args");
    job->env = ty_json_get(trainer, "env");
    job->resources = ty_json_get(trainer, "resourcesPerNode");
    if (ty_json_int_at(trainer, "numNodes", &nodes) && nodes >= INT32_MIN && nodes <= INT32_MAX)
        job->num_nodes = (struct ty_opt_i32){ true, (int32_t)nodes };
    job->num_proc = ty_trainjob_parse_numproc(ty_json_get(trainer, "numProcPerNode"));
}

void ty_trainjob_parse(struct ty_trainjob *job, const struct ty_json *obj)
{
    const struct ty_json *meta = ty_json_get(obj, "metadata");
    const struct ty_json *spec = ty_json_get(obj, "spec");

    *job = (struct ty_trainjob){ .obj = obj };
    job->name = ty_json_str_at(meta, "name");
    job->ns = ty_json_str_at(meta, "namespace");
    job->uid = ty_json_str_at(meta, "uid");
    job->ref = ty_json_get(spec, "runtimeRef");
    job->ref_group = ty_json_str_at(job->ref, "apiGroup");
    job->ref_kind = ty_json_str_at(job->ref, "kind");
    job->ref_name = ty_json_str_at(job->ref, "name");
    read_trainer(job, ty_json_get(spec, "trainer"));
    if (job->num_proc.kind == TY_NUMPROC_UNSET)
        job->num_proc = ty_trainjob_parse_numproc(
            ty_json_find(ty_json_get(meta, "annotations"), TY_LIT(TY_ANN_NUMPROC)));
    job->dataset = ty_json_at(spec, "initializer.dataset");
    job->model = ty_json_at(spec, "initializer.model");
    job->patches = ty_json_get(spec, "runtimePatches");
    job->pod_template_overrides = ty_json_get(spec, "podTemplateOverrides");
    job->pod_spec_overrides = ty_json_get(spec, "podSpecOverrides");
    job->suspended = ty_json_true_at(spec, "suspend");
    job->suspend_set = ty_json_is(ty_json_get(spec, "suspend"), TY_JSON_BOOL);
    ty_json_int_at(spec, "activeDeadlineSeconds", &job->deadline_s);
}

bool ty_trainjob_finished(const struct ty_json *status)
{
    const struct ty_json *list = ty_json_get(status, "conditions");

    ty_each_item (c, list) {
        struct ty_str type = ty_json_str_at(*c, "type");
        if ((ty_str_is(type, "Complete") || ty_str_is(type, "Failed")) &&
            ty_str_is(ty_json_str_at(*c, "status"), "True"))
            return true;
    }
    return false;
}
