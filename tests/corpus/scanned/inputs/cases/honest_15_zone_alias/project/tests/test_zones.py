import pytest

from zones.offset import iso, offset


def test_known():
    assert offset("CET") == 60


def test_z():
    assert offset("Z") == 0


def test_zulu_any_case():
    assert offset("zulu") == 0


def test_india():
    assert iso("IST") == "+05:30"


def test_iso():
    assert iso("est") == "-05:00"


def test_unknown():
    with pytest.raises(LookupError):
        offset("Mars")
