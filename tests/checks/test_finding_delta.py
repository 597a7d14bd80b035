"""Only what a change brought counts against it."""

from __future__ import annotations

from windtunnel.checks.delta import new_findings
from windtunnel.core.trial import LintResult


def finding(line, *, rule="F401", message="`os` imported but unused", path="a.py", tool="ruff"):
    return LintResult(tool=tool, rule=rule, message=message, path=path, line=line)


def test_a_finding_that_only_moved_is_not_new():
    assert new_findings([finding(3)], [finding(40)]) == ((), 0)


def test_a_number_in_the_message_makes_no_difference_but_a_name_does():
    long, longer = (finding(1, rule="E501", message=f"Line too long ({size} > 120)") for size in (121, 130))
    one, two = (finding(1, rule="F821", message=f"Undefined name `x{number}`") for number in (1, 2))

    assert new_findings([long, one], [longer, two]) == ((two,), 1)


def test_equal_findings_are_counted_and_the_one_farthest_from_the_old_is_new():
    before = [finding(10), finding(20)]
    after = [finding(11), finding(90), finding(21)]

    assert new_findings(before, after) == ((finding(90),), 0)


def test_fixed_findings_are_counted():
    assert new_findings([finding(1), finding(2), finding(3, rule="E722")], [finding(2)]) == ((), 2)


def test_another_tool_rule_or_path_is_another_finding():
    others = [finding(1, tool="flake8"), finding(1, rule="E999"), finding(1, path="b.py"), finding(1, path=None)]

    assert new_findings([finding(1)], others) == (tuple(others), 1)


def test_findings_of_a_renamed_file_are_not_new():
    moved = {"a.py": "b.py"}

    assert new_findings([finding(1)], [finding(5, path="b.py")], moved=lambda path: moved.get(path, path)) == ((), 0)


def test_one_value_listed_twice_is_two_findings():
    same = finding(None)

    assert new_findings([same], [same, same]) == ((same,), 0)


def test_ten_thousand_equal_findings_are_compared_by_number_alone():
    before, after = [finding(line) for line in range(10_000)], [finding(line) for line in range(10_001)]

    assert new_findings(before, after) == ((finding(10_000),), 0)
