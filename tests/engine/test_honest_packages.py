"""Programs that use what is installed beside Windtunnel."""


def test_numpy_works_in_the_sandbox(tunnel):
    result = tunnel.run("import numpy as np\na = np.arange(250_000.0).reshape(500, 500)\nprint(int((a @ a.T)[0, 0]))")

    assert (result.stdout, result.stderr) == ("41541750\n", "")


def test_numpy_draws_other_random_numbers_in_each_run(tunnel):
    code = "import numpy as np\nprint(np.random.default_rng().integers(1 << 60))"

    drawn = {tunnel.run(code).stdout for _ in range(4)}

    assert len(drawn) == 4
