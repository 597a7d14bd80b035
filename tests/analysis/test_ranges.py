"""Ranges of npm, Cargo and Composer."""

from __future__ import annotations

import pytest

from windtunnel.analysis.ranges import cargo_range, common, composer_range, holds, npm_range, version_of


def inside(read, wanted, version):
    return holds(read(wanted), version_of(version))


@pytest.mark.parametrize(("wanted", "yes", "no"), [
    ("^1.2.3", ["1.2.3", "1.9.9"], ["1.2.2", "2.0.0", "2.0.0-rc.1"]),
    ("^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0"]),
    ("^0.0.3", ["0.0.3"], ["0.0.4"]),
    ("^0", ["0.9.0"], ["1.0.0"]),
    ("^1.2", ["1.2.0", "1.9.0"], ["1.1.9"]),
    ("~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]),
    ("~1", ["1.0.0", "1.9.0"], ["2.0.0"]),
    ("1.2.x", ["1.2.0", "1.2.7"], ["1.3.0"]),
    ("1", ["1.0.0", "1.5.0"], ["2.0.0", "0.9.0"]),
    ("*", ["0.0.0", "9.9.9"], ["1.0.0-alpha"]),
    ("", ["3.0.0"], []),
    (">=1.2.7 <1.3.0", ["1.2.7", "1.2.99"], ["1.2.6", "1.3.0"]),
    ("> 1.2", ["1.3.0"], ["1.2.5"]),
    ("<=1.2", ["1.2.9"], ["1.3.0"]),
    ("1.2.3 - 2.3", ["1.2.3", "2.3.9"], ["2.4.0", "1.2.2"]),
    ("^1.0.0 || ^3.0.0", ["1.1.0", "3.1.0"], ["2.0.0"]),
    (">=1.0.0-beta.2", ["1.0.0-beta.11", "1.0.0", "2.0.0"], ["1.0.0-beta.1", "1.0.0-alpha", "2.0.0-beta"]),
    ("=1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4"]),
    (">2.0.0 <1.0.0", [], ["1.5.0", "0.0.0"]),
])
def test_npm(wanted, yes, no):
    assert ([inside(npm_range, wanted, one) for one in yes], [inside(npm_range, wanted, one) for one in no]) == (
        [True] * len(yes), [False] * len(no))


@pytest.mark.parametrize(("wanted", "yes", "no"), [
    ("1.2.3", ["1.2.3", "1.9.0"], ["2.0.0"]), ("0.4", ["0.4.7"], ["0.5.0"]), ("=1.2.3", ["1.2.3"], ["1.2.4"]),
    (">= 1.2, < 1.5", ["1.4.9"], ["1.5.0"]), ("~1.2", ["1.2.9"], ["1.3.0"]), ("*", ["7.0.0"], []), ("1.*", ["1.7.0"], ["2.0.0"])])
def test_cargo(wanted, yes, no):
    assert ([inside(cargo_range, wanted, one) for one in yes], [inside(cargo_range, wanted, one) for one in no]) == (
        [True] * len(yes), [False] * len(no))


@pytest.mark.parametrize(("wanted", "yes", "no"), [
    ("~1.2", ["1.9.0"], ["2.0.0"]), ("~1.2.3", ["1.2.9"], ["1.3.0"]), ("7.1.*", ["7.1.4"], ["7.2.0"]),
    ("^8.1|^9.0", ["9.0.1"], ["7.0.0"]), (">=8.1,<9", ["8.9.9"], ["9.0.0"])])
def test_composer(wanted, yes, no):
    assert ([inside(composer_range, wanted, one) for one in yes], [inside(composer_range, wanted, one) for one in no]) == (
        [True] * len(yes), [False] * len(no))


@pytest.mark.parametrize("text", ["latest-beta", "git+https://x/y.git", "file:../a", "npm:other@^1", "next", "1.2.3.4.5", "^^1", "x" * 600])
def test_what_is_no_range_is_told_so(text):
    assert npm_range(text) is None


@pytest.mark.parametrize(("wishes", "meet"), [
    (["^1.0.0", "^1.5.0"], True), (["^1.0.0", "^2.0.0"], False), (["1.0.0", "1.0.1"], False), (["<2", ">=2"], False),
    (["<=2.0.0", ">=2.0.0"], True), (["^1 || ^2", "^2.3"], True), (["*", "^9"], True), ([">2.0.0 <1.0.0", "*"], False)])
def test_ranges_meet_or_do_not(wishes, meet):
    assert bool(common([npm_range(one) for one in wishes])) is meet
