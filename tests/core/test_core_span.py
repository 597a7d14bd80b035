"""Spans of time as people write them."""

from datetime import UTC, datetime

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.span import Span, moment_before, parse_span


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("12h", 43_200), ("30d", 2_592_000), ("8w", 4_838_400), ("0s", 0), ("5m", 300)])
def test_a_span_is_read_and_written(text, seconds):
    assert (parse_span(text), parse_span(str(parse_span(text)))) == (Span(seconds), Span(seconds))


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1.5h", "30 d", "30D", "9999999d", "999999w", "\u0663d", 30, None, True, "1d\n"])
def test_anything_else_is_refused(text):
    with pytest.raises(UsageError, match=r"older: .* is not a span of time"):
        parse_span(text, field="older")


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (61, "61s"), (120, "2m"), (86_400, "1d"), (604_800, "1w"), (400 * 86_400, "400d")])
def test_it_is_told_in_the_largest_unit_that_fits(seconds, text):
    assert str(Span(seconds)) == text


def test_a_moment_is_written_as_the_log_writes_times():
    found = moment_before(Span(3600))

    assert (len(found), datetime.fromisoformat(found) < datetime.now(UTC)) == (32, True)
