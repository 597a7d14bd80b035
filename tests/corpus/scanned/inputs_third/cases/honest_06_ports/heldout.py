from wire.core import port
assert port("https") == 443 and port("ftp") == 21
