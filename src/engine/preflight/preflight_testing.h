/* Shared by the tests of preflight: findings as lines. */
#ifndef TY_ENGINE_PREFLIGHT_PREFLIGHT_TESTING_H
#define TY_ENGINE_PREFLIGHT_PREFLIGHT_TESTING_H

#include "engine/pod/pod_testing.h"
#include "engine/preflight/preflight_inner.h"

static char *unfit_lines(struct fixture *f, const struct ty_preflight_findings *u)
{
    ty_auto_buf out = { 0 };

    for (const struct ty_preflight_finding *i = u->first; i; i = i->next)
        ty_buf_printf(&out, "%s %s: %s\n", i->error ? "E" : "W", i->path, i->text);
    return ty_arena_cstr(f->a, ty_buf_str(&out));
}

/* Of the pod template at T, of which `pods` run at once. */
TY_UNUSED static struct ty_preflight_findings check_template(struct fixture *f, const char *text,
                                                             int64_t pods)
{
    static const struct ty_pod_net net = { .address = "" };
    struct ty_preflight_findings u = { .arena = f->a };
    struct ty_preflight x = { .out = &u,
                              .pod = { .a = f->a,
                                       .scratch = f->a,
                                       .ns = TY_LIT("ns"),
                                       .hostname = "",
                                       .host = &f->host,
                                       .view = &f->view,
                                       .net = &net } };
    struct ty_json *wants = ty_json_object(f->a);

    ty_preflight_check_template(&x, parse(f->a, text), TY_KEY(NULL, "T"));
    ty_preflight_add_devices(&x, x.pod.spec, pods, wants);
    ty_preflight_check_devices(&x, wants, TY_KEY(TY_KEY(NULL, "T"), "spec"));
    return u;
}

/* Of the pod template at T, without what is said of the image in every test. */
TY_UNUSED static const char *template_lines(struct fixture *f, const char *text)
{
    struct ty_preflight_findings u = check_template(f, text, 1);
    char *at, *lines;
    static const char image[] =
        "W T.spec.containers[0].image: image i is not used; the command runs on this host's "
        "filesystem\n";

    lines = unfit_lines(f, &u);
    at = strstr(lines, image);
    if (at)
        memmove(at, at + strlen(image), strlen(at + strlen(image)) + 1);
    return lines;
}

/* A pod with one good container and these members of its spec. */
#define POD(members)                                                                               \
    "{'spec':{'containers':[{'name':'main','image':'i','command':['x']}]" members "}}"
/* A pod whose only container has these members besides. */
#define CONTAINER(members)                                                                         \
    "{'spec':{'containers':[{'name':'main','image':'i','command':['x']" members "}]}}"

struct row {
    const char *pod, *want;
};
#define check_rows(f, rows)                                                                        \
    for (size_t i = 0; i < TY_COUNT(rows); i++)                                                    \
    assert_string_equal(template_lines((f), (rows)[i].pod), (rows)[i].want)

#endif
