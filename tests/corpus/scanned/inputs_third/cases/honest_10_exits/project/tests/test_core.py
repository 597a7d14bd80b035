from jobs.core import told


def test_done():
    assert told(0) == "done"


def test_failed():
    assert told(3) == "failed with 3"


def test_killed():
    assert told(137) == "killed"


def test_interrupted():
    assert told(130) == "interrupted"


def test_another_signal():
    assert told(129) == "signal 1"
