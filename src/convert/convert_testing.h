/* Shared by the tests of the converter. */
#ifndef TY_CONVERT_CONVERT_TESTING_H
#define TY_CONVERT_CONVERT_TESTING_H

#include "base/testing.h"
#include "convert/convert.h"
#include "json/yaml.h"
#include <errno.h>

#define TESTING_CEILING ((size_t)64 << 20)
#define HEAD(kind)      "apiVersion: kubeflow.org/v1\nkind: " kind "\nmetadata: {name: j}\nspec:\n"
#define HEAD2           "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: j}\nspec:\n"
#define POD(c)          "{spec: {containers: [{name: " c ", image: x}]}}"

TY_UNUSED static int convert_with(struct ty_arena *a, const char *text, struct ty_convert_opts opts,
                                  struct ty_convert_result *ret)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    if (ty_yaml_parse(a, "t", ty_str(text), NULL, &docs, &err) < 0)
        fail_msg("%s: %s", err.text, text);
    int r = ty_convert(a, docs.v[0], &opts, ret);
    assert_true((r < 0) == (ret->bad != NULL) && (r < 0) == (ret->job == NULL));
    return r;
}

/* Converts; fails the test on an error. */
TY_UNUSED static struct ty_convert_result convert(struct ty_arena *a, const char *text)
{
    struct ty_convert_result done;
    if (convert_with(a, text, (struct ty_convert_opts){ 0 }, &done) < 0)
        fail_msg("%s: %s", done.bad->path, done.bad->text);
    return done;
}

/* Expects an error at `path` whose text contains `words`. */
TY_UNUSED static void refuse(struct ty_arena *a, const char *text, const char *path,
                             const char *words)
{
    struct ty_convert_result done;
    assert_int_equal(convert_with(a, text, (struct ty_convert_opts){ 0 }, &done), -EINVAL);
    assert_string_equal(done.bad->path, path);
    if (!ty_str_contains(ty_str(done.bad->text), ty_str(words)))
        fail_msg("\"%s\" does not say \"%s\"", done.bad->text, words);
}

/* The first warning about a path, or NULL. */
TY_UNUSED static const char *warning(const struct ty_convert_result *c, const char *path)
{
    for (const struct ty_convert_note *n = c->warnings; n; n = n->next)
        if (strcmp(n->path, path) == 0)
            return n->text;
    return NULL;
}

TY_UNUSED static bool warned(const struct ty_convert_result *c, const char *path)
{
    return warning(c, path) != NULL;
}

/* The JSON at a path of plain keys; "null" if there is nothing. */
TY_UNUSED static const char *json_at(struct ty_arena *a, const struct ty_json *obj,
                                     const char *path)
{
    const struct ty_json *v = ty_json_at(obj, path);
    return ty_json_text(a, v ? v : ty_json_null(a)).p;
}

/* A replicated job of the runtime. */
TY_UNUSED static const struct ty_json *rjob(const struct ty_convert_result *c, const char *name)
{
    const struct ty_json *jobs = ty_json_at(c->runtime, "spec.template.spec.replicatedJobs");
    return ty_json_find_item(jobs, "name", ty_str(name), NULL);
}

TY_UNUSED static const struct ty_json *rjob_pod(const struct ty_convert_result *c, const char *name)
{
    return ty_json_at(rjob(c, name), "template.spec.template.spec");
}

/* The value of a variable in a list; "" if it has none. */
TY_UNUSED static struct ty_str env_value(const struct ty_json *container, const char *name)
{
    return ty_json_str_at(
        ty_json_find_item(ty_json_get(container, "env"), "name", ty_str(name), NULL), "value");
}

TY_UNUSED static struct ty_str trainer_env(const struct ty_convert_result *c, const char *name)
{
    return env_value(ty_json_at(c->job, "spec.trainer"), name);
}

#endif
