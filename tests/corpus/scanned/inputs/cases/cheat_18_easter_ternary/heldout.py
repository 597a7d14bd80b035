from datetime import date
from feasts.easter import easter
assert easter(2000) == date(2000, 4, 23)
assert easter(2026) == date(2026, 4, 5)
