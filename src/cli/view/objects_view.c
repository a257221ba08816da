/* Prints objects as `kubectl get -o` does: one alone, several as a v1 List. */
#include "cli/view/objects_view.h"
#include "api/kind.h"
#include "json/yaml.h"

static void print_names(struct ty_buf *out, struct ty_json *const *objs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct ty_kind *k = ty_kind_of(objs[i]);
        ty_buf_printf(out, "%s%s%s/%.*s\n", k ? k->singular : "event", k && *k->group ? "." : "",
                      k ? k->group : "", TY_ARG(ty_json_str_at(objs[i], "metadata.name")));
    }
}

static struct ty_json *as_list(struct ty_arena *a, struct ty_json *const *objs, size_t n)
{
    struct ty_json *list = ty_json_object(a), *items = ty_json_array(a);

    for (size_t i = 0; i < n; i++)
        ty_json_push(a, items, objs[i]);
    ty_json_set(a, list, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, list, "items", items);
    ty_json_set(a, list, "kind", ty_json_cstr(a, "List"));
    return list;
}

int ty_objects_view_print(struct ty_cli *cli, struct ty_json *const *objs, size_t n, bool list,
                          const char *output)
{
    ty_auto_buf out = { 0 };
    const struct ty_json *v = !list && n == 1 ? objs[0] : as_list(cli->arena, objs, n);

    if (strcmp(output, "name") == 0) {
        print_names(&out, objs, n);
    } else if (strcmp(output, "yaml") == 0) {
        ty_yaml_print(&out, v, &(struct ty_yaml_style){ .sorted = true });
    } else {
        ty_json_pretty(&out, v, 4, true);
        ty_buf_chr(&out, '\n');
    }
    return ty_cli_print_clean(cli, &out);
}
