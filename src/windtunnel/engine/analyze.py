"""What a tree is: languages, parts, dependencies, conflicts and measures, kept by the content of the tree.

Nothing of the tree is run or imported, no link in it is followed, and nothing is fetched. The same content gives the
same answer, from the cache where there is one; after an edit only files that changed are read again.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.analysis import complexity
from windtunnel.analysis.coverage import DATABASE, coverage
from windtunnel.analysis.dependencies import dependencies
from windtunnel.analysis.duplication import duplications
from windtunnel.analysis.facts import Facts
from windtunnel.analysis.keeping import kept, revived
from windtunnel.analysis.linguist.data import CLASSIFIER, LANGUAGES, tables
from windtunnel.analysis.listing import Listing, reader
from windtunnel.analysis.parts import portions
from windtunnel.core.analysis import Analysis, CodeMetrics, LanguageShare, Structure
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.engine.analyze_files import Looked, Word, look
from windtunnel.store.analyses import Analyses
from windtunnel.workspace.tree import Tree

_VERSION = "1"
"""Of what an analysis is made of; another one makes what was kept worthless."""
_COUNTED = ("programming", "markup")
FOLDER = "analyses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Where analyses are kept, how long, and how much of them."""

    cache_dir: Path | None
    """None keeps nothing."""
    hours: float = 24.0
    most_bytes: int = 500 * MIB

    def store(self) -> Analyses | None:
        """The cache; none where nothing is kept."""
        if self.cache_dir is None:
            return None
        return Analyses(self.cache_dir / FOLDER / "analyses.db", hours=self.hours, most_bytes=self.most_bytes)

    def tree(self, root: Path) -> Tree:
        """The tree, with an index where there is a cache."""
        if self.cache_dir is None:
            return Tree(root)
        return Tree(root, self.cache_dir / FOLDER / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.json")


def analyze(
    root: Path, *, cache_dir: Path | None, advisories: Path | None = None, fresh: bool = False, thorough: bool = False,
    tell: Callable[[str], None] | None = None, keeping: Keeping | None = None,
) -> Analysis:
    """What the tree is; ``fresh`` takes nothing from the cache, ``thorough`` measures every function, however many.

    ``keeping`` says more than ``cache_dir`` does, and then holds in its place.
    """
    began = time.perf_counter()
    root = checked(root)
    keeping = keeping or Keeping(cache_dir=cache_dir)
    store, tree = keeping.store(), keeping.tree(root)
    digest = tree.digest()
    key = _key(digest, root, advisories=advisories, thorough=thorough)
    if store is not None and not fresh and (found := revived(store.get(key))) is not None:
        return replace(found, root=str(root), cached=True, stale=False, seconds=time.perf_counter() - began)
    word = Word(tell)
    files, notes = _named(tree)
    before = store.facts(str(root)) if store is not None and not fresh else {}
    looked = look(root, files, kept=before, most_code=None if thorough else complexity.MOST_CODE, word=word)
    made = _made(root, digest, looked, advisories=advisories)
    made = replace(made, notes=(*made.notes, *notes, *tree.notes), seconds=time.perf_counter() - began)
    if store is not None:
        store.put(key, kept(made), root=str(root), facts=looked.to_keep(), gone=before.keys() - looked.facts.keys())
        made = replace(made, notes=(*made.notes, *store.notices))
    return replace(made, seconds=time.perf_counter() - began)


def known(root: Path, *, cache_dir: Path | None, keeping: Keeping | None = None) -> Analysis | None:
    """The last analysis of a tree, without making one; ``stale`` where the tree has changed since."""
    keeping = keeping or Keeping(cache_dir=cache_dir)
    root, store = checked(root), keeping.store()
    found = revived(store.latest(str(root))) if store is not None else None
    if found is None:
        return None
    return replace(found, cached=True, stale=keeping.tree(root).digest() != found.tree)


def checked(root: Path) -> Path:
    """The folder by its real name."""
    try:
        real = root.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        real = None
    if real is None or not real.is_dir():
        raise UsageError(f"project: {str(root)[:300]!r} is not a folder (name one that is there)", field="project")
    return real


def _key(digest: str, root: Path, *, advisories: Path | None, thorough: bool) -> str:
    """All that an analysis depends on."""
    parts = [
        _VERSION,
        digest,
        str(thorough),
        str(LANGUAGES.stat().st_size),
        str(CLASSIFIER.stat().st_size),
        _stamp(root / DATABASE),
        _installed("lizard"),
        _installed("packaging"),
        str(advisories or ""),
        _stamp(advisories) if advisories else "",
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(path: Path) -> str:
    """What tells that something outside of the hash has changed; of a folder, anything in it."""
    try:
        inside = sorted(path.rglob("*")) if path.is_dir() else ()
        found = [one.stat(follow_symlinks=False) for one in (path, *inside)]
    except OSError:
        return ""
    told = "\n".join(f"{one.st_size} {one.st_mtime_ns} {one.st_ino}" for one in found)
    return hashlib.sha256(told.encode()).hexdigest()


@functools.cache
def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _named(tree: Tree) -> tuple[tuple[tuple[str, str, int], ...], list[str]]:
    """The files whose names are text; how many others there were is noted."""
    every = tree.files
    fitting = tuple(one for one in every if _is_text(one[0]))
    left = len(every) - len(fitting)
    return fitting, [f"{left} files whose names are not UTF-8 were left out"] if left else []


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _made(root: Path, digest: str, looked: Looked, *, advisories: Path | None) -> Analysis:
    with reader(root) as read:
        listing = Listing(tuple(looked.facts), read)
        found = portions(listing)
        covered = coverage(listing, root)
        metrics, notes = _metrics(looked, read)
        needed = dependencies([one.found for one in found], advisories=advisories, notes=listing.notes)
    structure = Structure(
        languages=_languages(looked.facts.values()), parts=tuple(one.part for one in found), files=len(looked.facts),
        bytes=sum(one.bytes for one in looked.facts.values()), lines=sum(one.lines for one in looked.facts.values()))
    return Analysis(root=str(root), tree=digest, structure=structure, dependencies=needed,
                    metrics=replace(metrics, coverage=covered[0], coverage_source=covered[1]),
                    notes=(*looked.notes, *notes))


def _languages(facts: Iterable[Facts]) -> tuple[LanguageShare, ...]:
    """Of the project's own files; a language that Linguist counts under another is counted there."""
    known = tables()
    counted: Mapping[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in facts:
        if one.language and not one.state:
            row = counted[known.groups.get(one.language, one.language)]
            for at, more in enumerate((1, one.bytes, one.lines)):
                row[at] += more
    total = sum(size for name, (_, size, _) in counted.items() if known.kinds.get(name) in _COUNTED)
    shares = [LanguageShare(name=name, kind=known.kinds.get(name, "data"), files=files, bytes=size, lines=lines,
                            share=size / total if total and known.kinds.get(name) in _COUNTED else 0.0)
              for name, (files, size, lines) in counted.items()]
    return tuple(sorted(shares, key=lambda one: (-one.share, -one.bytes, one.name)))


def _metrics(looked: Looked, read: Callable[[str], bytes | None]) -> tuple[CodeMetrics, list[str]]:
    own = {path: one for path, one in looked.facts.items() if one.counts}
    share, stretches = duplications(own, read)
    sampled = [one for path in looked.choice.sample for one in looked.facts[path].functions or ()]
    chosen = {path: looked.facts[path] for path in (*looked.choice.worst, *looked.choice.sample)}
    metrics = CodeMetrics(
        functions=sum(len(one.functions or ()) for one in chosen.values()),
        code_lines=sum(one.code_lines for one in own.values()),
        average_complexity=sum(one.cyclomatic for one in sampled) / len(sampled) if sampled else 0.0,
        complex_functions=complexity.worst(chosen), maintainability=complexity.maintainability(sampled),
        duplicated_share=share, duplications=stretches)
    if not looked.measured:
        return metrics, [complexity.MISSING]
    if looked.choice.whole:
        return metrics, []
    note = (f"complexity was measured in {len(chosen)} of {looked.choice.candidates} files: those with the most "
            "branches, and a sample from which the averages are (thorough measures all)")
    return metrics, [note]
