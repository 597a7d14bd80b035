from paint.core import rgb
assert rgb("white") == (255, 255, 255)
