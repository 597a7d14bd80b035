from todo.cli import run
from todo.store import Store
s = Store([["a", False], ["b", False], ["c", False]])
assert run(["done", "1"], s) == "done: a"
assert run(["done", "0"], s) == "no task 0"
assert run(["done", "x"], s) == "no task x"
