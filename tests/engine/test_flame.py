"""The flame graph and the list of hot functions, also from names that a hostile program chose."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from windtunnel.engine import flame
from windtunnel.engine.flame import Hot, flame_svg, hottest

SVG = "{http://www.w3.org/2000/svg}"
PROFILE = (
    "<module> (main.py:1);hot (main.py:5) 600\n"
    "<module> (main.py:1);cold (main.py:9);hot (main.py:5) 100\n"
    "<module> (main.py:1);cold (main.py:9) 200\n"
    "<module> (main.py:1) 100\n"
)


def frames(svg):
    """Of each drawn frame: its tooltip, left edge, top edge and width."""
    found = []
    for group in ET.fromstring(svg).iterfind(f"{SVG}g/{SVG}g"):
        rect = group.find(f"{SVG}rect")
        place = [float(rect.get(name)) for name in ("x", "y", "width")]
        found.append((group.findtext(f"{SVG}title"), *place))
    return found


def test_the_hottest_functions_are_ranked_by_their_own_time():
    assert hottest(PROFILE) == [
        Hot("hot (main.py:5)", 700, 70.0),
        Hot("cold (main.py:9)", 200, 20.0),
        Hot("<module> (main.py:1)", 100, 10.0),
    ]


def test_the_hottest_list_is_as_long_as_asked():
    assert hottest(PROFILE, 1) == [("hot (main.py:5)", 700, 70.0)]


def test_a_recursive_function_is_counted_once():
    assert hottest("a (m:1);a (m:1);a (m:1) 5\na (m:1) 5\n") == [Hot("a (m:1)", 10, 100.0)]


@pytest.mark.parametrize("text", ["", "\n", "no weight", "a -3\n", "\0\0"])
def test_no_profile_has_no_hottest_function(text):
    assert hottest(text) == []


@pytest.mark.parametrize("text", ["", "\n", "no weight", "a -3\n", "\0\0"])
def test_no_profile_is_drawn_as_a_sentence(text):
    svg = flame_svg(text, title="Nothing")

    assert (frames(svg), "No samples" in svg) == ([], True)


def test_a_frame_is_as_wide_as_its_share_and_lies_under_its_caller():
    assert frames(flame_svg(PROFILE, title="Shares")) == [
        ("<module> (main.py:1)\n1,000 microseconds, 100.0 %", 10.0, 58.0, 1179.5),
        ("cold (main.py:9)\n300 microseconds, 30.0 %", 10.0, 76.0, 353.5),
        ("hot (main.py:5)\n600 microseconds, 60.0 %", 364.0, 76.0, 707.5),
        ("hot (main.py:5)\n100 microseconds, 10.0 %", 10.0, 94.0, 117.5),
    ]


def test_a_profile_counted_in_samples_says_so():
    svg = flame_svg("a (m:1) 3\n", title="Samples", unit="samples")

    assert frames(svg)[0][0] == "a (m:1)\n3 samples, 100.0 %"


def test_the_same_profile_gives_the_same_picture_whatever_the_order_of_its_lines():
    turned = "".join(reversed(PROFILE.splitlines(keepends=True)))

    assert flame_svg(turned, title="Same") == flame_svg(PROFILE, title="Same")


def test_a_function_has_one_colour_and_the_kinds_differ():
    names = ("mine (main.py:1)", "mine (main.py:1)", "theirs (python:json/decoder.py:1)", "(idle)")

    hues = [int(re.match(r"hsl\((\d+)", flame._colour(name))[1]) for name in names]

    assert (hues[0] == hues[1], hues[0] < 50, 185 <= hues[2] < 225, hues[3]) == (True, True, True, 220)


@pytest.mark.parametrize(
    ("width", "text"),
    [(400, "calculate (main.py:5)"), (80, "calculate"), (60, "calcul…"), (20, "")],
)
def test_a_name_is_clipped_to_its_frame(width, text):
    assert flame._clipped("calculate (main.py:5)", width) == text


HOSTILE = [
    "</svg><script>alert(1)</script>", "]]><x/>", "<!-- ", "&amp;&#x0;", '" onload="alert(1)', "' x='", "<![CDATA[",
    "\x00\x01\x1b[31m", "\ud800", "\ufffe\uffff", "\u202egnp.exe\u2066", "a\u2028b\u0085c\rd", "<style>*{display:none}",
]  # fmt: skip


def structure(svg):
    """Every element with its attributes' names, in order."""
    return [(element.tag, tuple(element.keys())) for element in ET.fromstring(svg.encode()).iter()]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_changes_the_text_alone(name):
    frame = name.replace(";", ",")

    hostile = flame_svg(f"{frame};{frame} (x:1) 7\n", title=name)

    assert structure(hostile) == structure(flame_svg("tame;tame (x:1) 7\n", title="tame"))


def test_a_hostile_name_would_change_the_document_if_it_were_not_escaped(monkeypatch):
    monkeypatch.setattr(flame, "escape", lambda text: text)

    svg = flame_svg("a<script>alert(1)</script> 7\n", title="tame")

    assert structure(svg) != structure(flame_svg("tame 7\n", title="tame"))


def test_letters_that_reorder_text_are_not_in_the_picture():
    svg = flame_svg("\u202egnp.exe 7\n", title="\u2066title\u202e")

    assert set(svg) & set("\u202e\u2066") == set()


def test_the_picture_refers_to_nothing_outside():
    svg = flame_svg(PROFILE, title="Alone")

    assert re.findall(r"https?://[^\"]*|href|url\(|@import", svg) == ["http://www.w3.org/2000/svg"]


def test_frames_too_narrow_to_draw_are_counted():
    narrow = "".join(f"main (m:1);tiny{number} (m:2);inner (m:3) 1\n" for number in range(10))

    svg = flame_svg(f"main (m:1);wide (m:4) 1000000\n{narrow}", title="Narrow")

    assert [tooltip.partition(" ")[0] for tooltip, *_ in frames(svg)] == ["main", "wide"]
    assert "2 frames; 20 more are too narrow to draw" in svg


def test_a_flood_of_frames_is_cut_to_the_widest_and_counted():
    deep = ";".join(f"level{number}" for number in range(100))
    flood = "".join(f"top{number};{deep} {1000 + number}\n" for number in range(100))

    svg = flame_svg(flood, title="Flood")

    assert len(frames(svg)) == 5000
    assert "5,000 frames; 5,100 more are too narrow to draw" in svg


def test_no_frame_overlaps_its_neighbour_or_hangs_without_a_caller():
    flood = "".join(f"a{n % 3};b{n % 7};c{n % 11};d{n % 13} {n % 17 + 1}\n" for n in range(1, 2000))

    boxes = sorted((top, left, left + width) for _, left, top, width in frames(flame_svg(flood, title="Flood")))

    assert [pair for pair in pairwise(boxes) if pair[0][0] == pair[1][0] and pair[1][1] < pair[0][2]] == []
    assert [
        box for box in boxes if box[0] > 58
        and not any(top == box[0] - 18 and left - 0.02 <= box[1] and box[2] <= right + 0.35 for top, left, right in boxes)
    ] == []  # fmt: skip
