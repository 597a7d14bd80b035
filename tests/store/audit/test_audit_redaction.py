"""What is taken out is gone from the file, and every proof still holds."""

import pytest
from entries import entry, filled, looked

from windtunnel.core.errors import UsageError
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.redaction import redact
from windtunnel.store.audit.verify import verify

SECRET = "a-password-that-slipped-through"


def test_a_value_is_gone_from_the_file(file_log):
    file_log.append(entry(details={"output": SECRET, "other": 1}))

    redact(file_log, 0, ["output"], actor="ann", reason="a password")

    files = b"".join(path.read_bytes() for path in file_log.path.parent.iterdir() if path.is_file())
    assert SECRET.encode() not in files


def test_a_value_is_gone_and_the_log_is_whole(log):
    filled(log, 5)
    log.append(entry(details={"output": SECRET, "other": 1}))
    filled(log, 5)
    size, root = log.head()

    made = redact(log, 5, ["output"], actor="ann", reason="a password")

    assert [seq for seq, details in looked(log, "SELECT seq, details FROM records") if SECRET.encode() in details] == []
    assert (log.get(5).redacted, dict(log.get(5).entry.details)) == (("output",), {"other": 1})
    assert (made.entry.kind, made.entry.details) == ("redact", {"names": ["output"], "reason": "a password"})
    assert verify(log, [Checkpoint(origin="o", size=size, root=root)]).success


@pytest.mark.parametrize(("seq", "names", "reason", "word"), [
    (99, ["number"], "why", "there is no record 99"), (1, ["nothing"], "why", "record 1 has no 'nothing' .it has number, text"),
    (1, ["number"], " ", "say which details to take out, and why"), (1, [], "why", "say which details")])
def test_what_cannot_be_taken_out_is_said_and_nothing_is_written(log, seq, names, reason, word):
    filled(log, 3)

    with pytest.raises(UsageError, match=word):
        redact(log, seq, names, actor="ann", reason=reason)

    assert log.size == 3


def test_what_is_gone_cannot_be_taken_out_again(log):
    filled(log, 3)
    redact(log, 1, ["text"], actor="ann", reason="why")

    with pytest.raises(UsageError, match="record 1 has no 'text' any more"):
        redact(log, 1, ["text"], actor="ann", reason="why")
