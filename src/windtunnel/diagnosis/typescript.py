"""The TypeScript compiler, plain and in colours; its codes are the same in every locale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.text import number

_LINE = re.compile(
    r"(?:([^\s(][^(\n]{0,400})\(([0-9]{1,9}),([0-9]{1,9})\): |(\S[^:\n]{0,400}):([0-9]{1,9}):([0-9]{1,9}) - )?"
    r"(\S{1,20}) (TS[0-9]{1,6}): (.*)")
_CODES = {
    K.NAME: (2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2662, 2663, 18004, 2693, 2749),
    K.IMPORT: (2307, 2305, 2614, 2724, 2459, 2460, 2497, 2613, 2792, 2834, 2835, 7016, 1192, 1259, 1261, 2306, 2691,
               2732, 1149, 2305, 1479, 2846),
    K.ATTRIBUTE: (2339, 2551, 2550, 2353, 2561, 2576, 2568, 2570, 2812, 2694),
    K.ARGUMENT: (2554, 2555, 2556, 2557, 2558, 2575, 2314, 2315, 2707, 2743, 1016, 2744, 2794),
    K.NULL: (2531, 2532, 2533, 18047, 18048, 18049, 18050, 2721, 2722, 2723),
    K.FLOW: (2454, 2355, 2366, 7027, 7029, 7030, 2448, 2449, 2450, 2564, 2378, 2869, 2871, 2872, 2873, 2774, 2801,
             17009,
             2376, 2377, 2845, 7028),
    K.DUPLICATE: (2300, 2451, 2393, 2323, 2392, 2528, 2567, 1117, 2717, 2718, 2395, 2649),
    K.IMMUTABLE: (2588, 2540, 2542, 2630, 2628, 2629, 2631, 2632, 2704),
    K.ACCESS: (2341, 2445, 2446, 18013, 2673, 2674, 2675, 18016, 2840),
    K.UNUSED: (6133, 6138, 6192, 6196, 6198, 6199, 6205, 2578),
    K.INTERFACE: (2420, 2511, 2515, 2610, 2653, 2654, 2655, 2656, 4111, 4112, 4113, 4114, 4116, 2391, 2416, 2720, 2415),
    K.INDEX: (2493, 2514, 2733),
    K.KEY: (2536, 2537, 7053, 7052),
    K.DEPENDENCY: (2688,),
    K.RECURSION: (2456, 2502, 2506, 2589, 2310, 7022, 7023),
    K.TYPE: (1320,),
}
_BY_CODE = {code: what for what, codes in _CODES.items() for code in codes}
_RANGES = ((1000, 2000, K.SYNTAX), (5000, 5200, K.CONFIGURATION), (6000, 6400, K.CONFIGURATION),
           (17000, 17020, K.SYNTAX), (18000, 18004, K.CONFIGURATION), (8000, 8040, K.SYNTAX))


def code_kind(code: str) -> ProblemKind:
    """What a code such as ``TS2322`` means; most of the others are about types."""
    value = number(code.removeprefix("TS")) or 0
    known = _BY_CODE.get(value)
    return known or next((what for low, high, what in _RANGES if low <= value < high), K.TYPE)


def read(lines: Sequence[str]) -> Iterator[Found]:
    """One problem for each first line; what is indented below belongs to it."""
    for at, line in enumerate(lines):
        said = _LINE.fullmatch(line) if " TS" in line else None
        if said is None:
            continue
        end = at + 1
        while end < len(lines) and end < at + 20 and lines[end].startswith("  ") and not re.match(
                r"\s+(?:\d+ |~|\S+:\d+:\d+)", lines[end]):
            end += 1
        file, row, column = (said[1], said[2], said[3]) if said[1] else (said[4], said[5], said[6])
        place = Place(file=file, line=number(row), column=number(column)) if file else None
        message = "\n".join([said[9], *lines[at + 1 : end]])
        yield Found(problem=problem(code_kind(said[8]), message, name=said[8], place=place,
                                    severity="warning" if said[7] == "warning" else "error"), first=at, last=end - 1)


READER = Reader(name="tsc", language="typescript", read=read, examples=(
    Example(output="src/cart.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
            problems=(("type", "src/cart.ts", 2),)),
    Example(output='src/cart.ts:3:9 - Fehler TS2304: Der Name "totl" wurde nicht gefunden.\n',
            problems=(("name", "src/cart.ts", 3),)),
    Example(output="Found 0 errors. Watching for file changes.\n"),
))
