"""When a failed container is started again, and what the user reads about it."""
import pytest

from runs import job

IN_PLACE = "restartPolicy: Never", "restartPolicy: OnFailure"
SILENT = [("            backoffLimit: 0\n", ""), ("                restartPolicy: Never\n", "")]
ONCE = "echo started; test -e done || { touch done; exit 3; }"  # the working directory is the test's own


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_silence_stops_at_the_first_failure(box):
    code, out, err = box.run(changed(job("echo started; exit 3"), *SILENT))
    assert code == 1
    assert out.count("started") == 1
    assert " restart" not in err
    assert "failed: exit code 3" in err


def test_as_cluster_restarts_what_says_nothing(box):
    code, out, err = box.run(changed(job(ONCE), *SILENT), "--restarts", "as-cluster")
    assert code == 0, err
    assert out.count("started") == 2
    assert "node-0-0: node failed with exit code 3, restarts now (1 of 6)" in err
    assert "node-0-0  exit code 0" in err and "restarted 1 time\n" in err


def test_what_is_written_is_obeyed(box):
    code, out, err = box.run(changed(job(ONCE), IN_PLACE, ("backoffLimit: 0", "backoffLimit: 3")))
    assert code == 0, err
    assert out.count("started") == 2
    assert "restarts now (1 of 3)" in err


def test_no_restart_is_said_where_the_job_fails(box):
    code, out, err = box.run(changed(job("exit 3"), IN_PLACE))
    assert code == 1
    assert "node-0-0: node failed with exit code 3\n" in err
    assert "restarts" not in err and "of 0" not in err


def test_the_waiting_time_is_said(box):
    twice = "echo started; echo x >> runs; test $(wc -l < runs) -gt 2 || exit 3"
    code, out, err = box.run(changed(job(twice), IN_PLACE, ("backoffLimit: 0", "backoffLimit: 3")))
    assert code == 0, err
    assert "restarts in 10 s (2 of 3)" in err
    assert "Back-off restarting" not in err


def test_a_pod_that_is_created_again_says_when(box):
    code, out, err = box.run(changed(job(ONCE), ("backoffLimit: 0", "backoffLimit: 2")))
    assert code == 0, err
    assert out.count("started") == 2
    assert err.count("node-0-0 restarts in 10 s (1 of 2)") == 1


def test_a_limit_for_each_index_says_when_too(box):
    each = "echo started; test -e done-$JOB_COMPLETION_INDEX || { touch done-$JOB_COMPLETION_INDEX; exit 3; }"
    code, out, err = box.run(changed(job(each, nodes=2), ("backoffLimit: 0", "backoffLimitPerIndex: 4")))
    assert code == 0, err
    assert out.count("started") == 4
    assert 1 <= err.count("in 10 s (1 of 4)") <= 2, err  # both at once, or one after the other
    assert "node-0-0 restarts in 10 s (1 of 4)" in err or "node-0-0 and 1 more restart in 10 s (1 of 4)" in err


def test_no_restart_ignores_what_is_written(box):
    policy = "      failurePolicy: {maxRestarts: 3}"
    text = changed(job("echo started; exit 3", policies=policy), IN_PLACE,
                   ("backoffLimit: 0", "backoffLimit: 3"))
    code, out, err = box.run(text, "--no-restart")
    assert code == 1
    assert out.count("started") == 1
    assert " restart" not in err


def test_both_options_exclude_each_other(box):
    code, _, err = box.run(job("true"), "--no-restart", "--restarts", "as-cluster")
    assert code == 2
    assert "--no-restart and --restarts as-cluster exclude each other" in err


def test_json_has_the_restart(box):
    code, out, _ = box.run(changed(job(ONCE), *SILENT), "--restarts", "as-cluster", "-o", "json")
    assert code == 0
    assert '"restartMilliseconds":0,"restart":1,"restartLimit":6' in out


@pytest.mark.parametrize("option", [[], ["--no-restart"], ["--restarts", "as-cluster"]], ids=["as-written", "never", "as-cluster"])
def test_a_policy_that_jobs_cannot_have_is_refused(box, option):
    text = changed(job("echo started"), ("restartPolicy: Never", "restartPolicy: Always"))
    line = 1 + text[:text.index("restartPolicy: Always")].count("\n")
    code, out, err = box.run(text, *option)
    assert (code, out) == (1, "")
    assert (f"job.yaml:{line}: JobSet: spec.replicatedJobs[0].template.spec.template.spec.restartPolicy: "
            'Required value: valid values: "OnFailure", "Never"') in err
