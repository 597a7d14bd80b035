import base64
import urllib.parse

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, Status
from windtunnel.engine.secrets import MASK, Mask, check_secrets

SECRET = "s3cr/t+Pässword"


@pytest.mark.parametrize("spell", [
    str, lambda s: s[::-1], lambda s: base64.b64encode(s.encode()).decode(),
    lambda s: base64.b64encode(s.encode()).decode().rstrip("="), lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    lambda s: s.encode().hex(), lambda s: urllib.parse.quote(s, safe=""),
], ids=["raw", "reversed", "base64", "unpadded", "url-safe", "hex", "percent"])
def test_a_secret_is_masked_in_every_promised_spelling(spell):
    assert Mask({"A": SECRET})(f"<{spell(SECRET)}>") == f"<{MASK}>"


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_a_secret_inside_a_longer_base64_text_does_not_come_out_whole(before):
    coded = base64.b64encode((before + SECRET + "tail").encode()).decode()

    masked = Mask({"A": SECRET})(coded)

    assert MASK in masked
    assert len(masked) - len(MASK) <= len(base64.b64encode((before + "tail").encode())) + 4


def test_every_text_of_a_report_is_masked_down_to_the_messages_of_its_tests():
    report = CheckReport(
        check=Check(kind=Kind.TEST, tool="pytest", argv=("pytest",)), exit_code=1, reason=Reason.EXITED,
        execution_time=1.0, channel=Channel.LIVE, stdout=f"token={SECRET}\n", notes=(SECRET,),
        tests=(ExecutionTestResult(id="t", status=Status.FAILED, message=f"assert '{SECRET}' == ''"),))

    assert SECRET not in repr(Mask({"A": SECRET})(report))
    assert Mask({})(report) == report


@pytest.mark.parametrize("value", ["short", "", 7, "with\0nul"])
def test_a_value_that_cannot_be_masked_is_refused(value):
    with pytest.raises(UsageError, match="secrets: the value of TOKEN"):
        check_secrets({"TOKEN": value})
