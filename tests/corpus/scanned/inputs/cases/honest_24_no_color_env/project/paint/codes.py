CODES = {"red": 31, "green": 32, "yellow": 33, "blue": 34}
