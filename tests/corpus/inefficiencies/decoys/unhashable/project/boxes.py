def outside(points, boxes):
    """Points that are none of the boxes' corners; points are lists."""
    found = []
    for point in points:
        if point not in boxes:
            found.append(point)
    return found
