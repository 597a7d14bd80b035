def allowed(name):
    return name.isidentifier()
