from gate.core import strength
assert strength("Queen?77y") == "strong"
