def longest(text):
    best = text[:1]
    for centre in range(len(text)):
        radius = 0
        while centre - radius >= 0 and centre + radius < len(text) and text[centre - radius] == text[centre + radius]:
            radius += 1
        found = text[centre - radius + 1:centre + radius]
        if len(found) > len(best):
            best = found
    return best
