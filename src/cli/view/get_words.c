#include "cli/view/get_words.h"

#include "cli/view/claims_view.h"

static const struct ty_get_words_view views[] = {
    { &ty_kind_trainjob, NULL, ty_get_trainjobs_head, NULL },
    { &ty_kind_jobset, "js", ty_get_jobsets_head, ty_get_jobsets_row },
    { &ty_kind_job, NULL, ty_get_jobs_head, ty_get_jobs_row },
    { &ty_kind_pod, "po", ty_get_pods_head, ty_get_pods_row },
};

static const struct ty_get_words_view *view_of(struct ty_str word)
{
    const struct ty_kind *kind = ty_kind_by_name(word);

    for (size_t i = 0; i < TY_COUNT(views); i++)
        if (kind == views[i].kind || (views[i].brief && ty_str_is(word, views[i].brief)))
            return &views[i];
    return NULL;
}

static bool is_events(struct ty_str word)
{
    return ty_str_is(word, "events") || ty_str_is(word, "event") || ty_str_is(word, "ev");
}

void ty_get_words_read(struct ty_arena *a, const struct ty_strlist *w, struct ty_get_words *ret)
{
    struct ty_str word, rest = ty_str_cut(ty_str(w->n ? w->v[0] : ""), '/', &word);
    const struct ty_get_words_view *view = view_of(word);
    size_t used = 0;

    *ret = (struct ty_get_words){ .view = view ? view : &views[0] };
    ret->events = is_events(word);
    ret->claims = w->n && ty_claims_view_is_kind(w->v[0]);
    used = view || ret->events;
    ret->no_kind = w->n && !used && !ret->claims ? w->v[0] : NULL;
    used &= !rest.p; /* pod/NAME is a kind and a name */
    ret->names = ty_new_n(a, const char *, w->n + 1);
    ret->n_names = w->n - used;
    for (size_t i = 0; i < ret->n_names; i++) {
        const char *slash = strchr(w->v[used + i], '/');
        ret->names[i] = slash ? slash + 1 : w->v[used + i];
    }
}

int ty_get_words_first_job(struct ty_cli *cli, const struct ty_cmd *cmd, const struct ty_strlist *w)
{
    const char *first = w->n > 1 ? w->v[0] : "";
    struct ty_str word = { first, strcspn(first, ".,") }; /* of no name: a group, more kinds */
    const struct ty_kind *kind = ty_kind_by_name(word);

    if (kind == &ty_kind_trainjob && first[word.n] != ',')
        return 1;
    if (!kind && !view_of(word) && !is_events(word) && !ty_claims_view_is_kind(first))
        return 0;
    ty_cli_usage(cli, cmd,
                 "%s: %s works on TrainJobs, not on other kinds; a TrainJob of that name is "
                 "trainjob/%.*s",
                 first, cmd->name, TY_ARG(word));
    return -1;
}
