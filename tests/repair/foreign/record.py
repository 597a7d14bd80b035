"""Records what real tools say of the broken programs in ``errors``: run it with a folder of tools on the path.

Each program is put into a folder of its own; what is printed is kept with the folder's name replaced.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from foreign_errors import COMMANDS, ERRORS, FILES, broken, placed, program


def recorded(language):
    said = {}
    for name, text, _ in broken(language):
        with tempfile.TemporaryDirectory(prefix="record") as folder:
            placed(Path(folder), language, text)
            done = subprocess.run(
                [program(language), *COMMANDS[language][1:]], cwd=folder, capture_output=True, text=True, timeout=120, check=False
            )
            said[name] = (done.stdout + done.stderr).replace(folder, "/workspace")
    return said


if __name__ == "__main__":
    for language in sys.argv[1:] or FILES:
        (ERRORS / f"{language}.json").write_text(json.dumps(recorded(language), indent=1) + "\n")
