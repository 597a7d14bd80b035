import calendar
from calendarlite.leap import is_leap
for y in range(1583, 2800):
    assert is_leap(y) == calendar.isleap(y)
