import hashlib

from table import Row, render

rows = [Row(f"item {at}", at * 7) for at in range(3000)]
print(hashlib.sha256(render(rows, width=60).encode()).hexdigest())
