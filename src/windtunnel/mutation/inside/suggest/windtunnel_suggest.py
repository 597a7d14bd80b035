"""Looks for tests that mutants would not survive, and tries tests that were made of what was found.

Processes as for judging mutants: this one has loaded nothing of the project, and its sealed records are all that is
read outside; what they hold comes of the project's own code and is hostile text there. What does not hold: the project
can have any input called telling; it is tried by its text, and only what holds then is shown.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Dict, List

LEAST_VERSION = (3, 9)
_PIECE = 1200
_MOST_CHARACTERS = 4 * 1024**2


def main() -> int:
    """Find or prove, as the options say; the exit code says whether it came to its end."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_mutant_copies as copies  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_mutant_kin as kin  # type: ignore[import-not-found]  # the same
    import windtunnel_mutants as usual  # type: ignore[import-not-found]  # the same
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same
    import windtunnel_suggest_desk as desk  # type: ignore[import-not-found]  # the same
    import windtunnel_suggest_studio as studio  # type: ignore[import-not-found]  # the same
    from windtunnel_mutant_code import Sources  # type: ignore[import-not-found]  # the same

    del sys.path[0]
    kin.become_hidden()
    send: Any = seal.sender((sys.modules[__name__],))
    options = seal.options()
    if sys.version_info < LEAST_VERSION:
        tell(send, {"broken": "the project's Python is older than 3.9, which cannot write expressions down"})
        return 1
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    root = os.path.realpath(os.getcwd())
    for one in (*options["mutants"], *options["targets"]):
        one["path"] = os.path.join(root, one["path"])
    files = {path: _content(path) for path in sorted({one["path"] for one in options["mutants"]})}
    copies.Shop = studio.Studio
    made = copies.Copies(Sources(files), options, isolate=usual.close_ways_out,
                         open_paths=lambda: seal.open_paths(current=options["module"]))
    seal.hide("pytest")
    work = desk.Desk(made, options, until=time.monotonic() + options["seconds"])
    told: Dict[str, Any] = work.find() if options["mode"] == "find" else work.prove()
    made.close()
    tell(send, {**told, "seed": hash("windtunnel")})
    return 0


def tell(send: Any, told: Dict[str, Any]) -> None:
    """In as many records as it needs."""
    text = json.dumps(told)[:_MOST_CHARACTERS]
    pieces: List[str] = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    for number, piece in enumerate(pieces):
        send("piece", number=number, of=len(pieces), text=piece)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
