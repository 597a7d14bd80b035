from schema.core import allowed
assert not allowed("Group") and allowed("groups")
