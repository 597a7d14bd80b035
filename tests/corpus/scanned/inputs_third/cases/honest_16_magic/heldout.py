import gzip
from files.core import kind
assert kind(gzip.compress(b"x")) == "gzip"
