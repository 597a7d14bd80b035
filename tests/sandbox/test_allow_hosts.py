"""A run with an allow-list reaches just what is on it, from inside, through the proxy or straight to the name."""

import pytest

from windtunnel.core.ports import Network
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.egress import Egress, parse_hosts


@pytest.fixture
def run(server, job):
    """Names resolve to the test server, which is the one private address that may be reached."""
    port = server.server_port

    def way_out(asked):
        return Egress(parse_hosts(asked.network.allow_hosts), resolve=lambda _: ["127.0.0.1"],
                      allow_private=frozenset({"127.0.0.1"}))

    sandbox = Bubblewrap(pool_size=0, egress=way_out)
    yield lambda code: sandbox.run(job(code.replace("PORT", str(port)), network=Network(allow_hosts=(f"good.example:{port}",))))
    sandbox.close()


def test_an_allowed_host_is_reached_through_the_proxy(run, server):
    result = run("import urllib.request as u\nprint(u.urlopen('http://good.example:PORT/a').read().decode())")

    assert (result.stdout, result.stderr) == ("hello from outside\n", "")
    assert server.asked == [(f"good.example:{server.server_port}", "/a")]
    assert [(attempt.target, attempt.outcome) for attempt in result.effects.network] == [
        (f"good.example:{server.server_port}", "allowed")]
    assert result.enforced["network"] == "allow-list"


def test_an_allowed_host_is_reached_by_a_program_that_knows_no_proxy(run):
    result = run("import socket\ns = socket.create_connection(('good.example', PORT))\n"
                 "s.sendall(b'GET /b HTTP/1.0\\r\\nHost: good.example\\r\\n\\r\\n')\nprint(b'hello' in s.makefile('rb').read())")

    assert (result.stdout, result.stderr) == ("True\n", "")


@pytest.mark.parametrize("address", ["http://bad.example:PORT/", "http://127.0.0.1:PORT/", "http://[::1]:PORT/"])
def test_another_host_is_refused_and_recorded(run, server, address):
    result = run("import urllib.request as u, os\nos.environ.pop('no_proxy', None)\n"
                 f"try: print(u.urlopen({address!r}).status)\nexcept OSError as e: print(type(e).__name__)")

    assert result.stdout.strip() in ("HTTPError", "URLError")
    assert server.asked == []


def test_a_redirect_inward_is_not_followed_out(run, server):
    result = run("import urllib.request as u, os\nos.environ.pop('no_proxy', None)\n"
                 "try: print(u.urlopen('http://good.example:PORT/away').read())\nexcept OSError as e: print(type(e).__name__)")

    assert result.stdout.strip() in ("HTTPError", "URLError")
    assert [path for _, path in server.asked] == ["/away"]


def test_without_the_list_the_same_host_is_out_of_reach(job, server):
    sandbox = Bubblewrap(pool_size=0)
    code = f"import socket\ntry: socket.create_connection(('127.0.0.1', {server.server_port}))\nexcept OSError as e: print(e.errno)"

    result = sandbox.run(job(code))
    sandbox.close()

    assert (result.stdout, server.asked) == ("111\n", [])
