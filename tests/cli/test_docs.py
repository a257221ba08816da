"""Every console block of the documentation is run, and says what the page says it says."""
import os
import re
import subprocess

import pytest
from program import ROOT, TRAINYARD

PAGES = ["tour", "render", "validate", "explain", "crds", "plugins", "convert", "runtimes"]
BLOCK = re.compile(r"^```console\n\$ (trainyard [^\n]*)\n(.*?)^```$", re.M | re.S)
BLOCKS = [(page, *found) for page in PAGES
          for found in BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text())]


def console(command):
    env = dict(os.environ, PATH=f"{TRAINYARD.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


@pytest.mark.parametrize("page, command, text", BLOCKS, ids=[f"{p}-{i}" for i, (p, *_) in enumerate(BLOCKS)])
def test_console(page, command, text):
    assert console(command) == text


def test_commands_of_the_first_pages_name_files_that_exist():
    text = (ROOT / "README.md").read_text() + (ROOT / "docs/tour.md").read_text()
    commands = re.findall(r"trainyard (?:run|render|validate|convert) [^\n`]*", text)
    files = {word for line in commands for word in line.split() if re.search(r"\.(yaml|sbatch|py)$", word)}
    assert len(files) >= 5 and [f for f in sorted(files) if not (ROOT / f).exists()] == []


def test_there_are_some():
    assert len(BLOCKS) >= 7


if __name__ == "__main__":  # writes what the program says now into the pages
    for page in PAGES:
        path = ROOT / "docs" / f"{page}.md"
        path.write_text(BLOCK.sub(lambda m: f"```console\n$ {m[1]}\n{console(m[1])}```", path.read_text()))
