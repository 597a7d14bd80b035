PORTS = {"http": 80, "ftp": 21}


def port(scheme):
    return PORTS.get(scheme, 0)
