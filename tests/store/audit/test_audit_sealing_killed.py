"""Whoever is killed while they seal, remove or redact leaves every record whole, and the next ends what they began."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from entries import entry, filled
from sealed_logs import everything, sealed_log, sealed_upto

from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.keeping_state import gaps, keeping_state
from windtunnel.store.audit.process import this_process
from windtunnel.store.audit.verify import verify

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[4]]
from sealed_logs import ring_of, sealed_upto
from windtunnel.store.audit import segment_writing, sealing, segments, retention
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.segmented_shelf import SegmentedShelf

owner, name, when, at = {
    "open": (os, "open"), "fsync": (os, "fsync"), "rename": (Path, "rename"), "folder": (segment_writing, "sync_folder"),
    "append": (AuditLog, "append"), "clear": (SegmentedShelf, "clear"), "unlink": (Path, "unlink"),
}[sys.argv[2]] + (sys.argv[3][:-1], int(sys.argv[3][-1]))
true, calls = getattr(owner, name), []

def dying(*arguments, **options):
    if name == "open" and not str(arguments[0]).endswith(".wtseg.new"):
        return true(*arguments, **options)
    if name == "unlink" and not str(arguments[0]).endswith(".wtseg"):
        return true(*arguments, **options)
    calls.append(1)
    if len(calls) == at and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    answer = true(*arguments, **options)
    if len(calls) == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer

log = AuditLog(sys.argv[1])
ring_of(log).current()
log.segments.exists
setattr(owner, name, dying)
if sys.argv[2] == "unlink":
    retention.retain(log, before="9", actor="ann")
elif sys.argv[5:] == ["redact"]:
    from windtunnel.store.audit.redaction import redact
    redact(log, 3, ["text"], actor="ann", reason="why")
else:
    sealed_upto(log, 20)
print("not killed")
"""
STEPS = [(step, f"{when}{at}") for step, most in (("open", 1), ("fsync", 2), ("rename", 1), ("folder", 1), ("append", 1), ("clear", 1))
         for when in ("before", "after") for at in range(1, most + 1)]


def killed(log, step, when, *more):
    """A process of its own that is killed there."""
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", KILLED, str(log.path), step, when, here, *more], capture_output=True, text=True,
                          check=False, timeout=150)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, ""), done.stderr


@pytest.mark.parametrize(("step", "when"), STEPS, ids="-".join)
def test_a_process_killed_while_it_seals_loses_nothing_and_the_next_ends_it(file_log, step, when):
    filled(file_log, 30)
    before = everything(file_log)
    file_log.close()

    killed(file_log, step, when)

    assert everything(file_log)[:30] == before
    assert verify(file_log).success
    sealed_upto(file_log, 25)
    assert everything(file_log)[:30] == before
    assert sorted(path.suffix for path in file_log.segments.folder.iterdir()) == [".wtseg"] * len(file_log.segments.spans())
    assert (gaps(file_log.segments.spans(), 0, 25), file_log.shelf.begins(), verify(file_log).success) == ([], 25, True)


@pytest.mark.parametrize(("step", "when"), [("unlink", "before1"), ("unlink", "after1"), ("unlink", "after2")])
def test_a_process_killed_while_it_removes_has_said_so_and_the_next_ends_it(file_log, step, when):
    sealed_log(file_log)
    file_log.close()

    killed(file_log, step, when)

    assert (verify(file_log).success, keeping_state(file_log.shelf.live).removed) == (True, ((0, 19),))
    sealed_upto(file_log, 25)
    assert [span[:2] for span in file_log.segments.spans()] == [(20, 24)]
    assert verify(file_log).removed == ("records 0 to 19 were removed by retention, as record 33 says",)


@pytest.mark.parametrize(("step", "when"), [("open", "after1"), ("fsync", "before1"), ("rename", "before1"), ("rename", "after1")])
def test_a_process_killed_while_it_redacts_leaves_the_old_segment_or_the_new_one(file_log, step, when):
    sealed_log(file_log)
    file_log.close()

    killed(file_log, step, when, "redact")

    assert (verify(file_log).success, file_log.get(3).redacted in ((), ("text",))) == (True, True)
    sealed_upto(file_log, 25)
    assert {path.suffix for path in file_log.segments.folder.iterdir()} == {".wtseg"}


def test_a_segment_that_a_dead_process_left_and_that_was_changed_since_is_not_taken_for_the_records(file_log):
    filled(file_log, 30)
    file_log.close()
    killed(file_log, "append", "after1")
    path = file_log.segments.folder / "0-19.wtseg"
    data = path.read_bytes()
    path.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])

    with pytest.raises(SandboxFailure, match=r"the segment 0-19.wtseg is not as it was signed"):
        sealed_upto(file_log, 25)

    assert (file_log.shelf.begins(), verify(file_log).success) == (0, True)


def test_an_act_whose_record_was_sealed_is_not_taken_for_lost(file_log, tmp_path):
    """A process that dies between its record and the note that it is written: the record may be sealed by then."""
    act = AuditEntry(kind="run", outcome="done", actor="ann", id="the-act")
    file_log.append_all([act, *(entry(number) for number in range(5))])
    sealed_upto(file_log, 4)
    dead = this_process().rsplit(" ", 2)[0] + " 999999999 1"
    folder = tmp_path / "audit.acts"
    folder.mkdir(exist_ok=True)
    fields = '"outcome":"begun","actor":"ann","session":"","parent":"","project":"","subject":""'
    lines_of = "".join(f'{{"kind":"run",{fields},"id":"{name}"}}\n' for name in ("the-act", "other-act"))
    (folder / f"{dead.replace(' ', '+').replace('/', ':')}.acts").write_text(lines_of)

    made = file_log.repair()

    assert [(record.entry.id, record.entry.outcome) for record in made] == [("other-act", "lost")]
