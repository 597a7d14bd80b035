"""Makes the recorded outputs again: runs the real tools on the small broken programs below ``programs``.

``python tests/diagnosis/corpus/make.py [--missing] [TOOL …]`` with python, node, jest, tsc, javac, mvn, go, cargo and
rustc on the search path (``NODE_TOOLS`` names a folder with jest and typescript in its ``node_modules``); ``--missing``
runs only what was not recorded yet. A program is broken on purpose: the sign ``¦kind`` at the end of a line is taken out before it runs, and says what must be found there. ``@ kind`` stands for
a problem without a place, ``@ kind path`` for one without a line, ``$`` for another command than the tool's usual one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
NODE_TOOLS = Path(os.environ.get("NODE_TOOLS", HERE.parents[2] / ".tools"))
USUAL = {
    "python": "python main.py",
    "pytest": "python -m pytest -p no:cacheprovider",
    "unittest": "python -m unittest",
    "node": "node main.js",
    "jest": "echo '{}' >package.json; jest --ci --runInBand",
    "tsc": "tsc --noEmit --strict --lib es2022 --target es2022 --module nodenext --pretty false main.ts",
    "javac": "javac -d out *.java",
    "java": "javac -g -d out *.java && java -cp out Main",
    "go": "go build -o out ./...",
    "rust": "rustc --edition 2021 -o out main.rs && ./out",
}
SIGN = re.compile(r"\s*¦([\w ¦]+)$")


def cases(tool):
    """Every program of one tool: those that its reader was written with, then those written and read once after it."""
    for half in ("", "-later", "-last"):
        file = HERE / "programs" / f"{tool}{half}.txt"
        for block in re.split(r"^=== ", file.read_text(), flags=re.MULTILINE)[1:] if file.exists() else ():
            yield _case(block, tool=tool, later=half)


def _case(block, *, tool, later):
    name, _, rest = block.partition("\n")
    command, files, golden, path = USUAL[tool], {}, [], None
    for line in rest.split("\n"):
        if line.startswith("--- "):
            path = line[4:]
            files[path] = []
        elif path is None and line.startswith("$ "):
            command = line[2:]
        elif path is None and line.startswith("@ "):
            kind, *where = line[2:].split()
            golden.append([kind, where[0] if where else None, None])
        elif path is not None:
            said = SIGN.search(line)
            files[path].append(SIGN.sub("", line))
            golden += [[kind, path, len(files[path])] for kind in (said[1].split("¦") if said else ())]
    texts = {path: "\n".join(lines).rstrip("\n") + "\n" for path, lines in files.items()}
    return {"name": name.strip(), "command": command, "files": texts, "golden": golden, "later": later}


def environment(folder):
    """Nothing of this machine's own settings."""
    paths = [str(Path(sys.executable).parent), str(NODE_TOOLS / "node_modules/.bin"), os.environ["PATH"]]
    kept = {name: os.environ[name] for name in ("HOME", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
    return {**kept, "PATH": os.pathsep.join(paths), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "80",
            "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": str(folder.parent / "go-cache"), "GOTOOLCHAIN": "local",
            "CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "PYTHONDONTWRITEBYTECODE": "1",
            "CARGO_TARGET_DIR": str(folder.parent / "target"), "NODE_PATH": str(NODE_TOOLS / "node_modules")}


def run(case, folder):
    """Both streams together, as a terminal shows them, with paths of this machine made neutral."""
    for path, text in case["files"].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    done = subprocess.run(["sh", "-c", case["command"]], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, check=False)
    return neutral(done.stdout.decode("utf-8", "replace"), folder), done.returncode


def neutral(text, folder):
    """The project lies at /workspace, and tools where distributions put them."""
    moved = {
        str(folder): "/workspace", str(folder.parent): "/tmp/build", sysconfig.get_path("stdlib"): "/usr/lib/python3.11",
        sysconfig.get_path("purelib"): "/usr/lib/python3/site-packages", sys.prefix: "/usr", sys.base_prefix: "/usr",
        str(NODE_TOOLS): "/usr/lib", os.path.relpath(NODE_TOOLS, folder): "../../usr/lib", str(Path.home() / ".rustup"): "/usr/lib/rustup", str(Path.home()): "/home/user"}
    for place in sorted(moved, key=len, reverse=True):
        text = text.replace(place, moved[place])
    return re.sub(r"\b[\w.]+\.io index", "registry index", text)


def record(case):
    """One program in a folder of its own, which is then gone."""
    top = Path(tempfile.mkdtemp(prefix="corpus-"))
    try:
        (top / "project").mkdir()
        output, code = run(case, top / "project")
    finally:
        shutil.rmtree(top, ignore_errors=True)
    return {"exit": code, "output": output}


def main(arguments):
    missing = "--missing" in arguments
    for tool in [name for name in arguments if name != "--missing"] or USUAL:
        kept = HERE / "recorded" / f"{tool}.json"
        recorded = json.loads(kept.read_text()) if missing and kept.exists() else {}
        for case in cases(tool):
            if case["name"] in recorded:
                continue
            recorded[case["name"]] = record(case)
            if recorded[case["name"]]["exit"] == 0:
                sys.stdout.write(f"{tool}/{case['name']}: exit code 0\n")
        kept.write_text(json.dumps(recorded, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        sys.stdout.write(f"{tool}: {len(recorded)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
