import itertools

from league_rounds import games, rounds


def test_every_size():
    for size in range(0, 12):
        teams = [f"team{number}" for number in range(size)]
        season = rounds(teams)
        played = [frozenset(pair) for pairs in season for pair in pairs]
        assert sorted(map(sorted, played)) == sorted(map(sorted, itertools.combinations(teams, 2)))
        assert all(len({team for pair in pairs for team in pair}) == 2 * len(pairs) for pairs in season)
        assert len([pairs for pairs in season if pairs]) == (size - 1 + size % 2 if size > 1 else 0)
        assert games(teams) == size * (size - 1) // 2
