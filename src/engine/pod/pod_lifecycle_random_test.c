/* Any order of happenings: what must hold of a pod's life whatever comes. */
#include "engine/pod/pod_lifecycle_testing.h"

#define SIDE                                                                                       \
    C("side", ",'restartPolicy':'Always','startupProbe':{'exec':{'command':['p']},"                \
              "'periodSeconds':1}")
#define SETUP C("setup", "")
#define A                                                                                          \
    C("a", ",'lifecycle':{'postStart':{'exec':{'command':['p']}},"                                 \
           "'preStop':{'exec':{'command':['p']}}},"                                                \
           "'livenessProbe':{'exec':{'command':['p']},'failureThreshold':1},"                      \
           "'readinessProbe':{'exec':{'command':['p']},'periodSeconds':3}")
#define B                                                                                          \
    C("b", ",'restartPolicy':'Never','restartPolicyRules':[{"                                      \
           "'action':'RestartAllContainers',"                                                      \
           "'exitCodes':{'operator':'In','values':[9]}}]")
#define POD                                                                                        \
    "{'restartPolicy':'%s','activeDeadlineSeconds':%d,"                                            \
    "'terminationGracePeriodSeconds':5,"                                                           \
    "'initContainers':[" SIDE "," SETUP "],'containers':[" A "," B "]}"
enum { CONTAINERS = 4 };

/* The machine as it really is, beside what the pod believes. */
struct machine {
    uint64_t seed;
    bool starting[CONTAINERS], running[CONTAINERS], doomed[CONTAINERS];
    bool probing[CONTAINERS][3], hooking[CONTAINERS];
    int starts[CONTAINERS];
    size_t overs;
};

static unsigned draw(struct machine *m, unsigned below)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->seed >> 33) % below;
}

static void obey(struct machine *m, const struct ty_pod_action *d)
{
    switch (d->kind) {
    case TY_POD_ACTION_START:
        assert_false(m->starting[d->c] || m->running[d->c]);
        assert_int_equal(d->n, m->starts[d->c]); /* its attempts are counted without gaps */
        m->starting[d->c] = true;
        m->starts[d->c]++;
        break;
    case TY_POD_ACTION_SIGNAL:
        assert_true(m->running[d->c]);
        m->doomed[d->c] = m->doomed[d->c] || d->n == SIGKILL;
        break;
    case TY_POD_ACTION_PROBE:
        assert_true(m->running[d->c] && !m->probing[d->c][d->n]);
        m->probing[d->c][d->n] = true;
        break;
    case TY_POD_ACTION_HOOK:
        assert_true(m->running[d->c]);
        m->hooking[d->c] = true;
        break;
    case TY_POD_ACTION_OVER:
        assert_int_equal(m->overs++, 0);
        for (size_t i = 0; i < CONTAINERS; i++)
            assert_false(m->starting[i] || m->running[i]);
        break;
    case TY_POD_ACTION_EVENT:
        assert_true(d->event.message && *d->event.message);
        break;
    case TY_POD_ACTION_STATUS:
        assert_int_equal(m->overs, 0); /* nothing is said after the end */
        break;
    }
}

static void end_process(struct machine *m, struct lifecycle_fixture *w, size_t c)
{
    static const int codes[] = { 0, 0, 1 << 8, 9 << 8, SIGSEGV };
    int wstatus = m->doomed[c] ? SIGKILL : codes[draw(m, 5)];

    m->running[c] = m->doomed[c] = m->hooking[c] = false;
    memset(m->probing[c], 0, sizeof(m->probing[c]));
    ty_pod_lifecycle_exited(w->r, c, wstatus, false, "words", w->now);
}

/* Something that can happen on such a machine happens, or time passes. */
static void happen(struct machine *m, struct lifecycle_fixture *w)
{
    size_t c = draw(m, CONTAINERS);
    enum ty_probe_use use = (enum ty_probe_use)draw(m, 3);

    if (m->starting[c]) {
        m->starting[c] = false;
        m->running[c] = draw(m, 8) != 0;
        if (m->running[c])
            ty_pod_lifecycle_started(w->r, c, w->now);
        else
            ty_pod_lifecycle_start_failed(w->r, c, "no such file", w->now);
    } else if (m->running[c] && (m->doomed[c] || draw(m, 4) == 0)) {
        end_process(m, w, c);
    } else if (m->hooking[c]) {
        m->hooking[c] = false;
        ty_pod_lifecycle_hook_result(w->r, c, draw(m, 4) != 0, w->now);
    } else if (m->probing[c][use]) {
        m->probing[c][use] = false;
        ty_pod_lifecycle_probe_result(w->r, c, use, draw(m, 4) != 0, "no", w->now);
    } else if (w->wake > w->now && draw(m, 2)) {
        w->now = w->wake;
    } else if (draw(m, 200) == 0) {
        ty_pod_lifecycle_stop(w->r, (int64_t)draw(m, 4) - 1, w->now);
    } else {
        w->now += draw(m, 3000);
    }
}

static void live(struct machine *m, struct lifecycle_fixture *w)
{
    struct ty_pod_actions ret;
    enum ty_pod_phase before = TY_PENDING;

    for (int steps = 0; steps < 3000; steps++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        size_t rounds = 0;
        do {
            ty_pod_lifecycle_next_actions(w->r, w->now, &ret);
            for (size_t i = 0; i < ret.n; i++)
                obey(m, &ret.v[i]);
            assert_true(++rounds < 10); /* it comes to rest */
        } while (ret.n);
        assert_true(ret.wake_ms == -1 || ret.wake_ms > w->now);
        w->wake = ret.wake_ms;
        assert_non_null(ty_pod_lifecycle_status(w->r, a, "127.0.0.9"));
        if (before == TY_SUCCEEDED || before == TY_FAILED)
            assert_int_equal(ty_pod_lifecycle_phase(w->r), before);
        if (before == TY_RUNNING)
            assert_int_not_equal(ty_pod_lifecycle_phase(w->r), TY_PENDING);
        before = ty_pod_lifecycle_phase(w->r);
        if (m->overs && steps > 20)
            return;
        happen(m, w);
    }
    ty_pod_lifecycle_stop(w->r, 0, w->now); /* a pod that loops for ever can still be ended */
    for (int i = 0; i < 1000 && !ty_pod_lifecycle_terminal(w->r); i++) {
        ty_pod_lifecycle_next_actions(w->r, w->now, &ret);
        for (size_t k = 0; k < ret.n; k++)
            obey(m, &ret.v[k]);
        happen(m, w);
    }
    assert_true(ty_pod_lifecycle_terminal(w->r));
}

static void test_any_order(void **state)
{
    struct lifecycle_fixture *w = *state;
    size_t ended[4] = { 0 };

    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct machine m = { .seed = seed };
        char spec[2048];
        snprintf(spec, sizeof(spec), POD, seed % 2 ? "Never" : "OnFailure", seed % 3 ? 0 : 600);
        start_lifecycle(w, spec);
        live(&m, w);
        ended[ty_pod_lifecycle_phase(w->r)]++;
    }
    assert_true(ended[TY_SUCCEEDED] > 0);
    assert_true(ended[TY_FAILED] > 0);
    assert_int_equal(ended[TY_SUCCEEDED] + ended[TY_FAILED], 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = { with_lifecycle(test_any_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
