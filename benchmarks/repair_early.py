"""How early the right diff comes in other languages when nothing is judged: ``python -m benchmarks.repair_early``.

Of programs with errors: what the tool says goes to ``ErrorToDiffEngine``, and its first diff is right when the program
then prints what the good one prints. Of functions: the place of the good text among all that the search proposes,
blanks aside; texts that mean the same and are written otherwise do not count. Only counts are told, since some are held
out. It takes far less of the processor than a fix, and says nothing of what a judge would choose.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ground import SMALL, Ground, plain_environment
from benchmarks.repair_corpus import Fault, faults
from benchmarks.repair_errors import FOLDERS, LANGUAGES, OFFLINE, Language, behaviour, lay_out, of_language, prepared
from benchmarks.repair_foreign import FOLDER, KITS
from benchmarks.timing import NotRun
from windtunnel import ErrorToDiffEngine
from windtunnel.core.repair import Scene
from windtunnel.repair.foreign import search

_WITHIN = (12, 24, 60, 120)
_SECONDS = 600


def main() -> None:
    """A line for each language and part."""
    for part, folder in FOLDERS.items():
        for language in LANGUAGES:
            those = of_language(language, folder)
            if those:
                print(f"{part}, {language.name}: {_first(language, those)}", flush=True)
    for kit in KITS:
        name, file = kit.language.name, kit.language.file
        places = [_place(fault, file) for fault in faults(FOLDER) if fault.name.startswith(f"{name}_")]
        told = ", ".join(f"{sum(place < most for place in places)} within {most}" for most in _WITHIN)
        print(f"functions, {name}: {told}, of {len(places)}", flush=True)


def _first(language: Language, those: list[Fault]) -> str:
    with tempfile.TemporaryDirectory(prefix="wt-early-") as folder:
        try:
            ready = prepared(Ground(folder=Path(folder), scale=SMALL), language)
        except NotRun as missing:
            return f"not run: {missing}"
        right = sum(_is_right(ready, fault, Path(folder) / fault.name) for fault in those)
    return f"first diff right {right} of {len(those)}"


def _is_right(language: Language, fault: Fault, folder: Path) -> bool:
    (folder / "broken").mkdir(parents=True)
    project = lay_out(language, folder / "broken", source=fault.broken)
    files = {**language.others, language.file: fault.broken}
    said = "\n".join(_said(language, project)).replace(str(project), "/workspace")
    diffs = ErrorToDiffEngine(files=files).diffs(said)
    if not diffs:
        return False
    subprocess.run(["patch", "-p1", "-s"], cwd=project, input=diffs[0].diff, text=True, check=True)
    if (project / language.file).read_text() == fault.good:
        return True
    (folder / "good").mkdir()
    good = lay_out(language, folder / "good", source=fault.good)
    return behaviour(language, project) == behaviour(language, good)


def _said(language: Language, project: Path) -> Iterator[str]:
    for command in language.commands:
        done = subprocess.run(["sh", "-c", command], cwd=project, env=plain_environment() | OFFLINE, text=True,
                              capture_output=True, timeout=_SECONDS, check=False)
        yield done.stdout + done.stderr
        if done.returncode:
            return


def _place(fault: Fault, file: str) -> float:
    wanted = re.sub(r"\s+", "", fault.good)
    tests = {"tests": "\n".join(fault.tests)}
    scene = Scene(paths=(file,), read=({file: fault.broken} | tests).get, test_paths=("tests",))
    return next((place for place, proposal in enumerate(search(scene))
                 if re.sub(r"\s+", "", proposal.edits[0].text) == wanted), float("inf"))


if __name__ == "__main__":
    main()
