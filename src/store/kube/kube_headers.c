#include "store/kube/kube_headers.h"

#include "net/url.h"

#define JSON "application/json"
#define OWN  7 /* all but groups and extras, and the NULL */

static size_t list_len(const char *const *words)
{
    size_t n = 0;
    while (words && words[n])
        n++;
    return n;
}

const char *const *ty_kube_headers(struct ty_arena *a, const struct ty_kubeconfig *config,
                                   const struct ty_kube_head *head)
{
    size_t groups = list_len(config->as_groups), extras = list_len(config->as_extra), n = 0;
    const char **h = ty_new_n(a, const char *, OWN + groups + extras / 2);

    h[n++] = ty_arena_printf(a, "Accept: %s", head->accept ? head->accept : JSON);
    if (head->has_body)
        h[n++] = ty_arena_printf(a, "Content-Type: %s", head->type ? head->type : JSON);
    if (head->auth)
        h[n++] = head->auth;
    if (head->host)
        h[n++] = head->host;
    if (config->as)
        h[n++] = ty_arena_printf(a, "Impersonate-User: %s", config->as);
    if (config->as_uid)
        h[n++] = ty_arena_printf(a, "Impersonate-Uid: %s", config->as_uid);
    for (size_t i = 0; i < groups; i++)
        h[n++] = ty_arena_printf(a, "Impersonate-Group: %s", config->as_groups[i]);
    for (size_t i = 0; i + 1 < extras;
         i += 2) /* keys may contain any character, header names may not */
        h[n++] = ty_arena_printf(a, "Impersonate-Extra-%s: %s",
                                 ty_url_encode(a, ty_str(config->as_extra[i]), ""),
                                 config->as_extra[i + 1]);
    return h;
}
