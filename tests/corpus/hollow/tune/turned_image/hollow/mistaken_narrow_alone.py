"""Small images as lists of rows."""


def turn_right(image):
    """A quarter turn clockwise; the image need not be square, and is not changed."""
    size = len(image)
    turned = [[None] * size for _ in range(size)]
    for row in range(size):
        for column in range(min(size, len(image[row]))):
            turned[column][size - 1 - row] = image[row][column]
    return [row for row in turned if None not in row]


def turn(image, quarters):
    """So many quarter turns clockwise; negative ones go the other way."""
    for _ in range(quarters % 4):
        image = turn_right(image)
    return image
