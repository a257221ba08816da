#include "engine/pod/pod_testing.h"

#define CONTAINERS                                                                                 \
    "'containers':[{'name':'m','image':'i','command':['x'],'resources':{'limits':{'cpu':'2'}}}]"

/* "path mode data" lines, or the error. */
static const char *files(struct fixture *f, const char *source)
{
    const char *spec =
        ty_arena_printf(f->a, "{'volumes':[{'name':'v',%s}]," CONTAINERS "}", source);
    ty_auto_buf out = { 0 };

    if (make(f, spec) < 0)
        return f->err.text;
    for (const struct ty_file *i = f->plan.volumes->files; i; i = i->next)
        ty_buf_printf(&out, "%s %04o %.*s\n", i->path, i->mode, TY_ARG(i->data));
    return ty_arena_cstr(f->a, ty_buf_str(&out));
}

static void test_config_map(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(files(f, "'configMap':{'name':'cm2'}"), "A 0644 from-cm2\n");
    assert_string_equal(files(f, "'configMap':{'name':'cm','defaultMode':256,'items':[{'key':'key',"
                                 "'path':'d/k','mode':292},{'key':'A','path':'a'}]}"),
                        "d/k 0444 text\na 0400 from-cm\n");
    assert_false(f->plan.volumes->secret);
    assert_string_equal(files(f, "'configMap':{'name':'cm','optional':true,'items':[{'key':'no',"
                                 "'path':'p'},{'key':'key','path':'k'}]}"),
                        "k 0644 text\n");
    assert_string_equal(files(f, "'configMap':{'name':'no','optional':true}"), "");
    assert_string_equal(files(f, "'configMap':{'name':'no'}"),
                        "volume v: ConfigMap ns/no was not supplied");
    assert_string_equal(files(f, "'configMap':{'name':'cm','items':[{'key':'no','path':'p'}]}"),
                        "volume v: configmap references non-existent config key: no");
    assert_string_equal(files(f, "'configMap':{'name':'cm','items':[{'key':'key','path':'../p'}]}"),
                        "volume v: path \"../p\" must be relative and without '..'");
}

static void test_binary_data(void **state)
{
    struct fixture *f = *state;
    const struct ty_file *file;

    files(f, "'configMap':{'name':'cm'}");
    file = f->plan.volumes->files->next->next;
    assert_string_equal(file->path, "bin");
    assert_int_equal(file->data.n, 3);
    assert_memory_equal(file->data.p, "\0\1\xff", 3);
}

/* As the MPI plugin mounts its keys: one mode for all, and others for some. */
static void test_secret(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(files(f, "'secret':{'secretName':'sec','defaultMode':256,'items':["
                                 "{'key':'ssh-privatekey','path':'id_rsa'},"
                                 "{'key':'pass','path':'p','mode':416}]}"),
                        "id_rsa 0400 key\np 0640 hunter2\n");
    assert_true(f->plan.volumes->secret);
    assert_string_equal(files(f, "'secret':{'secretName':'sec'}"),
                        "pass 0644 hunter2\nssh-privatekey 0644 key\nplain 0644 as is\n");
    assert_string_equal(files(f, "'secret':{'secretName':'sec','items':[{'key':'no','path':'p'}]}"),
                        "volume v: references non-existent secret key: no");
}

static void test_downward_api(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        files(
            f,
            "'downwardAPI':{'items':[{'path':'labels','fieldRef':{'fieldPath':'metadata.labels'}},"
            "{'path':'name','mode':256,'fieldRef':{'fieldPath':'metadata.name'}},"
            "{'path':'cpu','resourceFieldRef':{'containerName':'m','resource':'limits.cpu'}}]}"),
        "labels 0644 a=\"1\\n\"\nb=\"2\"\nbatch.kubernetes.io/job-completion-index=\"3\"\n"
        "name 0400 js-node-0-0-abcde\n"
        "cpu 0644 2\n");
    assert_string_equal(
        files(f, "'downwardAPI':{'items':[{'path':'x','fieldRef':{'fieldPath':'spec'}}]}"),
        "volume v: fieldPath \"spec\" is not supported");
}

static void test_projected(void **state)
{
    struct fixture *f = *state;
    static const char token[] = "'projected':{'sources':[{'serviceAccountToken':{'path':'token'}},{"
                                "'configMap':{'name':'cm2'}}]}";

    assert_string_equal(
        files(f,
              "'projected':{'defaultMode':288,'sources':[{'configMap':{'name':'cm2'}},"
              "{'secret':{'name':'sec','items':[{'key':'pass','path':'p','mode':256}]}},"
              "{'downwardAPI':{'items':[{'path':'n','fieldRef':{'fieldPath':'metadata.uid'}}]}}]}"),
        "A 0440 from-cm2\np 0400 hunter2\nn 0440 u-1\n");
    assert_true(f->plan.volumes->secret);
    assert_string_equal(
        files(f,
              "'projected':{'sources':[{'configMap':{'name':'cm'}},{'configMap':{'name':'cm2'}}]}"),
        "volume v: conflicting duplicate paths: A");
    assert_string_equal(files(f, token), "volume v: no token issuer here");
    f->host.token = "secret-token";
    assert_string_equal(files(f, token), "token 0644 secret-token\nA 0644 from-cm2\n");
    assert_string_equal(files(f, "'projected':{'sources':[{'clusterTrustBundle':{'path':'p'}}]}"),
                        "volume v: projected source is not available here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_config_map),   with_fixture(test_binary_data), with_fixture(test_secret),
        with_fixture(test_downward_api), with_fixture(test_projected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
