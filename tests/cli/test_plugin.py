"""Plugins outside the tree: built against the installed header alone, loaded, refused."""
import os
import shutil
import subprocess

import pytest
from program import JOB, ROOT, container, env, pod, run

PREFIX = "int trainyard_unused;\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder far from the tree: the header as `make install` puts it, and the example's files."""
    root = tmp_path_factory.mktemp("elsewhere")
    (root / "include/trainyard").mkdir(parents=True)
    shutil.copy(ROOT / "include/trainyard/plugin.h", root / "include/trainyard/")
    shutil.copytree(ROOT / "examples/plugin", root / "plugin", ignore=shutil.ignore_patterns("*.so"))
    subprocess.run(["make", "-C", root / "plugin", f"CPPFLAGS=-I{root}/include", "CFLAGS=-O2 -Wall -Wextra -Werror"],
                   check=True, capture_output=True)
    return root


def build(place, folder, source, name="p.so"):
    folder.mkdir(exist_ok=True)
    (folder / "p.c").write_text(source)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-I{place}/include", "-o", folder / name,
                    folder / "p.c"], check=True)
    return folder


def plugin(hooks, extra="", name="Mine"):
    return f"""#include <trainyard/plugin.h>
{extra}
static const struct trainyard_plugin_info info = {{ .abi = TRAINYARD_PLUGIN_ABI, .size = sizeof(info),
    .name = "{name}", .about = "for a test", {hooks} }};
const struct trainyard_plugin_info *trainyard_plugin(const struct trainyard_host *host)
{{ (void)host; return &info; }}
"""


def test_example(place):
    args = ["--plugin-dir", place / "plugin", "-f", place / "plugin/job.yaml"]
    jobset = run("render", *args).ok().kind("JobSet")
    got = env(container(jobset))
    assert got["WANDB_PROJECT"] == "vision"
    assert got["WANDB_RUN_GROUP"] == "logged"
    assert got["WANDB_TAGS"] == "nodes-2"
    assert got["PET_NNODES"] == "2"
    assert pod(jobset)["metadata"]["labels"]["wandb.example.org/logged"] == "true"
    text = run("render", "--origins", *args).ok().out
    assert any("WANDB_PROJECT" in line and "# plugin WandB" in line for line in text.splitlines())
    without = run("render", "-f", place / "plugin/job.yaml").ok().kind("JobSet")
    assert "WANDB_PROJECT" not in env(container(without))


def test_example_validates(place, box):
    bad = (place / "plugin/job.yaml").read_text().replace("project: vision", "project: a/b")
    box.file("job.yaml", bad)
    result = box.run("validate", "--plugin-dir", place / "plugin", "-f", "job.yaml")
    assert result.code == 1
    assert result.out == ('job.yaml:7:32: metadata.annotations[wandb.example.org/project]: Invalid value: "a/b": '
                          "a project is a word without / \\ # ? % :\n")


def test_list(place):
    rows = run("plugins", "--plugin-dir", place / "plugin", "-o", "json").ok().json()
    assert [r["name"] for r in rows][-2:] == ["WandB", "JobSet"]
    assert rows[-2]["outOfTree"] is True
    assert rows[-2]["hooks"] == ["validate", "ml", "pod"]


def test_the_documentation_s_plugin(place, box):
    text = (ROOT / "docs/plugins.md").read_text()
    source = text.split("```c\n")[1].split("```")[0]
    folder = build(place, box.path / "so", source)
    jobset = run("render", "--plugin-dir", folder, "-f", place / "plugin/job.yaml").ok().kind("JobSet")
    assert env(container(jobset))["WANDB_PROJECT"] == "vision"


def test_children_come_before_the_jobset(place, box):
    folder = build(place, box.path / "so", plugin(".build = build", r"""
static int build(const struct trainyard_host *h, struct trainyard_plan *p)
{ return h->add_child(p, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"extra\"},"
                         "\"data\":{\"k\":\"v\"}}"); }"""))
    box.file("job.yaml", JOB)
    docs = box.run("render", "--plugin-dir", folder, "-f", "job.yaml").ok().docs()
    names = [d["metadata"]["name"] for d in docs]
    assert names.index("extra") < names.index("train")
    extra = docs[names.index("extra")]
    assert extra["data"] == {"k": "v"} and extra["metadata"]["ownerReferences"][0]["name"] == "train"


def test_failing_hook(place, box):
    folder = build(place, box.path / "so", plugin(".enforce_pod = pod", """
static int pod(const struct trainyard_host *h, struct trainyard_plan *p) { return h->fail(p, "no luck"); }"""))
    box.file("job.yaml", JOB)
    result = box.run("render", "--plugin-dir", folder, "-f", "job.yaml")
    assert result.code == 1 and result.out == ""
    assert result.err == "job.yaml:1: TrainJob train: plugin Mine: no luck\n"


@pytest.mark.parametrize("source, message", [
    (plugin("").replace(".abi = TRAINYARD_PLUGIN_ABI", ".abi = 99"),
     "built for plugin ABI 99, this trainyard has ABI 1"),
    (PREFIX, "not a trainyard plugin: it has no symbol trainyard_plugin"),
    ("extern int nowhere(void);\nint trainyard_plugin(void) { return nowhere(); }\n",
     "cannot load the plugin: undefined symbol: nowhere"),
    ("const void *trainyard_plugin(const void *h) { (void)h; return 0; }\n",
     "the plugin does not want to work with this trainyard"),
    (plugin("", name=""), "the plugin has no name"),
    (plugin("", name="torch"), 'plugin "torch" is there twice'),
])
def test_refused(place, box, source, message):
    folder = build(place, box.path / "so", source)
    box.file("job.yaml", JOB)
    result = box.run("render", "--plugin-dir", "so", "-f", "job.yaml")
    assert result.code == 1 and result.out == ""
    (line,) = result.err.splitlines()
    assert line.startswith("error: ") and message in line
    assert folder.name in line or "twice" in line


def test_broken_file(box):
    box.file("so/x.so", b"\x7fELF nonsense")
    box.file("job.yaml", JOB)
    result = box.run("validate", "--plugin-dir", "so", "-f", "job.yaml")
    assert result.code == 1
    assert result.err.startswith("error: so/x.so: cannot load the plugin: ") or \
        result.err.startswith("error: ./so/x.so: cannot load the plugin: ")


def test_no_directory(box):
    result = box.run("plugins", "--plugin-dir", "gone")
    assert result.code == 1
    assert result.err == "error: gone: cannot read the plugin directory: No such file or directory\n"
