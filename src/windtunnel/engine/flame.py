"""A profile as a picture and as a short list.

The picture is one SVG file: no fonts, styles or scripts from elsewhere, and readable without its script, which only
zooms. A flame graph lays time out from left to right without its order: calls of the same function are side by side
under their caller, and names are sorted. Names come from a hostile program: what is not visible text is replaced,
and the rest is escaped.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import groupby
from typing import NamedTuple
from zlib import crc32

from windtunnel.languages.profiling import Stack, clean_frame, stacks

_WIDTH, _MARGIN, _ROW, _TOP, _FOOT = 1200.0, 10.0, 18, 58, 26
_LETTER = 6.65
"""Pixels of one letter at the size used, in the wider of the common fixed-width fonts."""
_NARROWEST = 0.5
_MOST_DRAWN = 5000


class Hot(NamedTuple):
    """One function and the time spent in itself, calls it made left out."""

    frame: str
    own: int
    """In the profile's unit: microseconds from the profilers shipped here."""
    percent: float
    """Of the whole profile."""


class _Box(NamedTuple):
    name: str
    depth: int
    begin: int
    weight: int


def hottest(collapsed: str, count: int = 10) -> list[Hot]:
    """The functions with most time of their own, most first; empty for an empty profile."""
    own: Counter[str] = Counter()
    for stack, weight in stacks(collapsed):
        own[stack[-1]] += weight
    total = own.total()
    ranked = sorted(own.items(), key=lambda item: (-item[1], item[0]))
    return [Hot(frame, weight, 100 * weight / total) for frame, weight in ranked[:count]]


def flame_svg(collapsed: str, *, title: str, unit: str = "microseconds") -> str:
    """The whole profile as one SVG document; the foot says how many frames were too narrow to draw."""
    profile = _merged(collapsed)
    total = sum(weight for _, weight in profile)
    boxes, omitted = _drawn(profile, total=total)
    depth = max((box.depth for box in boxes), default=-1) + 1
    height = _TOP + max(1, depth) * _ROW + _FOOT
    heading, size = escape(clean_frame(title)), f'width="{_WIDTH:g}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height}" {size}>',
        f"<title>{heading}</title>{_STYLE}",
        f'<rect class="page" {size}/><text class="head" x="{_MARGIN:g}" y="24">{heading}</text>',
        f'<text class="note" x="{_MARGIN:g}" y="44">{escape(_summary(total, unit=unit))}</text><g id="frames">',
        *(_frame(box, total=total, unit=clean_frame(unit)) for box in boxes),
        f'</g><text class="note" x="{_MARGIN:g}" y="{height - 9}">{_foot(len(boxes), omitted)}</text>',
        _SCRIPT + "</svg>\n",
    ]
    return "\n".join(parts)


def _merged(collapsed: str) -> list[tuple[Stack, int]]:
    """Each stack once, sorted, so that stacks with a common beginning are neighbours."""
    weights: Counter[Stack] = Counter()
    for stack, weight in stacks(collapsed):
        weights[stack] += weight
    return sorted(weights.items())


def _drawn(profile: list[tuple[Stack, int]], *, total: int) -> tuple[list[_Box], int]:
    """The boxes wide enough to see, callers before callees, and how many more there are.

    Where there are too many, the widest stay; a caller is at least as wide as what it calls, so none hangs in the air.
    """
    least = total * _NARROWEST / (_WIDTH - 2 * _MARGIN)
    boxes, pending = [], [(0, 0, profile)]
    while pending:
        depth, begin, part = pending.pop()
        for name, group in groupby((item for item in part if len(item[0]) > depth), key=lambda item: item[0][depth]):
            inner = list(group)
            weight = sum(item[1] for item in inner)
            if weight >= least:
                boxes.append(_Box(name, depth, begin, weight))
                pending.append((depth + 1, begin, inner))
            begin += weight
    boxes.sort(key=lambda box: (-box.weight, box.depth, box.begin))
    del boxes[_MOST_DRAWN:]
    return sorted(boxes, key=lambda box: (box.depth, box.begin)), _count(profile) - len(boxes)


def _count(profile: list[tuple[Stack, int]]) -> int:
    """Boxes of the whole tree: each sorted stack adds what it does not share with the one before."""
    count, before = 0, Stack()
    for stack, _ in profile:
        shared = next((place for place, (a, b) in enumerate(zip(before, stack, strict=False)) if a != b), len(before))
        count += len(stack) - shared
        before = stack
    return count


def _frame(box: _Box, *, total: int, unit: str) -> str:
    scale = (_WIDTH - 2 * _MARGIN) / total
    left, width, top = _MARGIN + box.begin * scale, box.weight * scale, _TOP + box.depth * _ROW
    tooltip = f"{box.name}\n{box.weight:,} {unit}, {100 * box.weight / total:.1f} %"
    return (
        f'<g><title>{escape(tooltip)}</title>'
        f'<rect x="{left:.2f}" y="{top}" width="{max(width - 0.5, 0.3):.2f}" height="{_ROW - 1}" rx="1" '
        f'fill="{_colour(box.name)}"/>'
        f'<text x="{left + 4:.2f}" y="{top + 12.5}">{escape(_clipped(box.name, width))}</text></g>'
    )


def _clipped(name: str, width: float) -> str:
    """The name, or the function without its file, or the beginning of that: what fits."""
    letters = int((width - 8) / _LETTER)
    for text in (name, name.partition(" (")[0]):
        if len(text) <= letters:
            return text
    return text[: letters - 1] + "…" if letters > 2 else ""  # noqa: PLR2004 -- two letters say nothing


def _colour(name: str) -> str:
    """Always the same for a name: warm for the program's own files, cool for others, grey for states of the runtime."""
    first, second = divmod(crc32(name.encode()) & 0xFFFF, 256)
    if "(" not in name[1:]:
        return f"hsl(220, 8%, {72 + first % 10}%)"
    foreign = any(mark in name for mark in ("(/", "(node:", "(python:", "(<frozen "))
    return f"hsl({185 + first % 40 if foreign else 12 + first % 38}, {58 + second % 22}%, {66 + second % 9}%)"


def _summary(total: int, *, unit: str) -> str:
    if not total:
        return "No samples: the program ended before the first one, or left no profile."
    return f"{total:,} {clean_frame(unit)} in all threads; callers above, what they call below"


def _foot(drawn: int, omitted: int) -> str:
    if not omitted:
        return f"{drawn:,} frames"
    return f"{drawn:,} frames; {omitted:,} more are too narrow to draw"


_STYLE = """
<style>
svg { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.page { fill: #ffffff } .head { font-size: 16px; fill: #1c1c1e } .note { font-size: 11px; fill: #5f5f66 }
#frames text { font-size: 11px; fill: #1c1c1e; pointer-events: none } #frames g { cursor: pointer }
#frames g:hover rect { stroke: #1c1c1e; stroke-width: 1 } text { white-space: pre; unicode-bidi: isolate }
@media (prefers-color-scheme: dark) {
  .page { fill: #16171a } .head { fill: #f2f2f4 } .note { fill: #a5a5ad }
  #frames g:hover rect { stroke: #ffffff }
}
</style>"""

_SCRIPT = f"""<script><![CDATA[
(() => {{
  const margin = {_MARGIN:g}, inside = {_WIDTH - 2 * _MARGIN:g}, letter = {_LETTER:g};
  const all = [...document.querySelectorAll('#frames > g')].map((group) => {{
    const [title, rect, text] = group.children;
    const name = title.textContent.split('\\n')[0];
    const box = {{ group, rect, text, name, row: +rect.getAttribute('y') }};
    box.left = +rect.getAttribute('x');
    box.width = +rect.getAttribute('width') + 0.5;
    return box;
  }});
  let shown = null;
  const draw = (focus) => {{
    shown = focus;
    const begin = focus ? focus.left : margin, scale = focus ? inside / focus.width : 1;
    for (const box of all) {{
      const from = Math.max(margin, margin + (box.left - begin) * scale);
      const to = Math.min(margin + inside, margin + (box.left + box.width - begin) * scale);
      const width = to - from;
      box.group.style.display = width > 0.2 ? '' : 'none';
      box.group.style.opacity = focus && box.row < focus.row ? 0.5 : 1;
      if (width <= 0.2) continue;
      box.rect.setAttribute('x', from);
      box.rect.setAttribute('width', Math.max(width - 0.5, 0.3));
      box.text.setAttribute('x', from + 4);
      const letters = Math.floor((width - 8) / letter);
      const short = box.name.split(' (')[0];
      const cut = letters > 2 ? short.slice(0, letters - 1) + '\\u2026' : '';
      box.text.textContent = [box.name, short].find((text) => text.length <= letters) ?? cut;
    }}
  }};
  for (const box of all) box.group.addEventListener('click', () => draw(shown === box ? null : box));
}})();
]]></script>
"""
