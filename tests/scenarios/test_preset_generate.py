import hashlib
import itertools
import json
import os
import random
import subprocess
import sys

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Fault
from windtunnel.scenarios.covering import one_round
from windtunnel.scenarios.factors import EXCLUSIONS, FACTORS, NONE
from windtunnel.scenarios.generate import fields_of, generate_presets, grid, pairs_covered
from windtunnel.scenarios.grid import gain, make_grid, open_pairs, strike
from windtunnel.scenarios.preset import preset, read_presets, scenario
from windtunnel.scenarios.reality import Machine, unreal
from windtunnel.scenarios.shortening import shortened

LARGE = Machine(processors=64, memory_bytes=2**40)


@pytest.fixture(scope="module")
def presets():
    return generate_presets(None, seed=11)


def pairs_by_hand(presets):
    """Each two (factor, value) that meet in a preset, without the bits of the code under test."""
    met = set()
    for one in presets:
        fields = preset(one)
        faults = fields.get("FAILURE_MODES", [])
        values = []
        for factor in FACTORS:
            if factor.field == "FAILURE_MODES":
                values.append((factor.name, next((fault for fault in faults if fault in factor.values), NONE)))
            else:
                values.append((factor.name, fields.get(factor.field, factor.values[0])))
        met |= {(a, b) for at, a in enumerate(values) for b in values[at + 1:]}
    return met


def sensible_pairs():
    rules = {exclusion.factors: [] for exclusion in EXCLUSIONS}
    for exclusion in EXCLUSIONS:
        rules[exclusion.factors].append(exclusion.excluded)
    wanted = set()
    for at, one in enumerate(FACTORS):
        for other in FACTORS[at + 1:]:
            for a in one.values:
                for b in other.values:
                    bad = any(rule(a, b) for rule in rules.get((one.name, other.name), []))
                    bad = bad or any(rule(b, a) for rule in rules.get((other.name, one.name), []))
                    if not bad:
                        wanted.add(((one.name, a), (other.name, b)))
    return wanted


def test_all_pairs_that_make_sense_meet_and_no_others(presets):
    assert pairs_by_hand(presets) == sensible_pairs()


def test_all_pairs_take_no_more_than_75_presets(presets):
    assert len(presets) <= 75
    assert pairs_covered(presets) == (grid().pairs, grid().pairs)
    assert grid().pairs == len(sensible_pairs()) > 2612


@pytest.mark.parametrize("seed", [1, 2**40, -5])
def test_another_seed_covers_all_pairs_with_other_presets_within_75(seed, presets):
    others = generate_presets(None, seed=seed)

    assert len(others) <= 75
    assert pairs_covered(others) == (grid().pairs, grid().pairs)
    assert [preset(one) for one in others] != [preset(one) for one in presets]


def test_there_are_fifteen_factors_and_every_fault_is_in_one():
    faults = [value for factor in FACTORS if factor.field == "FAILURE_MODES" for value in factor.values if value != NONE]

    assert len(FACTORS) == 15
    assert sorted(faults) == sorted(map(str, Fault))


def test_fewer_presets_are_the_first_of_more(presets):
    assert generate_presets(3, seed=11) == presets[:3]
    assert generate_presets(30, seed=11) == presets[:30]


def test_presets_beyond_all_pairs_begin_another_round(presets):
    more = generate_presets(len(presets) + 2, seed=11)

    assert more[:len(presets)] == presets
    assert len({one.name for one in more}) == len(presets) + 2


def test_the_first_presets_share_no_pair():
    assert pairs_covered(generate_presets(3, seed=4))[0] == 3 * 15 * 14 // 2


@pytest.mark.parametrize("count", [3, 10, 30])
def test_few_presets_cover_more_than_as_many_dice(count, presets):
    chance = random.Random(5)
    rolled = []
    while len(rolled) < count:
        row = [start + int(chance.random() * many) for start, many in zip(grid().starts, grid().counts, strict=True)]
        bits = sum(1 << number for number in row)
        if all(not bits & ~(grid().partners[number] | 1 << number) for number in row):
            rolled.append(scenario(fields_of(tuple(row))))

    assert pairs_covered(presets[:count])[0] > pairs_covered(rolled)[0]


def test_the_rows_after_the_head_come_in_the_order_of_what_they_add(presets):
    rows = list(one_round(grid(), seed=11))
    left = list(grid().partners)
    gains = []
    for row in rows:
        gains.append(gain(left, row))
        strike(left, row)

    assert gains[20:] == sorted(gains[20:], reverse=True)
    assert open_pairs(left) == 0
    assert len(rows) == len(presets)


def test_the_same_seed_gives_the_same_presets_whatever_the_hash_seed():
    code = ("import json\nfrom windtunnel.scenarios.generate import generate_presets\n"
            "from windtunnel.scenarios.preset import preset\n"
            "print(json.dumps([preset(one) for one in generate_presets(None, seed=3)]))")
    said = [subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                           capture_output=True).stdout for seed in ("1", "2")]

    assert said[0] == said[1]
    assert len(json.loads(said[0])) <= 75


def test_the_presets_of_a_seed_stay_what_they_are():
    said = json.dumps([preset(one) for one in generate_presets(None, seed=0)]).encode()

    assert hashlib.sha256(said).hexdigest()[:16] == "c052ed1e5d67123d"


def test_generated_presets_can_be_written_and_read_again(presets):
    text = json.dumps([preset(one) for one in presets])

    assert [preset(one) for one in read_presets(text, source="presets.json")] == [preset(one) for one in presets]


def test_every_generated_preset_can_be_made_real_on_a_large_machine(presets):
    assert [unreal(one, levels=["process"], machine=LARGE) for one in presets] == [()] * len(presets)


def test_names_of_generated_presets_are_unique(presets):
    assert len({one.name for one in presets}) == len(presets)


def test_later_presets_have_fewer_conditions_than_the_first(presets):
    first, last = ([len(one.faults) for one in part] for part in (presets[:10], presets[-10:]))

    assert sum(last) < sum(first)


@pytest.mark.parametrize("count", [0, -1, 1001, True, "3", 2.0])
def test_a_count_that_is_none_is_refused(count):
    with pytest.raises(UsageError, match="count: not a whole number from 1 to 1000"):
        generate_presets(count, seed=0)


@pytest.mark.parametrize("seed", [None, "1", True, 0.5, 2**100])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(UsageError, match="seed: not a whole number"):
        generate_presets(1, seed=seed)


def test_a_preset_with_values_of_its_own_counts_with_the_rest():
    assert pairs_covered([scenario({"CPU_LIMIT": 1, "MEMORY_LIMIT": "64Mi"})])[0] == 11 * 10 // 2 + 11 * 2 + 1
    assert pairs_covered([scenario({"CPU_LIMIT": 3})])[0] == 11 * 10 // 2
    assert pairs_covered([]) == (0, grid().pairs)


def test_no_order_of_choosing_values_ends_where_none_is_left():
    chance = random.Random(2)
    for _ in range(2000):
        allowed = -1
        for factor in sorted(range(len(FACTORS)), key=lambda _: chance.random()):
            values = grid().values(factor, allowed=allowed)
            assert values, FACTORS[factor].name
            allowed &= grid().partners[values[int(chance.random() * len(values))]]


def test_an_array_of_two_factors_is_their_product():
    rows = list(one_round(make_grid([3, 4], may_meet=lambda one, other: True), seed=0))

    assert sorted(rows) == [(a, 3 + b) for a in range(3) for b in range(4)]


def test_a_long_array_is_shortened_and_still_covers_everything():
    small = make_grid([3] * 4, may_meet=lambda one, other: True)
    rows = [tuple(start + value for start, value in zip(small.starts, values, strict=True))
            for values in itertools.product(range(3), repeat=4)]

    made = shortened(small, [], rows, chance=random.Random(1))

    left = list(small.partners)
    for row in made:
        strike(left, row)
    assert open_pairs(left) == 0
    assert 9 <= len(made) <= 12


def test_what_the_head_covers_needs_no_further_row():
    small = make_grid([2, 2], may_meet=lambda one, other: True)
    rows = [(a, 2 + b) for a in range(2) for b in range(2)]

    assert shortened(small, rows, [rows[0]], chance=random.Random(1)) == []
