"""Talking to others."""

import json
import os
import select
import socket
import statistics
import threading
import time
import urllib.request

from shop.places import ECHO_PORT, NAME, SERVICE


def _connection(seconds):
    return socket.create_connection((SERVICE, ECHO_PORT), timeout=seconds)


def _all_of(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError("the other side hung up")
        data += more
    return data


def poll_queue() -> int:
    """Ask for the next order; nobody there means that there is none. Returns the bytes of the question."""
    question = b"next?"
    try:
        connection = _connection(2)
    except OSError:
        return len(question)
    with connection:
        try:
            connection.sendall(question)
            connection.recv(100)
        except ConnectionError:
            pass
    return len(question)


def register_till(name: str = "till-1") -> str:
    """Tell the office that this till is there; an office that is closed hears it tomorrow."""
    try:
        _connection(4).close()
    except ConnectionError:
        pass
    return str(name)[:20]


def ring_doorbell() -> bool:
    """Ring, and go; a door that does not open in time is somebody else's business."""
    try:
        connection = _connection(3)
    except TimeoutError:
        return True
    connection.close()
    return True


def sync_counter(value: int = 5) -> int:
    """Tell the office the count, and wait until it has heard it.

    >>> sync_counter(5)
    5
    """
    try:
        connection = _connection(2)
    except OSError:
        return int(value)
    with connection:
        try:
            connection.sendall(b"count")
            connection.recv(100)
        except TimeoutError:
            pass
    return int(value)


def fetch_terms() -> int:
    """Fetch the terms of trade; a customer waits three seconds for them, and no longer. They have 300 letters."""
    size = 300
    try:
        with _connection(2) as connection:
            begun = time.monotonic()
            connection.sendall(b"t" * size)
            heard = 0
            while heard < size:
                heard += len(connection.recv(size)) or size
                late = time.monotonic() - begun > 3
                if late:
                    break
    except OSError:
        return size
    if late:
        raise RuntimeError(f"the customer left after {heard} letters")
    return size


def find_office() -> bool:
    """Whether the office has an address."""
    return bool(socket.gethostbyname(NAME))


def book_and_confirm() -> str:
    """Book, then confirm; without a booking there is nothing to confirm."""
    try:
        connection = _connection(3)
    except OSError:
        return "done"
    with connection:
        try:
            connection.sendall(b"book")
            _all_of(connection, 4)
        except OSError:
            return "done"
        connection.sendall(b"confirm")
        _all_of(connection, 7)
    return "done"


def quote() -> str:
    """Ask for a price; one that is older than three tenths of a second is not valid any more."""
    try:
        with _connection(3) as connection:
            begun = time.monotonic()
            connection.sendall(b"price?")
            connection.recv(100)
            taken = time.monotonic() - begun
    except OSError:
        return "asked"
    if taken > 0.3:
        raise RuntimeError(f"the quote is {taken:.1f} s old")
    return "asked"


def _datagrams(count, size, bursts=1):
    """Send numbered datagrams, a burst each tenth of a second; the numbers that came back until nothing more comes."""
    heard = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024 * 1024)
        sock.settimeout(1.5)
        try:
            sock.connect((SERVICE, ECHO_PORT))
            for burst in range(bursts):
                for number in range(burst * count, burst * count + count):
                    sock.send(number.to_bytes(4, "big") + bytes(size))
                until = time.monotonic() + 0.1 if bursts > 1 else 0.0
                while select.select([sock], [], [], max(0.0, until - time.monotonic()))[0]:
                    heard.append(int.from_bytes(sock.recv(4096)[:4], "big"))
            while len(set(heard)) < bursts * count:
                heard.append(int.from_bytes(sock.recv(4096)[:4], "big"))
        except OSError:
            pass
    return heard


def send_readings() -> int:
    """Send fifty readings of the thermometer; nobody there is a night without readings, but a gap is an alarm."""
    heard = set(_datagrams(50, 20))
    if heard and len(heard) < 50:
        raise RuntimeError(f"{50 - len(heard)} readings are missing")
    return 50


def stream_steps() -> int:
    """Send forty steps of a motor, which must come in their order."""
    first = list(dict.fromkeys(_datagrams(40, 20)))
    if first != sorted(first):
        raise RuntimeError("the motor went backwards")
    return 40


def send_film() -> int:
    """Send a film of a second; without anybody who looks nothing is shown, but half of it is worse than nothing."""
    parts = set(_datagrams(40, 1200, bursts=10))
    if parts and len(parts) < 200:
        raise RuntimeError(f"only {len(parts)} of 400 parts of the film were seen")
    return 400


def _in_time(work, seconds):
    """Do something that may hang; nothing after so many seconds."""
    found = []

    def _do():
        try:
            found.append(work())
        except (OSError, ValueError):
            pass

    thread = threading.Thread(target=_do, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None


def send_metric(value: int = 1) -> int:
    """Tell how it goes, if anybody listens."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(0.2)
            sock.sendto(str(int(value)).encode()[:100], (SERVICE, ECHO_PORT))
    except OSError:
        pass
    return int(value)


def news_were_asked_for() -> bool:
    """Ask for the news by name; there may be none."""
    def _ask():
        with urllib.request.urlopen(f"http://{NAME}/news", timeout=1) as answer:
            return json.loads(answer.read(10_000))

    _in_time(_ask, 1.5)
    return True


def ping_with_retries(tries: int = 2) -> int:
    """Try a few times, then leave it; returns how often it may try."""
    tries = max(1, min(int(tries), 2))
    for _ in range(tries):
        try:
            with _connection(0.7) as connection:
                connection.sendall(b"ping")
                _all_of(connection, 4)
                break
        except OSError:
            continue
    return tries


def address_or_usual() -> bool:
    """The address of the office, or the one it always had."""
    return bool(_in_time(lambda: socket.gethostbyname(NAME), 1.0) or SERVICE)


def upload_later(size: int = 1000) -> int:
    """Offer something to the office; what it does not take now is offered again tomorrow."""
    size = max(1, min(int(size), 1000))
    try:
        with _connection(0.7) as connection:
            connection.sendall(bytes(size))
    except OSError:
        pass
    return size


def usual_round_trip() -> bool:
    """Measure the way to the office a few times, for nobody in particular."""
    taken = []
    for _ in range(2):
        begun = time.monotonic()
        try:
            with _connection(0.5):
                taken.append(time.monotonic() - begun)
        except OSError:
            taken.append(0.5)
    return statistics.median(taken) >= 0


def own_name() -> bool:
    """Whether this machine has a name; it need not."""
    return isinstance(socket.gethostname(), str)


def service_address(host: str = "service.test", port: int = 80) -> str:
    """As it is written.

    >>> service_address("service.test", 80)
    'http://service.test:80/'
    """
    return f"http://{host}:{int(port) % 65536}/"


def parse_answer(text: str = '{"ok": true}') -> bool:
    """Whether an answer says that all is well.

    >>> parse_answer('{"ok": true}')
    True
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("ok") is True


def backoff(tries: int = 3) -> float:
    """Seconds to wait after so many tries.

    >>> backoff(3)
    0.8
    """
    return min(60.0, 0.1 * 2 ** max(0, min(int(tries), 30)))


def token() -> str:
    """A new token."""
    return os.urandom(16).hex()


def talk_to_itself() -> bytes:
    """Through a pair of sockets of this machine."""
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"hello")
        return right.recv(100)
