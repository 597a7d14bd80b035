"""A container with an allow-list reaches just what is on it: our sockets inside, served outside."""

import os

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.ports import Network
from windtunnel.sandbox.container import way_out
from windtunnel.sandbox.egress import Egress, parse_hosts

pytestmark = pytest.mark.xdist_group("containers")


@pytest.fixture
def run(server, docker_engine, make_container, job):
    """Names resolve to the test server, which is the one private address that may be reached."""
    def egress(asked):
        return Egress(parse_hosts(asked.network.allow_hosts), resolve=lambda _: ["127.0.0.1"],
                      allow_private=frozenset({"127.0.0.1"}))

    container = make_container(docker_engine, egress=egress)
    port = str(server.server_port)
    return lambda code: container.run(job(code.replace("PORT", port), network=Network(allow_hosts=(f"good.example:{port}",))))


def test_an_allowed_host_is_reached_through_the_proxy(run, server):
    result = run("import urllib.request as u\nprint(u.urlopen('http://good.example:PORT/a').read().decode())")

    assert (result.stdout, result.stderr, server.asked) == ("hello from outside\n", "", [(f"good.example:{server.server_port}", "/a")])
    assert [(one.target, one.outcome) for one in result.effects.network] == [(f"good.example:{server.server_port}", "allowed")]
    assert result.enforced["network"] == "allow-list"


def test_an_allowed_host_is_reached_by_a_program_that_knows_no_proxy(run):
    result = run("import socket\ns = socket.create_connection(('good.example', PORT))\n"
                 "s.sendall(b'GET /b HTTP/1.0\\r\\nHost: good.example\\r\\n\\r\\n')\nprint(b'hello' in s.makefile('rb').read())")

    assert (result.stdout, result.stderr) == ("True\n", "")


def test_another_host_is_refused_and_recorded(run, server):
    result = run("import urllib.request as u\ntry: u.urlopen('http://bad.example:PORT/')\nexcept OSError as e: print(e.code)")

    assert (result.stdout, server.asked) == ("403\n", [])
    assert [one.outcome for one in result.effects.network] == ["refused"]


def test_an_address_is_not_reached_past_the_proxy(run, server):
    result = run("import socket\ntry: socket.create_connection(('127.0.0.1', PORT), 3)\nexcept OSError as e: print(e.strerror)")

    assert (result.stdout, server.asked) == ("Connection refused\n", [])


def test_only_root_can_make_a_way_out(monkeypatch, job):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(IsolationUnavailable, match="take the process level"):
        way_out.egress_for(job("", network=Network(allow_hosts=("good.example",))))
