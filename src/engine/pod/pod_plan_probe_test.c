#include "engine/pod/pod_plan_probe.h"
#include "engine/pod/pod_testing.h"

static const struct ty_probe *probe(struct fixture *f, const char *spec)
{
    static const char container[] =
        "{'name':'m','env':[{'name':'A','value':'lit'},{'name':'R','value':'$(A)'},{'name':'F',"
        "'valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}}],'ports':[{'name':'web',"
        "'containerPort':8080},{'name':'main','containerPort':29500}]}";
    const struct ty_probe *p = NULL;

    f->err = (struct ty_err){ 0 };
    if (ty_pod_probe(&f->x, parse(f->a, container), parse(f->a, spec), &p, &f->err) < 0)
        return NULL;
    return p;
}

static void test_defaults(void **state)
{
    struct fixture *f = *state;
    const struct ty_probe *p = probe(f, "{'tcpSocket':{'port':80}}");

    assert_int_equal(p->kind, TY_PROBE_TCP);
    assert_int_equal(p->port, 80);
    assert_null(p->host);
    assert_int_equal(p->initial_delay_s, 0);
    assert_int_equal(p->period_s, 10);
    assert_int_equal(p->timeout_s, 1);
    assert_int_equal(p->success, 1);
    assert_int_equal(p->failure, 3);
    assert_int_equal(p->grace_s, -1);
}

static void test_numbers(void **state)
{
    struct fixture *f = *state;
    const struct ty_probe *p =
        probe(f, "{'tcpSocket':{'port':'web','host':'h'},'initialDelaySeconds':5,'periodSeconds':2,"
                 "'timeoutSeconds':3,'successThreshold':4,'failureThreshold':6,"
                 "'terminationGracePeriodSeconds':7}");

    assert_int_equal(p->port, 8080);
    assert_string_equal(p->host, "h");
    assert_int_equal(p->initial_delay_s, 5);
    assert_int_equal(p->period_s, 2);
    assert_int_equal(p->timeout_s, 3);
    assert_int_equal(p->success, 4);
    assert_int_equal(p->failure, 6);
    assert_int_equal(p->grace_s, 7);
}

/* The quirk: literal values only, not expanded; a valueFrom variable is empty. */
static void test_exec_sees_literal_values(void **state)
{
    struct fixture *f = *state;
    const struct ty_probe *p =
        probe(f, "{'exec':{'command':['x','$(A)','$(R)','[$(F)]','$(NO)','--port','29500']}}");

    assert_int_equal(p->kind, TY_PROBE_EXEC);
    assert_string_equal(p->argv[1], "lit");
    assert_string_equal(p->argv[2], "$(A)");
    assert_string_equal(p->argv[3], "[]");
    assert_string_equal(p->argv[4], "$(NO)");
    assert_string_equal(p->argv[6], "41000");
    assert_null(p->argv[7]);
}

static void test_http(void **state)
{
    struct fixture *f = *state;
    const struct ty_probe *p = probe(f, "{'httpGet':{'port':'main'}}");

    assert_int_equal(p->kind, TY_PROBE_HTTP);
    assert_string_equal(p->http_path, "/");
    assert_string_equal(p->scheme, "HTTP");
    assert_null(p->headers);
    assert_int_equal(p->port, 41000); /* the run's own */
    p = probe(f, "{'httpGet':{'port':1,'path':'ok','scheme':'HTTPS','httpHeaders':[{'name':'A',"
                 "'value':'b'},{'name':'C','value':'d'}]}}");
    assert_string_equal(p->http_path, "/ok");
    assert_string_equal(p->scheme, "HTTPS");
    assert_string_equal(p->headers, "A: b\r\nC: d\r\n");
}

static void test_others(void **state)
{
    struct fixture *f = *state;
    const struct ty_probe *p = probe(f, "{'sleep':{'seconds':4}}");

    assert_int_equal(p->kind, TY_PROBE_SLEEP);
    assert_int_equal(p->timeout_s, 4);
    assert_int_equal(probe(f, "{'grpc':{'port':5}}")->kind, TY_PROBE_GRPC);
    assert_null(probe(f, "{}")); /* none at all */
    assert_int_equal(f->err.code, 0);
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {
        { "{'tcpSocket':{'port':'no'}}", "couldn't find port: no" },
        { "{'tcpSocket':{'port':0}}", "couldn't find port: " },
        { "{'tcpSocket':{'port':65536}}", "couldn't find port: " },
        { "{'exec':{'command':[]}}", "exec without a command" },
        { "{'periodSeconds':1}", "no exec, httpGet, tcpSocket, grpc or sleep" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_null(probe(f, rows[i][0]));
        assert_string_equal(f->err.text, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_defaults),
        with_fixture(test_numbers),
        with_fixture(test_exec_sees_literal_values),
        with_fixture(test_http),
        with_fixture(test_others),
        with_fixture(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
