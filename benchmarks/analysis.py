"""Analyses: how long one takes, and how often languages and frameworks are told right.

The tree is made of real source text: what Python's own library and the packages beside it hold, files that are written
twice with their names changed. Linguist's samples are read from a checkout of github-linguist/linguist that
``WINDTUNNEL_LINGUIST`` names; they are not shipped.
"""

from __future__ import annotations

import functools
import hashlib
import os
import statistics
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks import analysis_linguist
from benchmarks.analysis_layouts import agreement, read_layouts
from benchmarks.ground import ROOT, SMALL, Ground
from benchmarks.rows import MILLISECONDS, Row, Target
from windtunnel.analysis.linguist import classify, detect
from windtunnel.engine.analyze import analyze

GROUP = "analysis"
VARIABLE = "WINDTUNNEL_LINGUIST"
LAYOUTS = ROOT / "tests/analysis/layouts.txt"
FILES, FEW = 10_000, 200
_KINDS = (
    ".py",
    ".pyi",
    ".js",
    ".ts",
    ".c",
    ".h",
    ".md",
    ".txt",
    ".json",
    ".toml",
    ".css",
    ".html",
    ".rst",
    ".cfg",
    ".yaml",
)
_MOST_FILE = 200_000
_FOLDS = 5


def rows(ground: Ground) -> Iterator[Row]:
    """All of them."""
    yield from _times(ground)
    yield from _languages(ground)
    yield _frameworks()


def _times(ground: Ground) -> Iterator[Row]:
    count = FEW if ground.scale is SMALL else FILES
    tree, cache = ground.folder / "tree", ground.folder / "cache-analysis"
    size = make_tree(tree, count)
    what = f"{count} files, {size / 1e6:.0f} MB of real text"
    began = time.perf_counter()
    first = analyze(tree, cache_dir=cache)
    cold = time.perf_counter() - began
    note = f"{what}; {first.metrics.code_lines} code lines; one process"
    yield Row(group=GROUP, name=f"analysis of {count} files, cold", value=cold, unit="s", of="value",
              target=Target(limit=5.0), note=note)
    again = [_timed(tree, cache) for _ in range(max(3, ground.scale.slow_runs))]
    yield Row(
        group=GROUP,
        name=f"analysis of {count} files, cached",
        value=statistics.median(again) * MILLISECONDS,
        p99=max(again) * MILLISECONDS,
        of="value",
        target=Target(limit=200.0),
        note="every file's size and times are looked at",
    )
    changed = next(path for path in sorted(tree.rglob("*.py")))
    changed.write_text(changed.read_text(errors="replace") + "\nCHANGED = 1\n")
    yield Row(
        group=GROUP,
        name=f"analysis of {count} files, one changed",
        value=_timed(tree, cache) * MILLISECONDS,
        of="value",
        note="one file is read, the rest is known",
    )


def _timed(tree: Path, cache: Path) -> float:
    began = time.perf_counter()
    analyze(tree, cache_dir=cache)
    return time.perf_counter() - began


def make_tree(folder: Path, count: int) -> int:
    """So many files of real text, in folders of forty; how many bytes they are."""
    sources = sorted(_sources(all_=count > FEW), key=lambda path: hashlib.sha256(str(path).encode()).digest())
    total = 0
    for number in range(count):
        source, turn = sources[number % len(sources)], number // len(sources)
        text = source.read_bytes()
        if turn:
            text = text.replace(b"_", b"_%d_" % turn).replace(b"self", b"self%d" % turn)
        place = folder / f"area{number // 1000}" / f"part{number // 40 % 25}" / f"{source.stem}_{number}{source.suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
        total += len(text)
    (folder / "pyproject.toml").write_text('[project]\nname = "large"\ndependencies = ["flask>=3", "requests"]\n')
    return total


def _sources(*, all_: bool) -> Iterator[Path]:
    for name in ("stdlib", "purelib") if all_ else ("stdlib",):
        for path in Path(sysconfig.get_path(name)).glob("**/*" if all_ else "*"):
            if path.suffix in _KINDS and path.is_file() and 0 < path.stat().st_size <= _MOST_FILE:
                yield path


def _languages(ground: Ground) -> Iterator[Row]:
    name = "languages right on Linguist's samples"
    checkout = Path(os.environ.get(VARIABLE, ""))
    if not os.environ.get(VARIABLE) or not (checkout / "samples").is_dir():
        yield Row(
            group=GROUP, name=name, missing=f"no samples ({VARIABLE} can name a checkout of github-linguist/linguist)"
        )
        return
    samples = analysis_linguist.samples(checkout)
    right, total = _right(samples, fold=None)
    yield Row(
        group=GROUP,
        name=name,
        value=100 * right / total,
        unit="%",
        of="value",
        target=Target(limit=95, least=True),
        note=f"{right} of {total}; as shipped, which has learned from them, as Linguist has",
    )
    if ground.scale is SMALL:
        return
    found = [_unseen(samples, checkout, fold) for fold in range(_FOLDS)]
    right, total = sum(one for one, _ in found), sum(one for _, one in found)
    yield Row(group=GROUP, name=f"{name}, unseen", value=100 * right / total, unit="%", of="value",
              target=Target(limit=95, least=True),
              note=f"{right} of {total}; each judged by a classifier that learned from the other four fifths")


def _unseen(samples: analysis_linguist.Samples, checkout: Path, fold: int) -> tuple[int, int]:
    """What the patterns, and a classifier that has not seen this fifth, tell of it."""
    rest = {name: [path for path in paths if _fold(path) != fold] for name, paths in samples.items()}
    wanted = analysis_linguist.shared(analysis_linguist.languages(checkout))
    learned = classify.unpacked(analysis_linguist.learned({name: one for name, one in rest.items() if one}, wanted))
    shipped = detect.classifier
    try:
        detect.classifier = functools.cache(lambda: learned)
        return _right(samples, fold=fold)
    finally:
        detect.classifier = shipped


def _fold(path: Path) -> int:
    return hashlib.sha256(f"{path.parent.name}/{path.name}".encode()).digest()[0] % _FOLDS


def _right(samples: analysis_linguist.Samples, *, fold: int | None) -> tuple[int, int]:
    right = total = 0
    for language, paths in samples.items():
        for path in paths if fold is None else (one for one in paths if _fold(one) == fold):
            content = path.read_bytes()
            if content and not detect.is_binary(content):
                total += 1
                right += detect.detect(path.name, detect.text_of(content)) == language
    return right, total


def _frameworks() -> Row:
    layouts = read_layouts(LAYOUTS.read_text())
    results: Mapping[str, bool] = {one.name: agreement(one) for one in layouts}
    missed = [name for name, right in results.items() if not right]
    return Row(
        group=GROUP,
        name="frameworks right on starter layouts",
        value=100 * (1 - len(missed) / len(results)),
        unit="%",
        of="value",
        target=Target(limit=90, least=True),
        note=f"{len(results) - len(missed)} of {len(results)}; missed: {', '.join(missed) or 'none'}",
    )
