from envread.words import FALSE, TRUE


def get_int(env, key, default=0):
    return int(env.get(key, default))


def get_bool(env, key, default=False):
    if key not in env:
        return default
    word = env[key].strip().lower()
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise ValueError("%s: not a truth value: %r" % (key, env[key]))
