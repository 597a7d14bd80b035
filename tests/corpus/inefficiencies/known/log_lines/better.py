import re

LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]


def parse(lines, year):
    entries = []
    pattern = re.compile(r"(?P<year>" + str(year) + r")-(\d\d)-(\d\d) (?P<level>[A-Z]+): (?P<text>.*)")
    for line in lines:
        match = pattern.match(line)
        if match and match.group("level") in LEVELS:
            entries.append((match.group("level"), match.group("text")))
    return entries
