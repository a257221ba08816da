/* Shared by the tests of pods: objects from short texts, a view of a few of them, a machine. */
#ifndef TY_ENGINE_POD_POD_TESTING_H
#define TY_ENGINE_POD_POD_TESTING_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/host.h"
#include "engine/pod/env_expand.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"
#include "json/json_testing.h"

/* JSON with single quotes, which read better in C; a real one is written as `. */
TY_UNUSED static struct ty_json *parse(struct ty_arena *a, const char *text)
{
    struct ty_err err = { 0 };
    char *copy = ty_arena_strdup(a, text);
    struct ty_json *v;

    for (char *p = copy; *p; p++)
        *p = (char)(*p == '\'' ? '"' : *p == '`' ? '\'' : *p);
    v = ty_json_parse(a, ty_str(copy), NULL, &err);
    if (!v)
        fail_msg("%s: %s", err.text, copy);
    return v;
}

/* A view of a JSON list of objects. */
TY_UNUSED static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind,
                                                struct ty_str ns, struct ty_str name)
{
    const struct ty_json *list = ctx;

    ty_each_item (it, list)
        if (ty_str_is(ty_json_str_at(*it, "kind"), kind->kind) &&
            ty_str_eq(ty_json_str_at(*it, "metadata.name"), name) &&
            ty_str_eq(ty_json_str_at(*it, "metadata.namespace"), ns))
            return *it;
    return NULL;
}

#define OBJECTS                                                                                    \
    "[{'kind':'ConfigMap','metadata':{'name':'cm','namespace':'ns'},"                              \
    "'data':{'A':'from-cm','key':'text'},'binaryData':{'bin':'AAH/'}},"                            \
    "{'kind':'ConfigMap','metadata':{'name':'cm2','namespace':'ns'},'data':{'A':'from-cm2'}},"     \
    "{'kind':'Secret','metadata':{'name':'sec','namespace':'ns'},"                                 \
    "'data':{'pass':'aHVudGVyMg==','ssh-privatekey':'a2V5'},'stringData':{'plain':'as is'}}]"

struct fixture {
    struct ty_arena *a;
    struct ty_host host;
    struct ty_view view;
    struct ty_pod_net net;
    struct ty_pod_ctx x;
    struct ty_pod_plan plan;
    struct ty_err err;
};

TY_UNUSED static int setup(void **state)
{
    static const char *const extra[] = { "PATH=/usr/bin:/bin", "HOME=/h", NULL };
    static const char *const gpus[] = { "0", "1", NULL };
    struct fixture *f = calloc(1, sizeof(*f));

    f->a = ty_arena_new((size_t)64 << 20);
    f->host = (struct ty_host){ .uid = 1000,
                                .gid = 1000,
                                .mounts = true,
                                .pid_ns = true,
                                .cpus = 8,
                                .memory = (int64_t)16 << 30,
                                .gpus = gpus,
                                .gpu_var = "CUDA_VISIBLE_DEVICES",
                                .gpu_resource = "nvidia.com/gpu" };
    f->view = (struct ty_view){ .ctx = parse(f->a, OBJECTS), .get = view_get };
    f->net =
        (struct ty_pod_net){ .address = "127.1.2.3", .master_port = 41000, .extra_env = extra };
    f->x = (struct ty_pod_ctx){ .a = f->a,
                                .scratch = f->a,
                                .ns = TY_LIT("ns"),
                                .hostname = "js-node-0-0",
                                .host = &f->host,
                                .view = &f->view,
                                .net = &f->net };
    *state = f;
    return 0;
}

TY_UNUSED static int teardown(void **state)
{
    struct fixture *f = *state;
    ty_arena_free(f->a);
    free(f);
    return 0;
}

/* A pod of namespace ns with these members of its spec. */
TY_UNUSED static int make(struct fixture *f, const char *spec)
{
    struct ty_json *pod =
        parse(f->a, "{'metadata':{'name':'js-node-0-0-abcde','namespace':'ns','uid':'u-1',"
                    "'labels':{'batch.kubernetes.io/job-completion-index':'3','b':'2','a':'1\\n'},"
                    "'annotations':{'note':'hi'}}}");
    ty_json_set(f->a, pod, "spec", parse(f->a, spec));
    f->x.pod = pod;
    f->x.spec = ty_json_get(pod, "spec");
    f->err = (struct ty_err){ 0 };
    return ty_pod_plan_make(f->a, pod, &f->host, &f->view, &f->net, &f->plan, &f->err);
}

/* The value of a variable of the plan's container `c`, or NULL. */
TY_UNUSED static const char *var(const struct fixture *f, size_t c, const char *name)
{
    return ty_env_find((const char *const *)f->plan.containers[c].env, ty_str(name));
}

#define with_fixture(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

#endif
