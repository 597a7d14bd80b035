REASONS = {200: "OK", 404: "Not Found", 500: "Internal Server Error"}


def reason(status):
    return REASONS.get(status, "Unknown")
