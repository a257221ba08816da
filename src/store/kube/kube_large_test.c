/* Answers that are larger than the memory that is left, of every kind of request. */
#include "base/budget.h"
#include "store/kube/kube_testing.h"

#define NUMBERS 20000 /* two bytes of text each, twenty times as much as a tree */

struct world {
    struct kube_world k;
    struct ty_budget budget;
};

/* An object whose list of numbers is large as a tree. Of the caller's arena. */
static const char *large(struct ty_arena *a, const char *name)
{
    char *numbers = ty_arena_alloc(a, (size_t)2 * NUMBERS + 1, 1);

    for (size_t i = 0; i < NUMBERS; i++)
        memcpy(numbers + 2 * i, "0,", 2);
    numbers[2 * NUMBERS - 1] = '\0';
    return ty_arena_printf(a,
                           "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"uid\":\"9\","
                           "\"resourceVersion\":\"6\"},\"spec\":{\"suspend\":true,\"l\":[%s]}}",
                           name, numbers);
}

static void start_client(struct world *w, const char *const *answers)
{
    w->budget.ceiling = 300000;
    w->k.set.budget = &w->budget;
    kube_begin(&w->k, answers);
}

/* Whatever came of it: nothing is held when it is over. */
static void finish(struct world *w)
{
    kube_finish(&w->k);
    assert_int_equal(w->budget.used, 0);
}

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    const struct ty_str less =
        TY_LIT("{\"metadata\":{\"name\":\"b\",\"namespace\":\"d\",\"uid\":\"9\","
               "\"resourceVersion\":\"6\"},\"spec\":{\"suspend\":true,\"l\":null}}");
    char word[64];

    if (o->cut) {
        assert_int_equal(o->text.n, less.n); /* its own, not that of the large one */
        assert_memory_equal(o->text.p, less.p, less.n);
        assert_true(ty_json_is(ty_json_at(o->json, "spec.l"), TY_JSON_NULL));
        assert_true(ty_json_true_at(o->json, "spec.suspend"));
    }
    snprintf(word, sizeof(word), "%.*s@%.*s%s", TY_ARG(o->name), TY_ARG(o->version),
             o->cut ? "!" : "");
    kube_tell(ctx, word);
}

static void on_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    (void)what;
    on_object(ctx, o);
}

/* One of three objects is too large: it is delivered in part, the others as a whole. */
static void list_of_three(bool cut, const char *told, int r, const char *says)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *const answers[] = {
        ty_arena_printf(a, LIST("10", "%s,%s,%s"), CM("a", "1", "5"), large(a, "b"),
                        CM("c", "3", "7")),
        NULL,
    };
    struct world w = { 0 };
    start_client(&w, answers);
    w.k.op = ty_kube_list(
        w.k.kube, &(struct ty_kube_list){ .which = { .kind = &ty_kind_configmap, .cut = cut },
                                          .object = on_object,
                                          .end = kube_on_end,
                                          .ctx = &w });
    kube_run(&w.k);
    assert_told(&w.k, told);
    assert_ended(&w.k, r, says);
    finish(&w);
}

static void a_list(void **state)
{
    (void)state;
    list_of_three(true, "a@5 b@6! c@7 end ", 0, "");
    list_of_three(false, "a@5 end ", -EFBIG, "too large for the memory that is left");
}

static void a_watch(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *const answers[] = {
        ty_arena_printf(a, OK EVENT("ADDED", "%s") EVENT("MODIFIED", "%s"), large(a, "b"),
                        CM("c", "3", "7")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    start_client(&w, answers);
    w.k.op = ty_kube_watch(
        w.k.kube, &(struct ty_kube_watch){ .which = { .kind = &ty_kind_configmap, .cut = true },
                                           .version = TY_LIT("5"),
                                           .event = on_event,
                                           .end = kube_on_end,
                                           .ctx = &w });
    kube_run(&w.k);
    assert_told(&w.k, "b@6! c@7 end ");
    assert_ended(&w.k, 0, "");
    finish(&w);
}

static void ask(struct world *w, const char *text, bool raw)
{
    const char *const answers[] = { text, NULL };

    start_client(w, answers);
    w->k.op = ty_kube_start(w->k.kube, &(struct ty_kube_request){ .kind = &ty_kind_configmap,
                                                                  .ns = TY_LIT("d"),
                                                                  .name = TY_LIT("b"),
                                                                  .raw = raw,
                                                                  .fn = kube_on_end,
                                                                  .ctx = &w->k });
    kube_run(&w->k);
}

static void one_object(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *text = ty_arena_printf(a, OK "%s", large(a, "b"));
    struct world w = { 0 };
    (void)state;
    ask(&w, text, false);
    assert_ended(&w.k, -EFBIG, "too large");
    assert_false(w.k.has_json);
    finish(&w);
    w = (struct world){ 0 };
    ask(&w, text, true); /* it is not parsed */
    assert_ended(&w.k, 0, "");
    assert_false(w.k.has_json);
    finish(&w);
}

static void longer_than_what_is_left(void **state)
{
    size_t n = 400000;
    char *text = malloc(sizeof(OK) + n);
    struct world w = { 0 };
    (void)state;
    assert_non_null(text);
    memcpy(text, OK, sizeof(OK));
    memset(text + sizeof(OK) - 1, ' ', n);
    text[sizeof(OK) - 1 + n] = '\0';
    ask(&w, text, true);
    assert_ended(&w.k, -EAGAIN, "no memory is left");
    finish(&w);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list),
        cmocka_unit_test(a_watch),
        cmocka_unit_test(one_object),
        cmocka_unit_test(longer_than_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
