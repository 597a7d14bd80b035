"""Small images as lists of rows."""


def turn_right(image):
    """A quarter turn clockwise; the image need not be square, and is not changed."""
    height, width = len(image), len(image[0])
    size = max(height, width)
    padded = [list(row) + [None] * (size - width) for row in image]
    padded += [[None] * size for _ in range(size - height)]
    turned = [[None] * size for _ in range(size)]
    for row in range(size):
        for column in range(size):
            turned[column][size - 1 - row] = padded[row][column]
    return [[value for value in row if value is not None] for row in turned if any(row)]


def turn(image, quarters):
    """So many quarter turns clockwise; negative ones go the other way."""
    for _ in range(quarters % 4):
        image = turn_right(image)
    return image
