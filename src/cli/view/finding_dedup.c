/* A step includes its dot or bracket, so that the concatenated steps are the path. */
#include "cli/view/finding_dedup.h"

#include "base/buf.h"

struct path_step {
    bool any, whole, shape; /* a finding names exactly this field; one of that kind */
    bool below;             /* of the root: some finding names the object or any field of it */
};

static struct path_step *find_step(const struct ty_finding_dedup *b, const void *above,
                                   struct ty_str text)
{
    ty_auto_buf key = { 0 };

    ty_buf_put(&key, (const void *)&above, sizeof(above));
    ty_buf_add(&key, text);
    return ty_map_get(&b->steps, ty_buf_str(&key));
}

static struct path_step *need_step(struct ty_finding_dedup *b, const void *above,
                                   struct ty_str text)
{
    struct path_step *s = find_step(b, above, text);
    ty_auto_buf key = { 0 };

    if (s)
        return s;
    s = ty_new(b->arena, struct path_step);
    ty_buf_put(&key, (const void *)&above, sizeof(above));
    ty_buf_add(&key, text);
    ty_map_put(&b->steps, ty_buf_str(&key), s);
    return s;
}

/* Cuts the next step from *path. */
static struct ty_str next_step(const char **path)
{
    struct ty_str text = { *path, 1 + strcspn(*path + 1, ".[") };

    *path += text.n;
    return text;
}

void ty_finding_dedup_add(struct ty_finding_dedup *b, const struct ty_finding_key *it)
{
    struct path_step *s = need_step(b, it->object, TY_LIT(""));

    s->below = true;
    for (const char *path = it->path; *path;)
        s = need_step(b, s, next_step(&path));
    s->any = true;
    s->whole |= it->whole;
    s->shape |= it->shape;
}

bool ty_finding_dedup_repeats(const struct ty_finding_dedup *b, const struct ty_finding_key *it)
{
    const struct path_step *s = find_step(b, it->object, TY_LIT(""));
    const char *path = it->path;

    if (s && it->whole && !*path)
        return s->below;
    /* The root is not the parent of a field here: only "" and paths that begin with a step
     * count. */
    bool in = *path == '\0' || *path == '.' || *path == '[';
    while (s) {
        if (in && ((it->whole && s->any) || (s->shape && *path)))
            return true;
        if (!*path)
            return !it->whole && s->whole;
        s = find_step(b, s, next_step(&path));
        in = true;
    }
    return false;
}

void ty_finding_dedup_done(struct ty_finding_dedup *b)
{
    ty_map_done(&b->steps);
}
