"""Runs a tool of tools/ on a small tree."""
import subprocess
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def write(root, files):
    """{path: text}"""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(tool, root):
    """Its exit code, and all that it says."""
    done = subprocess.run([TOOLS / tool, root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
