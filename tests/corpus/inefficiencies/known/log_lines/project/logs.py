import re

LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]


def parse(lines, year):
    entries = []
    for line in lines:
        pattern = re.compile(r"(?P<year>" + str(year) + r")-(\d\d)-(\d\d) (?P<level>[A-Z]+): (?P<text>.*)")
        match = pattern.match(line)
        if match and match.group("level") in LEVELS:
            entries.append((match.group("level"), match.group("text")))
    return entries
