"""A log to watch, alerts to send, and a real receiver on this machine."""

from __future__ import annotations

import contextlib
import http.server
import threading
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from windtunnel.core.alert import Alert, Evidence, Severity
from windtunnel.core.audit import AuditEntry
from windtunnel.engine.audit import trail_in
from windtunnel.engine.watch.reading import read_rules
from windtunnel.engine.watch.watch import Watch
from windtunnel.store.alerts import AlertStore

HOSTILE = 'eve\n<13>root: all is well \x1b[2J \u2028\u2029 \u202e {"id":"x"} \x00 \ud800 é'


def alert(number=0, **fields):
    return Alert(**{"rule": "rate", "severity": Severity.MEDIUM, "subject": f"ann {number}", "message": "too many",
                    "records": (Evidence(seq=number, id=f"{number:032x}"),), "figures": {"acts": 7}, "time": "2026-01-05",
                    **fields})


def watch_in(folder, rules="version: 1", *, write=None, **options):
    """A watch over the log of a folder of state."""
    return Watch(trail=trail_in(folder), store=AlertStore(folder / "alerts.db"), actor="watch", **options,
                 rules=read_rules(rules.encode(), file="rules.yaml"), write=write or [].append)


def redaction(**fields):
    """An act on which a rule fires every time."""
    return AuditEntry(**{"kind": "redact", "outcome": "done", "actor": "ann", "subject": "1", **fields})


def certificate(folder):
    """A key and a certificate for localhost, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
            .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA256()))
    path = folder / "certificate.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps every request; answers as it is told to, then with 204."""

    daemon_threads = True

    def __init__(self, tls=None):
        self.got, self.answers, self.headers = [], [], {}
        self.slowly = threading.Event()
        super().__init__(("127.0.0.1", 0), _Request)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    def handle_error(self, *_):
        """A client that does not trust us is what some tests are about."""

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class _Request(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.got.append((self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        code = self.server.answers.pop(0) if self.server.answers else 204
        if code == "drip":
            self._drip()
            return
        self.send_response(code)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.do_POST()

    def _drip(self):
        """Byte by byte, each soon enough for a timeout on each, until the other side has had enough."""
        with contextlib.suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.server.slowly.wait(0.05):
                self.wfile.write(b"x")
                self.wfile.flush()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def receiving(tls=None):
    """A receiver in a thread of its own."""
    server = Receiver(tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.slowly.set()
        server.shutdown()
        server.server_close()
        thread.join()
