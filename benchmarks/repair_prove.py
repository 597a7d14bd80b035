"""Whether the corpora are what they say: ``python -m benchmarks.repair_prove [part …] [--most 10]``.

Of each Python program: as it should be, it passes every test; broken, it loads, fails one test at least, and behaves
otherwise on generated inputs. Of those of other languages (only where asked for, since it takes compilers): the good
program prints something and ends well, the broken one does not end well; the good function passes its tests, the broken
one builds, fails one, and gives other values for the inputs. Ends with 1 where a program is not so, and names it.
"""

from __future__ import annotations

import argparse
import ast
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.ground import SMALL, Ground
from benchmarks.repair_behaviour import CALL_SECONDS, difference
from benchmarks.repair_corpus import Fault, faults, sample, test_file
from benchmarks.repair_errors import FOLDERS, LANGUAGES, Language, behaviour, lay_out, prepared
from benchmarks.repair_foreign import FOLDER, KITS, PART, Kit, told, with_tests
from benchmarks.timing import NotRun

PARTS = ("classic", "functions")
COMPILED = {"errors": FOLDERS["error to diff"], "held out errors": FOLDERS["held out errors"], PART: FOLDER}
"""By name: the folders of programs that their own languages judge."""
_FEWEST_TESTS, _MOST_TESTS = 3, 8
_Weak = Callable[[Language, Fault, Path], Iterator[str]]


def main() -> int:
    """A line for each weakness, then the counts of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="part", help=f"of {', '.join((*PARTS, *COMPILED))}")
    parser.add_argument("--most", type=int, help="of each part so many programs")
    given = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _late)
    found = 0
    for part in given.parts:
        those = sample(faults(COMPILED.get(part, part)), given.most)
        twice = [name for name, count in Counter(one.name for one in those).items() if count > 1]
        shown = [*(f"{name}: twice" for name in twice), *_weaknesses(part, those)]
        print(*shown, sep="\n", end="\n" if shown else "")
        print(f"{part}: {len(those)} programs, {len(shown)} weaknesses:", dict(Counter(one.kind for one in those)))
        found += len(shown)
    return int(found > 0)


def _weaknesses(part: str, those: list[Fault]) -> Iterator[str]:
    if part == PART:
        yield from _by_language(those, [(kit.language, partial(_weak_function, kit)) for kit in KITS])
    elif part in COMPILED:
        yield from _by_language(those, [(language, _weak_error) for language in LANGUAGES])
    else:
        yield from (f"{one.name}: {words}" for one in those for words in weak(one))


def weak(fault: Fault) -> Iterator[str]:
    """What is wrong with a program of the corpus itself."""
    if not fault.name.isidentifier() or fault.name in sys.stdlib_module_names:
        yield "not the name of a module of its own"
    if not _FEWEST_TESTS <= len(fault.tests) <= _MOST_TESTS:
        yield f"{len(fault.tests)} tests"
    for source in (fault.broken, test_file(fault)):
        ast.parse(source)
    failing = {form: [line for line in fault.tests if not _holds(source, line)]
               for form, source in (("good", fault.good), ("broken", fault.broken))}
    if failing["good"]:
        yield f"the good program fails {failing['good'][0]}"
    if not failing["broken"]:
        yield "the broken program passes every test"
    for other, wanted in ((fault.good, False), (fault.broken, True)):
        told = difference(fault.good, other, name=fault.name, inputs=fault.inputs, driver=fault.driver)
        if bool(told) is not wanted:
            yield f"generated inputs: {told or 'the broken program is not told from the good one'}"


def _by_language(those: list[Fault], asked: list[tuple[Language, _Weak]]) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="wt-prove-") as folder:
        ground = Ground(folder=Path(folder), scale=SMALL)
        for language, weaknesses in asked:
            own = [fault for fault in those if fault.name.startswith(f"{language.name}_")]
            if not own:
                continue
            try:
                ready = prepared(ground, language)
            except NotRun as missing:
                print(f"{language.name}: not run: {missing}")
                continue
            for fault in own:
                yield from (f"{fault.name}: {words}" for words in weaknesses(ready, fault, Path(folder)))


def _weak_error(language: Language, fault: Fault, folder: Path) -> Iterator[str]:
    good, broken = (behaviour(language, lay_out(language, folder / f"{fault.name}-{form}", source=source))
                    for form, source in (("good", fault.good), ("broken", fault.broken)))
    if good[0] != 0 or not good[1]:
        yield f"the good program gives {good}"
    if broken[0] == 0:
        yield "the broken program ends well"


def _weak_function(kit: Kit, language: Language, fault: Fault, folder: Path) -> Iterator[str]:
    if not _FEWEST_TESTS <= len(fault.tests) <= _MOST_TESTS:
        yield f"{len(fault.tests)} tests"
    forms = (("good", fault.good), ("broken", fault.broken))
    good, broken = (behaviour(language, with_tests(kit, fault, folder / f"{fault.name}-{form}", source=source))
                    for form, source in forms)
    if good[0] != 0:
        yield "the good function fails its tests"
    if broken[0] == 0:
        yield "the broken function passes its tests"
    wanted, given = (told(kit, fault, folder / f"{fault.name}-{form}-told", text=source + kit.end(fault))
                     for form, source in forms)
    if wanted[0] != 0 or given[0] != 0:
        yield f"inputs: cannot be asked of the {'good' if wanted[0] else 'broken'} function"
    elif wanted == given:
        yield "inputs: the broken function is not told from the good one"


def _holds(source: str, line: str) -> bool:
    wanted, call = "", line
    if line.startswith("raises "):
        wanted, _, call = line.removeprefix("raises ").partition(": ")
    space: dict[str, object] = {"__name__": "program"}
    signal.setitimer(signal.ITIMER_VIRTUAL, CALL_SECONDS)
    try:
        exec(compile(source, "program", "exec"), space)
        return bool(eval(call, space)) and not wanted
    except Exception as error:  # noqa: BLE001 -- a test that ends so does not hold
        return type(error).__name__ == wanted
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _late(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    sys.exit(main())
