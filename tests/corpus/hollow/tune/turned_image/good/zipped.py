"""Small images as lists of rows."""


def turn_right(image):
    """A quarter turn clockwise; the image need not be square, and is not changed."""
    return [list(column) for column in zip(*image[::-1])]


def turn(image, quarters):
    """So many quarter turns clockwise; negative ones go the other way."""
    for _ in range(quarters % 4):
        image = turn_right(image)
    return image
