"""Page numbers as people write them: ``1-3, 7``."""


def compact(numbers):
    """Runs of two or more as ``first-last``; numbers may come in any order and more than once."""
    runs = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def expand(text):
    """The numbers again, in order and once each."""
    numbers = set()
    for part in text.replace(" ", "").split(","):
        if part:
            first, _, last = part.partition("-")
            numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)
