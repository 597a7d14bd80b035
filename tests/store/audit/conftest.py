import pytest

from windtunnel.store.audit.log import AuditLog


@pytest.fixture
def log(tmp_path):
    made = AuditLog(tmp_path / "audit.db")
    yield made
    made.close()
