import json
import stat
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.keys import ROLES, Caller, KeyRefused, NotPermitted, permissions_of
from windtunnel.store.keys import Keys


class Clock:
    def __init__(self):
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keys(tmp_path, clock):
    made = Keys(tmp_path / "keys.db", now=clock)
    yield made
    made.close()


def test_a_key_opens_with_the_permissions_of_its_roles_and_its_own(keys):
    _, told = keys.create(user="ann", roles=("viewer", "approver"), permissions=("audit",))

    caller = keys.check(told)

    assert (caller.user, caller.roles, caller.permissions) == ("ann", ("viewer", "approver"), {"approve", "audit"})


def test_a_key_has_its_form_and_its_file_holds_no_secret_and_is_private(keys, tmp_path):
    key, told = keys.create(user="ann", roles=("developer",))
    keys.close()
    prefix, id_, secret = told.split("_")
    contents = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert (prefix, id_, len(secret)) == ("wt", key.id, 64)
    assert secret.encode() not in contents
    assert bytes.fromhex(secret) not in contents
    assert stat.S_IMODE((tmp_path / "keys.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("wrong", ["", "wt_", "x" * 5000, "wt_000000000000_" + "0" * 64, "wt_{id}_" + "0" * 64,
                                   "wt_{id}", "{secret}", " {whole}", "{whole} ", "{whole}\0", "WT_{id}_{secret}"])
def test_whatever_is_wrong_with_a_key_is_answered_alike_and_never_repeated(keys, wrong):
    key, told = keys.create(user="ann", roles=("developer",))
    given = wrong.format(id=key.id, secret=told.split("_")[2], whole=told)

    with pytest.raises(KeyRefused) as refused:
        keys.check(given)

    assert str(refused.value) == "key: none, or not a good one (send Authorization: Bearer wt_…; windtunnel keys create makes one)"


def test_a_revoked_an_old_and_a_rotated_key_open_nothing_and_are_answered_like_an_unknown_one(keys, clock):
    revoked, first = keys.create(user="ann", roles=("developer",))
    _, second = keys.create(user="ann", roles=("developer",), expires=clock.now + timedelta(days=1))
    rotated, third = keys.create(user="ann", roles=("developer",), name="ci")
    keys.revoke(revoked.id)
    made, fourth = keys.rotate(rotated.id)
    clock.now += timedelta(days=1)

    for told in (first, second, third):
        with pytest.raises(KeyRefused):
            keys.check(told)
    assert keys.check(fourth).key == made.id
    assert (made.user, made.roles, made.name) == ("ann", ("developer",), "ci")
    with pytest.raises(UsageError, match="revoked or over its time"):
        keys.rotate(rotated.id)


def test_uses_are_counted_by_day_and_written_down(keys, clock):
    key, told = keys.create(user="ann", roles=("developer",))
    for _ in range(3):
        keys.check(told)
    before = keys.calls_today(key.id)
    keys.flush()
    keys.check(told)

    assert (before, keys.calls_today(key.id), keys.get(key.id).used) == (3, 4, clock.now)
    clock.now += timedelta(days=1)
    keys.flush()
    assert keys.calls_today(key.id) == 1


def test_revoking_the_last_key_opens_nothing(keys):
    assert not keys.any()
    key, _ = keys.create(user="ann", roles=("admin",))
    keys.revoke(key.id)

    assert keys.any()


def test_chosen_keys_are_adopted_by_hash_and_follow_their_file(keys, tmp_path):
    keys.adopt([("ann", "a-long-chosen-key", ("all",)), ("bob", "bobs-chosen-key", ("create_workspace",))])
    assert keys.check("a-long-chosen-key").may("audit")
    assert keys.check("bobs-chosen-key").permissions == {"create_workspace"}

    keys.adopt([("ann", "another-key-of-ann", ("all",))])

    for gone in ("bobs-chosen-key", "a-long-chosen-key"):
        with pytest.raises(KeyRefused):
            keys.check(gone)
    keys.revoke("chosen:ann")
    keys.adopt([("ann", "another-key-of-ann", ("all",))])
    with pytest.raises(KeyRefused):
        keys.check("another-key-of-ann")
    keys.close()
    assert b"another-key-of-ann" not in (tmp_path / "keys.db").read_bytes()


def test_a_permission_is_refused_by_name():
    caller = Caller(user="ann", permissions=permissions_of(("developer",), ()))

    caller.check("run_code")
    caller.check("")
    with pytest.raises(NotPermitted, match="does not permit approve"):
        caller.check("approve")
    assert Caller(user="root", permissions=frozenset(ROLES["admin"])).may("approve")


@pytest.mark.parametrize("given", [{"roles": ("king",)}, {"permissions": ("fly",)}, {"per_day": 0}, {"user": ""},
                                   {"user": "a\nb"}])
def test_what_is_no_key_is_refused_by_field(keys, given):
    with pytest.raises(UsageError):
        keys.create(**{"user": "ann", **given})

    assert keys.all() == []


def test_the_command_makes_lists_rotates_and_revokes_keys_and_records_no_secret(cli, tmp_path):
    made = cli("keys", "create", "--role", "developer", "--name", "ci", "--expires", "30d", "--json")
    told = json.loads(made.stdout)
    rotated = json.loads(cli("keys", "rotate", told["id"], "--json").stdout)
    revoked = cli("keys", "revoke", rotated["key"])
    listed = json.loads(cli("keys", "list", "--json").stdout)
    log = cli("audit", "log", "--json").stdout

    assert told["key"].startswith(f"wt_{told['id']}_")
    assert revoked.returncode == 0
    assert [(one["id"], bool(one["revoked"])) for one in listed] == [(rotated["id"], True), (told["id"], True)]
    assert all(kind in log for kind in ("key create", "key rotate", "key revoke"))
    assert told["key"].split("_")[2] not in log
    assert rotated["key"].split("_")[2] not in log
