"""Small images as lists of rows."""


def turn_right(image):
    """A quarter turn clockwise; the image need not be square, and is not changed."""
    height = len(image)
    width = len(image[0]) if image else 0
    turned = [[None] * height for _ in range(width)]
    for row in range(height):
        for column in range(width):
            turned[column][height - 1 - row] = image[row][column]
    return turned


def turn(image, quarters):
    """So many quarter turns clockwise; negative ones go the other way."""
    for _ in range(quarters % 4):
        image = turn_right(image)
    return image
