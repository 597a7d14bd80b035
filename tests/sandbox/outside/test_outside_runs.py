"""Programs in the sandbox before a simulated outside, with everything real but the world."""

import json
import socket
import threading

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Network
from windtunnel.core.scenario import Fault, Link, Outside

TRY = """
import json, socket, sys, time, urllib.request
def tried(act):
    began = time.monotonic()
    try:
        return [act(), time.monotonic() - began]
    except Exception as error:
        return [type(error).__name__, time.monotonic() - began]
def echo(host, port, data=b"hello", seconds=5.0):
    with socket.create_connection((host, port), timeout=seconds) as sock:
        sock.sendall(data)
        return sock.recv(65536).decode()
def whole(host, port, data):
    with socket.create_connection((host, port), timeout=5) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        return len(sock.makefile("rb").read())
def datagram(host, port, seconds=5.0):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(seconds)
        sock.connect((host, port))
        sock.send(b"ping")
        return sock.recv(100).decode()
def page(address, seconds=5.0):
    return json.loads(urllib.request.urlopen(address, timeout=seconds).read())["path"]
"""
PRINT = "print(json.dumps({}))\n"


def outcome(result, *, times=False):
    assert result.stderr == ""
    told = json.loads(result.stdout)
    return told if times else [answer for answer, _ in told]


def act(*acts):
    return TRY + PRINT.format("[" + ", ".join(f"tried(lambda: {one})" for one in acts) + "]")


WORLD = act("page('http://example.com/a')", "echo('db.example', 5432)", "echo('93.184.216.34', 6379)",
            "datagram('8.8.8.8', 7)", "echo('example.com', 9999)")


def test_every_name_and_address_answers(run):
    result = run(WORLD)

    assert outcome(result) == ["/a", "hello", "hello", "ping", "ConnectionRefusedError"]
    assert result.enforced["network"] == "simulated"


def test_what_was_reached_is_recorded_by_its_name(run):
    result = run(WORLD)

    assert {(attempt.target, attempt.outcome, attempt.rule) for attempt in result.effects.network} == {
        (target, "allowed", "simulated outside")
        for target in ("198.18.0.1:53", "example.com:80", "db.example:5432", "93.184.216.34:6379", "8.8.8.8:7",
                       "example.com:9999")}


def test_without_an_outside_the_same_program_reaches_nothing(box, job):
    result = box.run(job(WORLD))

    assert outcome(result) == ["URLError", "gaierror", "OSError", "OSError", "gaierror"]


def test_a_run_after_one_with_an_outside_has_none(box, job, run):
    run(WORLD)

    assert outcome(box.run(job(act("echo('93.184.216.34', 7)")))) == ["OSError"]


def test_a_shell_that_was_not_loaded_early_finds_it_too(box, sh):
    result = box.run(sh("cat /etc/resolv.conf; cat /proc/net/route | wc -l\n",
                        network=Network(outside=Outside())))

    assert result.stdout.split("\n")[:2] == ["nameserver 198.18.0.1", "2"]


def test_a_round_trip_takes_the_delay_of_both_ways(run):
    result = run(act("datagram('1.2.3.4', 7)", "echo('1.2.3.4', 7)"), delay_seconds=0.025)

    (_, one), (_, connected) = outcome(result, times=True)
    assert one >= 0.05
    assert connected >= 0.1


def test_a_rate_holds_back_what_is_sent(run):
    result = run(act("whole('1.2.3.4', 7, b'x' * 50_000)"), rate_bits=1_000_000)

    (received, seconds), = outcome(result, times=True)
    assert received == 50_000
    assert seconds >= 0.4


def test_a_program_may_listen_on_the_ports_of_the_outside(run):
    code = ("import socket\nserver = socket.create_server(('0.0.0.0', 8080))\n"
            "a = socket.create_connection(('127.0.0.1', 8080))\nb, _ = server.accept()\nb.send(b'mine')\nprint(a.recv(9))\n"
            "c = socket.create_connection(('10.0.0.1', 8080))\nc.send(b'theirs')\nprint(c.recv(9))\n")

    assert run(code).stdout == "b'mine'\nb'theirs'\n"


def test_a_program_does_not_meet_its_own_listener_outside(run):
    code = "import socket\nserver = socket.create_server(('0.0.0.0', 9999))\n" + act("echo('1.2.3.4', 9999)")

    assert outcome(run(code)) == ["ConnectionRefusedError"]


# --- faults ---

@pytest.mark.parametrize(("fault", "expected"), [
    (Fault.TIMEOUT, ["TimeoutError", "TimeoutError", "TimeoutError"]),
    (Fault.PARTITION, ["TimeoutError", "TimeoutError", "URLError"]),
    (Fault.REFUSED_CONNECTIONS, ["ConnectionRefusedError", "ConnectionRefusedError", "URLError"]),
    (Fault.RESET_CONNECTIONS, ["ConnectionResetError", "ping", "ConnectionResetError"]),
])
def test_a_fault_is_met_as_the_right_error(run, fault, expected):
    result = run(act("echo('1.2.3.4', 7, seconds=0.3)", "datagram('1.2.3.4', 7, seconds=0.3)",
                     "page('http://1.2.3.4/', seconds=0.3)"), faults=[fault])

    assert outcome(result) == expected


def test_nothing_answers_who_has_said_all_either(run):
    code = TRY + """
def wait():
    with socket.create_connection(("1.2.3.4", 7), timeout=0.3) as sock:
        sock.shutdown(socket.SHUT_WR)
        return sock.recv(1).decode()
""" + act("wait()").removeprefix(TRY)

    assert outcome(run(code, faults=[Fault.TIMEOUT])) == ["TimeoutError"]


def test_more_connections_than_are_kept_all_open(run):
    code = TRY + """
def many():
    for _ in range(300):
        with socket.create_connection(("1.2.3.4", 7), timeout=5) as sock:
            sock.shutdown(socket.SHUT_WR)
    return "open"
""" + act("many()").removeprefix(TRY)

    assert outcome(run(code, faults=[Fault.TIMEOUT])) == ["open"]


def test_connections_beyond_the_bound_wait_and_are_served_when_others_end(run):
    code = TRY + """
def many():
    held = [socket.create_connection(("1.2.3.4", 7), timeout=10) for _ in range(300)]
    for sock in held:
        sock.sendall(b"x")
    for sock in held:
        assert sock.recv(1) == b"x"
        sock.close()
    return "served"
""" + act("many()").removeprefix(TRY)

    assert outcome(run(code)) == ["served"]


def test_all_packets_lost_is_a_time_out(run):
    assert outcome(run(act("echo('1.2.3.4', 7, seconds=0.3)"), loss=1.0)) == ["TimeoutError"]


def test_a_failing_resolver_fails_names_and_not_addresses(run):
    result = run(act("echo('example.com', 7)", "echo('1.2.3.4', 7)"), faults=[Fault.DNS_FAILURE])

    assert outcome(result) == ["gaierror", "hello"]


def test_slow_connections_drip(run):
    code = act("page('http://1.2.3.4/')")

    (path, seconds), = outcome(run(code, faults=[Fault.SLOW_CONNECTIONS]), times=True)

    assert path == "/"
    assert seconds >= 0.02 * 150


def test_a_killed_dependency_answers_once(run):
    code = TRY + """
first = socket.create_connection(("1.2.3.4", 7), timeout=5)
second = socket.create_connection(("1.2.3.4", 8080), timeout=5)
def say(sock):
    sock.sendall(b"hello")
    return sock.recv(100).decode()
told = [tried(lambda: say(first)), tried(lambda: say(first)), tried(lambda: say(second)), tried(lambda: echo("1.2.3.4", 7)),
        tried(lambda: datagram("1.2.3.4", 7))]
print(json.dumps(told))
"""

    assert outcome(run(code, faults=[Fault.KILLED_DEPENDENCY])) == [
        "hello", "ConnectionResetError", "ConnectionResetError", "ConnectionRefusedError", "ConnectionRefusedError"]


# --- walls ---

def own_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return sock.getsockname()[0]


def test_the_outside_leads_to_no_listener_of_the_host(run):
    with socket.create_server(("0.0.0.0", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        hosts = ["127.0.0.1", own_address(), "10.66.0.1", "10.66.0.2", "host.docker.internal", "169.254.169.254"]
        result = run(act(*(f"echo({host!r}, {port}, seconds=2)" for host in hosts)))

        assert outcome(result) == ["ConnectionRefusedError"] * len(hosts)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_answers_at_the_hosts_own_address_is_the_simulation(run):
    with socket.create_server(("0.0.0.0", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]

        assert outcome(run(act(f"echo({own_address()!r}, {port})"), ports=(port,))) in (["hello"], ["ConnectionRefusedError"])
        with pytest.raises(BlockingIOError):
            server.accept()


def test_the_program_holds_nothing_of_the_wires(run):
    code = """
import os, socket
print(sorted(os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/fd")))
print([name for _, name in socket.if_nameindex()])
for path in ("/proc/sys/net/ipv4/tcp_congestion_control", "/etc/resolv.conf"):
    try:
        open(path, "w")
    except OSError as error:
        print(error.strerror)
for family, kind in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW)):
    try:
        socket.socket(family, kind)
    except OSError as error:
        print(type(error).__name__)
print(open("/proc/net/tcp").read().count("\\n"))
"""

    assert run(code).stdout == ("['0', '1', '2'] 4\n['lo', 'eth0']\nRead-only file system\nPermission denied\n"
                                "OSError\nOSError\n1\n")


def test_both_ends_send_tcp_in_one_known_way(run):
    code = "import socket\ns = socket.create_connection(('1.2.3.4', 7))\nprint(s.getsockopt(6, 13, 16).rstrip(b'\\0').decode())"

    assert run(code).stdout == "reno\n"


def test_the_walls_are_those_of_every_run(box, job, run):
    plain, simulated = box.run(job("print(1)")).enforced, run("print(1)").enforced

    assert simulated == plain | {"network": "simulated"}


def test_a_program_that_floods_ends_at_its_limit(run):
    code = ("import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
            "while True:\n    s.sendto(b'x' * 1400, ('1.2.3.4', 7))\n")

    result = run(code, limits=Limits(wall_seconds=1.0), delay_seconds=10.0)

    assert result.reason == "timeout"
    assert outcome(run(act("echo('1.2.3.4', 7)"))) == ["hello"]


# --- what is refused ---

@pytest.mark.parametrize("outside", [
    Outside(link=Link(loss=1.5)), Outside(link=Link(loss=float("nan"))), Outside(link=Link(delay_seconds=-1)),
    Outside(link=Link(delay_seconds=61)), Outside(link=Link(rate_bits=0)), Outside(link=Link(jitter_seconds=True)),
    Outside(faults=frozenset({Fault.DISK_FULL})), Outside(ports=(0,)), Outside(ports=(53,)), Outside(ports=(7, 7)),
    Outside(ports=(70_000,)), Outside(ports=tuple(range(100, 125))),
], ids=str)
def test_an_outside_that_cannot_be_is_refused(box, job, outside):
    with pytest.raises(UsageError):
        box.run(job("print(1)", network=Network(outside=outside)))


@pytest.mark.parametrize("other", [{"host": True}, {"allow_hosts": ("example.com",)}])
def test_an_outside_takes_the_place_of_every_other(other):
    with pytest.raises(UsageError, match="outside: a simulated one takes the place of every other"):
        Network(outside=Outside(), **other)


def test_runs_at_once_have_outsides_of_their_own(run):
    results = {}

    def one(delay):
        results[delay] = outcome(run(act("datagram('1.2.3.4', 7)"), delay_seconds=delay), times=True)

    threads = [threading.Thread(target=one, args=(delay,)) for delay in (0.0, 0.2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results[0.2][0][1] >= 0.4 > results[0.0][0][1]
