def kind(data):
    if data[:4] == b"%PDF":
        return "pdf"
    return "data"
