from query.core import find
assert find({"rows": [{"name": "Bob"}]}, "rows.0.name") == "Bob"
