"""Several TrainJobs in one run: whose node is it?"""
import re

from past import say, seen, wait_state
from runs import finish, job
from waiting import wait_for


def two(ddp, evaluation, nodes=1):
    first = job(ddp, name="ddp", nodes=nodes)
    return first + "---\n" + job(evaluation, name="eval").replace("{name: rt}", "{name: rt-eval}")


def test_lines_and_summary(box):
    code, out, err = box.run(two("echo train", "echo score; exit 3", nodes=2))
    assert code == 1
    assert sorted(out.splitlines()) == ["[ddp/node-0-0] train", "[ddp/node-0-1] train", "[eval/node-0-0] score"]
    assert "eval/node-0-0: node failed with exit code 3" in err
    assert "\neval/node-0-0 failed: exit code 3" in err


def test_a_pipe_in_the_folder_of_the_run(box):
    """Opening it would wait for ever: the job that needs the file fails, the run goes on."""
    later = "echo begin; mkfifo $(dirname $TRAINYARD_RSH)/hosts-eval; touch there; while ! test -e go; do sleep 0.05; done"
    text = two(later, "echo score")
    at = text.rindex("trainer: {}")
    p = box.start(text[:at] + "suspend: true, " + text[at:])
    wait_for("the pipe is there", (box.path / "there").exists, child=p)
    say(box, "resume", "eval")
    wait_for("the event", lambda: "hosts-eval cannot be written: it is not a regular file" in seen(box, "events", "eval"), child=p)
    (box.path / "go").touch()
    wait_state(box, "Complete", "ddp")
    p.terminate()  # eval may be tried again and again
    finish(p)


def test_one_job_has_short_names(box):
    code, out, err = box.run(job("echo train"))
    assert out == "[node-0-0] train\n"


def test_logs_of_one(box):
    text = two("echo train", "echo score", nodes=2)
    for name, want in (("ddp/node-0-1", {"[ddp/node-0-1] train"}), ("eval-node-0-0", {"[eval/node-0-0] score"}),
                       ("node-0-0", {"[ddp/node-0-0] train", "[eval/node-0-0] score"})):
        code, out, err = box.run(text, "--logs", name)
        assert code == 0, err
        assert set(out.splitlines()) == want


def test_logs_of_nobody(box):
    """A mistake, before anything starts."""
    code, out, err = box.run(two("touch began", "touch began", nodes=2), "--logs", "node-9-9")
    assert code == 2
    assert "--logs node-9-9: no node of that name; there are ddp/node-0-0 … ddp/node-0-1, eval/node-0-0" in err
    assert not (box.path / "began").exists()
    code, out, err = box.run(job("touch began", nodes=3), "--logs", "node-0-3")
    assert code == 2
    assert "there are node-0-0 … node-0-2" in err
    assert not (box.path / "began").exists()
    assert not list((box.path / "state" / "trainyard" / "runs").glob("run-*"))


def test_generated_names(box):
    """Two jobs of one prefix, each with a name of its own; other objects find them by it."""
    one = job("echo I am $HOSTNAME").replace("{name: job}", "{generateName: bert-}")
    code, out, err = box.run(one + "---\n" + one[one.rindex("---\n") + 4:])
    assert code == 0, err
    names = re.findall(r"^trainjob/(bert-[b-df-hj-np-tv-xz2-9]{5}): Complete after", err, re.M)
    assert len(set(names)) == 2, err
    assert sorted(out.splitlines()) == sorted(f"[{name}/node-0-0] I am {name}-node-0-0" for name in names)
