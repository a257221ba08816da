/* Runs every golden case and prints how many are as recorded and how many differ on purpose.
 *     golden DIR [CASE...]      a CASE is group/name; --print shows trainyard's result
 * differs.yaml lists the cases that differ on purpose, why, and exactly how, as a JSON patch of the
 * recording. A case fails if it differs without being listed, if it is listed but does not differ,
 * and if it differs in another way. */
#include <dirent.h>
#include <stdio.h>

#include "compare.h"
#include "fake_cluster.h"
#include "json/patch_testing.h"
#include "json/yaml.h"

struct tally {
    unsigned cases, recorded, differing, failed;
};

struct run {
    const char *dir;
    const struct ty_json *differs;
    bool print;
    struct tally tally;
};

static struct ty_str read_whole_file(struct ty_arena *a, const char *path)
{
    FILE *f = fopen(path, "re");
    ty_auto_buf b = { 0 };
    char chunk[65536];

    if (!f)
        return (struct ty_str){ 0 };
    for (size_t n = 0; (n = fread(chunk, 1, sizeof(chunk), f)) > 0;)
        ty_buf_put(&b, chunk, n);
    fclose(f);
    return (struct ty_str){ ty_arena_strndup(a, b.p, b.n), b.n };
}

/* No pass is due if everything was refused, or if only a runtime changed: TrainJobs are not
 * reconciled for that. */
static void reconcile_stage(struct fake_cluster *w, struct ty_json *stage)
{
    const struct ty_json *verdicts = ty_json_get(stage, "verdicts");
    bool changed = false;

    ty_each_item (v, verdicts)
        changed |= !ty_json_get(*v, "message") &&
                   !ty_str_contains(ty_json_str_at(*v, "op"), TY_LIT("trainingruntime/"));
    if (stage)
        fake_cluster_settle(w, stage, changed);
}

static struct ty_json *play_case(struct ty_arena *a, const char *name,
                                 const struct ty_yaml_docs *docs)
{
    struct ty_json *result = ty_json_object(a), *stages = NULL, *stage = NULL;
    struct fake_cluster *w = fake_cluster_new(a);

    ty_json_set(a, result, "case", ty_json_cstr(a, name));
    stages = ty_json_ensure_array(a, result, "stages");
    for (size_t i = 0; i < docs->n; i++) {
        bool step = ty_json_get(docs->v[i], "x-step") != NULL;
        if (!stage || step) { /* all creations are one stage, every step is its own */
            reconcile_stage(w, stage);
            stage = ty_json_object(a);
            ty_json_push(a, stages, stage);
        }
        ty_json_push(a, ty_json_ensure_array(a, stage, "verdicts"),
                     fake_cluster_step(w, docs->v[i]));
    }
    reconcile_stage(w, stage);
    return result;
}

/* A recording has one PodGroup for each name: of two kinds, the one that was written last. */
static void pick_podgroup(struct ty_arena *a, const struct ty_json *want, struct ty_json *got)
{
    const struct ty_json *stages = ty_json_get(got, "stages");

    ty_each_item (s, stages) {
        struct ty_json *applied = ty_json_get(*s, "applied");
        const struct ty_json *theirs = ty_json_get(
            ty_json_item(ty_json_get(want, "stages"), (size_t)(s - stages->items)), "applied");
        for (size_t i = 0; i < ty_json_len(applied); i++) {
            struct ty_str plain = { 0 };
            struct ty_json_member m = applied->members[i];
            if (!ty_str_cut(m.key, ' ', &plain).p)
                continue;
            if (ty_str_eq(ty_json_str_at(ty_json_find(theirs, plain), "body.apiVersion"),
                          ty_json_str_at(m.value, "body.apiVersion")))
                ty_json_put(a, applied, plain, m.value);
            ty_json_del(applied, m.key);
            i--;
        }
    }
}

/* Events that v2.3.0 does not have; documented in docs/differences.md. */
static void drop_extra_events(const struct run *run, struct ty_json *got)
{
    const struct ty_json *extra = ty_json_get(run->differs, "extraEvents");
    const struct ty_json *stages = ty_json_get(got, "stages");

    ty_each_item (s, stages) {
        struct ty_json *events = ty_json_get(*s, "events");
        for (size_t i = 0; i < ty_json_len(events); i++)
            ty_each_item (x, extra)
                if (ty_json_eq(*x, ty_json_item(events->items[i], 3))) {
                    ty_json_remove(events, i--);
                    break;
                }
    }
}

static void judge_case(struct run *run, struct ty_arena *a, const char *name, struct ty_json *want,
                       struct ty_json *got)
{
    const struct ty_json *differs = ty_json_find(ty_json_get(run->differs, "cases"), ty_str(name));
    ty_auto_buf lines = { 0 };

    compare_normalize(a, want);
    compare_normalize(a, got);
    pick_podgroup(a, want, got);
    drop_extra_events(run, got);
    if (!differs) {
        bool same = compare_results(a, want, got, &lines);
        run->tally.recorded += same;
        run->tally.failed += !same;
        if (!same)
            printf("FAIL %s differs from the recording:\n%.*s", name, (int)lines.n, lines.p);
        return;
    }
    struct ty_buf none = { 0 };
    bool plain = compare_results(a, want, got, &none);
    ty_buf_done(&none);
    struct ty_json *ours = json_patched(a, want, ty_json_get(differs, "patch"));
    if (!ours)
        printf("FAIL %s: differs.yaml patches what is not there\n", name);
    else if (plain)
        printf("FAIL %s is in differs.yaml but does not differ\n", name);
    else if (!compare_results(a, ours, got, &lines))
        printf("FAIL %s differs otherwise than differs.yaml says:\n%.*s", name, (int)lines.n,
               lines.p);
    else {
        run->tally.differing++;
        return;
    }
    run->tally.failed++;
}

static void run_case(struct run *run, const char *name)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    char *path = ty_arena_printf(a, "%s/cases/%s.yaml", run->dir, name);
    struct ty_str recorded =
        read_whole_file(a, ty_arena_printf(a, "%s/expected/%s.json", run->dir, name));

    run->tally.cases++;
    struct ty_json *want = ty_json_parse(a, recorded, NULL, &err);
    if (!want || ty_yaml_parse(a, path, read_whole_file(a, path), NULL, &docs, &err) < 0) {
        printf("FAIL %s: %s\n", name, err.text);
        run->tally.failed++;
        return;
    }
    struct ty_json *got = play_case(a, name, &docs);
    if (run->print) {
        ty_auto_buf out = { 0 };
        compare_normalize(a, got);
        ty_json_pretty(&out, got, 1, true);
        printf("%.*s\n", (int)out.n, out.p);
    }
    judge_case(run, a, name, want, got);
}

static int by_name(const struct dirent **x, const struct dirent **y)
{
    return strcmp((*x)->d_name, (*y)->d_name);
}

static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void run_all(struct run *run)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct dirent **groups = NULL, **files = NULL;
    char *cases = ty_arena_printf(a, "%s/cases", run->dir);
    int n_groups = scandir(cases, &groups, is_visible, by_name);

    for (int g = 0; g < n_groups; g++) {
        char *group = ty_arena_printf(a, "%s/%s", cases, groups[g]->d_name);
        int n = scandir(group, &files, is_visible, by_name);
        for (int i = 0; i < n; i++) {
            struct ty_str file = ty_str(files[i]->d_name);
            if (ty_str_ends(file, TY_LIT(".yaml")))
                run_case(run,
                         ty_arena_printf(a, "%s/%.*s", groups[g]->d_name, (int)file.n - 5, file.p));
            free(files[i]);
        }
        if (n >= 0)
            free(files);
        free(groups[g]);
    }
    if (n_groups >= 0)
        free(groups);
}

int main(int argc, char **argv)
{
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct run run = { .dir = argc > 1 ? argv[1] : "tests/golden" };
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    char *path = ty_arena_printf(a, "%s/differs.yaml", run.dir);
    int named = 0;

    if (ty_yaml_parse(a, path, read_whole_file(a, path), NULL, &docs, &err) < 0) {
        printf("FAIL %s\n", err.text);
        return 1;
    }
    run.differs = docs.n ? docs.v[0] : NULL;
    for (int i = 2; i < argc; i++)
        run.print |= strcmp(argv[i], "--print") == 0;
    for (int i = 2; i < argc; i++)
        if (argv[i][0] != '-')
            run_case(&run, argv[named = i]);
    if (!named)
        run_all(&run);
    size_t listed = ty_json_len(ty_json_get(run.differs, "cases"));
    if (!named && run.tally.differing != listed)
        printf("differs.yaml names %zu cases, %u differ as it says\n", listed, run.tally.differing);
    printf("golden: %u cases, %u as recorded, %u differing on purpose, %u failed\n",
           run.tally.cases, run.tally.recorded, run.tally.differing, run.tally.failed);
    return run.tally.failed || run.tally.cases == 0;
}
