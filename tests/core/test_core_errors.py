import pytest

import windtunnel
from windtunnel.core import errors

CODES = {
    errors.WindtunnelError: "error", errors.UsageError: "usage", errors.LanguageMissing: "language-missing",
    errors.IsolationUnavailable: "isolation-unavailable", errors.SandboxFailure: "sandbox-failure",
    errors.NotFound: "not-found", errors.Refused: "refused", errors.BudgetSpent: "budget-spent",
    errors.ApprovalNeeded: "approval-needed", errors.Cancelled: "cancelled",
}


def test_the_tree_is_the_one_that_is_drawn():
    found = {value for value in vars(errors).values() if isinstance(value, type)}

    assert found == set(CODES)
    assert all(issubclass(one, errors.WindtunnelError) for one in found)


def test_each_error_has_a_stable_code_of_its_own():
    assert {one: one.code for one in CODES} == CODES


@pytest.mark.parametrize(("ours", "builtin"), [
    (errors.UsageError, ValueError), (errors.SandboxFailure, RuntimeError),
])
def test_an_error_is_also_the_builtin_that_people_expect(ours, builtin):
    with pytest.raises(builtin, match="said"):
        raise ours("said")


def test_a_usage_error_names_its_field():
    assert (errors.UsageError("files: no", field="files").field, errors.UsageError("no").field) == ("files", None)


def test_a_failing_program_is_no_error_of_ours():
    assert not issubclass(windtunnel.ProgramFailed, errors.WindtunnelError)


@pytest.mark.parametrize("name", windtunnel.__all__)
def test_every_public_name_is_there(name):
    assert getattr(windtunnel, name) is not None


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Sandbocks'"):
        windtunnel.Sandbocks  # noqa: B018 -- reading it is the act
