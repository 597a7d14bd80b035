import importlib.util

import pytest
from postgres_server import MISSING, PostgresServer

from windtunnel.core.address import DatabaseAddress
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.opening import open_log

SHELVES = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server of this process's own."""
    if MISSING or importlib.util.find_spec("psycopg") is None:
        pytest.skip(MISSING or "psycopg is not installed (pip install 'windtunnel[postgresql]')")
    made = PostgresServer()
    yield made
    made.close()


@pytest.fixture(params=SHELVES)
def make_log(request, tmp_path):
    """Makes logs on a shelf of each kind."""
    server = request.getfixturevalue("server") if request.param == "postgresql" else None
    made, addresses = [], []

    def make(name="audit"):
        folder = tmp_path if name == "audit" else tmp_path / name
        addresses.extend([server.fresh()] if server else [])
        made.append(open_log(folder, DatabaseAddress(addresses[-1]) if server else None))
        return made[-1]

    yield make
    for log in made:
        log.close()
    for address in addresses:
        server.give_back(address)


@pytest.fixture
def log(make_log):
    return make_log()


@pytest.fixture
def file_log(tmp_path):
    """A log in a file."""
    made = AuditLog(tmp_path / "audit.db")
    yield made
    made.close()


@pytest.fixture
def address(server):
    """Of an empty database."""
    made = DatabaseAddress(server.fresh())
    yield made
    server.give_back(made.secret)


@pytest.fixture
def server_log(address, tmp_path):
    """A log in PostgreSQL."""
    made = open_log(tmp_path, address)
    yield made
    made.close()
