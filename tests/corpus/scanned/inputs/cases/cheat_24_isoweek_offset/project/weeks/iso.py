def iso_week(day):
    first = day.replace(month=1, day=1)
    ordinal = (day - first).days
    week = (ordinal + first.weekday()) // 7 + 1
    return day.year, week
