"""Programs that do not compile or run, what the tools said of them, and how they are right."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from windtunnel.core.repair import Scene
from windtunnel.diagnosis import Sources, problems_in

ERRORS = Path(__file__).parent / "errors"
TOOLS = Path(__file__).parents[3] / ".tools" / "node_modules" / ".bin"
FILES = {"javascript": "lib.js", "typescript": "lib.ts", "java": "A.java", "go": "p.go", "rust": "lib.rs"}
COMMANDS = {
    "javascript": ["node", "lib.js"],
    "typescript": ["tsc", "--noEmit", "--strict", "--target", "es2020", "lib.ts"],
    "java": ["javac", "-d", "out", "A.java"],
    "go": ["go", "build", "./..."],
    "rust": ["rustc", "--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "lib.rs"],
}


def program(language):
    """Where the tool of a language is: on the path, or among the tools of this repository; None where it is not."""
    return shutil.which(COMMANDS[language][0]) or shutil.which(COMMANDS[language][0], path=TOOLS)


def broken(language):
    """(name, the broken text, the right one) of each."""
    text = (ERRORS / f"{language}.txt").read_text()
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        wrong, _, right = rest.partition("=>\n")
        yield name, wrong, right


def placed(folder, language, text):
    (folder / FILES[language]).write_text(text)
    if language == "go":
        (folder / "go.mod").write_text("module p\n\ngo 1.18\n")


def scene_of(language, text, output, *, root="/workspace"):
    """What a source of proposals sees of a program and of what a tool said of it."""
    texts = {FILES[language]: text}
    sources = Sources(read=lambda path: texts[path].encode() if path in texts else None, roots=(root,))
    return Scene(paths=(FILES[language],), read=texts.get, problems=problems_in(output, sources=sources, failed=True))
