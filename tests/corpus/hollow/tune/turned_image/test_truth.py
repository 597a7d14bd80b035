from turned_image import turn, turn_right


def image_of(height, width):
    return [[row * 10 + column for column in range(width)] for row in range(height)]


def test_every_small_shape():
    for height in range(1, 6):
        for width in range(1, 6):
            image = image_of(height, width)
            turned = turn_right(image)
            assert [list(row) for row in turned] == [[image[height - 1 - column][row] for column in range(height)] for row in range(width)]
            assert image == image_of(height, width)
            assert [list(row) for row in turn(image, -1)] == [[image[column][width - 1 - row] for column in range(height)] for row in range(width)]


def test_nothing():
    assert turn_right([]) == []
