/* Cascades that really happened, recorded by tests/run/cascades/record.py: a folder each, with the
 * end of every container's log, its exit and times, and who is to blame (case.txt). */
#include "report/failure_summary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/testing.h"
#include "report/failure_summary_tail.h"
#include "report/log_arrivals.h"

#define FOLDER "src/report/testdata/cascades"

enum { CONTAINERS = 16, ARRIVALS = 64, WANTS = 8 };

struct cascade {
    struct ty_arena *a;
    const char *name;
    struct ty_ended_container v[CONTAINERS];
    size_t n;
    const char *nodes[WANTS];
    int64_t ranks[WANTS];
    size_t n_nodes, n_ranks;
    const char *error;
    const char *lost[WANTS]; /* nodes that lost a peer */
    size_t n_lost;
    const char *silent; /* who hung, if nobody has an error of its own; or NULL */
};

static struct ty_str read_text(struct ty_arena *a, const char *folder, const char *name)
{
    ty_auto_buf b = { 0 };
    char path[512];

    snprintf(path, sizeof(path), FOLDER "/%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    if (!f)
        fail_msg("%s cannot be opened", path);
    for (char part[4096]; !feof(f);)
        ty_buf_put(&b, part, fread(part, 1, sizeof(part), f));
    (void)fclose(f);
    return ty_arena_str(a, ty_buf_str(&b));
}

static void add_arrival(struct cascade *c, struct ty_ended_container *e, struct ty_str value)
{
    struct ty_str offset, ms = ty_str_cut(value, ' ', &offset);
    struct ty_log_arrival *v = ty_new_n(c->a, struct ty_log_arrival, ARRIVALS + 1);

    assert_true(e->n_arrive < ARRIVALS);
    if (e->n_arrive)
        memcpy(v, e->arrive, e->n_arrive * sizeof(*v));
    assert_true(ty_str_parse_i64(offset, &v[e->n_arrive].offset));
    assert_true(ty_str_parse_i64(ms, &v[e->n_arrive].ms));
    e->arrive = v;
    e->n_arrive++;
}

static bool read_want(struct cascade *c, struct ty_str key, struct ty_str value)
{
    if (ty_str_is(key, "want-node"))
        c->nodes[c->n_nodes++] = ty_arena_cstr(c->a, value);
    else if (ty_str_is(key, "want-rank"))
        assert_true(ty_str_parse_i64(value, &c->ranks[c->n_ranks++]));
    else if (ty_str_is(key, "want-error"))
        c->error = ty_arena_cstr(c->a, value);
    else if (ty_str_is(key, "want-lost"))
        c->lost[c->n_lost++] = ty_arena_cstr(c->a, value);
    else if (ty_str_is(key, "want-silent"))
        c->silent = ty_arena_cstr(c->a, value);
    else
        return ty_str_is(key, "about");
    return true;
}

/* Keys of case.txt that set one member of the container that was named last. */
enum key_type { KEY_TEXT, KEY_INT, KEY_INT64, KEY_FLAG };
static const struct container_key {
    const char *name;
    enum key_type type;
    size_t at;
} container_keys[] = {
#define KEY(name, type, member)                                                                    \
    {                                                                                              \
        name, type, offsetof(struct ty_ended_container, member)                                    \
    }
    KEY("container", KEY_TEXT, container), KEY("never", KEY_TEXT, never),
    KEY("forced", KEY_TEXT, forced),       KEY("code", KEY_INT, code),
    KEY("began", KEY_INT64, began_ms),     KEY("ended", KEY_INT64, ended_ms),
    KEY("stop", KEY_INT64, stop_ms),       KEY("first-rank", KEY_INT64, first_rank),
    KEY("procs", KEY_INT64, procs),        KEY("stopped", KEY_FLAG, stopped),
    KEY("asked", KEY_FLAG, asked),         KEY("sidecar", KEY_FLAG, sidecar),
#undef KEY
};

static void set_member(struct cascade *c, const struct container_key *key, struct ty_str value)
{
    char *at = (char *)&c->v[c->n - 1] + key->at;
    const char *text = ty_arena_cstr(c->a, value);
    int64_t n = 0;
    bool is_number = ty_str_parse_i64(value, &n), flag = true;
    int code = (int)n;

    assert_true(is_number || key->type == KEY_TEXT || key->type == KEY_FLAG);
    switch (key->type) {
    case KEY_TEXT:
        memcpy(at, &text, sizeof(text));
        break;
    case KEY_INT:
        memcpy(at, &code, sizeof(code));
        break;
    case KEY_INT64:
        memcpy(at, &n, sizeof(n));
        break;
    case KEY_FLAG:
    default:
        memcpy(at, &flag, sizeof(flag));
    }
}

static void read_key(struct cascade *c, struct ty_str key, struct ty_str value)
{
    if (read_want(c, key, value))
        return;
    if (ty_str_is(key, "node")) {
        assert_true(c->n < CONTAINERS);
        c->v[c->n++] = (struct ty_ended_container){ .node = ty_arena_cstr(c->a, value) };
        return;
    }
    assert_true(c->n > 0);
    for (size_t i = 0; i < TY_COUNT(container_keys); i++)
        if (ty_str_is(key, container_keys[i].name)) {
            set_member(c, &container_keys[i], value);
            return;
        }
    if (ty_str_is(key, "log"))
        c->v[c->n - 1].log = read_text(c->a, c->name, ty_arena_cstr(c->a, value));
    else if (ty_str_is(key, "arrive"))
        add_arrival(c, &c->v[c->n - 1], value);
    else
        fail_msg("%s: what is %.*s?", c->name, TY_ARG(key));
}

static void read_cascade(struct cascade *c)
{
    struct ty_str text = read_text(c->a, c->name, "case.txt"), line, key;

    while (text.n) {
        text = ty_str_cut(text, '\n', &line);
        struct ty_str value = ty_str_cut(line, ' ', &key);
        read_key(c, key, value.p ? value : TY_LIT(""));
    }
    assert_true(c->n > 0 && c->n_nodes > 0);
}

/* Each victim has a line, and nobody else has. */
static bool names_victims(const struct cascade *c, const char *text)
{
    size_t lines = 0;

    for (const char *at = strstr(text, " lost its peer"); at; at = strstr(at + 1, " lost its peer"))
        lines++;
    for (size_t i = 0; i < c->n_lost; i++) {
        const char *line = ty_arena_printf(c->a, "\n%s ", c->lost[i]), *at = strstr(text, line);
        if (!at || !ty_str_contains((struct ty_str){ at + 1, strcspn(at + 1, "\n") },
                                    TY_LIT(" lost its peer")))
            return false;
    }
    return c->silent || lines == c->n_lost;
}

static bool judged_right(const struct cascade *c, const struct ty_failure_summary *v,
                         const char *text)
{
    const char *node = ty_failure_summary_node(v);
    int64_t rank = ty_failure_summary_rank(v);
    struct ty_str first;
    bool right = false;

    for (size_t i = 0; i < c->n_nodes; i++)
        right |= node && strcmp(node, c->nodes[i]) == 0;
    if (c->n_ranks == 1)
        right &= rank == c->ranks[0];
    else if (c->n_ranks > 1) /* the log does not tell which: nor does the summary */
        right &= rank == -1;
    ty_str_cut(ty_str(text), '\n', &first);
    const char *silent = strstr(text, "shows an error of its own: ");
    right &= !silent == !c->silent && (!silent || strstr(silent, c->silent));
    return right && ty_str_contains(first, ty_str(c->error)) && names_victims(c, text);
}

/* order: 1 as they ended, -1 the last first. The answer is the same. */
static bool judge(const struct cascade *c, int order, bool show)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < c->n; i++)
        ty_failure_summary_add(v, &c->v[order > 0 ? i : c->n - 1 - i]);
    ty_failure_summary_print(v, 0, &b);
    ty_buf_chr(&b, '\0');
    bool right = judged_right(c, v, b.p);
    if (!right || show)
        printf("== %s (%s)%s: want %s, rank %lld, %s\n%s", c->name,
               order > 0 ? "in order" : "reversed", right ? "" : " WRONG", c->nodes[0],
               c->n_ranks ? (long long)c->ranks[0] : -1LL, c->error, b.p);
    ty_failure_summary_free(v);
    return right;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_cascades(struct ty_arena *a, const char **names, size_t cap)
{
    DIR *d = opendir(FOLDER);
    size_t n = 0;

    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.' && n < cap)
            names[n++] = ty_arena_strdup(a, e->d_name);
    closedir(d);
    qsort(names, n, sizeof(*names), by_name);
    return n;
}

/* SHOW=NAME prints one of them. */
static void test_cascades(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
    const char *names[256], *show = secure_getenv("SHOW");
    size_t n = list_cascades(a, names, TY_COUNT(names)), wrong = 0;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        struct cascade c = { .a = a, .name = names[i] };
        read_cascade(&c);
        bool shown = show && (strcmp(show, c.name) == 0 || strcmp(show, "all") == 0);
        bool right = judge(&c, 1, shown);
        wrong += !(judge(&c, -1, false) && right);
    }
    print_message("%zu cascades, %zu wrong\n", n, wrong);
    assert_int_equal(wrong, 0);
    assert_true(n >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cascades) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
