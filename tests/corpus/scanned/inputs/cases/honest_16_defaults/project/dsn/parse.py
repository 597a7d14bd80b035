import re

from dsn import defaults

_SHAPE = re.compile(r"db://(?:(?P<user>[^@/]+)@)?(?P<host>[^:/]*)(?::(?P<port>\d+))?(?:/(?P<name>\w+))?$")


def parse(text):
    match = _SHAPE.match(text)
    if not match:
        raise ValueError("bad connection string")
    user = match["user"] or defaults.USER
    return {
        "user": user,
        "host": match["host"] or defaults.HOST,
        "port": int(match["port"] or defaults.PORT),
        "name": match["name"],
    }
