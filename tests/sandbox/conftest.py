import http.server
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Command
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap

TABLE = LanguageTable()
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


def python_job(code, *, limits=None, network=None, files=None, **options):
    language = TABLE.get("python")
    toolchain = TABLE.toolchain(language)
    command = options.pop("command", {})
    return Job(
        command=Command(
            argv=(toolchain.run[0], "/sandbox/main.py"), script="/sandbox/main.py", env=ENV | dict(toolchain.env),
            files={"main.py": code.encode(), **(files or {})}, **command),
        limits=limits or Limits(), language=language, toolchain=toolchain, network=network or Network(), **options)


def shell_job(code, **options):
    language = TABLE.get("sh")
    toolchain = TABLE.toolchain(language)
    command = Command(argv=(toolchain.run[0], "/sandbox/main.sh"), script="/sandbox/main.sh", env=ENV,
                      files={"main.sh": code.encode()})
    return Job(command=command, limits=Limits(), language=language, toolchain=toolchain, **options)


@pytest.fixture
def job():
    return python_job


@pytest.fixture
def sh():
    return shell_job


@pytest.fixture
def sandbox():
    made = Bubblewrap(pool_size=0)
    yield made
    made.close()


@pytest.fixture
def supervisor(tmp_path):
    """Starts a script as a supervisor of its own, with this folder's helpers at hand."""
    started = []

    def start(code, **options):
        path = tmp_path / "supervisor.py"
        path.write_text(f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
                        "from conftest import python_job, Bubblewrap, Limits\n" + code)
        process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ | options)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


class Page(http.server.BaseHTTPRequestHandler):
    """What stands outside, and remembers who asked for what."""

    def do_GET(self):
        self.server.asked.append((self.headers["Host"], self.path))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/secret")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello from outside")

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()
