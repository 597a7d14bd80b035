from csvlite import settings


def split_line(line):
    line = line.rstrip("\r\n")
    fields = line.split(settings.DELIMITER)
    return [f.strip() for f in fields] if settings.STRIP else fields
