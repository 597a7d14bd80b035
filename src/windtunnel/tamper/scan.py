"""Everything that can be said of a change from its text alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.trial import TamperFinding
from windtunnel.tamper import script_product
from windtunnel.tamper.comparison import compare_all
from windtunnel.tamper.configuration import compare_configuration
from windtunnel.tamper.literals import ANYTHING, Unit, units
from windtunnel.tamper.paths import is_environment, is_hook, is_pipeline, is_runner, is_test, shadows
from windtunnel.tamper.pristine import test_patterns
from windtunnel.tamper.product import cases, file_sites, fresh
from windtunnel.tamper.rule import Site
from windtunnel.tamper.script import SCRIPT
from windtunnel.tamper.sides import Read, Sides
from windtunnel.tamper.special import script_cases

_IN_TESTS = {"patches-runner", "forges-report"}
"""What not even a test does to its runner."""


def scan(changes: ChangeSet, *, before: Read, tests: Mapping[str, bytes] | None = None) -> tuple[TamperFinding, ...]:
    """All findings, those of ``compare_all`` among them; only what is new compared with the unchanged project counts.

    ``tests`` are the unchanged project's test files, by path; without them, only tests that the change touches are
    known, and answers that are looked up by the inputs of other tests are not seen.
    """
    sides, patterns = Sides.of(changes, before=before), test_patterns(before)
    product = [
        change
        for change in changes
        if not is_test(change.relative_path, patterns=patterns) and not _is_configuration(change.relative_path)
    ]
    found = [finding for change in changes for finding in _place(change, before)]
    for change in changes:
        path = change.relative_path
        if is_runner(path) or (path.endswith("conftest.py")):
            found += compare_configuration(path, before(path), sides.after(path))
        if path.endswith(".py") and (is_test(path, patterns=patterns) or is_runner(path)):
            found += [
                finding
                for finding in _sites([change], sides)
                if finding.rule in _IN_TESTS or (finding.rule == "exits-early" and "at once" in finding.message)
            ]
    found += _sites(product, sides)
    asked = [change for change in product if any(_cases(change, before=before, known=[ANYTHING]))]
    known = units(tests if tests is not None else _touched(changes, before)) if asked else []
    for change in asked:
        found += _cases(change, before=before, known=known)
    found += compare_all(changes, before=before)
    return tuple(dict.fromkeys(found))


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
    old: list[Site] = []
    new: list[tuple[str, Site]] = []
    for change in changes:
        path = change.relative_path
        old += _file(path, sides.before(path))
        new += [(path, site) for site in _file(path, sides.after(path))]
    paths = {id(site): path for path, site in new}
    for site in fresh([site for _, site in new], old):
        yield site.finding(paths[id(site)])


def _file(path: str, data: bytes | None) -> list[Site]:
    if data is None:
        return []
    if path.endswith((".py", ".pyw", ".pyi")) or (data[:40].startswith(b"#!") and b"python" in data[:40]):
        return file_sites(path, data)
    return list(script_product.RULE.find(path, data.decode("utf-8", "replace"))) if SCRIPT.search(path) else []


def _cases(change: FileChange, *, before: Read, known: list[Unit]) -> Iterator[TamperFinding]:
    path, old = change.relative_path, before(change.relative_path)
    if change.operation == "delete":
        return
    if path.endswith(".py"):
        yield from (site.finding(path) for site in cases(path, change.data, old=old, known=known))
    elif SCRIPT.search(path):
        texts = (change.data.decode("utf-8", "replace"), (old or b"").decode("utf-8", "replace"))
        new_sites, old_sites = (list(script_cases(text, known=known)) for text in texts)
        yield from (site.finding(path) for site in fresh(new_sites, old_sites))
