from holidays.calendar import holidays
assert len(holidays(1999)) == 4 and len(holidays(2021)) == 5 and len(holidays(2035)) == 5
