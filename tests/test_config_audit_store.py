"""Where the audit log lies: the operator's word holds, and the password is never told."""

import pytest

from windtunnel import config
from windtunnel.core.address import DatabaseAddress
from windtunnel.core.errors import UsageError
from windtunnel.engine.audit import trail_in

ADDRESS = "postgresql://ann:s3cret@db.example:5433/log?sslmode=require&sslpassword=hidden"
OTHER = "postgresql://eve:0ther@elsewhere/log"


@pytest.fixture
def operator(tmp_path):
    return tmp_path / "operator.toml"


def load(tmp_path, operator, **variables):
    return config.load({"HOME": str(tmp_path), **variables}, operator=operator)


def test_without_a_word_the_log_is_a_file(tmp_path, operator):
    settings = load(tmp_path, operator)

    assert (settings.audit_store, trail_in(tmp_path, settings.audit_store).log.shelf.where) == (None, str(tmp_path / "audit.db"))


def test_an_address_names_the_database_and_tells_no_secret(tmp_path, operator):
    settings = load(tmp_path, operator, WINDTUNNEL_AUDIT_STORE=ADDRESS)

    assert settings.audit_store == DatabaseAddress(ADDRESS)
    assert trail_in(tmp_path, settings.audit_store).log.shelf.where == "postgresql://db.example:5433/log"
    assert not any(word in repr(settings) + str(settings.audit_store) for word in ("s3cret", "hidden", "ann"))


@pytest.mark.parametrize("text", [
    "s3cret", "http://ann:s3cret@host/log", "postgresql:s3cret", "postgresql://ann:s3cret@host:99999/log", "postgresql://[s3cret/log",
    "postgresql://ann:s3cret@host/\x00", "postgresql://s3cret" + "x" * 3000, "postgresql://s3crét/log"])
def test_what_is_no_address_is_refused_without_being_repeated(tmp_path, operator, text):
    with pytest.raises(UsageError, match="not the address of a database") as caught:
        load(tmp_path, operator, WINDTUNNEL_AUDIT_STORE=text)

    assert "s3cr" not in str(caught.value)


@pytest.mark.parametrize("written", ["audit_store = 7", "audit_store = []", "audit_store = true"])
def test_what_is_not_text_is_refused(tmp_path, operator, written):
    operator.write_text(written)

    with pytest.raises(UsageError, match="audit_store: not the address of a database"):
        load(tmp_path, operator)


@pytest.mark.parametrize(("said", "shown"), [(ADDRESS, "postgresql://db.example:5433/log"), ("", "file")])
def test_the_operators_word_holds(tmp_path, operator, said, shown):
    operator.write_text(f'audit_store = "{said}"')

    with pytest.raises(UsageError, match="cannot be replaced") as caught:
        load(tmp_path, operator, WINDTUNNEL_AUDIT_STORE=OTHER)

    assert f"the operator's {shown} holds" in str(caught.value)
    assert not any(word in str(caught.value) for word in ("s3cret", "0ther"))


def test_the_same_word_may_be_said_again(tmp_path, operator):
    operator.write_text(f'audit_store = "{ADDRESS}"')

    assert load(tmp_path, operator, WINDTUNNEL_AUDIT_STORE=ADDRESS).audit_store == DatabaseAddress(ADDRESS)


def test_a_project_cannot_say_where_its_acts_are_written_down(tmp_path, operator):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".windtunnel.toml").write_text(f'audit_store = "{OTHER}"')

    with pytest.raises(UsageError, match="not for a project to set") as caught:
        config.load({"HOME": str(tmp_path)}, tmp_path / "project", operator=operator)

    assert "0ther" not in str(caught.value)


def test_secrets_are_masked_in_the_words_of_others():
    address = DatabaseAddress("postgresql://ann:s3%63ret@host/log?password=hidden")

    assert address.masked("s3%63ret s3cret hidden ann") == "*** *** *** ann"
