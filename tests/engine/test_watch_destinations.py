"""Where alerts go: a real receiver, a real program, a file, the system's log."""

import hashlib
import hmac
import json
import os
import socket
import ssl
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watch_receivers import HOSTILE, alert, certificate, receiving

from windtunnel.core.alert import Alert, Evidence, Severity
from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.watch import address, posting
from windtunnel.engine.watch.command import Command
from windtunnel.engine.watch.destination import line_of
from windtunnel.engine.watch.lines import LineFile, Stdout, Syslog
from windtunnel.engine.watch.webhook import Webhook

SECRET = b"a secret of both sides"
EVIL = Alert(rule="rate", severity=Severity.HIGH, subject=HOSTILE, message=HOSTILE, time=HOSTILE, figures={HOSTILE: HOSTILE},
             records=(Evidence(seq=1, id=HOSTILE),))


@pytest.fixture
def receiver():
    with receiving() as made:
        yield made


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(SECRET + b"\n")
    path.chmod(0o600)
    return path


def no_write(line):
    raise AssertionError(line)


def webhook(receiver, path="/alerts", **options):
    pauses = []
    made = Webhook(**{"name": "hook", "least": Severity.LOW, "address": receiver.address + path, "seconds": 60.0,
                      "pause": pauses.append, **options})
    return made, pauses


# --- webhook ---


def test_a_receiver_gets_the_alert_as_json_with_a_signature_that_holds(receiver, secret):
    hook, _ = webhook(receiver, "/alerts?team=1", secret_file=secret)

    hook.send(alert(), no_write)

    ((method, path, headers, body),) = receiver.got
    expected = hmac.new(SECRET, headers["x-windtunnel-time"].encode() + b"." + body, hashlib.sha256).hexdigest()
    assert (method, path, json.loads(body)["id"], headers["content-type"]) == (
        "POST", "/alerts?team=1", alert().id, "application/json")
    assert headers["x-windtunnel-signature"] == f"sha256={expected}"
    assert headers["x-windtunnel-alert"] == alert().id


def test_a_receiver_that_fails_is_tried_again_with_growing_pauses(receiver):
    hook, pauses = webhook(receiver)
    receiver.answers = [500, 503]

    hook.send(alert(), no_write)

    assert len(receiver.got) == 3
    assert 0.5 <= pauses[0] <= 0.75
    assert 1.0 <= pauses[1] <= 1.5


def test_a_receiver_that_goes_on_failing_is_said_without_what_may_be_secret(receiver):
    hook, _ = webhook(receiver, "/hooks/T0KEN?key=abc")
    receiver.answers = [500, 404, 403]

    with pytest.raises(SandboxFailure, match="answered 403") as failure:
        hook.send(alert(), no_write)

    assert "T0KEN" not in str(failure.value)
    assert "abc" not in str(failure.value)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(receiver, code):
    with receiving() as elsewhere:
        hook, _ = webhook(receiver, tries=1)
        receiver.answers, receiver.headers = [code], {"Location": f"{elsewhere.address}/stolen"}

        with pytest.raises(SandboxFailure, match=f"answered {code}"):
            hook.send(alert(), no_write)

        assert elsewhere.got == []


def test_urllib_as_it_comes_would_have_followed_the_redirect(receiver):
    import urllib.request

    with receiving() as elsewhere:
        receiver.answers, receiver.headers = [302], {"Location": f"{elsewhere.address}/stolen"}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        opener.open(f"{receiver.address}/alerts", data=b"{}", timeout=60).close()

        assert [path for _, path, _, _ in elsewhere.got] == ["/stolen"]


def test_no_proxy_of_the_environment_is_used(receiver, monkeypatch):
    with receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        hook, _ = webhook(receiver)

        hook.send(alert(), no_write)

        assert (len(receiver.got), proxy.got) == (1, [])


def test_urllib_as_it_comes_would_have_used_the_proxy(receiver, monkeypatch):
    import urllib.request

    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with receiving() as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)

        urllib.request.build_opener().open(f"{receiver.address}/alerts", data=b"{}", timeout=60).close()

        assert (receiver.got, len(proxy.got)) == ([], 1)


def test_a_receiver_that_answers_byte_by_byte_is_left_at_the_deadline(receiver):
    hook, _ = webhook(receiver, seconds=1.0, tries=1)
    receiver.answers = ["drip"]

    with pytest.raises(SandboxFailure, match="within 1 seconds"):
        hook.send(alert(), no_write)


def test_nobody_there_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        hook = Webhook(name="h", least=Severity.LOW, address=f"http://127.0.0.1:{taken.getsockname()[1]}/", tries=1)

        with pytest.raises(SandboxFailure, match="Connection refused"):
            hook.send(alert(), no_write)


@pytest.mark.parametrize("where", [
    "169.254.169.254", "169.254.1.1", "fe80::1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254",
    "2002:a9fe:a9fe::1", "100.100.100.200", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255"])
def test_where_machines_keep_their_credentials_nothing_is_sent(where):
    with pytest.raises(SandboxFailure, match="is refused"):
        address.resolve(where, 80, seconds=60, link_local=False)


@pytest.mark.parametrize("where", ["127.0.0.1", "10.1.2.3", "192.0.2.1", "2001:db8::1", "::ffff:10.0.0.1"])
def test_other_addresses_are_as_they_are(where):
    assert address.forbidden(where) == ""


def test_a_link_local_receiver_is_used_where_it_is_meant():
    assert address.resolve("169.254.7.7", 80, seconds=60, link_local=True)[1] == "169.254.7.7"
    with pytest.raises(SandboxFailure, match="no address of one machine"):
        address.resolve("0.0.0.0", 80, seconds=60, link_local=True)


def test_a_name_of_which_one_address_is_forbidden_is_refused(monkeypatch):
    answers = [(socket.AF_INET, 0, 0, "", ("127.0.0.1", 80)), (socket.AF_INET, 0, 0, "", ("169.254.169.254", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)

    with pytest.raises(SandboxFailure, match=r"two\.example: 169\.254\.169\.254 is refused"):
        address.resolve("two.example", 80, seconds=60, link_local=False)


def test_a_name_is_looked_up_once_so_that_it_cannot_turn_into_another_address(receiver, monkeypatch):
    asked = []

    def getaddrinfo(host, port, **_):
        asked.append(host)
        return [(socket.AF_INET, 0, 0, "", ("127.0.0.1" if len(asked) == 1 else "169.254.169.254", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    code, _ = posting.post(f"http://alerts.example:{receiver.server_port}/", b"{}", headers={}, seconds=60)

    assert (code, asked, receiver.got[0][2]["host"]) == (204, ["alerts.example"], f"alerts.example:{receiver.server_port}")


@pytest.fixture
def certified(tmp_path):
    """A receiver that speaks TLS, and the file of its certificate, which it signed itself."""
    made = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    with receiving(context) as server:
        yield server, made


def test_a_certificate_that_nobody_trusts_is_refused(certified):
    server, _ = certified

    with pytest.raises(SandboxFailure, match="certificate verify failed"):
        posting.post(f"https://localhost:{server.server_port}/", b"{}", headers={}, seconds=60)

    assert server.got == []


def test_the_deadline_holds_inside_of_tls_too(certified, monkeypatch):
    server, made = certified
    monkeypatch.setenv("SSL_CERT_FILE", str(made))
    server.answers = ["drip"]

    with pytest.raises(SandboxFailure, match="within 2 seconds"):
        posting.post(f"https://localhost:{server.server_port}/", b"{}", headers={}, seconds=2)


def test_a_certificate_that_this_machine_trusts_is_taken_for_its_own_name_alone(certified, monkeypatch):
    server, made = certified
    monkeypatch.setenv("SSL_CERT_FILE", str(made))

    code, _ = posting.post(f"https://localhost:{server.server_port}/", b"{}", headers={}, seconds=60)
    with pytest.raises(SandboxFailure, match=r"certificate verify failed.*127\.0\.0\.1"):
        posting.post(f"https://127.0.0.1:{server.server_port}/", b"{}", headers={}, seconds=60)

    assert (code, len(server.got)) == (204, 1)


@pytest.mark.parametrize(("content", "mode"), [(b"short", 0o600), (None, 0o600), (SECRET, 0o602), (SECRET, 0o604)])
def test_without_a_good_secret_nothing_is_sent(receiver, tmp_path, content, mode):
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)
    hook, _ = webhook(receiver, secret_file=path)

    with pytest.raises(SandboxFailure, match="key: "):
        hook.send(alert(), no_write)

    assert receiver.got == []


# --- command ---


def test_a_program_gets_the_alert_on_its_input_and_nothing_in_its_arguments(tmp_path):
    told = tmp_path / "told"
    program = Command(name="c", least=Severity.LOW, seconds=60,
                      argv=("/bin/sh", "-c", 'cat > "$0"; tr "\\0" "|" < /proc/$$/cmdline >> "$0"; env >> "$0"', str(told)))

    program.send(EVIL, no_write)

    line, *rest = told.read_text().splitlines()
    assert json.loads(line)["id"] == EVIL.id
    assert not any(word in text for text in rest for word in ("all is well", EVIL.id))


def test_an_argument_is_never_read_by_a_shell(tmp_path):
    program = Command(name="c", least=Severity.LOW, seconds=60, argv=("/bin/echo", f"$(touch {tmp_path}/made)", "; touch x"))

    program.send(alert(), no_write)

    assert list(tmp_path.iterdir()) == []


def test_a_program_that_fails_is_said_on_one_line():
    program = Command(name="c", least=Severity.LOW, seconds=60, argv=("/bin/sh", "-c", "printf 'no\\n\\033[31mroom'; exit 4"))

    with pytest.raises(SandboxFailure) as failure:
        program.send(alert(), no_write)

    assert str(failure.value) == "/bin/sh: exit code 4: no\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31mroom"


def test_a_program_that_hangs_is_ended():
    with pytest.raises(SandboxFailure, match=r"/bin/sleep: no answer within 0\.2 seconds; it was ended"):
        Command(name="c", least=Severity.LOW, seconds=0.2, argv=("/bin/sleep", "600")).send(alert(), no_write)


# --- lines ---


def test_hostile_texts_stay_within_one_line_of_ascii(tmp_path):
    path = tmp_path / "alerts.log"
    file = LineFile(name="f", least=Severity.LOW, path=path)

    for one in (EVIL, alert()):
        file.send(one, no_write)

    lines = path.read_bytes().split(b"\n")
    assert [json.loads(line)["id"] for line in lines[:-1]] == [EVIL.id, alert().id]
    assert all(32 <= byte < 127 for line in lines for byte in line)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_the_form_of_json_the_same_text_would_be_many_lines():
    assert len(HOSTILE.splitlines()) > 2
    assert len(line_of(EVIL).splitlines()) == 1


def test_a_line_that_was_cut_off_is_ended_before_the_next(tmp_path):
    path = tmp_path / "alerts.log"
    path.write_text('{"id": "cut o')

    LineFile(name="f", least=Severity.LOW, path=path).send(alert(), no_write)

    cut, whole, end = path.read_text().split("\n")
    assert (cut, json.loads(whole)["id"], end) == ('{"id": "cut o', alert().id, "")


def test_a_link_or_a_pipe_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "pipe", "missing/file"):
        with pytest.raises(SandboxFailure):
            LineFile(name="f", least=Severity.LOW, path=tmp_path / name).send(alert(), no_write)

    assert not (tmp_path / "target").exists()


def test_the_system_s_log_gets_one_datagram_with_the_severity(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(str(tmp_path / "log"))
        door.settimeout(60)

        Syslog(name="s", least=Severity.LOW, path=str(tmp_path / "log")).send(EVIL, no_write)

        said = door.recv(100_000)
    head, _, body = said.partition(b": ")
    assert (head, json.loads(body)["id"], b"\n" in said) == (b"<105>windtunnel", EVIL.id, False)


def test_a_system_without_a_log_is_said(tmp_path):
    with pytest.raises(SandboxFailure, match="takes nothing: No such file"):
        Syslog(name="s", least=Severity.LOW, path=str(tmp_path / "log")).send(alert(), no_write)


def test_standard_output_gets_one_line():
    lines = []

    Stdout(name="o", least=Severity.LOW).send(EVIL, lines.append)

    assert [json.loads(line)["id"] for line in lines] == [EVIL.id]


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet=st.characters(), max_size=300), number=st.integers())
def test_any_text_makes_one_line_of_ascii_and_the_same_id_each_time(text, number):
    made = [Alert(rule="rate", severity=Severity.LOW, subject=text, message=text, time=text, figures={text: text, "n": number},
                  records=(Evidence(seq=number, id=text),)) for _ in range(2)]

    line = line_of(made[0])
    assert made[0] == made[1]
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["id"] == made[1].id


def test_an_alert_is_bounded_whatever_it_is_made_of():
    big = "x" * 1_000_000
    made = Alert(rule="rate", severity=Severity.LOW, subject=big, message=big, time=big,
                 figures={f"{number} {big}": big for number in range(100)},
                 records=tuple(Evidence(seq=number, id=big) for number in range(1000)))

    assert len(line_of(made)) < 8000
    assert made.records[-1].seq == 999
