#include "advise/doctor_testing.h"

#include "base/base64.h"
#include "net/certs.h"

#define NS      "kubeflow-system"
#define SERVICE "'service':{'name':'s','namespace':'" NS "'}"
#define DAY_S   ((int64_t)86400)

/* Both configurations, with this caBundle (base64). */
static void put_hooks(struct doctor_fixture *w, const char *bundle)
{
    for (size_t i = 0; i < 2; i++)
        doctor_fixture_put(w, ty_doctor_webhooks[i].kind, "", ty_doctor_webhooks[i].name,
                           ty_arena_printf(w->a,
                                           "{'webhooks':[{'name':'h','clientConfig':{" SERVICE
                                           ",'caBundle':'%s'}}]}",
                                           bundle));
}

static void put_service(struct doctor_fixture *w, bool ready)
{
    doctor_fixture_put(w, &ty_kind_service, NS, "s", "{'spec':{'type':'ClusterIP'}}");
    doctor_fixture_put(w, &ty_kind_endpointslice, NS, "s-1",
                       ready ? "{'endpoints':[{'conditions':{'ready':true}},{}]}"
                             : "{'endpoints':[{'conditions':{'ready':false}}]}");
}

static void test_missing_and_empty(void **state)
{
    struct doctor_fixture *w = *state;

    assert_results(
        w, ty_check_webhooks,
        "fail webhooks: MutatingWebhookConfiguration defaulter.trainer.kubeflow.org is "
        "missing: TrainJobs are not checked and not defaulted\n"
        "fail webhooks: ValidatingWebhookConfiguration validator.trainer.kubeflow.org is "
        "missing: TrainJobs are not checked and not defaulted");
    put_hooks(w, "");
    put_service(w, true);
    assert_result_has(w, ty_check_webhooks, "fail webhooks: webhook h has no caBundle");
    doctor_fixture_miss(w, ty_doctor_webhooks[0].kind, "", ty_doctor_webhooks[0].name, -EACCES);
    assert_result_has(w, ty_check_webhooks, "warn webhooks: MutatingWebhookConfiguration");
}

/* The suggested fix leaves image, namespace and replicas as they are. */
static void test_the_fix_keeps_what_is_there(void **state)
{
    struct doctor_fixture *w = *state;

    doctor_fixture_say(w, ty_check_webhooks);
    assert_non_null(strstr(w->said.first->fix, "trainyard install -n " NS " --image IMAGE --no-"));
    doctor_fixture_put(
        w, &ty_kind_deployment, "kubeflow", TY_TRAINER,
        "{'metadata':{'labels':{'app.kubernetes.io/name':'trainer',"
        "'app.kubernetes.io/component':'manager'}},'spec':{'replicas':3,'template':{'spec':"
        "{'containers':[{'image':'r/own@sha256:1'}]}}}}");
    doctor_fixture_say(w, ty_check_webhooks);
    assert_non_null(strstr(w->said.first->fix,
                           "trainyard install -n kubeflow --image r/own@sha256:1 --replicas 3 "
                           "--no-crds --no-runtimes | kubectl apply --server-side -f - ("));
    doctor_fixture_put(w, &ty_kind_deployment, NS, TY_TRAINER,
                       "{'spec':{'template':{'spec':{'containers':"
                       "[{'image':'x/trainer-controller-manager:v2.3.0'}]}}}}");
    doctor_fixture_say(w, ty_check_webhooks);
    assert_null(strstr(w->said.first->fix, "trainyard install"));
}

static void test_endpoints(void **state)
{
    struct doctor_fixture *w = *state;

    put_hooks(w, "eA==");
    assert_result_has(w, ty_check_webhooks,
                      "fail endpoints: the webhooks' Service " NS "/s is missing");
    put_service(w, false);
    assert_result_has(w, ty_check_webhooks, "fail endpoints: Service " NS "/s has no endpoints");
    put_service(w, true);
    assert_result_has(w, ty_check_webhooks,
                      "ok endpoints: 2 operators answer"); /* unset means ready */
    doctor_fixture_put(w, &ty_kind_service, NS, "s",
                       "{'spec':{'type':'ExternalName','externalName':'localhost'}}");
    assert_result_has(w, ty_check_webhooks, "ok endpoints: the webhooks go to localhost");
    doctor_fixture_miss(w, &ty_kind_service, NS, "s", -EACCES);
    assert_result_has(w, ty_check_webhooks, "warn endpoints: Service " NS "/s cannot be read");
}

struct pair {
    struct ty_pem ca, tls;
};

static struct pair make(struct doctor_fixture *w, const char *name, int64_t days)
{
    struct ty_certs_request ask = { .name = "ca",
                                    .from_s = DOCTOR_NOW - 400 * DAY_S,
                                    .until_s = DOCTOR_NOW + 4000 * DAY_S };
    struct ty_err err = { 0 };
    struct pair p;

    if (ty_certs_ca(w->a, &ask, &p.ca, &err) < 0)
        fail_msg("%s", err.text);
    ask.names = (const char *const[]){ name, NULL };
    ask.until_s = DOCTOR_NOW + days * DAY_S;
    if (ty_certs_serving(w->a, &ask, &p.ca, &p.tls, &err) < 0)
        fail_msg("%s", err.text);
    return p;
}

static void put_secret(struct doctor_fixture *w, const struct pair *p)
{
    doctor_fixture_put(w, &ty_kind_secret, NS, TY_TRAINER_SECRET,
                       ty_arena_printf(w->a, "{'data':{'tls.crt':'%s','tls.key':'%s'}}",
                                       ty_base64_encode(w->a, p->tls.cert).p,
                                       ty_base64_encode(w->a, p->tls.key).p));
}

static void test_certificates(void **state)
{
    struct doctor_fixture *w = *state;
    struct pair good = make(w, "s." NS ".svc", 365), other = make(w, "s." NS ".svc", 365),
                soon = make(w, "s." NS ".svc", 29), late = make(w, "s." NS ".svc", -3),
                wrong = make(w, "else." NS ".svc", 365);
    put_service(w, true);
    put_hooks(w, ty_base64_encode(w->a, good.ca.cert).p);
    assert_result_has(w, ty_check_webhooks,
                      "warn certificate: the webhooks' certificate was not looked "
                      "into: Secret " NS "/" TY_TRAINER_SECRET " is missing");
    put_secret(w, &good);
    assert_results(w, ty_check_webhooks,
                   "ok webhooks: both webhook configurations are there\n"
                   "ok endpoints: 2 operators answer the webhooks\n"
                   "ok certificate: the webhooks' certificate is good for 365 days");
    put_secret(w, &other);
    assert_result_has(w, ty_check_webhooks,
                      "fail certificate: webhook h: its caBundle does not match");
    put_secret(w, &wrong);
    put_hooks(w, ty_base64_encode(w->a, wrong.ca.cert).p);
    assert_result_has(w, ty_check_webhooks,
                      "fail certificate: webhook h: its caBundle does not match");
    put_secret(w, &soon);
    put_hooks(w, ty_base64_encode(w->a, soon.ca.cert).p);
    assert_result_has(w, ty_check_webhooks,
                      "warn certificate: the webhooks' certificate ends in 29 days");
    put_secret(w, &late);
    put_hooks(w, ty_base64_encode(w->a, late.ca.cert).p);
    assert_result_has(w, ty_check_webhooks,
                      "fail certificate: the webhooks' certificate ended 3 days ago");
    doctor_fixture_put(w, &ty_kind_secret, NS, TY_TRAINER_SECRET, "{'data':{}}");
    assert_result_has(w, ty_check_webhooks, TY_TRAINER_SECRET " is empty");
    doctor_fixture_miss(w, &ty_kind_secret, NS, TY_TRAINER_SECRET, -EACCES);
    assert_result_has(w, ty_check_webhooks, TY_TRAINER_SECRET " may not be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_missing_and_empty),
        doctor_fixture_test(test_the_fix_keeps_what_is_there),
        doctor_fixture_test(test_endpoints),
        doctor_fixture_test(test_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
