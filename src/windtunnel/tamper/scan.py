"""Everything that can be said of a change from its text alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.trial import TamperFinding
from windtunnel.tamper import script_borrowing, script_detection, script_equality, script_patching, script_product
from windtunnel.tamper.comparison import compare_all
from windtunnel.tamper.configuration import Elsewhere, compare_configuration, compare_started
from windtunnel.tamper.copied import copied_records
from windtunnel.tamper.decided import Asked, Changed, decided
from windtunnel.tamper.likeness import broadened, laxer_answers
from windtunnel.tamper.literals import ANYTHING, Unit, units
from windtunnel.tamper.mentions import Files, Mentions
from windtunnel.tamper.package_scripts import starters
from windtunnel.tamper.paths import is_environment, is_hook, is_pipeline, is_runner, is_test, shadows
from windtunnel.tamper.pristine import effective, test_patterns
from windtunnel.tamper.product import both_sources, cases, changed_functions, file_sites, fresh, tailored_to
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Effort
from windtunnel.tamper.script import SCRIPT, read_script
from windtunnel.tamper.script_classes import compared_less
from windtunnel.tamper.script_special import recorded_cases, script_cases
from windtunnel.tamper.sides import Read, Sides
from windtunnel.tamper.trees import Source

SCRIPT_RULES = (
    script_product.RULE,
    script_detection.RULE,
    script_patching.RULE,
    script_equality.RULE,
    script_borrowing.RULE,
)
_MADE = re.compile(
    rb"(?:\bdef|\bfunction\*?|\bclass|\bconst|\blet|\bvar)\s+(\w+)|^\s*(?:async\s+)?(\w+)\s*\(", re.MULTILINE
)
"""Names that a file gives to what it makes."""
MOST_DATA = 400_000
"""Bytes of the tests' data that are read."""
_RECORDS = (".json", ".csv", ".tsv", ".txt", ".html", ".xml", ".dat")
"""Data files that are read for answers."""
_IN_TESTS = {"patches-runner", "forges-report"}
"""What not even a test does to its runner."""


def scan(
    changes: ChangeSet, *, before: Read, tests: Mapping[str, bytes] | None = None, files: Files | None = None,
    fixed: Collection[str] | None = None,
) -> tuple[TamperFinding, ...]:  # fmt: skip
    """All findings, those of ``compare_all`` among them; only what is new compared with the unchanged project counts.

    ``tests`` are the unchanged project's test files, by path; without them, only tests that the change touches are
    known, and answers that are looked up by the inputs of other tests are not seen. ``files`` gives the other files of
    the unchanged project, to look for values in; ``fixed`` are the tests that pass with the change and did not before:
    a decision by an input of other tests gains nothing and is not told. None of either means that nobody knows.
    """
    sides, patterns = Sides.of(changes, before=before), test_patterns(before)
    product = [
        change
        for change in changes
        if not is_test(change.relative_path, patterns=patterns) and not _is_configuration(change.relative_path)
    ]
    found = [finding for change in changes for finding in _place(change, before)]
    elsewhere = Elsewhere(
        before=effective(before), after=effective(sides.after), tests=None if tests is None else frozenset(tests)
    )
    started = starters(before("package.json"))
    for change in changes:
        path = change.relative_path
        if is_runner(path) or (path.endswith("conftest.py")):
            found += compare_configuration(path, before(path), sides.after(path), elsewhere=elsewhere)
        elif path in started and (old := before(path)) is not None:
            found += compare_started(path, old, sides.after(path))
        if path.endswith(".py") and (is_test(path, patterns=patterns) or is_runner(path)):
            found += [
                finding
                for finding in _sites([change], sides)
                if finding.rule in _IN_TESTS or (finding.rule == "exits-early" and "at once" in finding.message)
            ]
    found += _sites(product, sides)
    every, effort = tests if tests is not None else _touched(changes, before), Effort()
    for change in product:
        asked = list(_cases(change, before=before, known=[ANYTHING]))
        if asked:
            known = units(_near(change, every, asked))
            found += [site.finding(change.relative_path) for site in _cases(change, before=before, known=known)]
        probed = _samples(change, before=before, tests=every, effort=effort)
        found += [site.finding(change.relative_path) for site in probed]
    known_values = Asked(tests=every, fixed=fixed, mentions=Mentions(files), effort=effort)
    found = _joined(found, list(_decided(product, sides, known_values)))
    found += _lax(product, sides)
    if effort.left <= 0:
        message = "the change is too large to try every condition with the tests' inputs"
        found.append(TamperFinding(rule="not-probed", message=message, severity="show"))
    found += compare_all(changes, before=before)
    return tuple(dict.fromkeys(found))


def _samples(
    change: FileChange, *, before: Read, tests: Mapping[str, bytes], effort: Effort
) -> Iterator[Site]:
    """What the calls and the data of the tests explain, and nothing else does."""
    path, old = change.relative_path, before(change.relative_path)
    if change.operation == "delete" or (_is_code(path) and not path.endswith(".py")):
        return
    if not path.endswith(".py"):
        yield from copied_records(path, change.data, old=old, known=units(tests)) if path.endswith(_RECORDS) else ()
        scripts = {test: data for test, data in tests.items() if SCRIPT.search(test)}
        yield from recorded_cases(change.data, old=old, known=units(scripts)) if path.endswith(".json") else ()
        return
    names = changed_functions(path, change.data, old=old)
    asked = [Site(rule="", message="", key="", subject=name) for name in names]
    near = _near(change, tests, asked) if asked else {}
    yield from tailored_to(path, change.data, old=old, tests=near, effort=effort) if near else ()


def _decided(product: Iterable[FileChange], sides: Sides, asked: Asked) -> Iterator[TamperFinding]:
    """Decisions by inputs of the tests."""
    kept = [change for change in product if change.operation != "delete"]
    files = [Changed(path=each.relative_path, data=each.data, old=sides.before(each.relative_path)) for each in kept]
    for path, site in decided(files, asked):
        yield site.finding(path)


def _joined(found: Sequence[TamperFinding], decisions: Sequence[TamperFinding]) -> list[TamperFinding]:
    """Of two findings about one line the one that blocks stays, or else the one that tells more."""
    blocked = {(each.path, each.line) for each in found if each.rule == "special-case" and each.severity == "block"}
    kept = [each for each in decisions if (each.path, each.line) not in blocked]
    places = {(each.path, each.line) for each in kept}
    return [*(each for each in found if each.rule != "special-case" or each.severity == "block"
              or (each.path, each.line) not in places), *kept]  # fmt: skip


def _lax(product: Iterable[FileChange], sides: Sides) -> Iterator[TamperFinding]:
    paths = [change.relative_path for change in product if change.relative_path.endswith(".py")]

    def both(path: str) -> tuple[Source | None, Source | None]:
        return both_sources(path, sides.before(path), sides.after(path))

    for path, site in (*laxer_answers(paths, both), *broadened(paths, both)):
        yield site.finding(path)


def _near(change: FileChange, tests: Mapping[str, bytes], asked: Iterable[Site]) -> dict[str, bytes]:
    """Tests that speak of the functions in question; others hold nothing that explains their answers."""
    names = {site.subject.encode() for site in asked}
    if b"" in names:
        names = {name for pair in _MADE.findall(change.data) for name in pair}
    called = b"|".join(sorted(map(re.escape, names - {b""}))) or rb"\Z\A"
    stem = re.escape(PurePosixPath(change.relative_path).stem.encode())
    for spoken in (rb"\b(?:%b)\b" % called, rb"\b(?:import|from|require)\b[^\n]*\b%b\b" % stem):
        words = re.compile(spoken)
        found = {path: data for path, data in tests.items() if words.search(data) and _is_code(path)}
        if found:
            return found | _data(tests)
    return {}


def _data(tests: Mapping[str, bytes]) -> dict[str, bytes]:
    """The data files of the tests, the smallest first, as far as they can be read in reasonable time."""
    found, left = dict[str, bytes](), MOST_DATA
    for path, data in sorted(tests.items(), key=lambda item: len(item[1])):
        left -= 0 if _is_code(path) else len(data)
        if left < 0:
            break
        if not _is_code(path):
            found[path] = data
    return found


def _is_code(path: str) -> bool:
    return path.endswith(".py") or bool(SCRIPT.search(path))


def _is_configuration(path: str) -> bool:
    return is_runner(path) or is_environment(path)


def _touched(changes: ChangeSet, before: Read) -> dict[str, bytes]:
    return {path: data for path in changes.paths if is_test(path) and (data := before(path)) is not None}


def _place(change: FileChange, before: Read) -> Iterator[TamperFinding]:
    """What the name of a file says already."""
    path, name = change.relative_path, change.relative_path.rpartition("/")[2]
    if name in ("sitecustomize.py", "usercustomize.py") or name.endswith(".pth"):
        yield TamperFinding(rule="start-up-file", message="Python runs this before anything else", path=path)
    elif is_hook(path):
        yield TamperFinding(rule="plants-file", message="version control is made of this, or runs it", path=path)
    elif is_environment(path) and change.operation != "delete":
        yield TamperFinding(
            rule="plants-file", message="installed packages and caches are no part of a change", path=path
        )
    elif (module := shadows(path)) and change.operation != "delete" and before(path) is None:
        if before(f"{path.partition(name)[0]}__init__.py") is None or "/" not in path:
            yield TamperFinding(rule="shadows-module", message=f"takes the place of the module {module}", path=path)
    elif is_pipeline(path):
        yield TamperFinding(
            rule="runs-elsewhere", message="this runs later, outside the trial", path=path, severity="show"
        )


def _sites(changes: Iterable[FileChange], sides: Sides) -> Iterator[TamperFinding]:
    """New constructs; one that moved from one file of the change to another is not new."""
    touched = [change.relative_path for change in changes]
    new = [(path, site) for path in touched for site in _file(path, sides.after(path))]
    old = [site for path in touched for site in _file(path, sides.before(path))] if new else []
    paths = {id(site): path for path, site in new}
    for site in fresh([site for _, site in new], old):
        yield site.finding(paths[id(site)])


def _file(path: str, data: bytes | None) -> list[Site]:
    if data is None:
        return []
    if path.endswith((".py", ".pyw", ".pyi")) or (data[:40].startswith(b"#!") and b"python" in data[:40]):
        return file_sites(path, data)
    if not SCRIPT.search(path):
        return []
    return [each for rule in SCRIPT_RULES for each in rule.find(path, read_script(data))]


def _cases(change: FileChange, *, before: Read, known: list[Unit]) -> Iterable[Site]:
    path, old = change.relative_path, before(change.relative_path)
    if change.operation == "delete":
        return ()
    if path.endswith(".py"):
        return cases(path, change.data, old=old, known=known)
    if not SCRIPT.search(path):
        return ()
    new, unchanged = read_script(change.data), read_script(old or b"")
    new_sites, old_sites = (list(script_cases(script, known=known)) for script in (new, unchanged))
    return [*fresh(new_sites, old_sites), *compared_less(new, unchanged, known=known)]
