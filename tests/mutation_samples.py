"""Mutation runs for tests of what is made of them."""

from __future__ import annotations

from windtunnel.core.mutation import (
    Estimate,
    Fate,
    Judged,
    Mutant,
    MutationResult,
    State,
    Weakness,
    WeakTest,
)

PRICES = b'''"""What things cost."""


def total(items, rate=0.2):
    summed = sum(item.price * item.count for item in items)
    if summed > 100:
        summed = summed - 5
    return summed + summed * rate


def free(total):
    return total >= 50


def label(total):
    if total is None:
        return "n/a"
    return f"{total:.2f}"
'''
NAMES = "def gruß(name):\n    return 'Grüße 👋 ' + name + '!'\n".encode()
SOURCES = {"shop/prices.py": PRICES, "shop/names.py": NAMES}
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u2028\u202e'"


def mutant(source, original, replacement, *, path, operator="comparison", number=0, function="f", scope="function", **other):
    """The first place of ``original`` in the source, replaced."""
    start = source.index(original.encode())
    line = source[:start].count(b"\n") + 1
    column = start - (source.rfind(b"\n", 0, start) + 1)
    end = start + len(original.encode())
    told = {"id": f"{number:016x}", "description": f"{original.strip()} becomes {replacement.strip() or 'nothing'}", **other}
    return Mutant(
        path=path, operator=operator, line=line, column=column, end_line=source[:end].count(b"\n") + 1,
        end_column=end - (source.rfind(b"\n", 0, end) + 1), original=original, replacement=replacement, start=start,
        end=end, function=function, scope=scope, **told)


def judged(fate, *arguments, by="", tests=(), way="switched", reached=None, **options):
    found = mutant(*arguments, **options)
    return Judged(mutant=found, fate=fate, by=by, way=way, seconds=0.012, tests=tests,
                  reached=len(tests) + bool(by) if reached is None else reached)


def mixed():
    """A run with every fate."""
    total, free = "tests/test_prices.py::test_total", "tests/test_prices.py::test_free"
    prices = {"path": "shop/prices.py"}
    return MutationResult(
        state=State.JUDGED, tests=12, tries=6, compared=4, differing=1, dropped=2, execution_time=1.25,
        failing=("tests/test_old.py::test_gone",), flaky=("tests/test_net.py::test_sometimes",),
        notes=("one file could not be read",),
        weak=(WeakTest(test="tests/test_prices.py::test_runs", reason=Weakness.ASSERTS_NOTHING, reached=3),),
        estimate=Estimate(share=0.5, low=0.25, high=0.75, drawn=6),
        judged=(
            judged(Fate.KILLED, PRICES, "item.price * item.count", "item.price / item.count", by=total, number=1, operator="arithmetic", function="total", **prices),
            judged(Fate.SURVIVED, PRICES, "summed > 100", "summed >= 100", tests=(total, free), number=2, function="total", **prices),
            judged(Fate.KILLED, PRICES, "summed > 100", "summed <= 100", by=total, number=3, function="total", **prices),
            judged(Fate.TIMEOUT, PRICES, "summed - 5", "summed + 5", tests=(total,), number=4, operator="arithmetic", function="total", **prices),
            judged(Fate.SURVIVED, PRICES, "total >= 50", "total > 50", tests=(free,), number=5, function="free", **prices),
            judged(Fate.UNTESTED, PRICES, 'if total is None:\n        return "n/a"\n', "pass\n", number=6, operator="statement", function="label", way="", **prices),
            judged(Fate.SAME, PRICES, "rate=0.2", "rate=.2", number=7, operator="default", function="total", **prices),
            judged(Fate.FAILED, PRICES, "{total:.2f}", "{total}", number=8, operator="string", function="label", **prices),
            judged(Fate.NOT_JUDGED, PRICES, "return summed", "return 0", number=9, operator="return", function="total", way="", **prices),
            judged(Fate.KILLED, NAMES, "'!'", "''", by="tests/test_names.py::test_it", number=10, operator="string", function="gruß", path="shop/names.py"),
        ))


def sound():
    """A run in which everything was noticed."""
    return MutationResult(state=State.JUDGED, tests=3, tries=1, judged=(
        judged(Fate.KILLED, PRICES, "total >= 50", "total > 50", by="tests/test_prices.py::test_free", path="shop/prices.py"),))


def unproven():
    """A run whose fates prove nothing."""
    return MutationResult(state=State.NOT_NOTICED, judged=sound().judged)


def empty():
    return MutationResult(state=State.NO_MUTANTS)


def evil():
    """A run in which every word is an attack; with the sources of it."""
    source = f"x = {HOSTILE!r} + 'a'  # {HOSTILE}\ny = '{'z' * 100_000}'\n".encode()
    path = f"a{HOSTILE}.py"
    long_name = f"tests/test_x.py::test[{HOSTILE * 50}]"
    found = judged(Fate.SURVIVED, source, "+ 'a'", f"+ '{HOSTILE}'", tests=(long_name, HOSTILE), path=path, operator=HOSTILE,
                   function=HOSTILE, description=HOSTILE, way=HOSTILE)
    longest = judged(Fate.KILLED, source, "'zz", "'", by=HOSTILE, path=path, number=1)
    return MutationResult(
        state=State.JUDGED, judged=(found, longest), failing=(HOSTILE, long_name), notes=(HOSTILE, "\udc80"), tests=1,
        weak=(WeakTest(test=HOSTILE, reason=Weakness.NEVER_FIRST),)), {path: source}
