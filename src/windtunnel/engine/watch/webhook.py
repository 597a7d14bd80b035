"""Alerts to an address in the network: one POST of JSON, signed with a secret that both sides have.

What holds: the address that was looked at is the one that is connected to, so that a name cannot turn into another
address in between; no redirect is followed, no proxy is used, certificates are checked; time and size are bounded. The
signature covers the time and the body: ``HMAC-SHA256(secret, time + "." + body)``. What does not hold: what the
receiver's machine does with an alert is its own affair.
"""

from __future__ import annotations

import hashlib
import hmac
import random
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from windtunnel import trust
from windtunnel.core.alert import Alert, Severity, one_line
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.engine.watch import address
from windtunnel.engine.watch.destination import line_of
from windtunnel.engine.watch.lines import absolute
from windtunnel.engine.watch.posting import post
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown

OPTIONS = ("secret_file", "seconds", "tries", "plain_http", "link_local")
SIGNATURE, SIGNED_AT, ALERT_ID = "X-Windtunnel-Signature", "X-Windtunnel-Time", "X-Windtunnel-Alert"
_SECONDS, _MOST_SECONDS = 10.0, 60.0
_TRIES, _MOST_TRIES = 3, 5
_FIRST_PAUSE = 0.5
_LEAST_SECRET = 16
_MOST_ADDRESS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that takes alerts."""

    name: str
    least: Severity
    address: str
    secret_file: Path | None = None
    seconds: float = _SECONDS
    """For one try, from the name of the host to the last byte of the answer."""
    tries: int = _TRIES
    link_local: bool = False
    pause: Callable[[float], None] = time.sleep

    def send(self, alert: Alert, _: Callable[[str], None]) -> None:
        """An answer from 200 to 299 means that it was taken."""
        body = line_of(alert).encode()
        for number in range(self.tries):
            try:
                self._try(alert, body)
            except SandboxFailure:
                if number == self.tries - 1:
                    raise
                # A little chance keeps many watches from coming back at the same moment.
                self.pause(_FIRST_PAUSE * 2**number * random.uniform(1.0, 1.5))  # noqa: S311 -- nobody need not guess it
            else:
                return

    def _try(self, alert: Alert, body: bytes) -> None:
        headers = {"Content-Type": "application/json", ALERT_ID: alert.id, SIGNED_AT: str(int(time.time()))}
        if self.secret_file is not None:
            headers[SIGNATURE] = signature(self._secret(), headers[SIGNED_AT], body)
        code, words = post(self.address, body, headers=headers, seconds=self.seconds, link_local=self.link_local)
        if not 200 <= code < 300:  # noqa: PLR2004 -- what HTTP calls a success
            raise SandboxFailure(f"{self.where}: answered {code}: {one_line(words, most=120)}")

    def _secret(self) -> bytes:
        assert self.secret_file is not None
        try:
            found = trust.read(self.secret_file, field="secret_file")
        except UsageError as error:
            raise SandboxFailure(str(error)) from error
        if found is not None and self.secret_file.stat().st_mode & stat.S_IROTH:
            raise SandboxFailure(f"{self.secret_file}: refused: everyone may read it (chmod o-r it)")
        if found is None or len(found.strip()) < _LEAST_SECRET:
            raise SandboxFailure(f"{self.secret_file}: not a secret of at least {_LEAST_SECRET} bytes")
        return found.strip()

    @property
    def where(self) -> str:
        """The address without what may be secret in it."""
        return address.shown_address(self.address)


def signature(secret: bytes, at: str, body: bytes) -> str:
    """What a receiver compares with, in constant time."""
    return "sha256=" + hmac.new(secret, at.encode() + b"." + body, hashlib.sha256).hexdigest()


def read(found: Table, name: str, least: Severity) -> Webhook:
    """As the file of rules spells it."""
    seconds, tries = found.read("seconds", table.seconds, _SECONDS), found.read("tries", table.whole, _TRIES)
    if seconds > _MOST_SECONDS:
        raise found.place("seconds").refusal(f"{found.name}.seconds: more than {_MOST_SECONDS:g}")
    if not 1 <= tries <= _MOST_TRIES:
        raise found.place("tries").refusal(f"{found.name}.tries: not from 1 to {_MOST_TRIES}")
    plain_http = found.read("plain_http", table.switch, default=False)
    return Webhook(
        name=name, least=least, address=found.must("webhook", _address(plain_http=plain_http)), seconds=seconds,
        tries=tries, link_local=found.read("link_local", table.switch, default=False),
        secret_file=found.read("secret_file", lambda node, key: Path(absolute(node, key)), None))


def _address(*, plain_http: bool) -> Callable[[Node, str], str]:
    def read_address(node: Node, name: str) -> str:
        text = table.line(node, name)
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host, parts = None, urlsplit("")
        if not host or parts.scheme not in ("http", "https") or parts.username or parts.fragment \
                or len(text) > _MOST_ADDRESS or " " in text or not text.isascii():
            raise node.refusal(f"{name}: not an address of a receiver: {shown(text)} (try https://host/path; a secret "
                               "goes into secret_file)")
        if parts.scheme == "http" and not plain_http and not address.is_loopback(host):
            raise node.refusal(f"{name}: everybody on the way can read plain http (use https, or say plain_http: true)")
        return text

    return read_address
