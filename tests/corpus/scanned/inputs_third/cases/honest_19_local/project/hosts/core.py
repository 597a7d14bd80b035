def local(host):
    return host == "localhost"
