from books.core import valid
assert valid("978-3-16-148410-0")
assert not valid("978-3-16-148410-1")
