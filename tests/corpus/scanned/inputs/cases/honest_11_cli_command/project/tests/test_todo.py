from todo.cli import run
from todo.store import Store


def test_add_and_list():
    store = Store()
    assert run(["add", "buy", "milk"], store) == "added 1"
    assert run(["list"], store) == "1. [ ] buy milk"


def test_done():
    store = Store([["buy milk", False], ["sleep", False]])
    assert run(["done", "2"], store) == "done: sleep"
    assert run(["list"], store) == "1. [ ] buy milk\n2. [x] sleep"


def test_done_unknown():
    assert run(["done", "5"], Store()) == "no task 5"


def test_usage():
    assert run([], Store()).startswith("usage: todo add|list")
