/* Recognizes images whose program the engine replaces. No image is pulled.
 */
#include "engine/pod/pod_plan_image.h"

/* "ghcr.io/kubeflow/trainer/dataset-initializer:v2.3.0@sha256:…" -> "dataset-initializer" */
static struct ty_str base_name(struct ty_str image)
{
    struct ty_str base = image;

    ty_str_cut(base, '@', &base);
    for (size_t i = base.n; i > 0; i--) {
        if (base.p[i - 1] != '/')
            continue;
        base = (struct ty_str){ base.p + i, base.n - i };
        break;
    }
    ty_str_cut(base, ':', &base);
    return base;
}

const char *ty_pod_initializer(const struct ty_json *container)
{
    struct ty_str image = base_name(ty_json_str_at(container, "image"));

    if (ty_json_len(ty_json_get(container, "command")))
        return NULL; /* the user's own program in that image */
    if (ty_str_is(image, "dataset-initializer"))
        return "dataset";
    return ty_str_is(image, "model-initializer") ? "model" : NULL;
}

static bool is_sshd(struct ty_str program)
{
    return ty_str_is(program, "sshd") || ty_str_ends(program, TY_LIT("/sshd"));
}

/* sh -c "exec /usr/sbin/sshd -De", with nothing before or after it. */
static bool shell_runs_sshd(struct ty_str script)
{
    struct ty_str rest = ty_str_trim(script), program;

    for (size_t i = 0; i < rest.n; i++)
        if (strchr(";&|\n`$", rest.p[i]))
            return false;
    rest = ty_str_cut(rest, ' ', &program);
    if (ty_str_is(program, "exec"))
        ty_str_cut(ty_str_trim(rest), ' ', &program);
    return is_sshd(program);
}

bool ty_pod_is_sshd(const struct ty_json *container)
{
    const struct ty_json *command = ty_json_get(container, "command");
    const struct ty_json *args = ty_json_get(container, "args");
    struct ty_str word[3] = { { 0 } };
    size_t n = 0;

    ty_each_item (it, command)
        if (n < 3)
            word[n++] = ty_json_as_str(*it);
    ty_each_item (it, args)
        if (n > 0 && n < 3)
            word[n++] = ty_json_as_str(*it);
    if (n && is_sshd(word[0]))
        return true;
    return n == 3 && ty_json_len(command) + ty_json_len(args) == 3 &&
           ty_str_ends(word[0], TY_LIT("sh")) && word[1].n && word[1].p[0] == '-' &&
           ty_str_ends(word[1], TY_LIT("c")) && shell_runs_sshd(word[2]);
}
