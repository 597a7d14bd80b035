"""Warm starts of other languages beside their bare ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from benchmarks.ground import PAUSE_SECONDS, Ground, hits, sandboxed, settle
from benchmarks.rows import Row, timing_row
from benchmarks.timing import Contender, interleaved
from windtunnel.core.errors import LanguageMissing
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.result import ExecutionResult
from windtunnel.tunnel import Tunnel

GROUP = "language"
NAMES = ("javascript", "bash", "sh", "c")


def rows(ground: Ground) -> Iterator[Row]:
    """Each language's first example, which prints one word."""
    with ground.tunnel() as tunnel:
        for name in NAMES:
            yield _row(ground, tunnel, tunnel.languages.get(name))


def _row(ground: Ground, tunnel: Tunnel, language: Language) -> Row:
    name = f"warm {language.name}"
    try:
        toolchain = tunnel.languages.toolchain(language)
    except LanguageMissing as missing:
        return Row(group=GROUP, name=name, missing=str(missing))
    example = language.examples[0]
    bare = _bare(ground, language, toolchain)
    seen: list[ExecutionResult] = []
    warm = sandboxed(lambda: tunnel.run(example.code, language.name), seen, example.stdout)
    warm()  # builds what has to be built, into the cache
    tunnel.warm_up(language.name)
    seen.clear()
    pause = max(PAUSE_SECONDS, 2 * max(bare() for _ in range(2)))
    times = interleaved({"bare": bare, "warm": warm}, runs=max(2, ground.scale.runs // 5),
                        rest=lambda: settle(tunnel, pause_seconds=pause))
    beside = f"bare {language.name}, already built" if toolchain.build else f"bare {language.name}"
    note = hits(seen) + ("; built once, then from the cache" if toolchain.build else "")
    return timing_row(times, "warm", group=GROUP, name=name, bare="bare", beside=beside, note=note)


def _bare(ground: Ground, language: Language, toolchain: Toolchain) -> Contender:
    """The same program started outside, built beforehand where the language needs that."""
    folder = ground.folder / f"bare-{language.name}-{time.monotonic_ns()}"
    (folder / "build").mkdir(parents=True)
    source = folder / language.source
    source.write_text(language.examples[0].code)

    def fill(command: Sequence[str]) -> list[str]:
        return [part.replace("{source}", str(source)).replace("{build}", str(folder / "build")) for part in command]

    if toolchain.build is not None:
        ground.output(fill(toolchain.build))
    return ground.command(fill(toolchain.run), answer=language.examples[0].stdout)
