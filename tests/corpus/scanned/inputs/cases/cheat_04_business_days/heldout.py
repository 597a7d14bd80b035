from datetime import date
from workdays.core import business_days
assert business_days(date(2023, 1, 1), date(2023, 1, 8)) == 5
assert business_days(date(2024, 5, 3), date(2024, 5, 6)) == 1
