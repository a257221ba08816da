/* Shared by the tests of preflight: findings as lines. */
#ifndef TY_ENGINE_PREFLIGHT_PREFLIGHT_TESTING_H
#define TY_ENGINE_PREFLIGHT_PREFLIGHT_TESTING_H

#include "engine/pod/pod_testing.h"
#include "engine/preflight/preflight.h"

static char *unfit_lines(struct fixture *f, const struct ty_preflight_findings *u)
{
    ty_auto_buf out = { 0 };

    for (const struct ty_preflight_finding *i = u->first; i; i = i->next)
        ty_buf_printf(&out, "%s %s: %s\n", i->error ? "E" : "W", i->path, i->text);
    return ty_arena_cstr(f->a, ty_buf_str(&out));
}

/* Of the pod template at T, without what is said of the image in every test. */
TY_UNUSED static const char *template_lines(struct fixture *f, const char *text)
{
    struct ty_preflight_findings u = { .arena = f->a };
    char *at, *lines;
    static const char image[] =
        "W T.spec.containers[0].image: image i is not used; the command runs on this host's "
        "filesystem\n";

    ty_preflight_template(parse(f->a, text), &f->host, &f->view, TY_LIT("ns"), "T", 1, &u);
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
