import math
from dataclasses import fields

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, KIB, MIB, Limits, parse_size

WHOLE = ("cpu_weight", "memory_bytes", "swap_bytes", "processes", "disk_bytes", "files", "open_files", "output_bytes")
FRACTIONS = ("wall_seconds", "cpu_seconds", "cores")
NEVER = [-1, math.nan, math.inf, -math.inf, 10**20, "5", "", True, [], b"1"]


@pytest.mark.parametrize(("written", "meant"), [
    ("512m", 512 * MIB), ("512M", 512 * MIB), ("512mb", 512 * MIB), ("2g", 2 * GIB), ("1GB", GIB), ("64k", 64 * KIB),
    ("7b", 7), ("100", 100), ("0", 0), (0, 0), (12345, 12345), (2**50, 2**50),
])
def test_a_size_is_read_as_people_write_it(written, meant):
    assert parse_size(written, field="memory") == meant


@pytest.mark.parametrize("written", [
    "", " 1m", "1 m", "-1", "1.5g", "1t", "0x10", "1e9", "nan", "inf", "m", "\u0661m", "9" * 16, "1m\n",
    -1, 2**50 + 1, 1.5, True, None, b"1m", [],
])
def test_what_is_not_a_size_is_refused_by_the_name_of_its_field(written):
    with pytest.raises(UsageError, match=r"^memory: not a size: .*try 512m, 2g or a number of bytes") as refused:
        parse_size(written, field="memory")

    assert refused.value.field == "memory"


def test_a_hostile_size_is_shown_short_and_without_control_characters():
    with pytest.raises(UsageError) as refused:
        parse_size("\x1b[31m" * 10_000, field="memory")

    assert len(str(refused.value)) < 200
    assert "\x1b" not in str(refused.value)


def test_every_limit_is_known_here():
    assert {field.name for field in fields(Limits)} == {*WHOLE, *FRACTIONS}


@pytest.mark.parametrize("value", NEVER, ids=repr)
@pytest.mark.parametrize("name", [*WHOLE, *FRACTIONS])
def test_what_is_no_limit_is_refused_by_its_name(name, value):
    with pytest.raises(UsageError, match=f"^{name}: ") as refused:
        Limits(**{name: value})

    assert refused.value.field == name


@pytest.mark.parametrize("name", [name for name in (*WHOLE, *FRACTIONS) if name != "swap_bytes"])
def test_zero_is_refused_instead_of_meaning_no_limit(name):
    with pytest.raises(UsageError, match=f"^{name}: out of range") as refused:
        Limits(**{name: 0})

    assert refused.value.field == name


def test_zero_swap_is_a_limit():
    assert Limits(swap_bytes=0).swap_bytes == 0


@pytest.mark.parametrize("name", WHOLE)
def test_a_fraction_of_a_whole_thing_is_refused(name):
    with pytest.raises(UsageError, match=f"^{name}: not a number"):
        Limits(**{name: 100_000_000.5})


def test_none_is_a_limit_of_processor_time_alone():
    assert Limits(cpu_seconds=None).cpu_seconds is None
    with pytest.raises(UsageError, match=r"^wall_seconds: not a number: None"):
        Limits(wall_seconds=None)


def test_an_unknown_limit_is_a_type_error():
    with pytest.raises(TypeError, match="foo"):
        Limits(foo=1)


@pytest.mark.parametrize(("mine", "caps", "over"), [
    (Limits(), Limits(), None),
    (Limits(memory_bytes=GIB), Limits(), "memory_bytes"),
    (Limits(cpu_seconds=10), Limits(cpu_seconds=5), "cpu_seconds"),
    (Limits(cpu_seconds=None), Limits(cpu_seconds=5), None),
    (Limits(cpu_seconds=10), Limits(cpu_seconds=None), None),
    (Limits(wall_seconds=31, processes=200), Limits(), "wall_seconds"),
])
def test_limits_say_which_of_them_is_over_the_caps(mine, caps, over):
    assert mine.over(caps) == over
