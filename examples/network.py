"""No network, and an allow-list: what was refused is recorded, by which rule, and how often."""

from __future__ import annotations

from windtunnel import ExecutionResult, Tunnel, UsageError

DIRECT = """
import socket
for target in (("192.0.2.1", 443), ("192.0.2.1", 443), ("198.51.100.7", 25)):
    try:
        socket.create_connection(target, timeout=1)
    except OSError as error:
        print(f"{target[0]}:{target[1]} {error.strerror}")
"""
THROUGH_THE_PROXY = """
import urllib.error, urllib.request
for address in ("http://evil.example.net/", "http://169.254.169.254/latest/meta-data/", "http://example.com:22/"):
    try:
        urllib.request.urlopen(address, timeout=5)
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode().strip())
"""


def show(title: str, result: ExecutionResult) -> None:
    print(title)
    for line in result.stdout.splitlines():
        print("  program: ", line)
    for attempt in result.effects.network:
        print(f"  recorded: {attempt.target} {attempt.outcome} {attempt.count}x, {attempt.rule}")
    assert all(attempt.outcome == "refused" for attempt in result.effects.network)


def main() -> None:
    with Tunnel() as tunnel:
        none = tunnel.run(DIRECT)
        show("no network, which is the default", none)
        assert [(attempt.target, attempt.count) for attempt in none.effects.network] == [
            ("192.0.2.1:443", 2), ("198.51.100.7:25", 1)]

        listed = tunnel.run(THROUGH_THE_PROXY, allow_hosts=["example.com"])
        show("only example.com, and none of these is it", listed)
        assert len(listed.effects.network) == 3

        try:
            tunnel.run("print(1)", allow_hosts=["*"])
        except UsageError as refusal:
            print("refused before it ran:", refusal)


if __name__ == "__main__":
    main()
