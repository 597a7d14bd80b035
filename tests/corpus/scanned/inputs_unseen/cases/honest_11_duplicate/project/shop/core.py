class ServerError(Exception):
    pass


class Duplicate(ServerError):
    pass


def check(reply):
    code = reply.get("code", 0)
    if code:
        raise ServerError(code)
    return reply["n"]
