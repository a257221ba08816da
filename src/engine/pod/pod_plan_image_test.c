#include "engine/pod/pod_plan_image.h"
#include "engine/pod/pod_testing.h"

static void test_initializers(void **state)
{
    static const char *const rows[][2] = {
        { "ghcr.io/kubeflow/trainer/dataset-initializer", "dataset" },
        { "ghcr.io/kubeflow/trainer/dataset-initializer:v2.3.0", "dataset" },
        { "reg.local:5000/x/model-initializer:v1@sha256:abc", "model" },
        { "model-initializer", "model" },
        { "ghcr.io/kubeflow/trainer/torchtune-trainer", NULL },
        { "my-dataset-initializer", NULL },
        { "dataset-initializer/other", NULL },
        { "", NULL },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_json *c = ty_json_object(f->a);
        ty_json_set(f->a, c, "image", ty_json_cstr(f->a, rows[i][0]));
        const char *got = ty_pod_initializer(c);
        assert_string_equal(got ? got : "none", rows[i][1] ? rows[i][1] : "none");
        ty_json_push(f->a, ty_json_ensure_array(f->a, c, "command"), ty_json_cstr(f->a, "python"));
        assert_null(ty_pod_initializer(c)); /* a program of the user's in that image */
    }
}

static void test_holders(void **state)
{
    static const struct {
        const char *container;
        bool holder;
    } rows[] = {
        { "{'command':['/usr/sbin/sshd'],'args':['-De','-f','/home/mpiuser/.sshd_config']}", true },
        { "{'command':['sshd','-D']}", true },
        { "{'command':['/bin/sh','-c','/usr/sbin/sshd -De']}", true },
        { "{'command':['bash','-lc'],'args':['exec sshd -De']}", true },
        { "{'command':['/bin/sh','-c','setup; /usr/sbin/sshd -De']}", false },
        { "{'command':['/bin/sh','-c','sshd && train']}", false },
        { "{'command':['/bin/sh','sshd']}", false },
        { "{'command':['python','sshd']}", false },
        { "{'command':['mysshd']}", false },
        { "{'args':['sshd']}", false },
        { "{}", false },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_int_equal(ty_pod_is_sshd(parse(f->a, rows[i].container)), rows[i].holder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_initializers),
        with_fixture(test_holders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
