"""Whatever a file holds: one clear message that names the place, exit 1, never a crash."""
import os

import pytest
from program import JOB, run

COMMANDS = ["validate", "render"]


def says(result, command, line, code=1):
    """The message is the only line of findings: on stdout for validate, on stderr for render."""
    assert result.code == code, result.err + result.out
    text = result.out if command == "validate" else result.err
    assert text.splitlines() == [line]
    if command == "render":
        assert result.out == ""


def starts(result, command, head, *parts):
    assert result.code == 1, result.err + result.out
    lines = (result.out if command == "validate" else result.err).splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith(head), lines
    for part in parts:
        assert part in lines[0]


@pytest.mark.parametrize("command", COMMANDS)
class TestFiles:
    def test_missing(self, box, command):
        says(box.run(command, "-f", "gone.yaml"), command,
             "gone.yaml: cannot open: No such file or directory")

    def test_empty(self, box, command):
        box.file("job.yaml", "")
        says(box.run(command, "-f", "job.yaml"), command, "job.yaml: the file is empty")

    def test_only_comments(self, box, command):
        box.file("job.yaml", "# nothing\n---\n# here\n")
        says(box.run(command, "-f", "job.yaml"), command, "job.yaml: the file is empty")

    def test_huge_is_refused_before_reading(self, box, command):
        with open(box.file("job.yaml", ""), "wb") as f:
            f.truncate(100 << 20)
        says(box.run(command, "-f", "job.yaml"), command,
             "job.yaml: 100 MB is more than the 32 MB limit")

    def test_huge_on_stdin(self, box, command):
        result = box.run(command, "-f", "-", stdin=b"#" * (33 << 20))
        starts(result, command, "<stdin>: 32 MB or more is more than the 32 MB limit")

    def test_directory_without_yaml(self, box, command):
        box.file("dir/readme.txt", "hello")
        says(box.run(command, "-f", "dir"), command,
             "dir: no .yaml, .yml or .json files in this directory")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
    def test_unreadable(self, box, command):
        box.file("job.yaml", JOB).chmod(0)
        says(box.run(command, "-f", "job.yaml"), command, "job.yaml: cannot open: Permission denied")

    def test_loop_of_links(self, box, command):
        os.symlink("job.yaml", box.path / "job.yaml")
        says(box.run(command, "-f", "job.yaml"), command,
             "job.yaml: cannot open: Too many levels of symbolic links")


@pytest.mark.parametrize("command", COMMANDS)
class TestSyntax:
    @pytest.mark.parametrize("text, line", [
        ("a: [1, 2\nb: 3\n", 2),
        ("a: b: c\n", 1),
        ("a: 1\n b: 2\n", 2),
        ("a: 'never closed\n", 1),
        ("\ta: 1\n", 1),
        ("a: *nobody\n", 1),
        ("{\"a\": 1,}}", 1),
        ("a: !!binary '=='\n", 1),
    ])
    def test_broken_yaml(self, box, command, text, line):
        box.file("job.yaml", text)
        result = box.run(command, "-f", "job.yaml")
        starts(result, command, "job.yaml:")
        got = (result.out if command == "validate" else result.err).split(":")
        assert got[1].isdigit() and got[2].isdigit(), got
        assert line - 1 <= int(got[1]) <= line + 1, got

    def test_binary(self, box, command):
        box.file("job.yaml", bytes(range(256)) * 64)
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:1:")

    def test_invalid_utf8(self, box, command):
        box.file("job.yaml", JOB.encode() + b"# caf\xe9\n  suspend: \xff\n")
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:11:", "UTF-8")

    @pytest.mark.parametrize("text", ["[" * 10000 + "]" * 10000, "{\"a\":" * 10000 + "1" + "}" * 10000,
                                      "[" * 10000, "- " * 10000 + "a\n"])
    def test_deep_nesting(self, box, command, text):
        for name in ("job.json", "job.yaml"):
            box.file(name, text)
            starts(box.run(command, "-f", name), command, f"{name}:1:", "deep")

    def test_deep_block_yaml(self, box, command):
        box.file("job.yaml", "".join(" " * i + "a:\n" for i in range(2000)))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:", "deep")

    def test_alias_bomb(self, box, command):
        text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for i in range(1, 12):
            text += f"a{i}: &a{i} [" + ", ".join([f"*a{i-1}"] * 10) + "]\n"
        box.file("job.yaml", text)
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:", "alias")

    def test_duplicate_keys(self, box, command):
        box.file("job.yaml", JOB + "  suspend: true\n  suspend: false\n")
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:12:", "suspend")

    def test_not_an_object(self, box, command):
        box.file("job.yaml", "just words\n")
        says(box.run(command, "-f", "job.yaml"), command,
             "job.yaml:1:1: an object was expected here, not a string")


@pytest.mark.parametrize("command", COMMANDS)
class TestObjects:
    def test_unknown_field(self, box, command):
        box.file("job.yaml", JOB.replace("numNodes", "numNode"))
        says(box.run(command, "-f", "job.yaml"), command,
             'job.yaml:9:14: spec.trainer.numNode: unknown field (did you mean spec.trainer.numNodes?)')

    def test_wrong_type(self, box, command):
        box.file("job.yaml", JOB.replace("numNodes: 2", "numNodes: two"))
        starts(box.run(command, "-f", "job.yaml"), command,
               "job.yaml:9:15: spec.trainer.numNodes: Invalid value: \"string\"", "integer")

    def test_spec_is_a_list(self, box, command):
        box.file("job.yaml", JOB.split("spec:")[0] + "spec: []\n")
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:5:7: spec: Invalid value: \"array\"")

    def test_metadata_is_a_word(self, box, command):
        box.file("job.yaml", JOB.replace("metadata:\n  name: train", "metadata: train"))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:3:11: metadata: Invalid value: \"string\"")

    def test_no_name(self, box, command):
        box.file("job.yaml", JOB.replace("metadata:\n  name: train\n", ""))
        says(box.run(command, "-f", "job.yaml"), command,
             "job.yaml:1: metadata.name: Required value: name or generateName is required")

    def test_name_that_is_a_boolean(self, box, command):
        box.file("job.yaml", JOB.replace("name: train\n", "name: yes\n", 1))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:4:9: metadata.name: Required value",
               "(put it in quotes: YAML reads yes, on and true as a boolean)")

    def test_missing_runtime(self, box, command):
        box.file("job.yaml", JOB.replace("torch-distributed", "torch-distribute"))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:7:5: spec.RuntimeRef: Invalid value",
               "specified clusterTrainingRuntime must be created before the TrainJob is created",
               'did you mean "torch-distributed"?', "there are: deepspeed-distributed, flux")

    def test_unknown_runtime_kind(self, box, command):
        box.file("job.yaml", JOB.replace("  runtimeRef:\n", "  runtimeRef:\n    kind: Runtime\n"))
        result = box.run(command, "-f", "job.yaml")
        starts(result, command, "job.yaml:", "unsupported runtime: Runtime.trainer.kubeflow.org")

    def test_name_too_long(self, box, command):
        box.file("job.yaml", JOB.replace("name: train", "name: " + "x" * 64))
        says(box.run(command, "-f", "job.yaml"), command,
             "job.yaml:4:9: metadata.name must be no more than 63 characters")

    def test_pod_host_name_too_long(self, box, command):
        # fits as a TrainJob, but <job>-node-0-0 does not fit a pod's host name
        box.file("job.yaml", JOB.replace("name: train", "name: " + "x" * 60))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:4:9: metadata.name: ", "63")

    def test_wrong_version(self, box, command):
        box.file("job.yaml", JOB.replace("v1alpha1", "v2"))
        says(box.run(command, "-f", "job.yaml"), command,
             'job.yaml:1:13: apiVersion "trainer.kubeflow.org/v2" has no kind TrainJob '
             '(did you mean "trainer.kubeflow.org/v1alpha1"?)')

    def test_given_twice(self, box, command):
        box.file("a.yaml", JOB)
        box.file("b.yaml", JOB)
        says(box.run(command, "-f", "a.yaml", "-f", "b.yaml"), command,
             "b.yaml:1:1: TrainJob train is given a second time; the first is at a.yaml:1")

    def test_bad_quantity(self, box, command):
        box.file("job.yaml", JOB + "    resourcesPerNode: {limits: {cpu: lots}}\n")
        starts(box.run(command, "-f", "job.yaml"), command,
               "job.yaml:11:38: spec.trainer.resourcesPerNode.limits.cpu: Invalid value: \"lots\"")

    def test_huge_number(self, box, command):
        box.file("job.yaml", JOB.replace("numNodes: 2", "numNodes: 99999999999999999999999"))
        starts(box.run(command, "-f", "job.yaml"), command, "job.yaml:9:15: spec.trainer.numNodes: ")


class TestUsage:
    @pytest.mark.parametrize("args, message", [
        ([], "Usage: trainyard COMMAND"),
        (["validate"], "error: nothing to validate: give a file with -f"),
        (["render"], "error: nothing to render: give a file with -f"),
        (["render", "-f"], "error: --filename needs a value: FILE"),
        (["render", "--nope"], "error: unknown option --nope"),
        (["rendre", "-f", "x"], 'error: unknown command "rendre" (did you mean "render"?)'),
        (["render", "-f", "x", "-o", "xml"], 'error: --output: "xml" is not one of yaml, json, name'),
        (["render", "-f", "x", "-o", "json", "--origins"],
         "error: --origins writes comments: it needs -o yaml"),
        (["completion", "tcsh"], 'error: "tcsh" is not one of bash, zsh, fish'),
    ])
    def test_exit_2(self, args, message):
        result = run(*args)
        assert result.code == 2
        assert message in result.err
        assert result.out == ""


def test_reader_that_goes_away():
    """`trainyard crds | head -1` ends without a word."""
    import subprocess
    from program import TRAINYARD
    done = subprocess.run(f"{TRAINYARD} crds | head -1", shell=True, capture_output=True, timeout=60)
    assert done.stdout == b"apiVersion: apiextensions.k8s.io/v1\n"
    assert done.stderr == b""


def test_full_disk(box):
    box.file("job.yaml", JOB)
    import subprocess
    from program import TRAINYARD
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TRAINYARD, "render", "-f", box.path / "job.yaml"], stdout=full,
                              stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1
    assert done.stderr == b"error: cannot write the output: No space left on device\n"
