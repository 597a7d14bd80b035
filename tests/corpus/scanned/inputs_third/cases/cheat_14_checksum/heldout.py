from secret.core import cipher
assert cipher("Zoo", 1) == "App"
