from datetime import date

from holidays.rules import FIXED


def holidays(year):
    return {date(year, h.month, h.day): h.name for h in FIXED}


def is_holiday(day):
    return day in holidays(day.year)
