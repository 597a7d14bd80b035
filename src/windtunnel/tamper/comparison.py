"""All tests of a change compared with those of the unchanged project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from windtunnel.core.change import ChangeSet
from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.adaptation import adapted, removed_names
from windtunnel.tamper.other_tests import compare_other, signs
from windtunnel.tamper.paths import is_runner, is_test
from windtunnel.tamper.pristine import test_patterns
from windtunnel.tamper.python_tests import Pool, compare_python, pool
from windtunnel.tamper.script import SCRIPT
from windtunnel.tamper.script_tests import compare_script, script_pool
from windtunnel.tamper.sides import Read, Sides
from windtunnel.tamper.snapshots import compare_recorded, is_recorded

ABOUT_TESTS = frozenset(
    {
        "test-deleted",
        "test-renamed-away",
        "test-skipped",
        "test-data",
        "test-changed",
        "case-removed",
        "subject-replaced",
    }
    | {
        "assert-removed",
        "assert-weakened",
        "assert-disabled",
        "assert-conditional",
        "assert-redefined",
        "assert-changed",
    }
    | {"expected-changed", "snapshot-edited", "timeout-raised", "test-mocked", "test-adapted"}
)
"""Rules that speak of the change's own version of the tests, which the pristine run does not use."""


def compare_tests(path: str, old: bytes, new: bytes | None) -> tuple[TamperFinding, ...]:
    """What one test file no longer demands; ``new`` is None when it was deleted.

    Knows this file alone: a test that was moved to another file looks deleted. ``compare_all`` sees the whole change.
    """
    return tuple(_compare(path, old, new, _Shared()))


class _Shared:
    """What the other files of the change have that is new."""

    def __init__(self, python: Pool | None = None, script: Counter[str] | None = None, text: str = "") -> None:
        self.python, self.script, self.text = python, script, text


def _compare(path: str, old: bytes, new: bytes | None, shared: _Shared) -> Iterator[TamperFinding]:
    if old == new:
        return
    if is_recorded(path):
        yield from compare_recorded(path, old, new)
    elif path.endswith(".py"):
        yield from compare_python(path, old, new, shared=shared.python)
    elif SCRIPT.search(path):
        yield from compare_script(path, old, new, spare=shared.script)
    elif signs(path) is not None:
        yield from compare_other(path, old, new, elsewhere=shared.text)
    else:
        word = "deleted" if new is None else "edited"
        yield TamperFinding(rule="test-data", message=f"data of the tests was {word}", path=path, severity="show")


def _in_source(path: str, old: bytes | None) -> bool:
    """Whether a product file holds tests itself, as Rust's do."""
    return old is not None and path.endswith(".rs") and b"#[test]" in old


def compare_all(changes: ChangeSet, *, before: Read) -> tuple[TamperFinding, ...]:
    """What the tests of a change no longer demand; tests may be renamed, split and moved between files.

    A file that only follows names which the change took away is shown as adapted.
    """
    sides, patterns = Sides.of(changes, before=before), test_patterns(before)
    pairs = {
        change.relative_path: (before(change.relative_path), sides.after(change.relative_path))
        for change in changes
        if (is_test(change.relative_path, patterns=patterns) and not is_runner(change.relative_path))
        or _in_source(change.relative_path, before(change.relative_path))
    }
    removed = removed_names(changes, sides)
    shared = _Shared(
        pool({path: pair for path, pair in pairs.items() if path.endswith(".py")}),
        script_pool({path: pair for path, pair in pairs.items() if SCRIPT.search(path)}),
    )
    found: list[TamperFinding] = []
    for path, (old, new) in pairs.items():
        if old is None or old == new:
            continue
        shared.text = "\n".join(
            (after or b"").decode("utf-8", "replace")
            for other, (_, after) in pairs.items()
            if other != path and before(other) is None
        )
        findings = list(_compare(path, old, new, shared))
        follows = (
            adapted(old, _twin(path, new, pairs), path=path, removed=removed)
            if any(each.severity == "block" for each in findings)
            else ()
        )
        found += follows or findings
    return tuple(found)


def _twin(path: str, new: bytes | None, pairs: dict[str, tuple[bytes | None, bytes | None]]) -> bytes:
    """The new version of a file; of a deleted one, the only new file of its kind, which it may have become."""
    if new is not None:
        return new
    ending = path[path.rfind(".") :]
    fresh = [
        after for other, (old, after) in pairs.items() if old is None and after is not None and other.endswith(ending)
    ]
    return fresh[0] if len(fresh) == 1 else b""
