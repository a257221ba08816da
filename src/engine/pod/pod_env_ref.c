/* Resolves references in a pod: fieldRef, resourceFieldRef, keys of ConfigMaps and Secrets.
 * Used for variables and for the files of downwardAPI, configMap and secret volumes. */
#include "engine/pod/pod_env_ref.h"

#include <errno.h>

#include "api/quantity.h"
#include "base/base64.h"

#define HOST_IP "127.0.0.1" /* all pods share the machine's loopback interface */

/* Go's strconv.Quote, which writes the values in downwardAPI files. Bytes from 0x80 stay. */
static void quote_go(struct ty_buf *out, struct ty_str s)
{
    static const char names[] = "\aa\bb\tt\nn\vv\ff\rr\"\"\\\\";

    ty_buf_chr(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *n = names;
        while (*n && *n != (char)c)
            n += 2;
        if (c && *n)
            ty_buf_printf(out, "\\%c", n[1]);
        else if (c < 0x20 || c == 0x7f)
            ty_buf_printf(out, "\\x%02x", c);
        else
            ty_buf_chr(out, (char)c);
    }
    ty_buf_chr(out, '"');
}

static int by_key(const void *a, const void *b)
{
    const struct ty_json_member *x = a, *y = b;
    return ty_str_cmp(x->key, y->key);
}

/* key="value" lines sorted by key, without a last line break. */
static struct ty_str map_lines(struct ty_pod_ctx *x, const struct ty_json *map)
{
    size_t n = ty_json_len(map);
    struct ty_json_member *sorted = ty_new_n(x->scratch, struct ty_json_member, n + 1);
    ty_auto_buf out = { 0 };

    if (n)
        memcpy(sorted, map->members, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            ty_buf_chr(&out, '\n');
        ty_buf_add(&out, sorted[i].key);
        ty_buf_chr(&out, '=');
        quote_go(&out, ty_json_as_str(sorted[i].value));
    }
    return ty_arena_str(x->a, ty_buf_str(&out));
}

/* metadata.labels['k'] and metadata.annotations['k']; a missing key is an empty string. */
static bool subscripted_field(const struct ty_pod_ctx *x, struct ty_str path, struct ty_str *ret)
{
    static const char *const maps[] = { "labels", "annotations" };

    for (size_t i = 0; i < 2; i++) {
        char head[32];
        int n = snprintf(head, sizeof(head), "metadata.%s['", maps[i]);
        struct ty_str start = { head, (size_t)n };
        if (!ty_str_starts(path, start) || !ty_str_ends(path, TY_LIT("']")) ||
            path.n <= start.n + 2)
            continue;
        struct ty_str key = { path.p + start.n, path.n - start.n - 2 };
        const struct ty_json *map = ty_json_get(ty_json_get(x->pod, "metadata"), maps[i]);
        *ret = ty_json_as_str(ty_json_find(map, key));
        return true;
    }
    return false;
}

int ty_pod_env_field_ref(struct ty_pod_ctx *x, struct ty_str path, bool whole, struct ty_str *ret,
                         struct ty_err *err)
{
    static const char *const plain[] = { "metadata.name", "metadata.uid", "spec.nodeName",
                                         "spec.serviceAccountName" };

    for (size_t i = 0; i < TY_COUNT(plain); i++) {
        if (!ty_str_is(path, plain[i]))
            continue;
        *ret = ty_json_str_at(x->pod, plain[i]);
        if (i == 2 && !ret->n)
            *ret = TY_LIT("localhost");
        return 0;
    }
    if (ty_str_is(path, "metadata.namespace"))
        *ret = x->ns;
    else if (ty_str_is(path, "status.hostIP") || ty_str_is(path, "status.hostIPs"))
        *ret = TY_LIT(HOST_IP);
    else if (ty_str_is(path, "status.podIP") || ty_str_is(path, "status.podIPs"))
        *ret = ty_str(x->net->address);
    else if (whole && ty_str_is(path, "metadata.labels"))
        *ret = map_lines(x, ty_json_at(x->pod, "metadata.labels"));
    else if (whole && ty_str_is(path, "metadata.annotations"))
        *ret = map_lines(x, ty_json_at(x->pod, "metadata.annotations"));
    else if (!subscripted_field(x, path, ret))
        return ty_fail(err, -EINVAL, "fieldPath \"%.*s\" is not supported", TY_ARG(path));
    return 0;
}

const struct ty_json *ty_pod_container(const struct ty_json *spec, struct ty_str name)
{
    const struct ty_json *c =
        ty_json_find_item(ty_json_get(spec, "containers"), "name", name, NULL);
    return c ? c : ty_json_find_item(ty_json_get(spec, "initContainers"), "name", name, NULL);
}

static ty_i128 to_nano(int64_t n)
{
    return (ty_i128)n * 1000000000;
}

/* limits.R of a container without it is what the machine has; requests.R is then the limit, or 0.
 */
static ty_i128 resource_nano(const struct ty_pod_ctx *x, const struct ty_json *c, bool limit,
                             struct ty_str name)
{
    const struct ty_json *res = ty_json_get(c, "resources");
    struct ty_quantity q;

    if (!limit && ty_quantity_of(ty_json_find(ty_json_get(res, "requests"), name), &q))
        return q.nano;
    if (ty_quantity_of(ty_json_find(ty_json_get(res, "limits"), name), &q))
        return q.nano;
    if (limit && ty_str_is(name, "cpu"))
        return to_nano(x->host->cpus);
    if (limit && ty_str_is(name, "memory"))
        return to_nano(x->host->memory);
    return 0;
}

int ty_pod_env_resource_ref(struct ty_pod_ctx *x, const struct ty_json *ref,
                            const struct ty_json *container, struct ty_str *ret, struct ty_err *err)
{
    struct ty_str which = ty_json_str_at(ref, "resource"), kind, other;
    struct ty_str named = ty_json_str_at(ref, "containerName");
    const struct ty_json *divisor = ty_json_get(ref, "divisor");
    struct ty_quantity by = { .nano = to_nano(1) };
    ty_i128 nano;

    if (named.n)
        container = ty_pod_container(x->spec, named);
    if (!container)
        return ty_fail(err, -EINVAL, "container \"%.*s\" not found", TY_ARG(named));
    other = ty_str_cut(which, '.', &kind);
    if ((!ty_str_is(kind, "limits") && !ty_str_is(kind, "requests")) ||
        (!ty_str_is(other, "cpu") && !ty_str_is(other, "memory") &&
         !ty_str_is(other, "ephemeral-storage") && !ty_str_starts(other, TY_LIT("hugepages-"))))
        return ty_fail(err, -EINVAL, "unsupported container resource : %.*s", TY_ARG(which));
    if (divisor && (!ty_quantity_of(divisor, &by) || by.nano < 0))
        return ty_fail(err, -EINVAL, "the divisor of %.*s is not a quantity", TY_ARG(which));
    if (by.nano == 0) /* "0" is how an unset divisor is written */
        by.nano = to_nano(1);
    nano = resource_nano(x, container, ty_str_is(kind, "limits"), other);
    nano = (nano + by.nano - 1) / by.nano;
    *ret = ty_str(ty_arena_printf(x->a, "%lld", (long long)nano));
    return 0;
}

const struct ty_json *ty_pod_object(const struct ty_pod_ctx *x, const struct ty_kind *kind,
                                    struct ty_str name)
{
    return x->view->get(x->view->ctx, kind, x->ns, name);
}

bool ty_pod_key(struct ty_arena *a, const struct ty_kind *kind, const struct ty_json *obj,
                struct ty_str key, bool binary, struct ty_str *ret)
{
    bool secret = kind == &ty_kind_secret;
    /* stringData of a Secret from a file: the API server would have merged it into data. */
    const struct ty_json *v = secret ? ty_json_find(ty_json_get(obj, "stringData"), key) : NULL;
    bool plain = v || !secret;

    if (!v)
        v = ty_json_find(ty_json_get(obj, "data"), key);
    if (!v && !secret && binary) {
        v = ty_json_find(ty_json_get(obj, "binaryData"), key);
        plain = false;
    }
    if (!ty_json_is(v, TY_JSON_STRING))
        return false;
    *ret = ty_json_as_str(v);
    if (plain)
        return true;
    *ret = ty_base64_decode(a, *ret);
    return ret->p != NULL;
}
