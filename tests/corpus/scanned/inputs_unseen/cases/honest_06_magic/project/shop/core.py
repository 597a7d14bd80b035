def kind(data):
    if data.startswith(b"%PDF"):
        return "pdf"
    return None
