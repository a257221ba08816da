"""Help, version, completion, plugins list."""
import os
import re
import resource
import subprocess

import pytest
from program import ROOT, TRAINYARD, run

COMMANDS = ["run", "rerun", "submit", "get", "describe", "logs", "events", "attach", "wait", "exec", "top", "suspend", "resume", "delete",
            "render", "validate", "convert", "explain", "crds", "runtimes", "install", "uninstall", "adopt", "doctor", "initialize", "plugins", "completion", "rsh",
            "operator", "version"]


def test_help():
    top = run("--help").ok()
    assert top.out == run("help").ok().out
    for name in COMMANDS:
        assert f"  {name} " in top.out
        text = run(name, "--help").ok().out
        assert text == run("help", name).ok().out
        assert f"Usage: trainyard {name}" in text
        assert all(len(line) <= 100 for line in text.splitlines())


def test_version():
    assert run("--version").ok().out == run("version").ok().out
    assert run("version", "-o", "json").ok().json()["compatibleWith"] == "v2.3.0"


def test_man_pages(tmp_path):
    subprocess.run([ROOT / "tools/man", TRAINYARD, tmp_path], check=True)
    assert {p.name for p in tmp_path.iterdir()} == {"trainyard.1"} | {f"trainyard-{c}.1" for c in COMMANDS}


@pytest.mark.parametrize("fds", [[0], [1], [2], [0, 1, 2]])
def test_closed_streams(fds, tmp_path):
    """Sockets and event loops must not take their numbers: libuv aborted."""
    config = tmp_path / "config"
    config.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                      "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                      "contexts: [{name: c, context: {cluster: c}}]\n")
    done = subprocess.run([TRAINYARD, "uninstall", "--kubeconfig", config], timeout=300,
                          preexec_fn=lambda: [os.close(fd) for fd in fds])
    assert done.returncode == (1 if 1 in fds else 0)  # what was to be printed is lost


@pytest.mark.parametrize("soft, hard", [(8, 8), (8, 64)])
@pytest.mark.parametrize("args", [["run", "job.yaml"], ["get"], ["attach", "job"], ["version"]])
def test_few_descriptors(args, soft, hard, tmp_path):
    """libuv aborted, or a loop was closed that was never opened; a limit that is not hard is raised."""
    done = subprocess.run([TRAINYARD, *args], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, XDG_STATE_HOME=str(tmp_path)),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    assert done.returncode >= 0, done
    refused = "error: ulimit -Hn is 8, and trainyard needs at least 32 descriptors\n"
    assert (done.stderr == refused and done.returncode == 1) == (hard == 8), done


class TestCompletion:
    def complete(self, *words, **env):
        """What bash offers for the last of the words that it made of a line: it splits at '=' and ':'."""
        line = re.sub(" ?([:=]) ?", r"\1", " ".join(words))
        script = f"""source <({TRAINYARD} completion bash)
            trainyard() {{ {TRAINYARD} "$@"; }}
            COMP_WORDS=({' '.join(f"'{w}'" for w in words)}); COMP_CWORD={len(words) - 1}; COMP_LINE='{line}'
            _trainyard; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-eu", "-c", script], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, **env))
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return done.stdout.split()

    def test_commands(self):
        assert self.complete("trainyard", "") == COMMANDS + ["help"]
        assert self.complete("trainyard", "ren") == ["render"]
        assert self.complete("trainyard", "help", "va") == ["validate"]

    def test_options(self):
        assert self.complete("trainyard", "render", "--or") == ["--origins"]
        assert "-f" in self.complete("trainyard", "validate", "-")

    def test_values(self):
        assert self.complete("trainyard", "render", "-o", "") == ["yaml", "json", "name"]
        assert self.complete("trainyard", "completion", "") == ["bash", "zsh", "fish"]
        assert "trainjob" in self.complete("trainyard", "explain", "train")

    def test_contexts(self, tmp_path):
        files = []
        for name in ("lab", "cloud"):
            files.append(tmp_path / name)
            files[-1].write_text(f"apiVersion: v1\nkind: Config\ncontexts: [{{name: {name}, context: {{}}}}]\n")
        both = ":".join(map(str, files))
        assert self.complete("trainyard", "logs", "--context", "", KUBECONFIG=both) == ["cloud", "lab"]
        assert self.complete("trainyard", "logs", "--context", "=", "l", KUBECONFIG=both) == ["lab"]
        assert self.complete("trainyard", "doctor", "--kubeconfig", str(files[1]), "--context", "") == ["cloud"]
        assert self.complete("trainyard", "logs", "--context", "", KUBECONFIG=str(tmp_path / "none")) == []

    def test_names_with_colons(self, tmp_path):
        """bash replaces only what follows the last colon."""
        names = ["arn:aws:eks:1:cluster/lab", "arn:aws:eks:1:cluster/prod", "arn:aws:iam", "lab", "$(echo hidden >&2)"]
        config = tmp_path / "config"
        config.write_text("apiVersion: v1\nkind: Config\ncontexts:\n" + "".join(f"- {{name: '{n}', context: {{}}}}\n" for n in names))
        eks = ["eks:1:cluster/lab", "eks:1:cluster/prod"]
        for option in (["--context"], ["--context", "="]):
            def complete(*words):
                return sorted(self.complete("trainyard", "logs", *option, *words, KUBECONFIG=str(config)))
            assert complete("ar") == sorted(names[:3])
            assert complete("arn", ":") == ["aws:" + e for e in eks] + ["aws:iam"]
            assert complete("arn", ":", "aws", ":", "eks") == eks
            assert complete("arn", ":", "aws", ":", "eks", ":", "1", ":", "cluster/p") == ["cluster/prod"]
            assert complete("arn:aws:e") == ["arn:aws:" + e for e in eks]  # of a shell that does not split there
        assert self.complete("trainyard", "logs", "--context", "=", KUBECONFIG=str(config))[-1] == "lab"
        assert self.complete("trainyard", "logs", "--context", "arn", ":", "x", "--conte") == ["--context"]
        assert self.complete("trainyard", "render", "-o", "=", "ya") == self.complete("trainyard", "render", "--output", "=", "ya") == ["yaml"]

    def test_files_are_left_to_bash(self):
        assert self.complete("trainyard", "render", "-f", "") == []

    @pytest.mark.parametrize("shell", ["zsh", "fish"])
    def test_others_are_written(self, shell):
        text = run("completion", shell).ok().out
        for name in COMMANDS:
            assert name in text


def test_plugins():
    rows = run("plugins", "-o", "json").ok().json()
    assert [r["name"] for r in rows][-1] == "JobSet"
    assert rows[-1]["state"] == "required" and "build" in rows[-1]["hooks"]
    names = run("plugins", "-o", "name").ok().out.split()
    assert names == [r["name"] for r in rows] and len(names) >= 12
    table = run("plugins").ok().out.splitlines()
    assert table[0].split() == ["NAME", "STATE", "HOOKS", "ABOUT"]
    assert len(table) == 1 + len(names)
    assert all(len(line) <= 160 for line in table)


def test_plugins_switched_off(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"
                      "plugins: {disabledPlugins: [mpi]}\n")
    rows = {r["name"]: r["state"] for r in run("plugins", "--config", config, "-o", "json").ok().json()}
    assert rows["MPI"] == "off" and rows["Torch"] == "on"
