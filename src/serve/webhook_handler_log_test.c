#include "controller/trainjob_controller_testing.h"
#include "serve/webhook_handler.h"

#define VALIDATE "/validate-trainer-kubeflow-org-v1alpha1-trainjob"
#define MUTATE   "/mutate-trainer-kubeflow-org-v1alpha1-trainjob"
#define REQUEST                                                                                    \
    "{\"kind\":{\"kind\":\"TrainJob\"},\"operation\":\"CREATE\",\"namespace\":\"ns\",\"name\":"    \
    "\"j\",\"userInfo\":{\"username\":\"alice\",\"extra\":{\"token\":[\"secret\"]}},"              \
    "\"object\":{\"spec\":{\"trainer\":{\"env\":[{\"name\":\"KEY\",\"value\":\"secret\"}]}}}}"
#define YES "{\"allowed\":true,\"warnings\":[\"a\",\"b\"]}"
#define NO  "{\"allowed\":false,\"status\":{\"code\":403,\"message\":\"%s\"}}"

static const char *said(struct controller_fixture *w, const char *path, const char *request,
                        const char *response)
{
    ty_webhook_handler_log(&w->log, ty_str(path), ty_json_parse(w->a, ty_str(request), NULL, NULL),
                           ty_json_parse(w->a, ty_str(response), NULL, NULL));
    return controller_log(w);
}

static void test_admitted(void **state)
{
    const char *log = said(*state, VALIDATE, REQUEST, YES);

    assert_has(log, "{\"level\":\"info\"");
    assert_has(log, "\"msg\":\"admitted\",\"kind\":\"TrainJob\",\"namespace\":\"ns\","
                    "\"name\":\"j\",\"operation\":\"CREATE\",\"user\":\"alice\",\"dryRun\":false,"
                    "\"warnings\":2}");
    assert_null(strstr(log, "secret"));
}

static void test_refused(void **state)
{
    struct controller_fixture *w = *state;
    char *fill = ty_arena_alloc(w->a, 5001, 1);
    memset(fill, 'x', 5000);
    const char *log = said(w, MUTATE, REQUEST, ty_arena_printf(w->a, NO, "spec.x: bad"));

    assert_has(log, "{\"level\":\"info\"");
    assert_has(log, "\"msg\":\"refused\"");
    assert_has(log, "\"user\":\"alice\",\"dryRun\":false,\"code\":403,\"reason\":\"spec.x: bad\"");
    log = said(w, VALIDATE, REQUEST, ty_arena_printf(w->a, NO, fill));
    assert_true(strlen(log) < 2000); /* the reason is cut */
}

/* The validating webhook repeats the verdict: one line for each object. */
static void test_mutating_is_for_debug(void **state)
{
    struct controller_fixture *w = *state;

    assert_string_equal(said(w, MUTATE, REQUEST, YES), "");
    assert_string_equal(said(w, VALIDATE, "", YES), ""); /* not a review */
    ty_log_close(w->log.out);
    w->log.out = ty_log_open(&(struct ty_log_settings){ .level = TY_DEBUG, .fd = w->log_fd });
    assert_has(said(w, MUTATE, REQUEST, YES), "\"msg\":\"admitted\"");
}

/* The API server has no name for it yet. */
static void test_generated_names(void **state)
{
    assert_has(
        said(*state, VALIDATE, "{\"object\":{\"metadata\":{\"generateName\":\"run-\"}}}", YES),
        "\"name\":\"run-\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = { CONTROLLER_TEST(test_admitted),
                                        CONTROLLER_TEST(test_refused),
                                        CONTROLLER_TEST(test_mutating_is_for_debug),
                                        CONTROLLER_TEST(test_generated_names) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
