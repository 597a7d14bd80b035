from typing import Iterable, List


def mutual_friends(graph: dict, one: str, two: str) -> List[str]:
    """Friends that two people share, in the order of the first one's list."""
    return [name for name in graph[one] if name in graph[two]]


def strangers(graph: dict, person: str, everyone: Iterable[str]) -> List[str]:
    known = graph.get(person, [])
    return [name for name in everyone if name != person and name not in known]
