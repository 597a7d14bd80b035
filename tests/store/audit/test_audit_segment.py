"""A segment is what was sealed, byte for byte, or it is found not to be."""

import base64
import hashlib
import json
import os
import shutil
import tracemalloc

import pytest
import zstandard
from entries import filled
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from sealed_logs import everything, large, ring_of, sealed_log, sealed_upto

from windtunnel.core.errors import WindtunnelError
from windtunnel.store.audit.encryption import Cipher, EncryptionKey, EncryptionKeys, KeyMissing, Tampered
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.segment import ENTRY, LENGTH, MAGIC, MOST_FRAME, Segment, SegmentFault, name_of, signed_part
from windtunnel.store.audit.verify import verify

_BOMB = 64 * 1024**2


def opened(log, name="0-9.wtseg"):
    return Segment(log.segments.folder / name, keys=ring_of(log).public(), unlock=log.segments.encryption.get)


def changed(log, change, name="0-9.wtseg"):
    path = log.segments.folder / name
    data = path.read_bytes()
    path.write_bytes(change(data))
    return data


def forged(log, records, *, plain=None, count=None):
    """A segment in the place of the first whose frame lies about its size, signed by the log's own key."""
    signer = ring_of(log).current()
    segment = opened(log)
    head = segment.head.to_bytes()
    segment.close()
    stored = zstandard.ZstdCompressor().compress(records)
    index = ENTRY.pack(0, count or 10, plain or len(records), len(stored), hashlib.sha256(stored).digest())
    data = MAGIC + LENGTH.pack(len(head)) + head + stored + index + LENGTH.pack(1) + signer.sign(signed_part(head, index))
    (log.segments.folder / "0-9.wtseg").write_bytes(data)


@pytest.mark.parametrize("encrypt", [False, True])
def test_records_come_back_as_they_were(file_log, encrypt):
    filled(file_log, 12)
    before = [(row[0], row[1].encode(), row[2]) for row in file_log.rows()][:10]
    sealed_upto(file_log, 10, encrypt=encrypt)

    segment = opened(file_log)

    assert (list(segment.records()), list(segment.records_back(10))) == (before, before[::-1])
    segment.close()


def test_a_segment_says_what_it_is(file_log):
    filled(file_log, 12)
    root, time = file_log.head(10)[1], [file_log.get(seq).time for seq in range(10)]
    sealed_upto(file_log, 10)

    head = opened(file_log).head

    assert (head.origin, head.signer, head.first, head.last) == ("log.example", str(ring_of(file_log).current().public), 0, 9)
    assert (head.root, head.previous, head.oldest, head.newest) == (root.hex(), "0" * 64, time[0], time[-1])


def test_only_its_owner_may_read_it(file_log):
    sealed_log(file_log)

    assert {path.stat().st_mode & 0o777 for path in file_log.segments.folder.iterdir()} == {0o600}
    assert file_log.segments.folder.stat().st_mode & 0o777 == 0o700


def test_what_is_sealed_takes_less_room_and_what_is_encrypted_cannot_be_read_from_the_file(file_log):
    file_log.append_all([large(number, letter="secret") for number in range(3)])
    sealed_upto(file_log, 2, encrypt=True)

    data = (file_log.segments.folder / "0-1.wtseg").read_bytes()

    assert (len(data) < 20_000, b"secret" in data, b'"actor"' in data) == (True, False, False)


@pytest.mark.parametrize("encrypt", [False, True])
@given(place=some.floats(0, 1, exclude_max=True), bit=some.integers(0, 7))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_byte_that_is_changed_is_found_by_verify(tmp_path_factory, encrypt, place, bit):
    log = flipping_log(tmp_path_factory, encrypt=encrypt)
    path = log.segments.folder / "10-19.wtseg"
    data = path.read_bytes()
    at = int(place * len(data))
    path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:])
    try:
        found = verify(log)
    finally:
        path.write_bytes(data)

    assert (found.success, 10 <= found.fault.seq <= 19) == (False, True)


@pytest.mark.parametrize("encrypt", [False, True])
@given(start=some.floats(0, 1), length=some.integers(1, 3000), added=some.binary(max_size=40))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_stretch_that_is_cut_out_or_replaced_is_found_by_verify(tmp_path_factory, encrypt, start, length, added):
    log = flipping_log(tmp_path_factory, encrypt=encrypt)
    path = log.segments.folder / "10-19.wtseg"
    data = path.read_bytes()
    at = int(start * len(data))
    bent = data[:at] + added + data[at + length:]
    path.write_bytes(bent)
    try:
        found = verify(log)
    finally:
        path.write_bytes(data)

    assert found.success is (bent == data)


def test_what_is_changed_after_it_was_read_is_found_too(file_log):
    filled(file_log, 12)
    sealed_upto(file_log, 10)
    path = file_log.segments.folder / "0-9.wtseg"
    found = [verify(file_log).success]
    before = path.stat()
    changed(file_log, lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    found.append(verify(file_log).success)

    assert found == [True, False]


_LOGS = {}


def flipping_log(folders, *, encrypt):
    """One log for all examples; each puts back what it changed."""
    if encrypt not in _LOGS:
        _LOGS[encrypt] = sealed_log(AuditLog(folders.mktemp("flipped") / "audit.db"), encrypt=encrypt)
        assert verify(_LOGS[encrypt]).success
    return _LOGS[encrypt]


@pytest.mark.parametrize(("change", "kind"), [
    (lambda data: data[:-1], "cut"), (lambda data: data[:40], "cut"), (lambda data: b"", "cut"),
    (lambda data: data + b"x", "cut"), (lambda data: b"\0" * len(data), "foreign"), (lambda data: b"PK\3\4" + data, "foreign")])
def test_a_file_that_is_cut_or_foreign_is_named(file_log, change, kind):
    sealed_log(file_log)
    changed(file_log, change)

    found = verify(file_log).fault

    assert (found.seq, found.kind, "the segment 0-9.wtseg" in found.message) == (0, kind, True)


def test_two_segments_that_changed_places_are_found(file_log):
    sealed_log(file_log)
    first, second = (file_log.segments.folder / name for name in ("0-9.wtseg", "10-19.wtseg"))
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)

    found = verify(file_log).fault

    assert (found.seq, found.kind, found.message) == (0, "moved", "the segment 0-9.wtseg holds the records 10 to 19")


def test_a_segment_of_another_log_is_found(file_log, tmp_path):
    (tmp_path / "other").mkdir()
    other = sealed_log(AuditLog(tmp_path / "other" / "audit.db"))
    sealed_log(file_log)
    changed(file_log, lambda data: (other.segments.folder / "0-9.wtseg").read_bytes())

    found = verify(file_log).fault

    assert (found.seq, found.kind, found.message) == (0, "foreign", "the segment 0-9.wtseg is not signed by a key of this log")


def test_a_segment_of_another_log_with_the_same_key_is_found_by_the_tree(file_log, tmp_path):
    sealed_log(file_log)
    shutil.copytree(tmp_path / "keys", tmp_path / "other" / "keys")
    other = sealed_log(AuditLog(tmp_path / "other" / "audit.db"))
    changed(file_log, lambda data: (other.segments.folder / "0-9.wtseg").read_bytes())

    found = verify(file_log).fault

    assert (found.seq, found.kind) == (0, "edited")


def test_a_segment_that_is_missing_is_an_error_where_no_record_says_that_it_was_removed(file_log):
    sealed_log(file_log)
    (file_log.segments.folder / "10-19.wtseg").unlink()

    found = verify(file_log).fault

    assert (found.seq, found.kind, found.message) == (
        10, "deleted", "the segment with record 10 is missing, and no record says that it was removed")
    with pytest.raises(SegmentFault, match="the segment with the records 10 to 19 is missing"):
        everything(file_log)


def test_two_files_that_promise_the_same_record_are_refused(file_log):
    sealed_log(file_log)
    (file_log.segments.folder / "5-12.wtseg").write_bytes(b"planted")

    found = verify(file_log).fault

    assert (found.kind, found.message) == ("foreign", "the segments 0-9.wtseg and 5-12.wtseg both promise record 5")


def test_a_link_is_not_followed(file_log, tmp_path):
    sealed_log(file_log)
    path = file_log.segments.folder / "0-9.wtseg"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    assert verify(file_log).fault.kind == "deleted"


def test_a_pipe_does_not_hold_us_up(file_log):
    sealed_log(file_log)
    path = file_log.segments.folder / "0-9.wtseg"
    path.unlink()
    os.mkfifo(path)

    assert verify(file_log).fault.message == "the segment 0-9.wtseg is not a file"


def test_a_frame_never_grows_beyond_what_the_index_says(file_log):
    """The control: the same bytes unpacked without the bound take what they like."""
    sealed_log(file_log)
    bomb = b"\0" * (_BOMB)
    forged(file_log, bomb, plain=1000)
    del bomb

    tracemalloc.start()
    with pytest.raises(SegmentFault, match="was changed where the records 0 to 9 are"):
        list(opened(file_log).records())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 1024**2
    data = (file_log.segments.folder / "0-9.wtseg").read_bytes()
    start = data.index(b"\x28\xb5\x2f\xfd")
    assert len(zstandard.ZstdDecompressor().decompress(data[start:])) == _BOMB


def test_an_index_that_asks_for_more_than_any_frame_may_have_is_refused(file_log):
    sealed_log(file_log)
    forged(file_log, b"\0" * 100, plain=MOST_FRAME + 1)

    with pytest.raises(SegmentFault, match="has an index that no version of ours wrote"):
        opened(file_log)


@pytest.mark.parametrize("records", [b"", b"\0" * 7, b"\0\0\0\x01\0\0\0\0", b"\xff" * 64, b"\0" * 88])
def test_records_that_do_not_fill_their_frame_are_refused(file_log, records):
    sealed_log(file_log)
    forged(file_log, records)

    with pytest.raises(SegmentFault, match=r"0-9.wtseg (cannot be read from record 0 on|was changed where)"):
        list(opened(file_log).records())


@pytest.mark.parametrize("count", [9, 11, 2**31])
def test_an_index_that_is_not_about_all_records_is_refused(file_log, count):
    sealed_log(file_log)
    forged(file_log, b"\0" * 8 * 10, count=count)

    with pytest.raises(SegmentFault, match="is cut off, or has something added"):
        opened(file_log)


@pytest.mark.parametrize("name", ["x", "1-2", "1.wtseg", "-.wtseg", "1-2.wtseg.new", "-1-2.wtseg", "1-x.wtseg", "\u0661-\u0662.wtseg", "1" * 80 + "-2.wtseg"])
def test_other_names_promise_nothing(tmp_path, name):
    assert name_of(tmp_path / name) is None


# --- encryption ---


def test_no_two_segments_have_one_key_and_no_two_frames_one_nonce(file_log):
    file_log.append_all([large(number) for number in range(5)])
    sealed_upto(file_log, 2, encrypt=True)
    sealed_upto(file_log, 4, encrypt=True)

    heads = [json.loads(file_log.segments.opened(span.path).head.to_bytes()) for span in file_log.segments.spans()]

    assert len({head["encryption"] for head in heads}) == 1
    assert len({head["salt"] for head in heads}) == 2
    assert {len(head["salt"]) for head in heads} == {64}


@pytest.mark.parametrize("bent", ["number", "head", "salt", "key"])
def test_a_frame_is_bound_to_its_place_its_segment_and_its_key(bent):
    key, salt = EncryptionKey(b"k" * 32), b"s" * 32
    data = Cipher(key, salt=salt, bound=b"head").encrypt(b"records", 3)
    other = Cipher(EncryptionKey(b"K" * 32) if bent == "key" else key, salt=b"S" * 32 if bent == "salt" else salt,
                   bound=b"other" if bent == "head" else b"head")

    assert Cipher(key, salt=salt, bound=b"head").decrypt(data, 3) == b"records"
    with pytest.raises(Tampered):
        other.decrypt(data, 4 if bent == "number" else 3)


def test_frames_that_changed_places_are_found_though_the_index_is_signed_anew(file_log):
    """Whoever has the signing key but not the encryption key cannot move frames about."""
    file_log.append_all([large(number) for number in range(4)])
    sealed_upto(file_log, 2, encrypt=True)
    path = file_log.segments.folder / "0-1.wtseg"
    segment = opened(file_log, "0-1.wtseg")
    head, frames = segment.head.to_bytes(), segment._frames
    one, two = (path.read_bytes()[frame.offset:frame.offset + frame.stored] for frame in frames)
    index = b"".join(ENTRY.pack(number, 1, frame.plain, len(data), hashlib.sha256(data).digest())
                     for number, (frame, data) in enumerate(zip(frames, (two, one), strict=True)))
    signature = ring_of(file_log).current().sign(signed_part(head, index))
    path.write_bytes(MAGIC + LENGTH.pack(len(head)) + head + two + one + index + LENGTH.pack(2) + signature)

    assert verify(file_log).fault.kind == "edited"


def test_a_key_that_is_missing_is_named(file_log):
    sealed_log(file_log, encrypt=True)
    identity = file_log.segments.encryption.current().id
    for path in file_log.segments.encryption.folder.glob("encryption-*"):
        path.rename(path.with_suffix(".away"))
    file_log.segments.close()

    with pytest.raises(KeyMissing, match=f"the encryption key {identity} is not in ") as found:
        verify(file_log)

    assert (found.value.code, isinstance(found.value, WindtunnelError)) == ("key-missing", True)


def test_a_wrong_key_under_the_right_name_is_refused(file_log):
    sealed_log(file_log, encrypt=True)
    (path,) = file_log.segments.encryption.folder.glob("encryption-*")
    other = EncryptionKeys(file_log.path.parent / "others").current()
    text = path.read_text()
    path.write_text("+".join([*text.split("+")[:3], base64.b64encode(other.data).decode()]) + "\n")

    with pytest.raises(WindtunnelError, match="not the encryption key"):
        verify(file_log)


def test_what_was_encrypted_with_an_older_key_is_still_read(file_log):
    filled(file_log, 30)
    sealed_upto(file_log, 10, encrypt=True)
    new = file_log.segments.encryption.rotate()
    sealed_upto(file_log, 20, encrypt=True)

    ids = [file_log.segments.opened(span.path).head.encryption for span in file_log.segments.spans()]

    assert (ids, ids[1]) == (file_log.segments.encryption.ids(), new.id)
    assert verify(file_log).success


def test_what_an_older_key_signed_is_still_read_when_its_secret_was_removed(file_log):
    sealed_log(file_log)
    ring = ring_of(file_log)
    ring.rotate()
    (ring.folder / "0001.key").unlink()
    file_log.segments.close()

    assert (verify(file_log).success, len(KeyRing(ring.folder, name="x").public())) == (True, 2)
