/* Parses the embedded manifests and sets namespace, image, version and replicas in them. */
#include "cli/install/install.h"
#include "api/crd.h"
#include "cli/install/catalog.h"
#include "json/yaml.h"
#include <assert.h>
#include <ctype.h>

#define HOME          "kubeflow-system" /* the namespace that manifests/ names */
#define CONFIG_FILE   "controller_manager_config.yaml"
#define VERSION_LABEL "app.kubernetes.io/version"

/* manifests/.../NAME.yaml in this order: an object comes before the objects that refer to it. */
static const char *const parts[] = {
    "account",     "role",    "leader",     "public-role", "users",   "config",   "public",
    "certificate", "service", "deployment", "disruption",  "network", "webhooks", NULL,
};

static struct ty_yaml_docs read_part(struct ty_arena *a, const char *name)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    for (const struct ty_embedded *e = ty_install_files; e->name; e++) {
        if (strcmp(e->name, name) != 0)
            continue;
        int r = ty_yaml_parse(a, e->name, e->text, NULL, &docs, &err);
        assert(r == 0); /* our own files, read by a test */
        (void)r;
    }
    assert(docs.n);
    return docs;
}

static void rename_at(struct ty_arena *a, struct ty_json *obj, const char *key, const char *ns)
{
    if (ty_str_is(ty_json_as_str(ty_json_get(obj, key)), HOME))
        ty_json_set(a, obj, key, ty_json_cstr(a, ns));
}

/* Sets every field of a manifest that contains the namespace. */
static void move_to(struct ty_arena *a, struct ty_json *doc, const char *ns)
{
    struct ty_json *meta = ty_json_get(doc, "metadata");
    rename_at(a, meta, "namespace", ns);
    if (ty_str_is(ty_json_str_at(doc, "kind"), "Namespace"))
        rename_at(a, meta, "name", ns);
    ty_each_item (subject, ty_json_get(doc, "subjects"))
        rename_at(a, *subject, "namespace", ns);
    ty_each_item (hook, ty_json_get(doc, "webhooks"))
        rename_at(a, ty_json_at(*hook, "clientConfig.service"), "namespace", ns);
}

static void set_deployment(struct ty_arena *a, struct ty_json *doc, const struct ty_install *s)
{
    static const char *const labelled[] = { "metadata", "spec.template.metadata" };
    struct ty_json *manager = ty_json_item(ty_json_at(doc, "spec.template.spec.containers"), 0);

    for (size_t i = 0; i < 2; i++)
        ty_json_set(a, ty_json_ensure_object(a, ty_json_at(doc, labelled[i]), "labels"),
                    VERSION_LABEL, ty_json_cstr(a, s->version));
    ty_json_set(a, ty_json_get(doc, "spec"), "replicas", ty_json_int(a, s->replicas));
    ty_json_set(a, manager, "image", ty_json_cstr(a, s->image));
}

static void enable_failure_summary(struct ty_arena *a, struct ty_json *doc)
{
    struct ty_json *data = ty_json_get(doc, "data");
    struct ty_str text = ty_json_as_str(ty_json_get(data, CONFIG_FILE));

    if (text.n)
        ty_json_set(a, data, CONFIG_FILE,
                    ty_json_strf(a, "%.*sfailureSummary:\n  enable: true\n", TY_ARG(text)));
}

static void add_part(struct ty_arena *a, struct ty_json *list, const char *name,
                     const struct ty_install *s)
{
    struct ty_yaml_docs docs = read_part(a, name);
    for (size_t i = 0; i < docs.n; i++) {
        move_to(a, docs.v[i], s->ns);
        if (ty_str_is(ty_json_str_at(docs.v[i], "kind"), "Deployment"))
            set_deployment(a, docs.v[i], s);
        if (s->failure_summary && ty_str_is(ty_json_str_at(docs.v[i], "kind"), "ConfigMap"))
            enable_failure_summary(a, docs.v[i]);
        ty_json_push(a, list, docs.v[i]);
    }
}

struct ty_json *ty_install_runtime(struct ty_arena *a, struct ty_str name)
{
    struct ty_json *runtime = ty_catalog_get(a, name);
    if (runtime)
        ty_json_set(a, ty_json_at(runtime, "metadata.labels"),
                    "trainer.kubeflow.org/webhook-validation", ty_json_cstr(a, "disabled"));
    return runtime;
}

struct ty_json *ty_install_list(struct ty_arena *a, const struct ty_install *s)
{
    struct ty_json *list = ty_json_array(a);
    add_part(a, list, "namespace", s);
    for (const struct ty_kind *const *k = ty_kinds; s->crds && *k; k++)
        if ((*k)->ours)
            ty_json_push(a, list, ty_crd(a, *k));
    for (const char *const *part = parts; *part; part++)
        if (!s->no_user_roles || strcmp(*part, "users") != 0)
            add_part(a, list, *part, s);
    if (s->monitor)
        add_part(a, list, "monitor", s);
    if (s->failure_summary)
        add_part(a, list, "failure-summary", s);
    for (size_t i = 0; i < s->runtimes.n; i++) {
        if (strcmp(s->runtimes.v[i], "torch-distributed-with-cache") == 0)
            add_part(a, list, "cache", s);
        ty_json_push(a, list, ty_install_runtime(a, ty_str(s->runtimes.v[i])));
    }
    return list;
}

struct ty_kind ty_install_kind(struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_str group = { 0 }, api = ty_json_str_at(obj, "apiVersion");
    char *word = ty_arena_cstr(a, ty_json_str_at(obj, "kind"));
    if (ty_str_cut(api, '/', &group).p == NULL)
        group = (struct ty_str){ "", 0 };
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return (struct ty_kind){ .group = ty_arena_cstr(a, group), .singular = word };
}
