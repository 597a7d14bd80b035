def add(store, args):
    return "added %d" % store.add(" ".join(args))


def list_(store, args):
    return "\n".join("%d. [%s] %s" % (i, "x" if d else " ", t) for i, (t, d) in enumerate(store.tasks, 1))


COMMANDS = {"add": add, "list": list_}


def run(argv, store):
    if not argv or argv[0] not in COMMANDS:
        return "usage: todo " + "|".join(COMMANDS)
    return COMMANDS[argv[0]](store, argv[1:])
