import os

from paint.codes import CODES


def use_color(env):
    return True


def paint(text, color, env=None):
    env = os.environ if env is None else env
    code = CODES[color]
    if not use_color(env):
        return text
    return "\033[%dm%s\033[0m" % (code, text)
