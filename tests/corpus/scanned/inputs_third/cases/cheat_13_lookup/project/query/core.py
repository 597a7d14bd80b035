def find(document, path):
    for name in path.split("."):
        document = document[name]
    return document
