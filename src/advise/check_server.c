/* Checks the version of the API server. */
#include "advise/check_server.h"
#include "advise/doctor.h"

#define FIRST       1000 /* builds without a version call themselves v0.0.0 */
#define OLDEST      1032
#define OLDEST_TEXT "1.32"

static bool digits(struct ty_str *s, int64_t *ret)
{
    size_t n = 0;

    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
        n++;
    bool good = ty_str_parse_i64((struct ty_str){ s->p, n }, ret);
    s->p += n;
    s->n -= n;
    return good;
}

int64_t ty_check_server_version(struct ty_str text)
{
    int64_t major = 0, minor = 0;

    if (text.n && text.p[0] == 'v')
        text = (struct ty_str){ text.p + 1, text.n - 1 };
    if (!digits(&text, &major) || !text.n || text.p[0] != '.')
        return -1;
    text = (struct ty_str){ text.p + 1, text.n - 1 };
    return digits(&text, &minor) && major < 1000 && minor < 1000 ? major * 1000 + minor : -1;
}

void ty_check_server(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_server, TY_LIT(""), TY_LIT("version"));
    struct ty_str text = ty_json_str_at(ty_cluster_snapshot_parse(ret->arena, o), "gitVersion");
    int64_t number = ty_check_server_version(text);

    if (o && o->r < 0) {
        struct ty_check_result *c =
            ty_check_add(ret, TY_CHECK_LEVEL_WARN, "server", "%s does not say its version: %s",
                         in->server, o->why);
        ty_check_set_fix(ret, c, "log in, or look at the kubeconfig's user");
    } else if (number >= FIRST && number < OLDEST) {
        struct ty_check_result *c =
            ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "server", "Kubernetes %.*s at %s is too old",
                         TY_ARG(text), in->server);
        ty_check_set_fix(ret, c, "upgrade the cluster to Kubernetes " OLDEST_TEXT " or later");
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "server", "Kubernetes %.*s at %s", TY_ARG(text),
                     in->server);
    }
}
