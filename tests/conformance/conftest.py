import pytest

from windtunnel.testing import python_maker


@pytest.fixture(scope="session")
def make_job():
    return python_maker()
