"""Places that checkpoints are sent to: a folder, a listener, and what none of them may do."""

import contextlib
import http.server
import os
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.destination import destination, is_destination, kept
from windtunnel.store.audit.destination_http import HttpPlace
from windtunnel.store.audit.note import SecretKey

KEY = SecretKey("windtunnel/test", b"k" * 32)


def checkpoint(size=3, root=b"r" * 32):
    return Checkpoint(origin="windtunnel/test", size=size, root=root, time="2026-01-31T00:00:00+00:00")


def send(place, made):
    return destination(str(place)).send(made.signed(KEY), made)


# --- a folder ---


def test_a_folder_gets_one_file_for_each_checkpoint(tmp_path):
    told = [send(f"file:{tmp_path}/notes", checkpoint(size)) for size in (3, 12)]

    assert told == ["000000000003-7272727272727272.note written", "000000000012-7272727272727272.note written"]
    assert [read_checkpoint(note, [KEY.public]).size for note in kept(str(tmp_path / "notes"))] == [3, 12]


def test_a_note_that_is_there_is_not_written_again(tmp_path):
    send(f"file:{tmp_path}", checkpoint())
    (path,) = tmp_path.iterdir()
    before = path.stat()

    assert send(f"file:{tmp_path}", checkpoint()) == f"{path.name} was there already"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_note_for_a_rewritten_log_does_not_take_the_place_of_the_first(tmp_path):
    for root in (b"a" * 32, b"b" * 32):
        send(f"file:{tmp_path}", checkpoint(3, root))

    assert [read_checkpoint(note, [KEY.public]).root[:1] for note in kept(str(tmp_path))] == [b"a", b"b"]


def test_a_link_in_the_way_is_not_written_through(tmp_path):
    (tmp_path / "notes").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "notes" / "000000000003-7272727272727272.note").symlink_to(victim)

    assert send(f"file:{tmp_path}/notes", checkpoint()).endswith("was there already")
    assert victim.read_text() == "mine"


def test_nothing_half_written_is_left_where_files_without_names_cannot_be_had(tmp_path, monkeypatch):
    real = os.open

    def without(path, flags, *rest, **options):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", without)

    assert send(f"file:{tmp_path}", checkpoint()).endswith("written")
    assert [path.name for path in tmp_path.iterdir()] == ["000000000003-7272727272727272.note"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(SandboxFailure, match="Not a directory"):
        send(f"file:{tmp_path}/file/notes", checkpoint())


@pytest.mark.parametrize("odd", ["pipe", "link", "large", "none"])
def test_a_folder_of_other_things_is_refused(tmp_path, odd):
    name = tmp_path / "000000000003-7272727272727272.note"
    if odd == "pipe":
        os.mkfifo(name)
    elif odd == "link":
        name.symlink_to("/etc/passwd")
    elif odd == "large":
        name.write_bytes(b"x" * (64 * 1024 + 2))

    with pytest.raises(UsageError):
        [read_checkpoint(note, [KEY.public]) for note in kept(str(tmp_path))]


# --- by HTTP ---


class Listener(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.heard.append((self.path, self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.answer(self)

    def log_message(self, *_):
        pass


def good(handler):
    handler.send_response(201)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


@contextlib.contextmanager
def listening(answer=good, context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    server.daemon_threads = True
    server.heard, server.answer, server.handle_error = [], answer, lambda *_: None
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_note_is_posted_as_it_is():
    with listening() as server:
        told = send(f"http://127.0.0.1:{server.server_port}/notes?token=t", checkpoint())

    assert told == "answered 201"
    assert server.heard == [("/notes?token=t", "text/plain; charset=utf-8", checkpoint().signed(KEY).encode())]


def test_the_name_of_a_place_has_no_token_in_it():
    assert destination("https://host:8443/a?token=secret").name == "https://host:8443/a?…"


def test_a_redirect_is_not_followed():
    with listening() as other:
        def moved(handler):
            handler.send_response(307)
            handler.send_header("Location", f"http://127.0.0.1:{other.server_port}/")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with listening(moved) as server, pytest.raises(SandboxFailure, match="answered 307; redirects are not followed"):
            send(f"http://127.0.0.1:{server.server_port}/", checkpoint())

    assert (len(server.heard), other.heard) == (1, [])


@pytest.mark.parametrize("status", [400, 404, 500])
def test_an_answer_that_is_no_yes_is_a_failure(status):
    def no(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with listening(no) as server, pytest.raises(SandboxFailure, match=f"answered {status}"):
        send(f"http://127.0.0.1:{server.server_port}/", checkpoint())


def test_somebody_who_answers_letter_by_letter_is_left():
    ended = threading.Event()

    def drip(handler):
        with contextlib.suppress(OSError):
            while not ended.wait(0.05):
                handler.wfile.write(b"x")

    with listening(drip) as server:
        place = HttpPlace(secure=False, host="127.0.0.1", port=server.server_port, target="/", name="drip", seconds=0.5)
        with pytest.raises(SandboxFailure, match="drip: "):
            place.send("note", checkpoint())
        ended.set()


def test_an_endless_answer_is_not_read_to_its_end():
    sent = []

    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        with contextlib.suppress(OSError):
            while len(sent) < 4096:
                handler.wfile.write(b"x" * 65536)
                sent.append(1)

    with listening(endless) as server:
        told = send(f"http://127.0.0.1:{server.server_port}/", checkpoint())

    assert (told, len(sent) < 4096) == ("answered 200", True)


def test_nobody_there_is_a_failure():
    with listening() as server:
        port = server.server_port

    with pytest.raises(SandboxFailure, match="Connection refused"):
        send(f"http://127.0.0.1:{port}/", checkpoint())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Of 127.0.0.1, signed by itself."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")])
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256()))
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return folder


@pytest.fixture
def secure(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with listening(context=context) as server:
        yield server


def test_a_certificate_that_nobody_vouches_for_is_refused(secure):
    with pytest.raises(SandboxFailure, match="CERTIFICATE_VERIFY_FAILED"):
        send(f"https://127.0.0.1:{secure.server_port}/", checkpoint())

    assert secure.heard == []


def test_a_certificate_that_the_machine_trusts_will_do(secure, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))

    assert send(f"https://127.0.0.1:{secure.server_port}/", checkpoint()) == "answered 201"


# --- names ---


@pytest.mark.parametrize(("text", "why"), [
    ("", "is no place"), ("file:", "is no place"), ("ftp://host/", "is no place"), ("file:/a\nb", "is no place"), ("x" * 3000, "is no place"),
    ("http://example.org/", "would go in the clear"), ("http://169.254.169.254/", "would go in the clear"),
    ("https://user:secret@host/", "has no place in an address"), ("https:///path", "not an address"), ("https://host:99999/", "not an address"),
    ("https://ho st/", "not an address"), ("https://host/#part", "not an address"), ("git:", "is no place"), ("git:/r#..", "is not PATH#BRANCH"),
    ("git:/r#-x", "is not PATH#BRANCH"), ("git:/r#a.lock", "is not PATH#BRANCH"), ("git:/r#a?pull=x", "is not push=REMOTE"),
    ("git:/r#a?push=--upload-pack=x", "is not push=REMOTE"), ("git:/r#a?push=ext::sh", "is not push=REMOTE")])
def test_what_is_no_place_is_refused(text, why):
    with pytest.raises(UsageError, match=why):
        destination(text)


def test_a_password_is_not_repeated_in_the_refusal():
    with pytest.raises(UsageError) as refusal:
        destination("https://user:secret@host/")

    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("text", ["http://127.0.0.1/", "http://[::1]:80/", "http://localhost/", "plain-http://example.org/", "https://example.org/"])
def test_what_may_be_spoken_to_is_a_place(text):
    assert destination(text).name == text


def test_a_plain_file_is_no_place():
    assert [is_destination(text) for text in ("notes.txt", "/a/b", "file:x", "git:x", "https://x", "./git:x")] == [
        False, False, True, True, True, False]
    assert destination("file:notes").name == f"file:{Path.cwd()}/notes"
