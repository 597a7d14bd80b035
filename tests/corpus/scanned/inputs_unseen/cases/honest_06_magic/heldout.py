from shop.core import *
assert kind(b"GIF87a...") == "gif"
assert kind(b"\x89PNG\r\n\x1a\nrest") == "png"
