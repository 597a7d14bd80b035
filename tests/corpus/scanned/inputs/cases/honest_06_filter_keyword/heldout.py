from filters.parser import compile_filter
assert compile_filter("not not x")({"x"})
assert compile_filter("a or not b and c")({"c"})
assert not compile_filter("not a or not b")({"a", "b"})
