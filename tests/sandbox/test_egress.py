from __future__ import annotations

import contextlib
import http.client
import http.server
import select
import shutil
import socket
import ssl
import subprocess
import threading
import time
import tracemalloc
import urllib.error
import urllib.request
from ipaddress import ip_address

import pytest

from windtunnel.core.effects import NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.egress import Bounds, Egress, Traffic, is_this_machine, parse_hosts

LOOPBACK = frozenset({"127.0.0.1"})
PUBLIC = "93.184.216.34"
HOST = "allowed.example.org"


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with its path and host, and notes it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, self.headers["Host"], body))
        location = self.server.redirects.get(self.path)
        answer = f"hello from {self.path}".encode()
        self.send_response(302 if location else 200)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET  # noqa: N815 -- the base class calls it so

    def log_message(self, *_):
        """Keep the test's output clean."""


class Site(http.server.ThreadingHTTPServer):
    """A web server on loopback that remembers what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Page)
        self.seen = []
        self.redirects = {}
        self.port = self.server_address[1]


class Plain:
    """A TCP server on loopback that gives each connection to a function."""

    def __init__(self, talk):
        self.listener = listen()
        self.port = self.listener.getsockname()[1]
        self.talk = talk
        self.now = self.peak = 0
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with self.lock:
            self.now += 1
            self.peak = max(self.peak, self.now)
        with client, contextlib.suppress(OSError):
            self.talk(client)
            with self.lock:
                self.now -= 1

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def listen():
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    listener.settimeout(None)
    return listener


def read_all(client):
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.fixture(autouse=True)
def no_proxy_settings(monkeypatch):
    for name in ("no_proxy", "NO_PROXY", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def stack():
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def site(stack):
    site = stack.enter_context(Site())
    threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    stack.callback(site.shutdown)
    return site


@pytest.fixture
def proxy(stack):
    """Start a proxy with these rules; every name is on loopback, which is exempt, unless told otherwise."""

    def start(*entries, answers=None, allow_private=LOOPBACK, **options):
        answers = {HOST: ["127.0.0.1"]} if answers is None else answers
        options.setdefault("resolve", lambda host: answers[host])
        egress = stack.enter_context(Egress(parse_hosts(entries), allow_private=allow_private, **options))
        listener = listen()
        egress.port = listener.getsockname()[1]
        egress.serve_proxy(listener)
        return egress

    return start


@pytest.fixture
def plain(stack):
    def start(talk):
        server = Plain(talk)
        stack.callback(server.close)
        return server

    return start


def fetch(egress, url, **options):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{egress.port}"}))
    try:
        with opener.open(urllib.request.Request(url, **options), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def connect(egress):
    return socket.create_connection(("127.0.0.1", egress.port), timeout=10)


def send_raw(egress, data):
    """The whole answer to raw bytes."""
    with connect(egress) as client:
        client.sendall(data)
        return read_all(client)


def tunnel(egress, target):
    """An open tunnel as a socket."""
    client = connect(egress)
    client.sendall(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += client.recv(1)
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"
    return client


def refused(target, rule, *, count=1):
    return (NetworkAttempt(target=target, outcome="refused", rule=rule, count=count),)


def test_a_plain_request_to_an_allowed_host_is_answered_and_recorded(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")

    answer = fetch(egress, f"http://{HOST}:{site.port}/page")

    assert answer == (200, "hello from /page")
    target = f"{HOST}:{site.port}"
    assert egress.attempts() == (NetworkAttempt(target=target, outcome="allowed", rule=target),)


def test_a_tunnel_to_an_allowed_host_carries_http(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")
    client = http.client.HTTPConnection("127.0.0.1", egress.port, timeout=10)
    client.set_tunnel(HOST, site.port)

    with contextlib.closing(client):
        client.request("GET", "/tunnelled")
        body = client.getresponse().read()

    assert body == b"hello from /tunnelled"


def test_a_wildcard_host_in_upper_case_with_a_trailing_dot_is_the_listed_host(proxy, site):
    egress = proxy(f"*.example.org:{site.port}")

    answer = fetch(egress, f"http://ALLOWED.Example.ORG.:{site.port}/same")

    assert answer == (200, "hello from /same")


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("not run: the openssl command is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def secure_site(site, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    site.socket = context.wrap_socket(site.socket, server_side=True)
    return site


def ask_over_tls(client, certificate):
    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    with context.wrap_socket(client, server_hostname=HOST) as secured:
        secured.sendall(f"GET /secret HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
        return read_all(secured).rpartition(b"\r\n\r\n")[2]


def test_tls_is_end_to_end_through_the_proxy(proxy, secure_site, certificate):
    egress = proxy(f"{HOST}:{secure_site.port}")

    body = ask_over_tls(tunnel(egress, f"{HOST}:{secure_site.port}"), certificate)

    assert body == b"hello from /secret"


def test_tls_is_end_to_end_through_a_direct_listener(proxy, secure_site, certificate):
    egress = proxy(f"{HOST}:{secure_site.port}")
    listener = listen()
    egress.serve_direct(listener, host=HOST, port=secure_site.port)

    body = ask_over_tls(socket.create_connection(listener.getsockname(), timeout=10), certificate)

    assert body == b"hello from /secret"


def test_curl_finds_the_proxy_by_its_environment(proxy, secure_site, certificate):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("not run: curl is not installed")
    egress = proxy(f"{HOST}:{secure_site.port}")

    done = subprocess.run(
        [curl, "-sS", "--cacert", certificate / "cert.pem", f"https://{HOST}:{secure_site.port}/curl"],
        env=egress.proxy_env(egress.port), capture_output=True, timeout=20, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, b"hello from /curl")


def test_a_direct_listener_for_a_host_beside_the_list_closes_without_a_word(proxy, site):
    egress = proxy("other.example.org")
    listener = listen()
    egress.serve_direct(listener, host=HOST, port=site.port)

    with socket.create_connection(listener.getsockname(), timeout=10) as client:
        assert read_all(client) == b""
    assert egress.attempts() == refused(f"{HOST}:{site.port}", "not on the allow-list")


def test_a_body_arrives_whole(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")
    body = bytes(range(256)) * 2000

    fetch(egress, f"http://{HOST}:{site.port}/post", data=body)

    assert site.seen == [("POST", "/post", f"{HOST}:{site.port}", body)]


def test_the_target_wins_over_the_host_header_and_a_second_request_is_not_forwarded(proxy, plain):
    got = []

    def note(client):
        got.append(client.recv(65536))
        client.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    origin = plain(note)
    egress = proxy(f"{HOST}:{origin.port}")

    send_raw(
        egress,
        f"GET http://{HOST}:{origin.port}/first HTTP/1.1\r\nHost: hidden.example\r\nProxy-Authorization: x\r\n\r\n"
        "GET /smuggled HTTP/1.1\r\nHost: hidden.example\r\n\r\n".encode(),
    )

    assert got == [f"GET /first HTTP/1.1\r\nHost: {HOST}:{origin.port}\r\nConnection: close\r\n\r\n".encode()]


def test_a_length_hidden_by_the_connection_header_does_not_turn_a_body_into_a_request(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")
    body = b"GET /smuggled HTTP/1.1\r\nHost: hidden.example\r\n\r\n"
    head = f"POST http://{HOST}:{site.port}/ HTTP/1.1\r\nConnection: content-length\r\nContent-Length: {len(body)}\r\n\r\n"

    send_raw(egress, head.encode() + body)

    assert site.seen == [("POST", "/", f"{HOST}:{site.port}", body)]


def test_bytes_sent_in_one_breath_with_a_connect_reach_the_origin(proxy, plain):
    echo = plain(lambda client: client.sendall(read_all(client)))
    egress = proxy(f"{HOST}:{echo.port}")

    with connect(egress) as client:
        client.sendall(f"CONNECT {HOST}:{echo.port} HTTP/1.1\r\n\r\nearly".encode())
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)

    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\nearly"


def test_a_side_that_has_said_its_last_word_still_hears_the_answer(proxy, plain):
    echo = plain(lambda client: client.sendall(read_all(client)))
    egress = proxy(f"{HOST}:{echo.port}")

    with tunnel(egress, f"{HOST}:{echo.port}") as client:
        client.sendall(b"a question")
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)

    egress.close()
    assert answer == b"a question"
    assert egress.traffic() == Traffic(sent=10, received=10)


@pytest.mark.parametrize(
    ("entries", "target", "rule"),
    [
        ((), f"{HOST}:443", "not on the allow-list"),
        ((HOST,), f"{HOST}:22", "port not on the allow-list"),
        ((HOST,), "evil-allowed.example.org:443", "not on the allow-list"),
        ((HOST,), f"{HOST}.evil.org:443", "not on the allow-list"),
        (("*.example.org",), "example.org:443", "not on the allow-list"),
        (("*.example.org",), "evil-example.org:443", "not on the allow-list"),
        ((HOST,), "127.0.0.1:443", "not on the allow-list"),
        ((HOST,), f"{PUBLIC}:443", "not on the allow-list"),
        ((HOST,), "[::1]:443", "not on the allow-list"),
        ((HOST,), "2130706433:443", "address in an unusual spelling"),
        ((HOST,), "0x7f.1:443", "address in an unusual spelling"),
        ((HOST,), "0177.0.0.1:443", "address in an unusual spelling"),
    ],
)
def test_a_target_that_is_not_listed_is_refused_without_a_look_up(proxy, entries, target, rule):
    asked = []
    egress = proxy(*entries, resolve=asked.append)

    answer = send_raw(egress, f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert answer.endswith(f"\r\n\r\nwindtunnel: {target} refused: {rule}\n".encode())
    assert (egress.attempts(), asked) == (refused(target, rule), [])


def test_a_name_with_a_user_before_it_is_refused(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")

    answer = send_raw(egress, f"GET http://user@{HOST}:{site.port}/ HTTP/1.1\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert site.seen == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "rubbish"])
def test_an_allowed_name_that_leads_to_a_private_address_is_refused(proxy, address):
    dialled = []
    egress = proxy(HOST, answers={HOST: [address]}, allow_private=frozenset(), dial=lambda *to: dialled.append(to))

    answer = fetch(egress, f"http://{HOST}/")

    assert answer == (403, f"windtunnel: {HOST}:80 refused: private address\n")
    assert (egress.attempts(), dialled) == (refused(f"{HOST}:80", "private address"), [])


def test_a_loopback_server_is_reached_by_name_only_when_its_address_is_exempt(proxy, site):
    open_egress = proxy(f"{HOST}:{site.port}")
    shut_egress = proxy(f"{HOST}:{site.port}", allow_private=frozenset())
    url = f"http://{HOST}:{site.port}/"

    answers = (fetch(open_egress, url)[0], fetch(shut_egress, url)[0])

    assert answers == (200, 403)
    assert len(site.seen) == 1


def test_a_listed_loopback_address_is_reached_only_when_it_is_exempt(proxy, site):
    open_egress = proxy(f"127.0.0.1:{site.port}")
    shut_egress = proxy(f"127.0.0.1:{site.port}", allow_private=frozenset())
    url = f"http://127.0.0.1:{site.port}/"

    answers = (fetch(open_egress, url)[0], fetch(shut_egress, url)[0])

    assert answers == (200, 403)
    assert len(site.seen) == 1


def test_one_private_answer_among_public_ones_spoils_them_all(proxy):
    dialled = []
    egress = proxy(HOST, answers={HOST: [PUBLIC, "127.0.0.1"]}, allow_private=frozenset(),
                   dial=lambda *to: dialled.append(to))  # fmt: skip

    answer = fetch(egress, f"http://{HOST}/")

    assert answer == (403, f"windtunnel: {HOST}:80 refused: private address\n")
    assert dialled == []


def test_a_name_is_looked_up_once_and_the_checked_address_is_the_one_dialled(proxy, site):
    turns = iter([[PUBLIC], ["127.0.0.1"]])
    dialled = []

    def dial(address, port):
        dialled.append((address, port))
        return socket.create_connection(("127.0.0.1", site.port))

    egress = proxy(HOST, allow_private=frozenset(), resolve=lambda _: next(turns), dial=dial)

    first, second = fetch(egress, f"http://{HOST}/a"), fetch(egress, f"http://{HOST}/b")

    assert (first, second[0]) == ((200, "hello from /a"), 403)
    assert dialled == [(PUBLIC, 80)]


def test_a_redirect_to_loopback_is_a_new_request_and_refused(proxy, site):
    site.redirects["/go"] = f"http://127.0.0.1:{site.port}/secret"
    egress = proxy(f"{HOST}:{site.port}")

    answer = fetch(egress, f"http://{HOST}:{site.port}/go")

    assert answer == (403, f"windtunnel: 127.0.0.1:{site.port} refused: not on the allow-list\n")
    assert [path for _, path, _, _ in site.seen] == ["/go"]


def test_a_redirect_is_followed_when_its_target_is_listed_and_exempt(proxy, site):
    site.redirects["/go"] = f"http://127.0.0.1:{site.port}/secret"
    egress = proxy(f"{HOST}:{site.port}", f"127.0.0.1:{site.port}")

    assert fetch(egress, f"http://{HOST}:{site.port}/go") == (200, "hello from /secret")


def test_the_proxy_does_not_connect_to_itself(proxy):
    egress = proxy("loop.example.org", answers={"loop.example.org": ["127.0.0.1"]}, allow_private=frozenset())

    answers = [
        send_raw(egress, f"CONNECT {name}:{port} HTTP/1.1\r\n\r\n".encode())[:12]
        for name, port in (("127.0.0.1", egress.port), ("localhost", egress.port), ("loop.example.org", 80))
    ]

    assert answers == [b"HTTP/1.1 403", b"HTTP/1.1 400", b"HTTP/1.1 403"]


def test_an_address_of_this_machine_is_known_without_asking_anybody():
    assert is_this_machine(ip_address("127.0.0.1"))
    assert not is_this_machine(ip_address(PUBLIC))


def test_a_public_address_that_is_this_machine_s_own_is_refused(proxy):
    dialled = []
    egress = proxy(HOST, answers={HOST: [PUBLIC]}, is_own=lambda address: str(address) == PUBLIC,
                   dial=lambda *to: dialled.append(to))  # fmt: skip

    answer = fetch(egress, f"http://{HOST}/")

    assert answer == (403, f"windtunnel: {HOST}:80 refused: private address\n")
    assert dialled == []


def test_a_name_that_does_not_resolve_is_a_bad_gateway(proxy):
    def resolve(_):
        raise socket.gaierror

    egress = proxy(HOST, resolve=resolve)

    answer = fetch(egress, f"http://{HOST}/")

    assert answer == (502, f"windtunnel: {HOST}:80 is allowed by {HOST}, but the name does not resolve\n")
    assert egress.attempts() == (NetworkAttempt(target=f"{HOST}:80", outcome="allowed", rule=HOST),)


def test_an_origin_that_does_not_answer_is_a_bad_gateway(proxy):
    with listen() as listener:
        port = listener.getsockname()[1]
    egress = proxy(f"{HOST}:{port}")

    answer = fetch(egress, f"http://{HOST}:{port}/")

    assert answer == (502, f"windtunnel: {HOST}:{port} is allowed by {HOST}:{port}, but does not answer\n")


def test_the_next_address_is_tried_when_the_first_does_not_answer(proxy, site):
    def dial(address, port):
        if address == "127.0.0.2":
            raise ConnectionRefusedError
        return socket.create_connection((address, port))

    egress = proxy(f"{HOST}:{site.port}", answers={HOST: ["127.0.0.2", "127.0.0.1"]},
                   allow_private=frozenset({"127.0.0.1", "127.0.0.2"}), dial=dial)  # fmt: skip

    assert fetch(egress, f"http://{HOST}:{site.port}/")[0] == 200


@pytest.mark.parametrize(
    "data",
    [b"\x00" * 100 + b"\r\n\r\n", b"\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe \xff\r\n\r\n",
     b"CONNECT \xc3\xa9.example.org:443 HTTP/1.1\r\n\r\n"],
)  # fmt: skip
def test_hostile_bytes_are_answered_and_the_proxy_serves_on(proxy, site, data):
    egress = proxy(f"{HOST}:{site.port}")

    answer = send_raw(egress, data)

    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert fetch(egress, f"http://{HOST}:{site.port}/")[0] == 200


def test_a_head_that_breaks_off_is_answered(proxy):
    egress = proxy(HOST)

    with connect(egress) as client:
        client.sendall(b"GET http://")
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)

    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")


def test_a_header_over_its_size_is_refused_and_one_below_is_served(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")
    head = f"GET http://{HOST}:{site.port}/ HTTP/1.1\r\nX: ".encode()

    answers = [send_raw(egress, head + b"x" * size + b"\r\n\r\n")[:12] for size in (30_000, 33_000)]

    assert answers == [b"HTTP/1.1 200", b"HTTP/1.1 431"]


def test_a_header_that_drips_is_cut_when_its_time_is_over(proxy):
    egress = proxy(HOST, bounds=Bounds(header_seconds=0.3))

    with connect(egress) as client:
        started = time.monotonic()
        client.sendall(b"GET http://")
        while not select.select([client], [], [], 0.02)[0]:
            client.sendall(b"x")
        seconds = time.monotonic() - started
        answer = client.recv(100)

    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert 0.2 < seconds < 5


def test_a_header_that_is_there_after_its_time_is_cut_all_the_same(proxy, site):
    egress = proxy(f"{HOST}:{site.port}", bounds=Bounds(header_seconds=0))

    answer = send_raw(egress, f"GET http://{HOST}:{site.port}/ HTTP/1.1\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert site.seen == []


def test_a_header_that_drips_within_its_time_is_served(proxy, site):
    egress = proxy(f"{HOST}:{site.port}")

    with connect(egress) as client:
        for letter in f"GET http://{HOST}:{site.port}/ HTTP/1.1\r\n\r\n".encode():
            client.sendall(bytes([letter]))
        answer = read_all(client)

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_tunnel_in_which_nothing_moves_is_ended(proxy, plain):
    echo = plain(lambda client: client.sendall(read_all(client)))
    egress = proxy(f"{HOST}:{echo.port}", bounds=Bounds(idle_seconds=0.2))

    with tunnel(egress, f"{HOST}:{echo.port}") as client:
        assert client.recv(1) == b""


@pytest.mark.parametrize(("bounds", "at_once"), [(Bounds(), 64), (Bounds(connections=100), 100)])
def test_of_a_hundred_connections_only_so_many_are_served_at_once(proxy, plain, bounds, at_once):
    echo = plain(lambda client: client.sendall(read_all(client)))
    egress = proxy(f"{HOST}:{echo.port}", bounds=bounds)
    hello = f"CONNECT {HOST}:{echo.port} HTTP/1.1\r\n\r\n".encode()

    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(egress)) for _ in range(100)]
        for client in clients:
            client.sendall(hello)
        first = [client.recv(12) for client in clients[:at_once]]
        early = select.select(clients[at_once:], [], [], 0.2)[0]
        for client in clients[:at_once]:
            client.close()
        later = [client.recv(12) for client in clients[at_once:]]

    assert early == []
    assert first + later == [b"HTTP/1.1 200"] * 100
    assert at_once <= echo.peak <= at_once + 8  # the far side notices an end later than the proxy does


def test_a_long_stream_passes_whole_and_does_not_grow_memory(proxy, plain):
    size, chunk = 20 * 1024**2, bytes(65536)
    source = plain(lambda client: [client.sendall(chunk) for _ in range(size // len(chunk))])
    egress = proxy(f"{HOST}:{source.port}")
    buffer, received = bytearray(65536), 0

    with tunnel(egress, f"{HOST}:{source.port}") as client:
        tracemalloc.start()
        try:
            while count := client.recv_into(buffer):
                received += count
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    egress.close()
    assert received == size
    assert egress.traffic() == Traffic(sent=0, received=size)
    assert peak < 1024**2


def test_a_client_that_does_not_read_holds_the_origin_back(proxy, plain):
    size, sent, stuck = 20 * 1024**2, [], threading.Event()

    def pour(client):
        client.settimeout(1)
        try:
            while sum(sent) < size:
                sent.append(client.send(bytes(65536)))
        except TimeoutError:
            stuck.set()

    source = plain(pour)
    egress = proxy(f"{HOST}:{source.port}")

    with tunnel(egress, f"{HOST}:{source.port}"):
        assert stuck.wait(20)
    assert sum(sent) < size


def test_attempts_are_counted_and_their_number_is_bounded(proxy):
    egress = proxy()

    for number in (*range(1001), 0, 1000):
        send_raw(egress, f"CONNECT h{number}.example.org:443 HTTP/1.1\r\n\r\n".encode())

    attempts = egress.attempts()
    assert len(attempts) == 1001
    assert attempts[:1] == refused("h0.example.org:443", "not on the allow-list", count=2)
    assert attempts[-1:] == refused("(other targets)", "the report is full", count=2)


def test_exact_names_get_a_loopback_address_each_and_a_listener_for_each_port():
    with Egress(parse_hosts(["b.example.org:22", "*.example.org", "a.example.org", PUBLIC, "B.example.org"])) as egress:
        assert egress.direct_ports() == [
            ("127.66.0.1", 22, "b.example.org"),
            ("127.66.0.1", 80, "b.example.org"),
            ("127.66.0.1", 443, "b.example.org"),
            ("127.66.0.2", 80, "a.example.org"),
            ("127.66.0.2", 443, "a.example.org"),
        ]
        assert egress.hosts_file() == (
            b"127.0.0.1 localhost\n::1 localhost\n127.66.0.1 b.example.org\n127.66.0.2 a.example.org\n"
        )


def test_the_environment_leads_to_the_proxy():
    with Egress(()) as egress:
        assert egress.proxy_env(3128) == {
            "http_proxy": "http://127.0.0.1:3128",
            "https_proxy": "http://127.0.0.1:3128",
            "HTTP_PROXY": "http://127.0.0.1:3128",
            "HTTPS_PROXY": "http://127.0.0.1:3128",
            "ALL_PROXY": "http://127.0.0.1:3128",
            "no_proxy": "localhost,127.0.0.1,::1",
        }


def egress_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("egress")]


def test_closing_twice_ends_every_thread_and_socket(proxy, plain):
    echo = plain(lambda client: client.sendall(read_all(client)))
    egress = proxy(f"{HOST}:{echo.port}")

    with tunnel(egress, f"{HOST}:{echo.port}") as client, connect(egress):
        egress.close()
        egress.close()
        ends = read_all(client)

    assert (ends, egress_threads()) == (b"", [])
    with pytest.raises(ConnectionRefusedError):
        connect(egress)


def test_closing_is_bounded_in_time_while_a_look_up_hangs(proxy):
    hung, release = threading.Event(), threading.Event()

    def resolve(_):
        hung.set()
        release.wait(30)
        return ["127.0.0.1"]

    egress = proxy(HOST, resolve=resolve)
    with connect(egress) as client:
        client.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\n\r\n".encode())
        assert hung.wait(10)
        started = time.monotonic()
        egress.close()
        seconds = time.monotonic() - started
        ends = read_all(client)
        release.set()
        for thread in egress_threads():
            thread.join(10)

    assert (ends, egress_threads()) == (b"", [])
    assert seconds < 4


def test_a_closed_proxy_serves_nothing_more():
    egress = Egress(())
    egress.close()

    with pytest.raises(SandboxFailure, match="closed"):
        egress.serve_proxy(listen())
