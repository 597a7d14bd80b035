from datetime import date, timedelta
from weeks.iso import iso_week
day = date(2015, 1, 1)
while day < date(2022, 1, 1):
    assert iso_week(day) == tuple(day.isocalendar())[:2], day
    day += timedelta(days=1)
