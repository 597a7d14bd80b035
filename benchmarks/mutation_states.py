"""Nothing judged is never green: what the commands end with where nobody can know anything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.mutation_packages import GROUP, size_of
from benchmarks.mutation_runs import environment, run, windtunnel
from benchmarks.rows import Row, Target

_JUDGED_NOTHING = 2
_ADD = "def add(a, b):\n    return a + b\n"
_USUAL = "from product import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A small project that says nothing, and the command that is asked about it."""

    name: str
    product: str = _ADD
    tests: str = _USUAL
    verb: Sequence[str] = ("mutate",)
    changed: Mapping[str, str] | None = None
    """For the gate: files as a change would have them."""


_FIXED = {"product.py": "def add(a, b):\n    return b + a\n"}
STATES = (
    State(name="all time out", verb=("mutate", "--operators", "arithmetic"),
          product="def down(n):\n    while n > 0:\n        n = n - 1\n    return n\n",
          tests="from product import down\n\n\ndef test_down():\n    assert down(9) == 0\n"),
    State(name="gate, tests alone", verb=("gate",),
          changed={"test_product.py": f"{_USUAL}    assert add(1, 1) == 2\n"}),
    State(name="no mutants", product="def nothing():\n    return\n",
          tests="from product import nothing\n\n\ndef test_it():\n    assert nothing() is None\n"),
    State(name="failing baseline", tests=_USUAL.replace("5", "6")),
    State(name="no tests", tests="from product import add  # noqa: F401\n"),
    State(name="tests that pass whatever happens", tests=(
        "from product import add\n\n\ndef test_add():\n    try:\n        add(2, 3)\n    except BaseException:\n"
        "        pass\n")),
    State(name="gate, failing baseline", verb=("gate",), tests=_USUAL.replace("5", "6"), changed=_FIXED),
    State(name="gate, no tests", verb=("gate",), tests="from product import add  # noqa: F401\n", changed=_FIXED),
    State(name="gate, comments alone", verb=("gate",), changed={"product.py": f"# words\n{_ADD}"}),
)


def rows(ground: Ground) -> Iterator[Row]:
    """One for each state."""
    for number, state in enumerate(STATES[:size_of(ground).states]):
        folder = _made(ground.folder / f"nothing-{number}", state)
        given = [word for path in state.changed or () for word in ("--change", f"{path}={folder / 'changed' / path}")]
        argv = [*windtunnel(), *state.verb, *given, "--project", str(folder / "project"), "--json", "--test", "pytest"]
        done = run(argv, environment=environment(ground), folder=ground.folder)
        try:
            said = json.loads(done.said)["state"]
        except ValueError as error:
            raise RuntimeError(f"{state.name}: {done.code}, {done.wrong}") from error
        yield Row(group=GROUP, name=f"nothing judged: {state.name}", value=done.code, unit="exit code", of="value",
                  target=Target(limit=_JUDGED_NOTHING, least=True), note=said)


def _made(folder: Path, state: State) -> Path:
    (folder / "project").mkdir(parents=True)
    (folder / "changed").mkdir()
    for name, text in (("product.py", state.product), ("test_product.py", state.tests)):
        (folder / "project" / name).write_text(text)
    for name, text in (state.changed or {}).items():
        (folder / "changed" / name).write_text(text)
    return folder
