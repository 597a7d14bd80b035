"""A model behind an endpoint of the OpenAI form: one question, one bounded answer.

What holds: the answer is text and nothing of it is run; it comes within a time or not at all, and no more of it is read
than was asked for; redirections are not followed. What does not hold: what is asked leaves this machine, for wherever
the user's own variable points.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from windtunnel.core.errors import UsageError

URL, KEY, NAME, PRICE = (f"WINDTUNNEL_MODEL_{part}" for part in ("URL", "KEY", "NAME", "PRICE"))
MOST_TOKENS = 4096
_MOST_ANSWER = 2 * 1024**2
_PIECE = 65536
_GOOD = 200
_LETTERS_PER_TOKEN = 2.5
"""Fewer than any tokeniser makes of code, so that what is set aside for a question is enough."""


class ModelFailed(Exception):
    """No answer that could be used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost."""

    asked: float
    answered: float
    currency: str

    def of(self, asked: int, answered: int) -> str:
        """As budgets want it."""
        return f"{(asked * self.asked + answered * self.answered) / 1e6:.6f} {self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is, and what it costs."""

    url: str
    name: str
    key: str = ""
    price: Price | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Endpoint:
        """As the variables say; a typed error names the one that is missing or wrong."""
        url, name = environ.get(URL, ""), environ.get(NAME, "")
        for variable, value in ((URL, url), (NAME, name)):
            if not value:
                raise UsageError(f"{variable}: not set; a model needs an address and a name (the address ends before "
                                 "/chat/completions)", field=variable)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise UsageError(f"{URL}: not an http or https address without a user and a query", field=URL)
        return cls(url=url, name=name, key=environ.get(KEY, ""), price=_price(environ.get(PRICE, "")))

    def most(self, prompt: str) -> str:
        """The most that an answer to this can cost; empty where no price is known."""
        return self.price.of(int(len(prompt) / _LETTERS_PER_TOKEN) + 1, MOST_TOKENS) if self.price else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said."""

    text: str
    asked_tokens: int = 0
    answered_tokens: int = 0


def paid(endpoint: Endpoint, prompt: str, *, seconds: float, spend: Callable[[str], None]) -> Answer:
    """The same as ``ask``, with the most that it can cost taken from the budgets first; ``spend`` may refuse."""
    if most := endpoint.most(prompt):
        spend(most)
    return ask(endpoint, prompt, seconds=seconds)


def ask(endpoint: Endpoint, prompt: str, *, seconds: float) -> Answer:
    """One question; ``ModelFailed`` where no answer comes in time or none that can be read."""
    until = time.monotonic() + seconds
    try:
        status, data = _exchanged(endpoint, _question(endpoint, prompt), until=until)
    except (OSError, http.client.HTTPException, ssl.SSLError, ValueError) as failure:
        raise ModelFailed(f"the model could not be asked: {type(failure).__name__}: {failure}"[:200]) from failure
    if status != _GOOD:
        raise ModelFailed(f"the model's endpoint answered with {status}")
    return _read(data)


def _question(endpoint: Endpoint, prompt: str) -> bytes:
    return json.dumps({
        "model": endpoint.name, "temperature": 0, "max_tokens": MOST_TOKENS,
        "messages": [{"role": "user", "content": prompt}]}).encode()


def _exchanged(endpoint: Endpoint, body: bytes, *, until: float) -> tuple[int, bytes]:
    parts = urlsplit(endpoint.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=max(0.1, until - time.monotonic()))
    headers = {"Content-Type": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    try:
        connection.request("POST", f"{parts.path.rstrip('/')}/chat/completions", body=body, headers=headers)
        response = connection.getresponse()
        data = b""
        while piece := response.read1(_PIECE):
            data += piece
            if len(data) > _MOST_ANSWER:
                raise ModelFailed(f"the model's answer is larger than {_MOST_ANSWER} bytes")
            if time.monotonic() > until:
                raise ModelFailed("the model's answer did not come in time")
        return response.status, data
    finally:
        connection.close()


def _read(data: bytes) -> Answer:
    try:
        told = json.loads(data)
        text = told["choices"][0]["message"]["content"]
        used = told.get("usage") or {}
        counts = [used.get(name) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as failure:
        raise ModelFailed("the model's answer is not of the form that was asked for") from failure
    if not isinstance(text, str):
        raise ModelFailed("the model's answer has no text")
    asked, answered = (count if isinstance(count, int) and count >= 0 else 0 for count in counts)
    return Answer(text=text, asked_tokens=asked, answered_tokens=answered)


def _price(text: str) -> Price | None:
    """``0.15/0.60 USD``: for a million tokens asked, and for a million answered."""
    if not text:
        return None
    numbers, _, currency = text.partition(" ")
    asked, _, answered = numbers.partition("/")
    try:
        made = Price(asked=float(asked), answered=float(answered), currency=currency)
    except ValueError:
        made = Price(asked=-1.0, answered=-1.0, currency=currency)
    if not (0 <= made.asked < 1e6 and 0 <= made.answered < 1e6 and currency.isalpha() and currency.isupper()):  # noqa: PLR2004 -- more than any costs
        raise UsageError(f"{PRICE}: not a price: {text!r:.60} (try '0.15/0.60 USD': for a million tokens asked and a "
                         "million answered)", field=PRICE)
    return made
