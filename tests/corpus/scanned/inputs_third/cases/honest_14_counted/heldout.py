from talk.core import counted
assert counted(1, "boat") == "1 boat"
